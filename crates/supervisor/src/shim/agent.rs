//! The agent's process: started in a group of its own, signalled as a group, looked at without collecting it.
//!
//! As long as it is not collected, nobody else gets its number; it is collected last of all, so a signal to its group
//! can concern nobody else, even when the agent itself has ended and its children have not.

use std::ffi::OsString;
use std::io;
use std::os::unix::process::CommandExt as _;
use std::path::PathBuf;
use std::process::{ChildStdin, Command, Stdio};

use rustix::io::Errno;
use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process, kill_process_group, waitid};
use sandbox::Walls;

use super::output::Handles;
use crate::identity::{self, Identity};
use crate::launch::{Launch, Stdin};
use crate::mark::{self, Mark};
use crate::record::End;

/// A child of this process that is not collected before [`Agent::collect`].
#[derive(Debug)]
pub(super) struct Agent {
    identity: Identity,
    pid: Pid,
}

impl Agent {
    /// Starts the program; its input can be written to if it has one.
    #[expect(clippy::disallowed_methods, reason = "this is the one place where agents are started")]
    pub(super) fn start(launch: &Launch, mark: &Mark, handles: Handles) -> io::Result<(Self, Option<ChildStdin>)> {
        let stdin = match launch.stdin {
            Stdin::Closed => Stdio::null(),
            Stdin::Opening | Stdin::Piped => Stdio::piped(),
        };
        let walls = launch.sandbox.as_ref().and_then(|plan| plan.walls.as_ref());
        let (program, args) = around(launch, walls);
        let mut command = Command::new(program);
        command
            .args(args)
            .env_clear()
            .envs(launch.env.iter().map(|(name, value)| (name, value)))
            .env(mark::VARIABLE, mark.value())
            .current_dir(&launch.cwd)
            .process_group(0)
            .stdin(stdin)
            .stdout(handles.stdout)
            .stderr(handles.stderr);
        let mut spawn = || command.spawn().map_err(|error| described(launch, &error));
        let mut child = match walls.filter(|walls| walls.outer.is_none()) {
            // Only the thread that starts it is inside; the shim itself must reach its spool.
            Some(walls) => sandbox::confined(walls, spawn).map_err(io::Error::other)??,
            None => spawn()?,
        };
        let pid = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
        let pid = pid.ok_or_else(|| io::Error::other("a process without a number"))?;
        // It is not collected, so it can be asked about even if it has ended.
        Ok((Self { identity: Identity::of(child.id())?, pid }, child.stdin.take()))
    }

    pub(super) const fn identity(&self) -> Identity {
        self.identity
    }

    /// Says how it ended, if it did, and leaves it uncollected.
    pub(super) fn end(&self) -> Option<End> {
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        let status = waitid(WaitId::Pid(self.pid), options).ok().flatten()?;
        match (status.exit_status(), status.terminating_signal()) {
            (Some(code), _) => Some(End::Exited { code }),
            (None, Some(signal)) => Some(End::Signalled { signal }),
            (None, None) => None,
        }
    }

    /// Sends a signal to everything in its process group.
    pub(super) fn signal(&self, signal: Signal) {
        // A group of which nobody is left but the agent's remains is no failure.
        let _ = kill_process_group(self.pid, signal);
    }

    /// Sends a signal to every other child of this process: what the agent left behind.
    ///
    /// Only this process collects its children, so each number is that of a child until it does.
    pub(super) fn signal_others(&self, signal: Signal) -> io::Result<()> {
        for pid in self.others()?.into_iter().filter_map(raw) {
            let _ = kill_process(pid, signal);
        }
        Ok(())
    }

    /// Collects the children that have ended, but for the agent, and returns those that run.
    ///
    /// The children of one that ended come to this process, so it looks again until there was none to collect.
    pub(super) fn collect_others(&self) -> io::Result<Vec<u32>> {
        loop {
            let others = self.others()?;
            let running: Vec<u32> = others.iter().copied().filter(|child| !collected(*child)).collect();
            if running.len() == others.len() {
                return Ok(running);
            }
        }
    }

    /// Ends an agent of which nobody can be told, with what it has started.
    pub(super) fn abandon(self) {
        self.signal(Signal::KILL);
        let _ = waitid(WaitId::Pid(self.pid), WaitIdOptions::EXITED | WaitIdOptions::NOWAIT);
        // Each that is killed makes its children known; what the kernel holds stays.
        while self.collect_others().is_ok_and(|others| !others.is_empty()) {
            let _ = self.signal_others(Signal::KILL);
            let _ = waitid(WaitId::All, WaitIdOptions::EXITED | WaitIdOptions::NOWAIT);
        }
        self.collect();
    }

    /// Collects the agent itself, after which its number may be anybody's.
    pub(super) fn collect(self) {
        let _ = waitid(WaitId::Pid(self.pid), WaitIdOptions::EXITED | WaitIdOptions::NOHANG);
    }

    fn others(&self) -> io::Result<Vec<u32>> {
        let mut children = identity::children(std::process::id())?;
        children.retain(|child| *child != self.identity.pid);
        Ok(children)
    }
}

/// Collects a child if it has ended, and says whether it is gone.
fn collected(child: u32) -> bool {
    let Some(pid) = raw(child) else { return true };
    match waitid(WaitId::Pid(pid), WaitIdOptions::EXITED | WaitIdOptions::NOHANG) {
        Ok(None) | Err(Errno::INTR) => false,
        Ok(Some(_)) | Err(_) => true,
    }
}

fn raw(pid: u32) -> Option<Pid> {
    Pid::from_raw(i32::try_from(pid).ok()?)
}

/// Returns what to execute: the agent's program, or one that walls it in where a thread cannot.
fn around(launch: &Launch, walls: Option<&Walls>) -> (PathBuf, Vec<OsString>) {
    // This program, wherever it was put meanwhile.
    let own = PathBuf::from(format!("/proc/{}/exe", std::process::id()));
    let wrapped = walls.and_then(|walls| sandbox::wrapped(walls, &own, &launch.program, &launch.args));
    wrapped.unwrap_or_else(|| (launch.program.clone(), launch.args.iter().map(OsString::from).collect()))
}

/// Says which of program and directory is missing; the system says only that something is.
fn described(launch: &Launch, error: &io::Error) -> io::Error {
    let what = if launch.cwd.is_dir() {
        format!("cannot execute `{}`: {error}", launch.program.display())
    } else {
        format!("cannot run in `{}`: {error}", launch.cwd.display())
    };
    io::Error::new(error.kind(), what)
}
