//! How much of the machine one session may use.

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use serde::{Deserialize, Serialize};

use crate::error::{Error, step};

/// The most that a session may use; none sets no limit.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Limits {
    /// Processes and threads, of all its programs together.
    pub processes: Option<u32>,
    /// Open files of each process.
    pub open_files: Option<u32>,
    /// Memory of each process, in MiB: what it wrote to, not what it reserved.
    pub memory_mb: Option<u32>,
    /// The length of each file that it writes, in MiB.
    pub file_mb: Option<u32>,
    /// Memory of all its processes together, in MiB, where there is a control group.
    #[serde(default)]
    pub together_mb: Option<u32>,
}

const MIB: u64 = 1 << 20;

/// Which processes the kernel counts for a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Counted {
    /// Its own: it has a user namespace.
    Alone,
    /// All processes of its user.
    WithOthers,
}

/// Returns how many processes and threads there are on the machine: no user has more.
#[expect(clippy::disallowed_methods, reason = "reads what the kernel counts, not a file of a user")]
fn on_this_machine() -> u64 {
    let load = std::fs::read_to_string("/proc/loadavg").unwrap_or_default();
    let count = load.split_whitespace().nth(3).and_then(|part| part.split_once('/'));
    count.and_then(|(_, all)| all.parse().ok()).unwrap_or_default()
}

/// Returns how much memory this machine has, in MiB.
fn memory_of_machine() -> u64 {
    let found = rustix::system::sysinfo();
    (found.totalram as u64).saturating_mul(found.mem_unit.into()) / MIB
}

impl Limits {
    /// Returns how much memory all processes of a session may use together where no setting says it, in MiB: three
    /// quarters, so that the user and Fleet have the rest.
    #[must_use]
    pub fn usually_together() -> Option<u32> {
        u32::try_from(memory_of_machine() / 4 * 3).ok().filter(|most| *most > 0)
    }

    /// Returns how much a file system in memory may hold, in MiB: half of what there is, as usual, and no more than the
    /// session may use.
    pub(crate) fn file_system_mb(&self) -> u64 {
        let least = [self.memory_mb, self.together_mb].into_iter().flatten().map(u64::from).min();
        least.unwrap_or(u64::MAX).min(memory_of_machine() / 2)
    }

    /// Sets the limits for this process and all that it starts.
    pub(crate) fn apply(&self, counted: Counted) -> Result<(), Error> {
        let bytes = |mib: Option<u32>| mib.map(|mib| u64::from(mib) * MIB);
        let others = match counted {
            Counted::Alone => 0,
            Counted::WithOthers => on_this_machine(),
        };
        let limits = [
            (Resource::Nproc, self.processes.map(|most| u64::from(most) + others)),
            (Resource::Nofile, self.open_files.map(u64::from)),
            (Resource::Data, bytes(self.memory_mb)),
            (Resource::Fsize, bytes(self.file_mb)),
            // What a program leaves when it dies is as large as its memory, and may hold its secrets.
            (Resource::Core, Some(0)),
        ];
        for (resource, most) in limits {
            if let Some(most) = most {
                step("limit its resources", lower(resource, most))?;
            }
        }
        Ok(())
    }
}

/// Lowers a limit; one that is lower already stays.
fn lower(resource: Resource, most: u64) -> rustix::io::Result<()> {
    let now = getrlimit(resource);
    let least = |limit: Option<u64>| Some(limit.map_or(most, |limit| limit.min(most)));
    setrlimit(resource, Rlimit { current: least(now.current), maximum: least(now.maximum) })
}
