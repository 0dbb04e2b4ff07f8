//! An agent whose shim was killed, or does not answer: what is left of it can still be ended.
//!
//! What is its: the agent itself, whatever has the [`Mark`] of its launch, whatever is in the session that its shim
//! began as long as the number of that session cannot be reused, and everything below one of these; and if the
//! shim still runs, the shim and everything below it. All of it is frozen before any of it is killed: a stopped process
//! neither ends nor reaps a child, so no process id is reused meanwhile, and no fork is missed. Missed
//! is only what has left the session, lost its parents, and wiped its environment, with the shim dead.

use std::path::PathBuf;
use std::time::Duration;

use rustix::process::{Signal, pidfd_send_signal};

use crate::adopt::Loss;
use crate::identity::{self, Identity, Stat, wait_for_end};
use crate::launch;
use crate::mark::{Held, Mark, everybody, has_mark, hold_if, works_as};
use crate::record::Record;
use crate::shim;
use crate::spool::Spool;

/// How long killed processes are waited for, all of them together.
const KILL_TIME: Duration = Duration::from_secs(2);

/// How often to look for processes that were started while others were frozen. Each look but the last has found one.
const LOOKS_MAX: usize = 100;

/// What is left of an agent that has no shim, or none that answers. Its output still goes to its spool.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Leftover {
    record: Record,
    /// The shim's working folder, which distinguishes it from a process whose id and start time a file only claims.
    folder: PathBuf,
}

impl Leftover {
    /// Finds what is left; none if nothing is. Blocks.
    pub(crate) fn find(spool: &Spool, record: &Record, why: &Loss) -> Option<Self> {
        let left = Self::of(spool, record);
        let any = match why {
            Loss::ShimDied => left.runs(),
            // Not of a shim that is silent for another reason than being gone.
            Loss::ShimSilent => Stat::of(record.shim.pid).is_ok_and(|stat| left.is_shim(record.shim.pid, stat)),
            Loss::NeverStarted | Loss::Unreadable(_) | Loss::Rebooted => false,
        };
        any.then_some(left)
    }

    pub(crate) fn of(spool: &Spool, record: &Record) -> Self {
        let folder = spool.path().canonicalize().unwrap_or_else(|_| spool.path().to_owned());
        Self { record: record.clone(), folder }
    }

    /// Returns who the agent is, or was.
    #[must_use]
    pub const fn agent(&self) -> Identity {
        self.record.agent
    }

    /// Kills all of it, and returns how many processes ended.
    pub async fn end(self) -> usize {
        runtime::blocking(move || self.end_blocking()).await
    }

    /// Asks the agent's processes to end, as its shim would have; blocks.
    pub(crate) fn ask(&self, signal: launch::Signal) {
        let found = self.found(&[]);
        for process in found.iter().filter(|process| process.pid != self.record.shim.pid) {
            // One that is gone by now needs no signal.
            let _ = pidfd_send_signal(&process.handle, signal.raw());
        }
    }

    /// Returns whether something of it runs; blocks.
    fn runs(&self) -> bool {
        !self.found(&[]).is_empty()
    }

    fn end_blocking(&self) -> usize {
        let mut frozen: Vec<Held> = Vec::new();
        for _ in 0..LOOKS_MAX {
            let mut new = self.found(&frozen);
            // The shim first: parents are stopped before their children are listed again.
            new.sort_by_key(|process| process.pid != self.record.shim.pid);
            if new.is_empty() {
                break;
            }
            for process in &new {
                let _ = pidfd_send_signal(&process.handle, Signal::STOP);
            }
            frozen.append(&mut new);
        }
        // The shim last: as long as it is there, what it would have collected keeps its number.
        let (shim, others): (Vec<Held>, Vec<Held>) =
            frozen.into_iter().partition(|process| process.pid == self.record.shim.pid);
        kill(&others) + kill(&shim)
    }

    /// Takes hold of what is its and runs, but for what is held already.
    fn found(&self, held: &[Held]) -> Vec<Held> {
        let is_held = |pid: u32| held.iter().any(|process| process.pid == pid);
        let (mark, session) = (Mark::of(&self.record), self.session());
        let first = |pid: u32, stat: Stat| {
            stat.start_ticks >= self.record.shim.start_ticks
                && (self.is_shim(pid, stat)
                    || self.is_agent(pid, stat)
                    || session == Some(stat.session)
                    || has_mark(pid, &mark))
        };
        let strangers = everybody().into_iter().filter(|pid| !is_held(*pid));
        let mut found: Vec<Held> = strangers.filter_map(|pid| hold_if(pid, first)).collect();
        let mut looked = 0;
        while let Some(parent) = held.iter().chain(&found).nth(looked) {
            looked += 1;
            let known = |pid: u32| held.iter().chain(&found).any(|process| process.pid == pid);
            let children = identity::children(parent.pid).unwrap_or_default().into_iter().filter(|pid| !known(*pid));
            // A parent that runs after its child was seen to be its child is the one that is held.
            let is_below = |_, stat: Stat| stat.parent == parent.pid && parent.runs();
            let mut below: Vec<Held> = children.filter_map(|pid| hold_if(pid, is_below)).collect();
            found.append(&mut below);
        }
        found
    }

    /// Returns the id of the session that the shim began, if it cannot be reused: as long as the shim or the
    /// agent is in it, the kernel does not reuse it.
    fn session(&self) -> Option<u32> {
        let holder = |who: Identity, is_it: &dyn Fn(u32, Stat) -> bool| {
            Stat::of(who.pid).is_ok_and(|stat| is_it(who.pid, stat) && stat.session == self.record.shim.pid)
        };
        let kept = holder(self.record.shim, &|pid, stat| self.is_shim(pid, stat))
            || holder(self.record.agent, &|pid, stat| self.is_agent(pid, stat));
        kept.then_some(self.record.shim.pid)
    }

    fn is_shim(&self, pid: u32, stat: Stat) -> bool {
        is(self.record.shim, pid, stat) && works_as(pid, shim::WORD, &self.folder)
    }

    fn is_agent(&self, pid: u32, stat: Stat) -> bool {
        is(self.record.agent, pid, stat)
    }
}

fn is(who: Identity, pid: u32, stat: Stat) -> bool {
    who == Identity { pid, start_ticks: stat.start_ticks }
}

/// Kills processes, and returns how many ended.
fn kill(processes: &[Held]) -> usize {
    let mut patience = KILL_TIME;
    let killed = processes.iter().filter(|process| pidfd_send_signal(&process.handle, Signal::KILL).is_ok());
    let killed: Vec<&Held> = killed.collect();
    let gone = killed.into_iter().filter(|process| {
        let gone = wait_for_end(&process.handle, patience);
        if !gone {
            // All were killed at once: what the first did not do in this time, the kernel keeps others from too.
            patience = Duration::ZERO;
        }
        gone
    });
    gone.count()
}
