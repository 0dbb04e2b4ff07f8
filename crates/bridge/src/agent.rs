//! The agent's process: a child in a group of its own, which is signalled as a group and collected last.

use std::ffi::OsString;
use std::io::{self, Write as _};
use std::os::unix::process::{CommandExt as _, ExitStatusExt as _};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{self, Sender};

use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, waitid};

use crate::sources::{Input, Sources};

/// What programs add to a signal's number when they return because of it.
const BY_SIGNAL: i32 = 128;

/// The agent as a process.
#[derive(Debug)]
pub(crate) struct Agent {
    child: Child,
    pid: Pid,
    /// What it is to read; none once its input is closed.
    input: Option<Sender<Vec<u8>>>,
}

impl Agent {
    /// Starts it. What it writes and its end are heard; its errors go where ours go.
    #[expect(clippy::disallowed_methods, reason = "the bridge is the parent of the one agent it speaks with")]
    pub(crate) fn start(argv: &[OsString], ears: &Sources) -> io::Result<Self> {
        let (program, args) = argv.split_first().ok_or_else(|| io::Error::other("there is no program"))?;
        let mut command = Command::new(program);
        // A group of its own: a signal to ours is for the bridge to pass on, once and in its time.
        command.args(args).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::inherit()).process_group(0);
        let mut child = command.spawn()?;
        let pid = Pid::from_child(&child);
        let (Some(stdin), Some(stdout)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(io::Error::other("the agent has no pipes"));
        };
        ears.lines("bridge-agent", stdout, Input::Agent, Input::AgentSilent)?;
        ears.listen("bridge-end", move |sender| {
            // Seen and not reaped: its process id is not reused while it may still be signalled.
            let seen = || waitid(WaitId::Pid(pid), WaitIdOptions::EXITED | WaitIdOptions::NOWAIT);
            while matches!(seen(), Err(rustix::io::Errno::INTR)) {}
            let _ = sender.send(Input::AgentGone);
        })?;
        // A thread of its own: an agent that does not read must not keep us from hearing it.
        let (input, lines) = mpsc::channel::<Vec<u8>>();
        let mut stdin = stdin;
        ears.listen("bridge-output", move |_| {
            for line in lines {
                if stdin.write_all(&line).and_then(|()| stdin.flush()).is_err() {
                    return;
                }
            }
        })?;
        Ok(Self { child, pid, input: Some(input) })
    }

    /// Hands it a line.
    pub(crate) fn tell(&self, message: &serde_json::Value) {
        if let Some(input) = &self.input {
            // One that reads no more is about to go.
            let _ = input.send(format!("{message}\n").into_bytes());
        }
    }

    /// Closes its input, once everything is handed over.
    pub(crate) fn close_input(&mut self) {
        self.input = None;
    }

    /// Signals it and everything in its group.
    pub(crate) fn signal(&self, signal: Signal) {
        // A process that is gone needs no signal.
        let _ = kill_process_group(self.pid, signal);
    }

    /// Ends what is left of its group, collects it, and returns the code that says how it ended.
    pub(crate) fn collect(mut self) -> i32 {
        self.signal(Signal::KILL);
        match self.child.wait() {
            Ok(status) => status.code().or(status.signal().map(|signal| BY_SIGNAL + signal)).unwrap_or(1),
            Err(_) => 1,
        }
    }
}
