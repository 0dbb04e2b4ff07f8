//! Namespaces of a sandbox: its own users, mounts, processes, shared memory, and network where that is asked for.

use std::ffi::OsString;
use std::io::{self, PipeReader, PipeWriter, Write as _};
use std::path::Path;

use rustix::process::{Pid, WaitOptions, getgid, getuid, waitpid};
use rustix::thread::UnshareFlags;

use crate::error::{Error, step};
use crate::init::{self, Bells};
use crate::plan::{Namespaces, Proc, Rules};
use crate::sys::{self, Forked};
use crate::{mounts, network};

/// Which process of a sandbox this is, once it was entered.
pub(crate) enum Part {
    /// The one outside, which reports how the agent ended.
    Above { first: Pid, told: PipeReader },
    /// The first one inside.
    First { agent: Pid, report: PipeWriter, bells: Bells },
    /// The one that becomes the agent.
    Agent,
}

/// Enters new namespaces. Returns in three processes; an error is returned in one, while the others end.
pub(crate) fn enter(rules: &Rules, spaces: &Namespaces) -> Result<Part, Error> {
    let works_in = step("find the folder to work in", std::env::current_dir())?;
    let listener = match &spaces.listen {
        Some(listen) => Some(step("reach the process that listens for it", network::connect(&listen.give_to))?),
        None => None,
    };
    unshare(spaces)?;
    step("outlive signals", init::outlive_signals())?;
    let (told, report) = step("make a pipe", io::pipe())?;
    if let Forked::Parent(first) = step("make the first process", sys::fork())? {
        return Ok(Part::Above { first, told });
    }
    drop(told);
    mounts::enter(rules, spaces)?;
    step("enter the folder to work in", std::env::set_current_dir(&works_in))?;
    if spaces.network {
        step("bring its network up", network::loopback_up())?;
    }
    if let (Some(to), Some(listen)) = (listener, &spaces.listen) {
        step("hand its ports over", network::hand_over(&listen.ports, &to))?;
    }
    let bells = step("listen for signals", Bells::hang())?;
    match step("make the agent's process", sys::fork())? {
        Forked::Parent(agent) => Ok(Part::First { agent, report, bells }),
        Forked::Child => Ok(Part::Agent),
    }
}

/// Leaves the namespaces of the machine, as the same user with the same numbers.
fn unshare(spaces: &Namespaces) -> Result<(), Error> {
    let (user, group) = (getuid().as_raw(), getgid().as_raw());
    let mut kinds = UnshareFlags::NEWUSER
        | UnshareFlags::NEWNS
        | UnshareFlags::NEWPID
        | UnshareFlags::NEWIPC
        | UnshareFlags::NEWUTS
        | UnshareFlags::NEWCGROUP;
    if spaces.network {
        kinds |= UnshareFlags::NEWNET;
    }
    step("make namespaces", sys::unshare(kinds))?;
    // A group that may only be left is one that an ordinary user can use.
    step("keep its groups", put("/proc/self/setgroups", "deny"))?;
    step("keep its user", put("/proc/self/uid_map", &format!("{user} {user} 1")))?;
    step("keep its group", put("/proc/self/gid_map", &format!("{group} {group} 1")))
}

fn put(path: &str, text: &str) -> io::Result<()> {
    std::fs::OpenOptions::new().write(true).open(Path::new(path))?.write_all(text.as_bytes())
}

/// Tries everything that rules without any paths need, and reports by the exit code whether that works.
pub(crate) fn probe(kind: &OsString) -> u8 {
    let proc = if kind == Proc::Own.word() { Proc::Own } else { Proc::Shared };
    let spaces = Namespaces { network: true, proc, ..Namespaces::default() };
    let tried = unshare(&spaces).and_then(|()| match step("make a process", sys::fork())? {
        Forked::Parent(first) => {
            let ended = step("wait for a process", waitpid(Some(first), WaitOptions::empty()))?;
            Ok(ended.and_then(|(_, status)| status.exit_status()).unwrap_or(1))
        }
        Forked::Child => {
            mounts::enter(&Rules::default(), &spaces)?;
            step("bring a network up", network::loopback_up()).map(|()| 0)
        }
    });
    match tried {
        Ok(code) => u8::try_from(code).unwrap_or(1),
        Err(error) => {
            let _ = writeln!(io::stdout(), "{error}");
            1
        }
    }
}
