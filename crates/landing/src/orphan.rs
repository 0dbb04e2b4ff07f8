//! A check that outlived the server which started it: known by its leader's number and when that one began.
//!
//! A process id may have been reused, so nothing is signalled whose start time differs.

use std::path::Path;

use process::Mark;
use rustix::process::{Pid, Signal, kill_process_group};
use serde::{Deserialize, Serialize};

use crate::check_runner::MARK_VARIABLE;
use crate::files::{self, Lasting};

/// The leader of a check that is under way.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Leader {
    pid: i32,
    /// In ticks since the machine was started.
    began: u64,
    /// What all that the check started has in its environment.
    #[serde(default)]
    marker: String,
}

/// Writes down which process leads the check that begins; without it, a check that is left over is waited for in vain.
pub(crate) fn remember(path: &Path, leader: Option<Pid>, mark: &Mark) {
    let leader = leader.map(Pid::as_raw_nonzero).map(i32::from);
    let leader = leader.and_then(|pid| Some(Leader { pid, began: began(pid)?, marker: mark.value().to_owned() }));
    let written = leader.map(|leader| files::write(path, &leader, Lasting::No));
    if let Some(Err(error)) = written {
        tracing::warn!(%error, "could not write down which check runs");
    }
}

/// Says that the check has ended.
pub(crate) fn forget(path: &Path) {
    if let Err(error) = files::remove(path) {
        tracing::warn!(%error, "could not take back which check runs");
    }
}

/// Ends what an earlier server left running, if its leader still lives.
pub(crate) fn end(path: &Path) {
    let Ok(Some(leader)) = files::read::<Leader>(path) else { return };
    if began(leader.pid) == Some(leader.began)
        && let Some(pid) = Pid::from_raw(leader.pid)
    {
        tracing::warn!(pid = leader.pid, "ending a check that an earlier server left behind");
        let _ = kill_process_group(pid, Signal::KILL);
    }
    Mark::known(MARK_VARIABLE, leader.marker).end();
    forget(path);
}

/// When a process began; none if there is none, or without `/proc`.
#[expect(clippy::disallowed_methods, reason = "what the kernel says of a process is not a file of a user")]
fn began(pid: i32) -> Option<u64> {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // The second field is the program's name in brackets and may itself hold blanks and brackets.
    stat.rsplit_once(')')?.1.split_whitespace().nth(19)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_that_took_over_the_number_is_left_alone() {
        let own = i32::try_from(std::process::id()).unwrap();
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("check");
        assert!(began(own).is_some());
        // Were the beginning not compared, this would end the test itself.
        let leader = Leader { pid: own, began: began(own).unwrap() + 1, marker: String::new() };
        files::write(&path, &leader, Lasting::No).unwrap();
        end(&path);
        assert!(!path.exists());
    }
}
