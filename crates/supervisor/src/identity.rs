//! The identity of a process: a process id alone is reused one day, a process id with its start time is not.

use std::fmt;
use std::io;
use std::os::fd::OwnedFd;
use std::path::Path;
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{Pid, PidfdFlags, pidfd_open};
use serde::{Deserialize, Serialize};

use crate::files;

/// A process, told apart from every other that ran since the machine started.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Identity {
    /// Its number, which may be given again.
    pub pid: u32,
    /// When it began, in ticks of the kernel since the machine started (field 22 of `/proc/<pid>/stat`).
    pub start_ticks: u64,
}

/// What `/proc/<pid>/stat` says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Stat {
    pub(crate) state: char,
    pub(crate) parent: u32,
    pub(crate) session: u32,
    pub(crate) start_ticks: u64,
}

impl Identity {
    /// Reads who has this number now.
    ///
    /// # Errors
    /// When no process has it, or the kernel does not say.
    pub fn of(pid: u32) -> io::Result<Self> {
        Ok(Self { pid, start_ticks: Stat::of(pid)?.start_ticks })
    }

    /// Reads who this process is.
    ///
    /// # Errors
    /// When there is no `/proc`.
    pub fn own() -> io::Result<Self> {
        Self::of(std::process::id())
    }

    /// Returns whether this very process runs; one that has ended and was not collected does not.
    #[must_use]
    pub fn runs(self) -> bool {
        Stat::of(self.pid).is_ok_and(|stat| stat.start_ticks == self.start_ticks && stat.lives())
    }

    /// Takes hold of this very process, if it runs: what is done through the handle concerns no other.
    ///
    /// The handle is opened first and the start is read second, so a number that changed hands in between is seen.
    pub(crate) fn hold(self) -> Option<OwnedFd> {
        let handle = pidfd_open(self.raw()?, PidfdFlags::empty()).ok()?;
        self.runs().then_some(handle)
    }

    fn raw(self) -> Option<Pid> {
        Pid::from_raw(i32::try_from(self.pid).ok()?)
    }
}

impl fmt::Display for Identity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "process {}", self.pid)
    }
}

impl Stat {
    /// Reads what the kernel says of a process.
    pub(crate) fn of(pid: u32) -> io::Result<Self> {
        let path = Path::new("/proc").join(pid.to_string()).join("stat");
        let text = files::read(&path)?;
        Self::parse(&text).ok_or_else(|| io::Error::new(io::ErrorKind::InvalidData, "a stat of another form"))
    }

    /// Returns whether the process has not ended.
    pub(crate) fn lives(self) -> bool {
        !matches!(self.state, 'Z' | 'X' | 'x')
    }

    fn parse(stat: &str) -> Option<Self> {
        // The second field is the program's name in brackets and may itself hold blanks and brackets.
        let (_, rest) = stat.rsplit_once(')')?;
        let fields: Vec<&str> = rest.split_whitespace().collect();
        let field = |number: usize| fields.get(number - 3).copied();
        Some(Self {
            state: field(3)?.chars().next()?,
            parent: field(4)?.parse().ok()?,
            session: field(6)?.parse().ok()?,
            start_ticks: field(22)?.parse().ok()?,
        })
    }
}

/// Waits until a process has ended, but not for ever, and says whether it has. Blocks.
pub(crate) fn wait_for_end(process: &OwnedFd, limit: Duration) -> bool {
    let limit = Timespec::try_from(limit).ok();
    // Readable is what an ended process is, whether or not anyone has collected it.
    poll(&mut [PollFd::new(process, PollFlags::IN)], limit.as_ref()).is_ok_and(|ready| ready > 0)
}

/// Reads the name of this run of the machine; start times of two runs say nothing to each other.
pub(crate) fn boot_id() -> io::Result<String> {
    Ok(files::read(Path::new("/proc/sys/kernel/random/boot_id"))?.trim().to_owned())
}

/// Lists the children of a process, those that ended and were not collected included.
pub(crate) fn children(pid: u32) -> io::Result<Vec<u32>> {
    let threads = Path::new("/proc").join(pid.to_string()).join("task");
    let mut found = Vec::new();
    for thread in std::fs::read_dir(threads)? {
        match files::read(&thread?.path().join("children")) {
            Ok(list) => found.extend(list.split_whitespace().filter_map(|pid| pid.parse::<u32>().ok())),
            // A thread that ended meanwhile, or a kernel that keeps no such list.
            Err(_) => return children_by_parent(pid),
        }
    }
    Ok(found)
}

/// The slow way: asks every process for its parent.
fn children_by_parent(parent: u32) -> io::Result<Vec<u32>> {
    let names = std::fs::read_dir("/proc")?.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse::<u32>().ok());
    Ok(names.filter(|pid| Stat::of(*pid).is_ok_and(|stat| stat.parent == parent)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_name_with_brackets_and_blanks_is_skipped() {
        let stat = "7 (a) b (c) S 1 7 7 0 -1 0 0 0 0 0 250 50 0 0 20 0 4 0 12345 0 0";
        assert_eq!(Stat::parse(stat), Some(Stat { state: 'S', parent: 1, session: 7, start_ticks: 12345 }));
        assert_eq!(Stat::parse("7 (cut off"), None);
    }

    #[test]
    fn this_process_runs_and_one_with_its_number_and_another_start_does_not() {
        let own = Identity::own().unwrap();
        assert!(own.runs() && own.hold().is_some());
        let stranger = Identity { start_ticks: own.start_ticks + 1, ..own };
        assert!(!stranger.runs() && stranger.hold().is_none());
        assert!(!Identity { pid: u32::MAX, ..own }.runs());
    }

    #[test]
    fn both_ways_to_list_children_agree() {
        let own = std::process::id();
        let parent = Stat::of(own).unwrap().parent;
        assert!(children(parent).unwrap().contains(&own));
        assert!(children_by_parent(parent).unwrap().contains(&own));
    }
}
