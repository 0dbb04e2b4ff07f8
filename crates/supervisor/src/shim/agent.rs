//! The agent's process: started in a group of its own, signalled as a group, looked at without collecting it.
//!
//! As long as it is not reaped, its process id is not reused; it is reaped last of all, so a signal to its group
//! can reach no other process, even when the agent itself has ended and its children have not.

use std::ffi::OsString;
use std::io;
use std::os::unix::process::CommandExt as _;
use std::path::PathBuf;
use std::process::{ChildStdin, Command, Stdio};

use rustix::io::Errno;
use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process, kill_process_group, waitid};
use sandbox::{Cgroup, Handover};

use super::egress::EgressProxy;
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
    /// Its way to listed hosts, which is not one of its processes.
    proxy: Option<EgressProxy>,
    /// What limits all its processes together; removed when they have ended.
    cgroup: Option<Cgroup>,
}

impl Agent {
    /// Starts the program; its input can be written to if it has one.
    #[expect(clippy::disallowed_methods, reason = "this is the one place where agents are started")]
    pub(super) fn start(launch: &Launch, mark: &Mark, handles: Handles) -> io::Result<(Self, Option<ChildStdin>)> {
        let stdin = match launch.stdin {
            Stdin::Closed => Stdio::null(),
            Stdin::Opening | Stdin::Piped => Stdio::piped(),
        };
        let proxy = launch.egress.as_ref().map(EgressProxy::start).transpose()?;
        let rules = launch.sandbox.as_ref().and_then(|plan| plan.rules.as_ref());
        let mut handover = rules.map(Handover::new).transpose()?;
        let cgroup = handover.as_mut().and_then(Handover::take_cgroup);
        let (program, args) = command(launch, handover.as_ref());
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
        let mut child = command.spawn().map_err(|error| described(launch, &error))?;
        let pid = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
        let pid = pid.ok_or_else(|| io::Error::other("a process without a number"))?;
        if let Some(handover) = handover {
            handover.entered(pid)?;
        }
        // It is not collected, so it can be asked about even if it has ended.
        Ok((Self { identity: Identity::of(child.id())?, pid, proxy, cgroup }, child.stdin.take()))
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
        // A group with only the unreaped agent left is not a failure.
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

    /// Reaps the children that have ended, but for the agent, and returns those that run.
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

    /// Ends an agent that cannot be reported, with what it has started.
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

    /// Reaps the agent itself, after which its process id may be reused.
    pub(super) fn collect(self) {
        let _ = waitid(WaitId::Pid(self.pid), WaitIdOptions::EXITED | WaitIdOptions::NOHANG);
        drop(self.cgroup);
        if let Some(proxy) = self.proxy {
            proxy.end();
        }
    }

    fn others(&self) -> io::Result<Vec<u32>> {
        let mut children = identity::children(std::process::id())?;
        let proxy = self.proxy.as_ref().map(EgressProxy::pid);
        children.retain(|child| *child != self.identity.pid && Some(*child) != proxy);
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

/// Returns what to execute: the agent's program, or this one, which enters the sandbox first.
fn command(launch: &Launch, handover: Option<&Handover>) -> (PathBuf, Vec<OsString>) {
    // This program, wherever it was put meanwhile.
    let own = PathBuf::from(format!("/proc/{}/exe", std::process::id()));
    let inside = handover.map(|handover| handover.command(&own, &launch.program, &launch.args));
    inside.unwrap_or_else(|| (launch.program.clone(), launch.args.iter().map(OsString::from).collect()))
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
