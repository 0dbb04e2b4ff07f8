//! What the agent may do, written down where its calls are made; and what was decided on them there.
//!
//! The fence is made of records alone, so it can be written again at any time: before each process, when a rule or an
//! answer changes, and by the server that takes the session up. What the journal says is believed about which calls were
//! made; each of its lines becomes a violation at most once, for a violation is named by the place of its line.

use std::os::unix::fs::DirBuilderExt as _;
use std::path::PathBuf;

use agents::{Gate, PermissionHook};
use policy::{Answer, By, FENCE_FILE, Fence, JOURNAL_FILE, Judged, OnAsk, Verdict, concerning};
use sha2::{Digest as _, Sha256};
use types::{Access, Approval, ApprovalState, Event, ID_ALPHABET, Violation, ViolationId};

use super::Actor;
use super::tools::free;
use crate::Result;
use crate::canaries;
use crate::error::Error;
use crate::secrets::without_secrets;

/// What somebody writes who wants an agent to do whatever its user may do.
const FULL_ACCESS: &str = "full-access";

/// Characters of a violation's id, which is made of what it is about.
const ID_LENGTH: usize = 12;

/// How far the journal of a process was read.
#[derive(Debug, Clone, Default)]
pub(super) struct Journal {
    /// The process.
    run: u32,
    /// Bytes.
    place: u64,
    /// Lines.
    lines: u64,
    /// The calls that a person is to be asked about.
    asked: Vec<Judged>,
}

impl Actor {
    /// Reads what the agent may do from the records, and writes it down for its process.
    pub(super) async fn refence(&mut self) -> Result<()> {
        self.approvals = self.hub.approvals(&self.session.id).await?;
        let rules = self.hub.rules(&self.session.team).await?;
        let order = &self.session.order;
        let gear = match &self.session.workspace {
            Some(workspace) => self.gear(workspace).await?.tools,
            None => Vec::new(),
        };
        let tools = order.allowed_tools.as_ref().map(|tools| tools.iter().cloned().chain(free()).chain(gear).collect());
        let folder = self.session.workspace.as_ref().map_or(order.place.folder(), |made| made.path.as_str());
        self.fence = Fence {
            tools,
            rules: concerning(&rules, &self.session.team, self.session.project.as_ref()),
            answers: self.approvals.iter().filter_map(answer).collect(),
            on_ask: self.on_ask()?,
            home: self.hub.parts.environment.get("HOME").map(PathBuf::from),
            ..Fence::open(PathBuf::from(folder))
        };
        self.write_fence()
    }

    /// Says which program judges the calls of the next process, for an agent whose hook can run one.
    pub(super) fn gate(&self, agent: &str) -> Gate {
        let folder = self.hub.spools.private(&self.session, self.session.runs);
        canaries::gate(agent, &self.hub.parts.program, &folder.join(FENCE_FILE), &folder.join(JOURNAL_FILE))
    }

    /// Says how far the agent may reach: everywhere only where somebody wrote exactly that.
    pub(super) fn access(&self) -> Access {
        let order = &self.session.order;
        match order.preset.as_deref() {
            Some(FULL_ACCESS) if order.allowed_tools.is_none() => Access::Full,
            Some(_) | None => policy::access(order.allowed_tools.as_deref()),
        }
    }

    fn write_fence(&self) -> Result<()> {
        let folder = self.hub.spools.private(&self.session, self.session.runs);
        let failed = |source: std::io::Error| Error::File { what: "cannot write the fence".to_owned(), source };
        std::fs::DirBuilder::new().recursive(true).mode(0o700).create(&folder).map_err(failed)?;
        self.fence.save(&folder.join(FENCE_FILE)).map_err(|error| failed(std::io::Error::other(error)))
    }

    /// Says what becomes of a call that a person is to be asked about.
    fn on_ask(&self) -> Result<OnAsk> {
        let adapter = self.adapter()?;
        if adapter.can_leave() {
            return Ok(OnAsk::Defer);
        }
        Ok(match adapter.capabilities().permission_hook {
            PermissionHook::None | PermissionHook::Program => OnAsk::Refuse,
            PermissionHook::Stream => OnAsk::Wait,
        })
    }

    /// Reads what was decided since, and writes down what was not let through.
    pub(super) async fn read_journal(&mut self) -> Result<()> {
        if self.journal.run != self.session.runs {
            self.journal = Journal { run: self.session.runs, ..Journal::default() };
        }
        let path = self.hub.spools.private(&self.session, self.session.runs).join(JOURNAL_FILE);
        loop {
            let read = Judged::read(&path, self.journal.place);
            let (lines, place) =
                read.map_err(|source| Error::File { what: "cannot read the journal".to_owned(), source })?;
            for judged in lines {
                self.journal.lines += 1;
                self.note(judged).await?;
            }
            if place == self.journal.place {
                return Ok(());
            }
            self.journal.place = place;
        }
    }

    async fn note(&mut self, judged: Judged) -> Result<()> {
        match &judged.verdict {
            Verdict::Allow => Ok(()),
            Verdict::Ask { .. } => {
                self.journal.asked.push(judged.clone());
                match self.fence.on_ask {
                    // The agent goes on without it: the answer is for when it makes the call again.
                    OnAsk::Refuse => self.ask_for_later(judged).await,
                    // It tells by itself that it waits, or leaves.
                    OnAsk::Defer | OnAsk::Wait => Ok(()),
                }
            }
            Verdict::Block { by, why } => {
                let place = format!("{}/{}", self.journal.run, self.journal.lines);
                self.violated(&place, &judged, by, why).await
            }
        }
    }

    /// Finds what was asked about a call that the agent has left, by what the agent calls it.
    pub(super) fn last_asked(&self, call: &str) -> Option<&Judged> {
        let named = self.journal.asked.iter().rev().find(|judged| judged.id.as_deref() == Some(call));
        named.or_else(|| self.journal.asked.last())
    }

    /// Cuts out of what is shown of a call what is known to be a secret, and what stands where one does.
    pub(super) fn without_secrets(&self, text: &str) -> String {
        self.hub.redactor().text(&without_secrets(text)).into_owned()
    }

    /// Writes down a call that was not let through, once for each place.
    pub(super) async fn violated(&self, place: &str, judged: &Judged, by: &By, why: &str) -> Result<()> {
        let session = &self.session;
        let violation = &Violation {
            id: named(&format!("{}/{place}", session.id))?,
            team: session.team.clone(),
            session: session.id.clone(),
            mission: session.mission.as_ref().map(|assignment| assignment.mission.clone()),
            project: session.project.clone(),
            handle: session.handle.clone(),
            call: judged.key.clone(),
            tool: judged.call.tool.clone(),
            what: self.without_secrets(&judged.call.what()),
            rule: match by {
                By::Rule { id, .. } => Some(id.clone()),
                By::Preset | By::Person { .. } | By::Fence => None,
            },
            why: why.to_owned(),
            at: judged.at,
        };
        let stamp = self.hub.stamp(session);
        let written = self.hub.parts.store.transact(&stamp, |tx| async move {
            if tx.get::<Violation>(&violation.id).await?.is_none() {
                tx.insert(violation)?;
                let (session, mission) = (violation.session.clone(), violation.mission.clone());
                tx.append(Event::CallRefused { session, mission, violation: violation.id.clone() });
            }
            Ok::<_, Error>(())
        });
        written.await
    }
}

/// What a person answered, as the fence has it.
fn answer(approval: &Approval) -> Option<Answer> {
    let (allow, by, why) = match &approval.state {
        ApprovalState::Allowed { by, .. } => (true, by, None),
        ApprovalState::Denied { by, why, .. } => (false, by, Some(why.clone()).filter(|why| !why.is_empty())),
        ApprovalState::Waiting | ApprovalState::Lapsed { .. } => return None,
    };
    Some(Answer { key: approval.key.clone(), allow, by: by.clone(), why })
}

/// Makes an id of a text: the same for the same.
fn named(text: &str) -> Result<ViolationId> {
    let letters: Vec<char> = ID_ALPHABET.chars().collect();
    let digest = Sha256::digest(text.as_bytes());
    let code: String =
        digest.iter().take(ID_LENGTH).filter_map(|byte| letters.get(usize::from(*byte) % letters.len())).collect();
    ViolationId::from_code(&code).map_err(|error| Error::File {
        what: "cannot name a violation".to_owned(),
        source: std::io::Error::other(error),
    })
}
