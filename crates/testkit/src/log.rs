//! What a process says on standard error, line by line, for tests that wait for a line.

use std::io::{BufRead as _, BufReader, Read};

use tokio::sync::watch;

use crate::PATIENCE;

/// The lines that a process has written so far.
#[derive(Debug, Clone)]
pub struct Log(watch::Receiver<Written>);

#[derive(Debug, Default)]
struct Written {
    lines: Vec<String>,
    /// Nothing more will come.
    ended: bool,
}

impl Log {
    /// Follows a stream on a thread of its own, which ends with the stream.
    pub(crate) fn follow(stream: impl Read + Send + 'static) -> Self {
        let (sender, receiver) = watch::channel(Written::default());
        let read = move || {
            for line in BufReader::new(stream).lines().map_while(Result::ok) {
                sender.send_modify(|written| written.lines.push(line));
            }
            sender.send_modify(|written| written.ended = true);
        };
        runtime::thread("log of a child", read).unwrap();
        Self(receiver)
    }

    /// Waits for a line with these words, among those written already too.
    ///
    /// # Panics
    /// When the process ends without it, or it takes too long.
    pub async fn line(&self, words: &str) -> String {
        self.line_after(0, words).await
    }

    /// Returns how many lines there are, to wait for a later one.
    #[must_use]
    pub fn length(&self) -> usize {
        self.0.borrow().lines.len()
    }

    /// Waits for a line with these words behind the first so many.
    ///
    /// # Panics
    /// When the process ends without it, or it takes too long.
    pub async fn line_after(&self, length: usize, words: &str) -> String {
        let found = self.find_after(length, words).await;
        found.unwrap_or_else(|| panic!("no line says {words:?}:\n{}", self.text()))
    }

    /// Waits for a line with these words; false when the process ends without it.
    pub(crate) async fn says(&self, words: &str) -> bool {
        self.find_after(0, words).await.is_some()
    }

    async fn find_after(&self, length: usize, words: &str) -> Option<String> {
        let find = |written: &Written| written.lines.iter().skip(length).find(|line| line.contains(words)).cloned();
        let mut lines = self.0.clone();
        let found = lines.wait_for(|written| written.ended || find(written).is_some());
        match tokio::time::timeout(PATIENCE, found).await {
            Ok(Ok(written)) => find(&written),
            Ok(Err(_)) | Err(_) => None,
        }
    }

    /// Waits until the process has closed the stream, and returns all of it.
    ///
    /// # Panics
    /// When it takes too long.
    pub async fn whole(&self) -> String {
        let mut lines = self.0.clone();
        let ended = tokio::time::timeout(PATIENCE, lines.wait_for(|written| written.ended));
        ended.await.expect("the process does not end").ok();
        self.text()
    }

    /// Returns what was written so far.
    #[must_use]
    pub fn text(&self) -> String {
        self.0.borrow().lines.join("\n")
    }
}
