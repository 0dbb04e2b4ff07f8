//! The first process of a sandbox: it starts the agent, collects what ends, and ends when nothing is left.
//!
//! When it ends, the kernel ends everything in its namespaces. The process above it, outside, reports the agent's end
//! at once; what the agent left behind is then this process and all below it, and a signal to it is one to all of them.

use std::io::{self, Read as _, Write as _};
use std::os::unix::net::UnixStream;
use std::os::unix::process::ExitStatusExt as _;
use std::process::ExitStatus;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use rustix::process::{Pid, Signal, WaitOptions, getpid, kill_process, kill_process_group, wait, waitpid};
use signal_hook::consts::{SIGCHLD, SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2};

/// Signals for the agent, which reach it with everything in its process group.
const FOR_THE_AGENT: [i32; 6] = [SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2];

/// How the agent ended, as the first process reports it to the one above.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Ended {
    status: ExitStatus,
    /// Whether nothing else was left.
    alone: bool,
}

impl Ended {
    fn to_bytes(self) -> [u8; 5] {
        let [a, b, c, d] = self.status.into_raw().to_ne_bytes();
        [a, b, c, d, u8::from(self.alone)]
    }

    fn of_bytes([a, b, c, d, alone]: [u8; 5]) -> Self {
        Self { status: ExitStatus::from_raw(i32::from_ne_bytes([a, b, c, d])), alone: alone != 0 }
    }
}

/// Lets this process, and those that it makes until they become other programs, outlive signals for the agent.
pub(crate) fn outlive_signals() -> io::Result<()> {
    let seen = Arc::new(AtomicBool::new(false));
    FOR_THE_AGENT.iter().try_for_each(|signal| signal_hook::flag::register(*signal, Arc::clone(&seen)).map(drop))
}

/// What the first process hears of.
pub(crate) struct Bells {
    ear: UnixStream,
    asked: Arc<AtomicBool>,
}

impl Bells {
    /// Listens from now on; to be called before there is a child.
    pub(crate) fn hang() -> io::Result<Self> {
        let (ear, bell) = UnixStream::pair()?;
        let asked = Arc::new(AtomicBool::new(false));
        // Before the byte, so that the reader of the byte sees this.
        signal_hook::flag::register(SIGTERM, Arc::clone(&asked))?;
        for signal in [SIGCHLD, SIGTERM] {
            signal_hook::low_level::pipe::register(signal, bell.try_clone()?)?;
        }
        Ok(Self { ear, asked })
    }
}

/// Is the first process until nothing is left.
pub(crate) fn reap(agent: Pid, mut report: io::PipeWriter, mut bells: Bells) -> io::Result<()> {
    let mut runs = true;
    loop {
        let left = loop {
            match wait(WaitOptions::NOHANG) {
                Ok(Some((pid, status))) if pid == agent => {
                    runs = false;
                    let alone = matches!(wait(WaitOptions::NOHANG), Err(rustix::io::Errno::CHILD));
                    let status = ExitStatus::from_raw(status.as_raw());
                    report.write_all(&Ended { status, alone }.to_bytes())?;
                }
                Ok(Some(_)) => {}
                Ok(None) => break true,
                Err(_) => break false,
            }
        };
        if !left {
            return Ok(());
        }
        // While the agent runs, a signal reaches it by itself; afterwards it is for what the agent left.
        if bells.asked.swap(false, Ordering::Relaxed) && !runs {
            everybody();
        }
        let _ = bells.ear.read(&mut [0; 64])?;
    }
}

/// Asks every process of the namespace to end.
fn everybody() {
    // This number addresses every process that this one may signal: for the first of a namespace, all others in it.
    if getpid() == Pid::INIT {
        let _ = kill_process_group(Pid::INIT, Signal::TERM);
    }
}

/// Waits for the agent's end from outside of its namespaces, and ends this process in the same way.
pub(crate) fn report(first: Pid, mut told: io::PipeReader) -> u8 {
    let mut bytes = [0; 5];
    let status = match told.read_exact(&mut bytes).map(|()| Ended::of_bytes(bytes)) {
        Ok(Ended { status, alone }) => {
            if alone {
                let _ = waitpid(Some(first), WaitOptions::empty());
            }
            Some(status)
        }
        // It was killed, and everything with it.
        Err(_) => waitpid(Some(first), WaitOptions::empty())
            .ok()
            .flatten()
            .map(|(_, status)| ExitStatus::from_raw(status.as_raw())),
    };
    match status.map(|status| (status.code(), status.signal())) {
        Some((Some(code), _)) => u8::try_from(code).unwrap_or(u8::MAX),
        Some((None, Some(signal))) => die_by(signal),
        Some((None, None)) | None => u8::MAX,
    }
}

/// Ends this process by a signal, as the agent was.
fn die_by(signal: i32) -> u8 {
    use rustix::process::{Resource, Rlimit, setrlimit};
    // There is nothing in this process to look at afterwards.
    let _ = setrlimit(Resource::Core, Rlimit { current: Some(0), maximum: Some(0) });
    let _ = signal_hook::low_level::emulate_default_handler(signal);
    if let Some(signal) = Signal::from_named_raw(signal) {
        let _ = kill_process(getpid(), signal);
    }
    u8::try_from(128 + signal).unwrap_or(u8::MAX)
}
