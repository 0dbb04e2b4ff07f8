//! An agent whose shim was killed: nobody collects what it leaves any more, but it can still be ended.
//!
//! Without a shim there is no parent whose children stay put, so the tree is frozen from the top down first: a stopped
//! process neither ends nor collects a child, hence the numbers of its children cannot go to anybody else.

use std::os::fd::OwnedFd;
use std::time::Duration;

use rustix::process::{Signal, pidfd_send_signal};

use crate::adopt::Loss;
use crate::identity::{self, Identity, Stat, wait_for_end};
use crate::record::Record;

/// How long a killed process is waited for.
const KILL_TIME: Duration = Duration::from_secs(2);

/// An agent that goes on without a shim. Its output still goes to its spool.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Leftover(Identity);

impl Leftover {
    pub(crate) fn of(record: &Record, why: &Loss) -> Option<Self> {
        (*why == Loss::ShimDied && record.agent.runs()).then_some(Self(record.agent))
    }

    /// Returns who it is.
    #[must_use]
    pub const fn agent(self) -> Identity {
        self.0
    }

    /// Kills the agent and everything below it, and returns how many processes ended.
    ///
    /// What had left the tree before (a process whose parent ended) is not found.
    pub async fn end(self) -> usize {
        runtime::blocking(move || self.end_blocking()).await
    }

    fn end_blocking(self) -> usize {
        let Some(agent) = self.0.hold() else { return 0 };
        let mut frozen = Vec::new();
        freeze(self.0.pid, agent, &mut frozen);
        frozen.retain(|process| pidfd_send_signal(process, Signal::KILL).is_ok());
        frozen.iter().filter(|process| wait_for_end(process, KILL_TIME)).count()
    }
}

/// Stops a process, then everything below it.
fn freeze(pid: u32, process: OwnedFd, frozen: &mut Vec<OwnedFd>) {
    if pidfd_send_signal(&process, Signal::STOP).is_err() {
        return;
    }
    for child in identity::children(pid).unwrap_or_default() {
        let Ok(found) = Identity::of(child) else { continue };
        let Some(handle) = found.hold() else { continue };
        if Stat::of(child).is_ok_and(|stat| stat.parent == pid) {
            freeze(child, handle, frozen);
        }
    }
    frozen.push(process);
}
