//! Questions of an agent that are not answered yet.

use std::collections::BTreeMap;

/// The open questions, each with what its answer needs.
#[derive(Debug)]
pub(crate) struct Questions<T> {
    last: u64,
    open: BTreeMap<String, T>,
}

impl<T> Default for Questions<T> {
    fn default() -> Self {
        Self { last: 0, open: BTreeMap::new() }
    }
}

impl<T> Questions<T> {
    /// Opens a question and returns what an answer must name. An agent's own id may come twice; this does not.
    pub(crate) fn open(&mut self, question: T) -> String {
        self.last += 1;
        let request = format!("ask-{}", self.last);
        self.open.insert(request.clone(), question);
        request
    }

    /// Closes a question; none if it was answered, or never asked.
    pub(crate) fn close(&mut self, request: &str) -> Option<T> {
        self.open.remove(request)
    }

    /// Closes those that this holds for.
    pub(crate) fn close_if(&mut self, holds: impl Fn(&T) -> bool) -> Vec<(String, T)> {
        self.open.extract_if(.., |_, question| holds(question)).collect()
    }

    /// Closes all.
    pub(crate) fn close_all(&mut self) -> Vec<(String, T)> {
        std::mem::take(&mut self.open).into_iter().collect()
    }
}
