//! How whatever an agent starts is known once its shim is gone: a variable that every descendant inherits.
//!
//! It names the launch and the shim, whose number and start no other process of this run of the machine has, so
//! no process has it by chance. A program that clears its environment does not show it.

use std::os::fd::OwnedFd;
use std::path::Path;
use std::time::Duration;

use rustix::process::{Pid, PidfdFlags, pidfd_open};

use crate::files;
use crate::identity::{Identity, Stat, wait_for_end};
use crate::record::Record;

/// The variable that everything started by an agent has.
pub(crate) const VARIABLE: &str = "FLEET_LAUNCH";

/// What the variable says for one launch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Mark(String);

impl Mark {
    pub(crate) fn new(launch: &str, shim: Identity) -> Self {
        Self(format!("{launch}@{}.{}", shim.pid, shim.start_ticks))
    }

    pub(crate) fn of(record: &Record) -> Self {
        Self::new(&record.launch, record.shim)
    }

    pub(crate) fn value(&self) -> &str {
        &self.0
    }

    /// Returns whether this is in a whole environment, as the kernel shows it.
    fn is_in(&self, environment: &[u8]) -> bool {
        environment.split(|byte| *byte == 0).any(|variable| {
            let value = variable.strip_prefix(VARIABLE.as_bytes()).and_then(|rest| rest.strip_prefix(b"="));
            value == Some(self.0.as_bytes())
        })
    }
}

/// A process that is held: what is done through the handle concerns no other.
#[derive(Debug)]
pub(crate) struct Held {
    pub(crate) pid: u32,
    pub(crate) handle: OwnedFd,
}

impl Held {
    /// Returns whether it has not ended.
    pub(crate) fn runs(&self) -> bool {
        !wait_for_end(&self.handle, Duration::ZERO)
    }
}

/// Takes hold of the process that has this number now, if it runs and is what `is_ours` says of its number.
///
/// It is held first, inspected second, and checked to run third: so what was inspected is the one that is held.
pub(crate) fn hold_if(pid: u32, is_ours: impl FnOnce(u32, Stat) -> bool) -> Option<Held> {
    let raw = Pid::from_raw(i32::try_from(pid).ok()?)?;
    let handle = pidfd_open(raw, PidfdFlags::empty()).ok()?;
    let stat = Stat::of(pid).ok().filter(|stat| stat.lives())?;
    let held = Held { pid, handle };
    (is_ours(pid, stat) && held.runs()).then_some(held)
}

/// Returns whether a process has the mark.
pub(crate) fn has_mark(pid: u32, mark: &Mark) -> bool {
    // Those of other users cannot be read, and are none of ours.
    files::read_bytes(&process(pid).join("environ")).is_ok_and(|environment| mark.is_in(&environment))
}

/// Returns whether a process was executed with this word behind its name, and works in this folder.
pub(crate) fn works_as(pid: u32, word: &str, folder: &Path) -> bool {
    let Ok(line) = files::read_bytes(&process(pid).join("cmdline")) else { return false };
    line.split(|byte| *byte == 0).nth(1) == Some(word.as_bytes())
        && std::fs::read_link(process(pid).join("cwd")).is_ok_and(|works_in| works_in == folder)
}

/// Lists every process there is.
pub(crate) fn everybody() -> Vec<u32> {
    let Ok(entries) = std::fs::read_dir("/proc") else { return Vec::new() };
    entries.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok()).collect()
}

fn process(pid: u32) -> std::path::PathBuf {
    Path::new("/proc").join(pid.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mark_is_found_as_a_whole_variable_and_in_no_other() {
        let mark = Mark::new("s-abc/1", Identity { pid: 7, start_ticks: 90 });
        assert!(mark.is_in(b"A=1\0FLEET_LAUNCH=s-abc/1@7.90\0B=2\0"));
        for other in [
            "FLEET_LAUNCH=s-abc/1@7.901\0",
            "FLEET_LAUNCH=s-abc/1@7.9\0",
            "XFLEET_LAUNCH=s-abc/1@7.90\0",
            "A=FLEET_LAUNCH=s-abc/1@7.90\0",
            "FLEET_LAUNCH_=s-abc/1@7.90\0",
            "",
        ] {
            assert!(!mark.is_in(other.as_bytes()), "{other}");
        }
    }

    #[test]
    fn one_that_ended_or_is_not_ours_is_not_held() {
        let own = std::process::id();
        assert!(hold_if(own, |_, _| true).is_some());
        assert!(hold_if(own, |_, _| false).is_none());
        assert!(hold_if(u32::MAX, |_, _| true).is_none());
    }
}
