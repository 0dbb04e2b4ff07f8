//! What was decided on the agent's calls where they were made, read from its journal a slice at a time.
//!
//! The agent can write to the journal too. So a line of it can ask a person about the very call that is in it, or be
//! counted among the calls that were refused, and nothing more: the call is read again from what it would be made with,
//! judged here, and named by a key that is computed here. And there is an end to it: a look reads a slice and makes few
//! records, looks come with pauses between them, and what is too much is counted and not stored.

use std::collections::VecDeque;
use std::time::Duration;

use policy::{By, Call, JOURNAL_FILE, Judged, OnAsk, Slice, Verdict};
use sha2::{Digest as _, Sha256};
use types::{ApprovalState, Event, ID_ALPHABET, Timestamp, Violation, ViolationId};

use super::Actor;
use crate::Result;
use crate::error::Error;

/// Records that are made of the calls of one process.
const RECORDS_MAX: u32 = 200;

/// Records that one look at the journal makes.
const RECORDS_AT_ONCE: usize = 16;

/// Bytes of a journal that are read.
const BYTES_MAX: u64 = 64 << 20;

/// Slices that are read when a process has ended.
const LAST_SLICES: usize = 16;

/// How long the journal is let alone after a look.
const PAUSE: Duration = Duration::from_millis(250);

/// Approvals of one session that may wait at the same time.
pub(super) const WAITING_MAX: usize = 20;

/// Calls that a person was to be asked about, of which it is remembered what was asked.
const ASKED_MAX: usize = 16;

/// Characters of a violation's id, which is made of what it is about.
const ID_LENGTH: usize = 12;

/// Characters of a text in a violation.
const TEXT_MAX: usize = 1_000;

/// The tool of a violation that counts what was not stored.
const TOOL: &str = "journal";

/// How far the journal of a process was read.
#[derive(Debug, Default)]
pub(super) struct Journal {
    /// The process.
    run: u32,
    /// Bytes.
    place: u64,
    /// Lines.
    lines: u64,
    /// The last calls that a person is to be asked about.
    asked: VecDeque<Judged>,
    /// What was read and is not stored yet.
    backlog: VecDeque<Noted>,
    /// Records that were made, or are to be.
    records: u32,
    /// Calls that are not stored.
    dropped: u64,
    /// Why nothing more is read.
    closed: Option<String>,
    /// When it may be looked at again.
    rests_until: Option<Timestamp>,
    /// Whether there is more to read, or to store.
    more: bool,
    /// Whether it was told that something is not stored.
    told: bool,
}

/// A call, as far as a record is made of it.
#[derive(Debug)]
enum Noted {
    /// A person is to be asked about it.
    Asked(Box<Judged>),
    /// It was refused.
    Refused(Refused),
}

/// A call that was refused.
#[derive(Debug)]
pub(super) struct Refused {
    /// What distinguishes it from others.
    place: String,
    at: Timestamp,
    key: String,
    tool: String,
    what: String,
    by: By,
    why: String,
}

impl Refused {
    pub(super) fn new(place: String, at: Timestamp, key: &str, call: &Call, by: &By, why: &str) -> Self {
        let (key, tool, why) = (cut(key), cut(&call.tool), cut(why));
        Self { place, at, key, tool, what: call.what(), by: by.clone(), why }
    }
}

impl Journal {
    /// Returns when to look again, if there is more to be seen.
    pub(super) fn due(&self) -> Option<Timestamp> {
        self.rests_until.filter(|_| self.more)
    }

    /// Takes note of a slice, as far as there is room for it.
    fn take(&mut self, slice: Slice, on_ask: OnAsk) {
        self.place = slice.next;
        self.dropped += slice.unread;
        for judged in slice.judged {
            self.lines += 1;
            let noted = match &judged.verdict {
                Verdict::Allow => continue,
                Verdict::Block { by, why } => {
                    let place = format!("{}/{}", self.run, self.lines);
                    Noted::Refused(Refused::new(place, judged.at, &judged.key, &judged.call, by, why))
                }
                Verdict::Ask { .. } => match on_ask {
                    // The agent goes on without it: the answer is for when it makes the call again.
                    OnAsk::Refuse => Noted::Asked(Box::new(judged)),
                    // The agent reports by itself that it waits, or leaves.
                    OnAsk::Defer | OnAsk::Wait => {
                        self.remember(judged);
                        continue;
                    }
                },
            };
            let is_asked = |noted: &Noted| matches!(noted, Noted::Asked(_));
            let crowded =
                is_asked(&noted) && self.backlog.iter().filter(|noted| is_asked(noted)).count() >= WAITING_MAX;
            if crowded || self.records >= RECORDS_MAX {
                self.dropped += 1;
            } else {
                self.records += 1;
                self.backlog.push_back(noted);
            }
        }
        if slice.more && self.place >= BYTES_MAX {
            self.closed = Some(format!("the journal is longer than {} MB", BYTES_MAX >> 20));
        }
        self.more = slice.more && self.closed.is_none();
    }

    fn remember(&mut self, judged: Judged) {
        if self.asked.len() >= ASKED_MAX {
            self.asked.pop_front();
        }
        self.asked.push_back(judged);
    }

    /// Says what is not stored, if anything is not.
    fn lost(&self) -> Option<(String, String)> {
        let calls = (self.dropped > 0).then(|| format!("{} calls or lines are not stored", self.dropped));
        let what: Vec<String> = calls.into_iter().chain(self.closed.clone()).collect();
        let why = format!("{RECORDS_MAX} refused calls are stored for a process; the rest is counted");
        (!what.is_empty()).then(|| (what.join("; "), why))
    }
}

impl Actor {
    /// Looks at what was decided since, unless that was done a moment ago: then it is done in a moment.
    pub(super) async fn read_journal(&mut self) -> Result<()> {
        let now = self.shared.parts.clock.now();
        if self.journal.run != self.session.runs {
            self.journal = Journal { run: self.session.runs, ..Journal::default() };
        }
        if self.journal.rests_until.is_some_and(|until| now < until) {
            self.journal.more = true;
            return Ok(());
        }
        self.journal.rests_until = Some(now + PAUSE);
        self.read_slice();
        self.store_noted(RECORDS_AT_ONCE).await?;
        self.journal.more |= !self.journal.backlog.is_empty();
        if !self.journal.told && self.journal.lost().is_some() {
            self.journal.told = true;
            self.tell_lost().await?;
        }
        Ok(())
    }

    /// Reads what is left when the process has ended, but not without end; and reports what was not stored.
    pub(super) async fn close_journal(&mut self) -> Result<()> {
        self.journal.rests_until = None;
        self.read_journal().await?;
        for _ in 0..LAST_SLICES {
            if !self.journal.more {
                break;
            }
            self.read_slice();
            // Others have their turn.
            tokio::task::yield_now().await;
        }
        if self.journal.more && self.journal.closed.is_none() {
            self.journal.closed = Some("the end of the journal was not read".to_owned());
        }
        self.store_noted(RECORDS_MAX as usize).await?;
        self.tell_lost().await
    }

    /// Reads the next slice. A journal that cannot be read is the agent's doing and does not delay its end.
    fn read_slice(&mut self) {
        if self.journal.closed.is_some() {
            self.journal.more = false;
            return;
        }
        let path = self.shared.spools.private(&self.session, self.session.runs).join(JOURNAL_FILE);
        match self.shared.parts.files.read_journal(&path, self.journal.place) {
            Ok(slice) => self.journal.take(slice, self.permissions.on_ask),
            Err(error) => {
                self.journal.more = false;
                self.journal.closed = Some(format!("the journal cannot be read: {error}"));
            }
        }
    }

    async fn store_noted(&mut self, most: usize) -> Result<()> {
        for _ in 0..most {
            match self.journal.backlog.pop_front() {
                Some(Noted::Asked(judged)) => self.ask_for_later(*judged).await?,
                Some(Noted::Refused(refused)) => self.store_refused(&refused).await?,
                None => break,
            }
        }
        Ok(())
    }

    /// Writes down a call that was not let through, if there is room for it.
    pub(super) async fn violated(&mut self, refused: Refused) -> Result<()> {
        if self.journal.records >= RECORDS_MAX {
            self.journal.dropped += 1;
            return Ok(());
        }
        self.journal.records += 1;
        self.store_refused(&refused).await
    }

    /// Counts a call about which no person is asked, because too many wait already.
    pub(super) fn not_asked(&mut self) {
        self.journal.dropped += 1;
    }

    /// Returns whether so many calls wait for people that no more are added.
    pub(super) fn is_crowded(&self) -> bool {
        self.approvals.iter().filter(|asked| asked.state == ApprovalState::Waiting).count() >= WAITING_MAX
    }

    /// Finds what was asked about a call that the agent has left, by what the agent calls it.
    pub(super) fn last_asked(&self, request: &str, call: &Call) -> Option<&Judged> {
        let mut newest = self.journal.asked.iter().rev();
        let named = newest.clone().find(|judged| judged.id.as_deref() == Some(request));
        named.or_else(|| newest.find(|judged| judged.id.is_none() && judged.call.tool == call.tool))
    }

    /// Writes down once for each process what was not stored of its calls.
    async fn tell_lost(&mut self) -> Result<()> {
        let Some((what, why)) = self.journal.lost() else { return Ok(()) };
        tracing::warn!(session = %self.session.id, %what, "not all calls of an agent are stored");
        let at = self.shared.parts.clock.now();
        let place = format!("{}/{TOOL}", self.session.runs);
        let (key, tool, by) = (String::new(), TOOL.to_owned(), By::SessionPermissions);
        self.store_refused(&Refused { place, at, key, tool, what, by, why }).await
    }

    /// Writes down a call that was not let through, once for each place.
    async fn store_refused(&self, refused: &Refused) -> Result<()> {
        let session = &self.session;
        let violation = &Violation {
            id: named(&format!("{}/{}", session.id, refused.place))?,
            team: session.team.clone(),
            session: session.id.clone(),
            mission: session.mission.as_ref().map(|assignment| assignment.mission.clone()),
            project: session.project.clone(),
            handle: session.handle.clone(),
            call: refused.key.clone(),
            tool: refused.tool.clone(),
            what: self.without_secrets(&refused.what),
            rule: match &refused.by {
                By::Rule { id, .. } => Some(id.clone()),
                By::Preset | By::Person { .. } | By::SessionPermissions => None,
            },
            why: refused.why.clone(),
            at: refused.at,
        };
        let stamp = self.shared.stamp(session);
        let written = self.shared.parts.store.transact(&stamp, |tx| async move {
            match tx.get::<Violation>(&violation.id).await? {
                Some(held) if held.record.what == violation.what => {}
                Some(held) => tx.update(&held, violation)?,
                None => {
                    tx.insert(violation)?;
                    let (session, mission) = (violation.session.clone(), violation.mission.clone());
                    tx.append(Event::CallRefused { session, mission, violation: violation.id.clone() });
                }
            }
            Ok::<_, Error>(())
        });
        written.await
    }
}

fn cut(text: &str) -> String {
    match text.char_indices().nth(TEXT_MAX) {
        Some((at, _)) => format!("{}…", text.get(..at).unwrap_or_default()),
        None => text.to_owned(),
    }
}

/// Makes an id of a text: the same for the same.
pub(super) fn named(text: &str) -> Result<ViolationId> {
    let letters: Vec<char> = ID_ALPHABET.chars().collect();
    let digest = Sha256::digest(text.as_bytes());
    let code: String =
        digest.iter().take(ID_LENGTH).filter_map(|byte| letters.get(usize::from(*byte) % letters.len())).collect();
    ViolationId::from_code(&code).map_err(|error| Error::File {
        what: "cannot name a violation".to_owned(),
        source: std::io::Error::other(error),
    })
}

#[cfg(test)]
#[path = "journal_tests.rs"]
mod tests;
