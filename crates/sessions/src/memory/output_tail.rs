//! Following output that is in memory.

use std::io;

use futures::FutureExt as _;
use futures::future::BoxFuture;
use supervisor::{Line, Splitter};
use tokio::sync::watch;

use super::processes::Contents;
use crate::processes::OutputTail;

/// Reads the output of a spool as it grows.
pub(super) struct MemoryTail {
    contents: watch::Receiver<Contents>,
    splitter: Splitter,
}

impl MemoryTail {
    pub(super) fn new(contents: watch::Receiver<Contents>) -> Self {
        Self { contents, splitter: Splitter::at(0) }
    }

    /// Reads what was written since; returns whether something was, and whether the end is reached.
    fn read(&mut self) -> (bool, bool) {
        let contents = self.contents.borrow_and_update();
        let from = usize::try_from(self.splitter.end()).unwrap_or(usize::MAX);
        let new = contents.output.get(from..).unwrap_or_default();
        self.splitter.push(new);
        (!new.is_empty(), contents.is_over())
    }

    async fn next_line(&mut self) -> io::Result<Option<Line>> {
        loop {
            if let Some(line) = self.splitter.next_line() {
                return Ok(Some(line));
            }
            match self.read() {
                (true, _) => {}
                (false, true) => return Ok(self.splitter.rest()),
                (false, false) => drop(self.contents.changed().await),
            }
        }
    }
}

impl OutputTail for MemoryTail {
    fn next(&mut self) -> BoxFuture<'_, io::Result<Option<Line>>> {
        self.next_line().boxed()
    }

    fn next_before(&mut self, limit: u64) -> io::Result<Option<Line>> {
        loop {
            if let Some(line) = self.splitter.next_line() {
                return Ok((line.next <= limit).then_some(line));
            }
            if self.splitter.end() >= limit || !self.read().0 {
                return Ok(None);
            }
        }
    }
}
