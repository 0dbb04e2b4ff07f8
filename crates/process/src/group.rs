//! The process group of a command, ended as a whole.

use std::sync::atomic::{AtomicI32, Ordering};

use rustix::process::{Pid, Signal, kill_process_group};
use tokio::process::Child;

use crate::mark::Mark;

/// Ends a command and everything it started if it is dropped before the command has been waited for.
#[derive(Debug)]
pub(crate) struct Group {
    leader: AtomicI32,
    mark: Option<Mark>,
}

impl Group {
    pub(crate) fn of(child: &Child, mark: Option<Mark>) -> Self {
        let leader = child.id().and_then(|pid| i32::try_from(pid).ok()).unwrap_or(0);
        Self { leader: AtomicI32::new(leader), mark }
    }

    /// Returns the process that leads the group; none once it has been waited for.
    pub(crate) fn leader(&self) -> Option<Pid> {
        Pid::from_raw(self.leader.load(Ordering::Relaxed))
    }

    pub(crate) fn mark(&self) -> Option<&Mark> {
        self.mark.as_ref()
    }

    /// Says that the leader has been waited for: from now on another process may have its number.
    pub(crate) fn is_reaped(&self) {
        self.leader.store(0, Ordering::Relaxed);
    }

    /// Kills the group. The leader is our child and has not been waited for, so the number is its own.
    pub(crate) fn end(&self) {
        if let Some(leader) = self.leader() {
            // Gone already is as good.
            let _ = kill_process_group(leader, Signal::KILL);
        }
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        if self.leader().is_some() {
            self.end();
            self.mark.iter().for_each(Mark::end);
        }
    }
}
