//! What a process is told: written down before it is sent, so that a server that comes later sends the same again.
//!
//! Each line has a number, and the shim hands a number over once. What was written down and not handed over when the
//! server died is sent under its old number; what a replayed line of output asks for again is known by its cause.

use std::collections::{BTreeSet, VecDeque};
use std::fs::{DirBuilder, File, OpenOptions};
use std::io::{self, BufRead as _, BufReader, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::Path;

use futures::FutureExt as _;
use futures::future::BoxFuture;
use serde::{Deserialize, Serialize};
use supervisor::Running;
use types::LetterId;

/// Why a process is told something.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub(crate) enum Cause {
    /// It was just started.
    Opening {
        /// Which of its first lines it is.
        line: usize,
    },
    /// Somebody wrote to it.
    Letter {
        /// What.
        id: LetterId,
    },
    /// It asked.
    Answer {
        /// What.
        request: String,
    },
}

#[derive(Debug, Clone, Serialize, Deserialize)]
struct Entry {
    seq: u64,
    cause: Cause,
    line: String,
}

/// What came of sending a line.
#[derive(Debug)]
pub(crate) struct Sent {
    pub(crate) cause: Cause,
    pub(crate) result: Result<(), supervisor::Error>,
}

/// The lines for one process, in order.
pub(crate) struct Outbox {
    file: File,
    known: BTreeSet<Cause>,
    last: u64,
    queue: VecDeque<Entry>,
    sending: Option<BoxFuture<'static, Sent>>,
    running: Running,
}

/// Writes down what a process is told first, before it is started: a server that dies in between finds it here.
pub(crate) fn begin(path: &Path, opening: &[String]) -> io::Result<()> {
    if let Some(folder) = path.parent() {
        DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
    }
    let mut file = OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(path)?;
    for (line, text) in opening.iter().enumerate() {
        let entry = Entry { seq: line as u64 + 1, cause: Cause::Opening { line }, line: text.clone() };
        file.write_all(entry.written()?.as_bytes())?;
    }
    Ok(())
}

impl Entry {
    fn written(&self) -> io::Result<String> {
        let mut text = serde_json::to_string(self)?;
        text.push('\n');
        Ok(text)
    }
}

impl Outbox {
    /// Opens the outbox of a process that has been handed everything up to `delivered`, and returns the causes of that.
    pub(crate) fn open(path: &Path, running: Running, delivered: u64) -> io::Result<(Self, Vec<Cause>)> {
        let file = OpenOptions::new().read(true).append(true).create(true).mode(0o600).open(path)?;
        let mut outbox = Self { file, known: BTreeSet::new(), last: 0, queue: VecDeque::new(), sending: None, running };
        let mut handed_over = Vec::new();
        for line in BufReader::new(outbox.file.try_clone()?).lines() {
            // A line that was cut short when the server died was never sent.
            let Ok(entry) = serde_json::from_str::<Entry>(&line?) else { continue };
            outbox.last = entry.seq;
            outbox.known.insert(entry.cause.clone());
            if entry.seq <= delivered {
                handed_over.push(entry.cause);
            } else {
                outbox.queue.push_back(entry);
            }
        }
        Ok((outbox, handed_over))
    }

    /// Puts a line into the queue, unless one was put there for the same cause before.
    pub(crate) fn push(&mut self, cause: Cause, line: String) -> io::Result<()> {
        if !self.known.insert(cause.clone()) {
            return Ok(());
        }
        self.last += 1;
        let entry = Entry { seq: self.last, cause, line };
        self.file.write_all(entry.written()?.as_bytes())?;
        self.queue.push_back(entry);
        Ok(())
    }

    /// Tells whether something is still to be handed over.
    pub(crate) fn is_busy(&self) -> bool {
        self.sending.is_some() || !self.queue.is_empty()
    }

    /// Waits until the next line is handed over, or cannot be; for ever if there is none. Dropping it loses nothing.
    pub(crate) async fn next(&mut self) -> Sent {
        if self.sending.is_none()
            && let Some(entry) = self.queue.pop_front()
        {
            let running = self.running.clone();
            let send = async move {
                let mut bytes = entry.line.into_bytes();
                bytes.push(b'\n');
                Sent { cause: entry.cause, result: running.input(entry.seq, &bytes).await }
            };
            self.sending = Some(send.boxed());
        }
        match &mut self.sending {
            Some(sending) => {
                let sent = sending.await;
                self.sending = None;
                sent
            }
            None => futures::future::pending().await,
        }
    }
}
