//! Everything a session's agent has told, from the first line on or from any place, and then what it tells next.
//!
//! It is read from the spools themselves, so a reader that is slow, late or gone costs nothing and loses nothing.

use std::collections::VecDeque;
use std::str::FromStr;
use std::time::Duration;

use agents::{Event, Reader};
use serde::{Deserialize, Serialize};
use supervisor::{Stream, Tail};
use tokio::sync::watch;
use types::Session;

use crate::Result;
use crate::error::Error;
use crate::hub::Sessions;
use crate::live::Live;

/// How long to wait for the task of a session that is just being taken up.
const PAUSE: Duration = Duration::from_millis(50);

/// A place in a transcript: behind a line of one of the session's processes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Cursor {
    /// Which process, counted from one.
    pub run: u32,
    /// How many bytes of its output lie before.
    pub offset: u64,
}

impl std::fmt::Display for Cursor {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}-{}", self.run, self.offset)
    }
}

impl FromStr for Cursor {
    type Err = std::num::ParseIntError;

    fn from_str(text: &str) -> std::result::Result<Self, Self::Err> {
        let (run, offset) = text.split_once('-').unwrap_or((text, "0"));
        Ok(Self { run: run.parse()?, offset: offset.parse()? })
    }
}

/// Something in a transcript.
#[derive(Debug, Clone, PartialEq)]
pub enum Item {
    /// A process begins.
    Run {
        /// Which, counted from one.
        number: u32,
    },
    /// What a line of output means; the whole line lies before the cursor.
    Told {
        /// The place behind the line.
        cursor: Cursor,
        /// What it means, in order.
        events: Vec<Event>,
    },
    /// The session is over.
    Over(Box<Session>),
}

/// Reads a transcript.
pub struct Transcript {
    sessions: Sessions,
    session: Session,
    live: Option<watch::Receiver<Live>>,
    after: Cursor,
    current: Option<(u32, Tail, Box<dyn Reader>)>,
    done: bool,
    ready: VecDeque<Item>,
}

impl Sessions {
    /// Opens the transcript of a session behind a place.
    #[must_use]
    pub fn transcript(&self, session: Session, after: Option<Cursor>) -> Transcript {
        let live = self.watch(&session.id);
        let after = after.unwrap_or_default();
        let (sessions, ready) = (self.clone(), VecDeque::new());
        Transcript { sessions, session, live, after, current: None, done: false, ready }
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
            match &mut self.current {
                Some((run, tail, reader)) => match tail.next().await.map_err(unreadable)? {
                    Some(line) => {
                        let (cursor, events) = (Cursor { run: *run, offset: line.next }, reader.feed(&line.bytes));
                        // Lines before the place are read all the same: a reader remembers what they said.
                        if cursor > self.after && !events.is_empty() {
                            return Ok(Some(Item::Told { cursor, events }));
                        }
                    }
                    None => {
                        let behind = *run + 1;
                        self.current = None;
                        self.advance(behind).await?;
                    }
                },
                None => self.advance(self.after.run.max(1)).await?,
            }
        }
    }

    /// Goes on to a process, once it is there, or to the end.
    async fn advance(&mut self, run: u32) -> Result<()> {
        loop {
            self.refresh().await?;
            let over = !self.session.state.is_live();
            let begun = run < self.session.runs || (run == self.session.runs && self.has_begun(run));
            if begun {
                return self.open(run);
            }
            if over {
                self.done = true;
                self.ready.push_back(Item::Over(Box::new(self.session.clone())));
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
        self.sessions.0.spools.run(&self.session, run).log(Stream::Output).exists()
    }

    fn open(&mut self, run: u32) -> Result<()> {
        let hub = &self.sessions.0;
        let spool = hub.spools.run(&self.session, run);
        if !self.has_begun(run) {
            // Between two runs that were, one may never have come to be.
            self.after = self.after.max(Cursor { run: run + 1, offset: 0 });
            return Ok(());
        }
        let complete = run < self.session.runs || !self.session.state.is_live();
        let reader = hub.roster().find(&self.session.order.agent)?.reader();
        let tail = hub.parts.watcher.tail(&spool, Stream::Output, 0).map_err(unreadable)?;
        if complete {
            // Its shim may have died without a word, and then nobody else would say that nothing follows.
            hub.parts.watcher.give_up(&spool).map_err(unreadable)?;
        }
        if run > self.after.run {
            self.ready.push_back(Item::Run { number: run });
        }
        self.current = Some((run, tail, reader));
        Ok(())
    }
}

fn unreadable(source: std::io::Error) -> Error {
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

#[cfg(test)]
#[path = "transcript_tests.rs"]
mod tests;
