//! A command that runs: fed, read, waited for, and ended when its time is over or its future is dropped.

use std::io;
use std::os::unix::process::ExitStatusExt as _;
use std::pin::pin;
use std::process::ExitStatus;
use std::time::Duration;

use egress_proxy::Refused;
use runtime::Clock;
use rustix::process::{Pid, WaitId, WaitIdOptions, waitid};
use sandbox::{Cgroup, Handover};
use tokio::io::AsyncWriteExt as _;
use tokio::net::unix::pipe::Receiver;
use tokio::process::{Child, ChildStdin};

use crate::capture::Keep;
use crate::command::{Command, Input};
use crate::group::Group;
use crate::mark::Mark;
use crate::proxy::Proxy;

/// A started command. Dropped, it is ended with its group and all that have its mark.
#[derive(Debug)]
pub struct Running {
    // Dropped before the child, while the leader's number is still its own.
    group: Group,
    child: Child,
    joined: Option<Receiver>,
    around: Around,
    input: Vec<u8>,
    keep: (Keep, Keep),
    limit: Duration,
    drain: Duration,
}

/// What belongs to the sandbox of a command.
#[derive(Debug, Default)]
pub(crate) struct Around {
    /// Its way into it.
    pub(crate) entering: Option<Handover>,
    /// Its way to listed hosts.
    pub(crate) proxy: Option<Proxy>,
    /// What limits all its processes together; removed when it is dropped.
    pub(crate) cgroup: Option<Cgroup>,
}

/// How a command ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    /// By itself, with this code.
    Code(i32),
    /// By a signal.
    Signal(i32),
    /// It ran too long and was killed with its group.
    TimedOut,
}

/// A command that has ended, and what it wrote.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finished {
    /// How it ended.
    pub end: End,
    /// What is kept of its output.
    pub stdout: Vec<u8>,
    /// What is kept of its error output.
    pub stderr: Vec<u8>,
    /// What its proxy refused, if it has one.
    pub refused: Vec<Refused>,
}

impl Running {
    pub(crate) fn new(child: Child, joined: Option<Receiver>, around: Around, command: Command) -> Self {
        let Command { input, stdout, stderr, limit, drain, mark, .. } = command;
        let input = match input {
            Input::Bytes(bytes) => bytes,
            Input::Null | Input::KeptOpen(_) => Vec::new(),
        };
        Self { group: Group::of(&child, mark), child, joined, around, input, keep: (stdout, stderr), limit, drain }
    }

    /// Returns the process that leads the command's group.
    #[must_use]
    pub fn leader(&self) -> Option<Pid> {
        self.group.leader()
    }

    /// Waits until the command is inside of its sandbox, if it has one.
    ///
    /// # Errors
    /// When it could not enter: then it has ended, and nothing of it ran.
    pub async fn entered(&mut self) -> io::Result<()> {
        match (self.around.entering.take(), self.leader()) {
            // It enters or ends; when this is dropped, it is ended.
            (Some(handover), Some(leader)) => runtime::blocking(move || handover.entered(leader)).await,
            (_, _) => Ok(()),
        }
    }

    /// Waits until the command has ended or its time is over.
    ///
    /// A marked command is ended with all its descendants in either case; another one with its group when its time is
    /// over, and may leave a process behind when it ends by itself.
    ///
    /// # Errors
    /// When the system cannot wait for it, or it could not enter its sandbox and so did not run.
    pub async fn finish(mut self, clock: &Clock) -> io::Result<Finished> {
        self.entered().await?;
        let Self { group, mut child, joined, around, input, keep: (keep_out, keep_err), limit, drain } = self;
        let (stdin, stdout, stderr) = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let (mut out, mut err) = (Vec::new(), Vec::new());
        let end = {
            let mut pipes = pin!(async {
                let output = async {
                    keep_out.read(joined, &mut out).await;
                    keep_out.read(stdout, &mut out).await;
                };
                tokio::join!(feed(stdin, &input), output, keep_err.read(stderr, &mut err))
            });
            let mut over = pin!(clock.sleep(limit));
            let mut ended = pin!(wait(&mut child, &group, over.as_mut()));
            tokio::select! {
                _ = &mut pipes => ended.await?,
                end = &mut ended => {
                    // What it wrote is in the pipes; a process that it left behind may keep them open for ever.
                    let _ = clock.timeout(drain, &mut pipes).await;
                    end?
                }
            }
        };
        drop(around.cgroup);
        let refused = match around.proxy {
            Some(proxy) => proxy.end(clock).await,
            None => Vec::new(),
        };
        Ok(Finished { end, stdout: keep_out.kept(out), stderr: keep_err.kept(err), refused })
    }
}

/// Waits for a command, or until its time is over; ends what may not outlive it.
async fn wait(child: &mut Child, group: &Group, over: impl Future<Output = ()>) -> io::Result<End> {
    let in_time = match (group.mark(), group.leader()) {
        (Some(mark), Some(leader)) => {
            let in_time = tokio::select! {
                () = exited(leader) => true,
                () = over => false,
            };
            group.end();
            end_marked(mark.clone()).await;
            in_time
        }
        (Some(_) | None, _) => tokio::select! {
            status = child.wait() => return status.map(end_of).inspect(|_| group.is_reaped()),
            () = over => {
                group.end();
                false
            }
        },
    };
    let status = child.wait().await?;
    group.is_reaped();
    Ok(if in_time { end_of(status) } else { End::TimedOut })
}

/// Waits until a process has ended and leaves it to be waited for: until then no other process can get its number,
/// which is its group's.
async fn exited(leader: Pid) {
    runtime::blocking(move || {
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT;
        while let Err(rustix::io::Errno::INTR) = waitid(WaitId::Pid(leader), options) {}
    })
    .await;
}

async fn end_marked(mark: Mark) {
    runtime::blocking(move || mark.end()).await;
}

fn end_of(status: ExitStatus) -> End {
    match status.code() {
        Some(code) => End::Code(code),
        None => End::Signal(status.signal().unwrap_or(0)),
    }
}

/// Feeds a command; one that ends without reading everything says why by its exit code.
async fn feed(pipe: Option<ChildStdin>, input: &[u8]) {
    if let Some(mut pipe) = pipe {
        let _ = pipe.write_all(input).await;
    }
}
