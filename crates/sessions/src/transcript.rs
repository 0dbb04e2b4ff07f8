//! The transcript of a session: all output of its agent, from the first line on or from any cursor, and then what
//! follows.
//!
//! It is read from the spools themselves, so a reader that is slow, late or gone costs nothing and loses nothing.

use std::collections::VecDeque;
use std::io;
use std::time::Duration;

use agents::Reader;
use agents::shown::devfleet::Frame;
use agents::shown::place::{Place, Placed};
use supervisor::{Line, Spool, Trimmed};
use tokio::sync::watch;
use types::Session;

use crate::Result;
use crate::error::Error;
use crate::live::Live;
use crate::manager::SessionManager;
use crate::notices::{self, Notice};
use crate::processes::OutputTail;

/// How long to wait for the task of a session that is just being taken up.
const PAUSE: Duration = Duration::from_millis(50);

/// Behind everything.
const END: Place = Place { run: u32::MAX, offset: u64::MAX, frames: 0, notices: 0 };

/// Something in a transcript.
#[derive(Debug, Clone, PartialEq)]
pub enum Item {
    /// A process begins.
    Run {
        /// Which, counted from one.
        number: u32,
        /// The place before its output.
        place: Place,
    },
    /// What a process wrote first is not there any more.
    Trimmed {
        /// Which, counted from one.
        number: u32,
        /// Since when, and how much there was.
        trimmed: Trimmed,
        /// The place before what is left.
        place: Place,
    },
    /// The agent said or did something.
    Told {
        /// The place behind it.
        place: Place,
        /// What it said or did.
        frame: Frame,
    },
    /// The session is over.
    Over(Box<Session>),
    /// This is everything so far, and the session continues.
    SoFar,
}

/// How far a transcript is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Until {
    /// To the end of the session, whenever that is.
    Over,
    /// To what was there when it was opened.
    Now,
}

/// Reads a transcript.
pub struct Transcript {
    sessions: SessionManager,
    session: Session,
    live: Option<watch::Receiver<Live>>,
    after: Place,
    until: Until,
    /// Which process is read when there is no current one.
    run: u32,
    current: Option<Current>,
    notices: Vec<Notice>,
    /// How many of them were shown.
    shown: usize,
    /// The place behind what was last shown.
    last: Place,
    done: bool,
    ready: VecDeque<Item>,
}

/// The process whose output is being read.
struct Current {
    run: u32,
    tail: Box<dyn OutputTail>,
    reader: Box<dyn Reader>,
    placed: Placed,
    /// How much of the output is read; all that will ever be if none.
    limit: Option<u64>,
}

impl SessionManager {
    /// Opens the transcript of a session, as it is now, behind a place.
    #[must_use]
    pub fn transcript(&self, session: Session, after: Option<Place>, until: Until) -> Transcript {
        let live = self.watch(&session.id);
        let after = after.unwrap_or_default();
        let (sessions, run, ready) = (self.clone(), after.run.max(1), VecDeque::new());
        let (notices, shown) = (Vec::new(), usize::try_from(after.notices).unwrap_or(usize::MAX));
        let (current, last, done) = (None, after, false);
        let mut transcript =
            Transcript { sessions, session, live, after, until, run, current, notices, shown, last, done, ready };
        transcript.read_notices();
        transcript
    }
}

impl Transcript {
    /// Waits for what comes next; none behind the end of the session. Dropping the future loses nothing.
    ///
    /// # Errors
    /// When a file cannot be read, or the store fails.
    pub async fn next(&mut self) -> Result<Option<Item>> {
        loop {
            if let Some(item) = self.ready.pop_front() {
                return Ok(Some(item));
            }
            if self.done {
                return Ok(None);
            }
            self.hear_notices();
            if let Some(place) = self.current.as_ref().map(|current| current.placed.place())
                && self.show_notices(place)
            {
                continue;
            }
            let Some(current) = &mut self.current else {
                self.advance().await?;
                continue;
            };
            let line = tokio::select! {
                biased;
                line = current.line() => line.map_err(unreadable)?,
                // Something else happened to the session; it may be worth a notice.
                () = changed(&mut self.live) => continue,
            };
            match line {
                // Lines before the place are read all the same: what follows is understood by what they said.
                Some(line) => {
                    for (place, frame) in current.told(&line) {
                        self.last = noticed(place, self.shown);
                        self.ready.push_back(Item::Told { place: self.last, frame });
                    }
                }
                None => {
                    let is_last = current.limit.is_some();
                    // Kept here and not in the future, which may be dropped while it waits for the next process.
                    self.run = current.run + 1;
                    self.current = None;
                    if is_last {
                        self.so_far();
                    }
                }
            }
        }
    }

    /// Reads the notices that were written since.
    fn hear_notices(&mut self) {
        let written = self.live.as_ref().map(|live| live.borrow().notices);
        if written.is_some_and(|written| written > self.notices.len()) {
            self.read_notices();
        }
    }

    /// Notices that cannot be read are missing; the output is not.
    fn read_notices(&mut self) {
        let path = self.sessions.0.spools.notices(&self.session);
        self.notices = notices::read(self.sessions.0.parts.files.as_ref(), &path).unwrap_or_default();
    }

    /// Shows the notices up to a place of the output that were not shown; returns whether there are some.
    fn show_notices(&mut self, upto: Place) -> bool {
        let before = self.shown;
        while let Some(notice) = self.notices.get(self.shown)
            && (notice.run, notice.offset) <= (upto.run, upto.offset)
        {
            let frame = Frame::Notice { text: notice.text.clone() };
            let own = Place { offset: notice.offset, ..Place::start_of(notice.run) };
            self.shown += 1;
            // One that was written after the output went on is shown late; that output is not shown again for it.
            self.last = noticed(self.last.max(own), self.shown);
            self.ready.push_back(Item::Told { place: self.last, frame });
        }
        self.shown > before
    }

    fn so_far(&mut self) {
        self.show_notices(END);
        self.done = true;
        self.ready.push_back(Item::SoFar);
    }

    /// Continues to the next process, once it is there, or to the end.
    async fn advance(&mut self) -> Result<()> {
        let run = self.run;
        loop {
            if self.until == Until::Over {
                self.refresh().await?;
            }
            let over = !self.session.state.is_live();
            let begun = run < self.session.runs || (run == self.session.runs && self.has_begun(run));
            if self.live.is_none() {
                self.read_notices();
            }
            self.hear_notices();
            if begun {
                return self.open(run);
            }
            if over {
                self.show_notices(END);
                self.done = true;
                self.ready.push_back(Item::Over(Box::new(self.session.clone())));
                return Ok(());
            }
            if self.until == Until::Now {
                self.so_far();
                return Ok(());
            }
            if self.show_notices(Place::start_of(run)) {
                return Ok(());
            }
            match &mut self.live {
                Some(live) => {
                    // An error says that the session's task is gone; then the store knows more.
                    if live.changed().await.is_err() {
                        self.live = None;
                    }
                }
                None => {
                    self.live = self.sessions.watch(&self.session.id);
                    self.sessions.0.parts.clock.sleep(PAUSE).await;
                }
            }
        }
    }

    async fn refresh(&mut self) -> Result<()> {
        match &mut self.live {
            Some(live) => self.session = live.borrow_and_update().session.clone(),
            None => self.session = self.sessions.get(&self.session.id).await?,
        }
        Ok(())
    }

    /// A process that could not be started has no output.
    fn has_begun(&self, run: u32) -> bool {
        self.sessions.0.parts.processes.is_begun(&self.sessions.0.spools.run(&self.session, run))
    }

    /// Says how much is read of a process that may still write.
    fn limit(&self, spool: &Spool) -> Option<u64> {
        let bytes = || self.sessions.0.parts.processes.written(spool).map_or(0, |written| written.bytes);
        (self.until == Until::Now).then(bytes)
    }

    fn open(&mut self, run: u32) -> Result<()> {
        let shared = &self.sessions.0;
        let spool = shared.spools.run(&self.session, run);
        if !self.has_begun(run) {
            // Between two runs that were, one may never have come to be.
            self.run = run + 1;
            self.after = self.after.max(Place::start_of(self.run));
            return Ok(());
        }
        let complete = run < self.session.runs || !self.session.state.is_live();
        let reader = shared.agent_registry().of_session(&self.session.order.agent).reader();
        let tail = shared.parts.processes.tail(&spool).map_err(unreadable)?;
        if complete {
            // Its shim may have died without a message, and then nothing else would report the end.
            shared.parts.processes.give_up(&spool).map_err(unreadable)?;
        }
        if run > self.after.run {
            self.show_notices(Place::start_of(run));
            let place = noticed(self.last.max(Place::start_of(run)), self.shown);
            self.last = place;
            // A notice before all output of a process says why there is one.
            let is_explained = self.notices.iter().any(|notice| (notice.run, notice.offset) == (run, 0));
            if !is_explained {
                self.ready.push_back(Item::Run { number: run, place });
            }
            let trimmed = spool.trimmed().map_err(unreadable)?;
            self.ready.extend(trimmed.map(|trimmed| Item::Trimmed { number: run, trimmed, place }));
        }
        let limit = if complete { None } else { self.limit(&spool) };
        let placed = Placed::new(run, self.after);
        self.current = Some(Current { run, tail, reader, placed, limit });
        Ok(())
    }
}

impl Current {
    async fn line(&mut self) -> io::Result<Option<Line>> {
        match self.limit {
            Some(limit) => self.tail.next_before(limit),
            None => self.tail.next().await,
        }
    }

    fn told(&mut self, line: &Line) -> Vec<(Place, Frame)> {
        let events = self.reader.feed(&line.bytes);
        self.placed.line(&events, line.next)
    }
}

/// Adds to a place how many notices were shown before it.
fn noticed(place: Place, notices: usize) -> Place {
    Place { notices: u32::try_from(notices).unwrap_or(u32::MAX), ..place }
}

/// Waits until a session changes; for ever if its task is gone, for then its output says when it ends.
async fn changed(live: &mut Option<watch::Receiver<Live>>) {
    if let Some(receiver) = live {
        if receiver.changed().await.is_ok() {
            return;
        }
        *live = None;
    }
    futures::future::pending().await
}

fn unreadable(source: io::Error) -> Error {
    Error::File { what: "cannot read what the agent wrote".to_owned(), source }
}

impl std::fmt::Debug for Transcript {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Transcript")
            .field("session", &self.session.id)
            .field("after", &self.after)
            .finish_non_exhaustive()
    }
}
