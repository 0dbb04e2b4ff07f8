//! The live output of agents, gathered for listeners.
//!
//! It is kept in order and only until a listener takes it, in little memory, and not at all without listeners. It is
//! never the only copy: the whole of what an agent says is in its transcript.

use std::collections::{BTreeMap, VecDeque};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use tokio::sync::Notify;
use types::{Handle, Session, SessionId, TeamName};

/// Most bytes of one session that are kept until they are taken; older lines make room for newer ones.
const BYTES_MAX: usize = 64 << 10;

/// What agents say, for one listener at a time: what it takes is gone.
#[derive(Debug, Default)]
pub struct LiveOutput {
    listening: AtomicBool,
    heaps: Mutex<BTreeMap<SessionId, Heap>>,
    news: Notify,
}

/// What one agent said since it was last asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Said {
    /// The session.
    pub session: SessionId,
    /// The team that sees it.
    pub team: TeamName,
    /// The name of its agent.
    pub handle: Handle,
    /// The lines, in order.
    pub lines: Vec<String>,
    /// How many older ones there was no room for.
    pub left_out: u64,
}

#[derive(Debug)]
struct Heap {
    team: TeamName,
    handle: Handle,
    lines: VecDeque<String>,
    bytes: usize,
    left_out: u64,
}

impl LiveOutput {
    /// Begins or ends to gather; what is not taken when it ends is forgotten.
    pub fn listen(&self, listening: bool) {
        self.listening.store(listening, Ordering::Relaxed);
        if !listening {
            self.heaps().clear();
        }
    }

    /// Waits until something was said. Dropping it loses nothing.
    pub async fn heard(&self) {
        self.news.notified().await;
    }

    /// Takes everything that was said.
    pub fn take(&self) -> Vec<Said> {
        let heaps = std::mem::take(&mut *self.heaps());
        heaps.into_iter().map(|(session, heap)| heap.said(session)).collect()
    }

    pub(crate) fn is_heard(&self) -> bool {
        self.listening.load(Ordering::Relaxed)
    }

    /// Adds lines of a session.
    pub(crate) fn say(&self, session: &Session, lines: Vec<String>) {
        if lines.is_empty() {
            return;
        }
        let mut heaps = self.heaps();
        if !heaps.contains_key(&session.id) {
            heaps.insert(session.id.clone(), Heap::new(session));
        }
        if let Some(heap) = heaps.get_mut(&session.id) {
            lines.into_iter().for_each(|line| heap.push(line));
        }
        drop(heaps);
        self.news.notify_one();
    }

    fn heaps(&self) -> MutexGuard<'_, BTreeMap<SessionId, Heap>> {
        self.heaps.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Heap {
    fn new(session: &Session) -> Self {
        let (team, handle) = (session.team.clone(), session.handle.clone());
        Self { team, handle, lines: VecDeque::new(), bytes: 0, left_out: 0 }
    }

    fn push(&mut self, mut line: String) {
        line.truncate(line.floor_char_boundary(BYTES_MAX));
        self.bytes += line.len();
        self.lines.push_back(line);
        while self.bytes > BYTES_MAX
            && let Some(oldest) = self.lines.pop_front()
        {
            self.bytes -= oldest.len();
            self.left_out += 1;
        }
    }

    fn said(self, session: SessionId) -> Said {
        let Self { team, handle, lines, left_out, .. } = self;
        Said { session, team, handle, lines: lines.into(), left_out }
    }
}

#[cfg(test)]
#[path = "live_output_tests.rs"]
mod tests;
