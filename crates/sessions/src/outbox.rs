//! What a process is told: written down before it is sent, so that a server that comes later sends the same again.
//!
//! Each line has a number, and the shim hands a number over once. What was written down and not handed over when the
//! server died is sent under its old number; what a replayed line of output asks for again is known by its cause.

use std::collections::{BTreeSet, VecDeque};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use futures::FutureExt as _;
use futures::future::BoxFuture;
use runtime::Clock;
use serde::{Deserialize, Serialize};
use types::LetterId;

use crate::files::Files;

/// Why a process is told something.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub(crate) enum Cause {
    /// It was just started.
    Opening {
        /// Which of its first lines it is.
        line: usize,
    },
    /// A message was sent to it.
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

/// Hands a numbered line to a process, and returns when it has the whole of it.
pub(crate) type Hand = Box<dyn Fn(u64, Vec<u8>) -> BoxFuture<'static, Result<(), supervisor::Error>> + Send + Sync>;

/// How long to wait before a line is sent again that did not get to the shim.
const PAUSE: Duration = Duration::from_secs(1);

/// What came of sending a line.
#[derive(Debug)]
pub(crate) struct Sent {
    pub(crate) cause: Cause,
    pub(crate) result: Result<(), supervisor::Error>,
}

/// The lines for one process, in order.
pub(crate) struct Outbox {
    files: Arc<dyn Files>,
    path: PathBuf,
    known: BTreeSet<Cause>,
    last: u64,
    queue: VecDeque<Entry>,
    sending: Option<Sending>,
    hand: Hand,
    clock: Clock,
}

struct Sending {
    entry: Entry,
    result: BoxFuture<'static, Result<(), supervisor::Error>>,
}

/// Writes down what a process is told first, before it is started: a server that dies in between finds it here.
pub(crate) fn begin(files: &dyn Files, path: &Path, opening: &[String]) -> io::Result<()> {
    let mut text = String::new();
    for (line, opening) in opening.iter().enumerate() {
        let entry = Entry { seq: line as u64 + 1, cause: Cause::Opening { line }, line: opening.clone() };
        text.push_str(&entry.written()?);
    }
    files.write(path, &text)
}

impl Entry {
    fn written(&self) -> io::Result<String> {
        let mut text = serde_json::to_string(self)?;
        text.push('\n');
        Ok(text)
    }
}

/// Reads which letters a process was to be told.
pub(crate) fn letters(files: &dyn Files, path: &Path) -> io::Result<impl Iterator<Item = LetterId> + use<>> {
    let (entries, _) = entries(&files.read(path)?);
    Ok(entries.into_iter().filter_map(|entry| match entry.cause {
        Cause::Letter { id } => Some(id),
        Cause::Opening { .. } | Cause::Answer { .. } => None,
    }))
}

/// Reads what was written down, and how many bytes of the file that is: a line that was cut short was never sent.
fn entries(text: &[u8]) -> (Vec<Entry>, u64) {
    let (mut entries, mut whole) = (Vec::new(), 0);
    for line in text.split_inclusive(|byte| *byte == b'\n').filter(|line| line.ends_with(b"\n")) {
        let Ok(entry) = serde_json::from_slice::<Entry>(line) else { break };
        entries.push(entry);
        whole += line.len() as u64;
    }
    (entries, whole)
}

impl Outbox {
    /// Opens the outbox of a process that has been handed everything up to `delivered`, and returns the causes of that.
    pub(crate) fn open(
        files: Arc<dyn Files>,
        path: PathBuf,
        hand: Hand,
        clock: Clock,
        delivered: u64,
    ) -> io::Result<(Self, Vec<Cause>)> {
        let text = files.read(&path)?;
        let (entries, whole) = entries(&text);
        if whole < text.len() as u64 {
            // What comes next begins on a line of its own.
            files.cut(&path, whole)?;
        }
        let last = entries.last().map_or(0, |entry| entry.seq);
        let known = entries.iter().map(|entry| entry.cause.clone()).collect();
        let (handed_over, queue): (Vec<_>, VecDeque<_>) = (
            entries.iter().filter(|entry| entry.seq <= delivered).map(|entry| entry.cause.clone()).collect(),
            entries.iter().filter(|entry| entry.seq > delivered).cloned().collect(),
        );
        Ok((Self { files, path, known, last, queue, sending: None, hand, clock }, handed_over))
    }

    /// Puts a line into the queue, unless one was put there for the same cause before.
    pub(crate) fn push(&mut self, cause: Cause, line: String) -> io::Result<()> {
        if self.known.contains(&cause) {
            return Ok(());
        }
        let entry = Entry { seq: self.last + 1, cause: cause.clone(), line };
        self.files.append(&self.path, &entry.written()?)?;
        self.last = entry.seq;
        self.known.insert(cause);
        self.queue.push_back(entry);
        Ok(())
    }

    /// Returns whether a line was put into the queue for this cause, now or by an earlier server.
    pub(crate) fn knows(&self, cause: &Cause) -> bool {
        self.known.contains(cause)
    }

    /// Returns whether something is still to be delivered.
    pub(crate) fn is_busy(&self) -> bool {
        self.sending.is_some() || !self.queue.is_empty()
    }

    /// Waits until the next line is handed over, or cannot be; for ever if there is none. Dropping it loses nothing.
    pub(crate) async fn next(&mut self) -> Sent {
        loop {
            if self.sending.is_none()
                && let Some(entry) = self.queue.pop_front()
            {
                let result = self.send(&entry);
                self.sending = Some(Sending { entry, result });
            }
            let Some(sending) = &mut self.sending else { return futures::future::pending().await };
            let result = (&mut sending.result).await;
            let Some(Sending { entry, .. }) = self.sending.take() else { return futures::future::pending().await };
            if result.as_ref().is_err_and(may_pass) {
                // Numbers leave no gap, so nothing behind it can go before it.
                let again = self.send(&entry);
                let clock = self.clock.clone();
                let result = async move {
                    clock.sleep(PAUSE).await;
                    again.await
                };
                self.sending = Some(Sending { entry, result: result.boxed() });
                continue;
            }
            return Sent { cause: entry.cause, result };
        }
    }

    fn send(&self, entry: &Entry) -> BoxFuture<'static, Result<(), supervisor::Error>> {
        let mut bytes = entry.line.clone().into_bytes();
        bytes.push(b'\n');
        (self.hand)(entry.seq, bytes)
    }
}

/// Returns whether a line may get through later; it will not if the agent reads no more, or is gone.
fn may_pass(error: &supervisor::Error) -> bool {
    use supervisor::{Error, Refusal};
    matches!(error, Error::Connection(_) | Error::Silent | Error::Refused(Refusal::InputFull))
}

#[cfg(test)]
#[path = "outbox_tests.rs"]
mod tests;
