//! Following one file of a spool from any line on, until its agent has ended and the last byte was read.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt as _;
use std::sync::Arc;

use crate::files;
use crate::lines::{Line, Splitter};
use crate::spool::{Spool, Stream};
use crate::watcher::{Bell, Session};

/// How much is read at once.
const CHUNK: usize = 64 << 10;

/// Follows what an agent writes. Made by [`crate::Watcher::tail`].
#[derive(Debug)]
pub struct Tail {
    file: File,
    splitter: Splitter,
    bell: Arc<Bell>,
    /// Kept for as long as the folder is to be watched.
    session: Arc<Session>,
}

impl Tail {
    pub(crate) fn open(
        spool: &Spool,
        stream: Stream,
        from: u64,
        bell: Arc<Bell>,
        session: Arc<Session>,
    ) -> io::Result<Self> {
        Ok(Self { file: files::open(&spool.log(stream))?, splitter: Splitter::at(from), bell, session })
    }

    /// Waits for the next line; none when the agent has ended and everything it wrote was returned.
    ///
    /// Dropping the future loses nothing: the next call continues where this one was.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub async fn next(&mut self) -> io::Result<Option<Line>> {
        loop {
            if let Some(line) = self.splitter.next_line() {
                return Ok(Some(line));
            }
            // Looked at before the read: what an agent wrote before its end is read after it.
            let ended = self.session.has_ended();
            if self.read()? > 0 {
                continue;
            }
            if ended {
                return Ok(self.splitter.rest());
            }
            self.bell.rung().await;
        }
    }

    /// Returns the next line if it is there whole and ends no further than at `limit`; waits for nothing.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn next_before(&mut self, limit: u64) -> io::Result<Option<Line>> {
        loop {
            if let Some(line) = self.splitter.next_line() {
                return Ok((line.next <= limit).then_some(line));
            }
            if self.splitter.end() >= limit || self.read()? == 0 {
                return Ok(None);
            }
        }
    }

    /// Reads on. What was just written is in memory, so this does not block noticeably.
    fn read(&mut self) -> io::Result<usize> {
        let mut chunk = [0; CHUNK];
        let length = self.file.read_at(&mut chunk, self.splitter.end())?;
        self.splitter.push(&chunk[..length]);
        Ok(length)
    }
}
