//! The server's process: starting it, knowing it again, telling it to end.

use std::fs::File;
use std::io;
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use cli::{Failure, UpArgs};
use config::{Home, ServerFile};
use runtime::Clock;
use rustix::process::{Pid, Signal};

/// Starts this program again as a server, in a process group of its own so that Ctrl-C here does not end it.
#[expect(clippy::disallowed_methods, reason = "the one process that is started is the server itself")]
pub(super) fn spawn(args: &UpArgs, home: &Home, log: File) -> Result<Child, Failure> {
    let start = || {
        Command::new(std::env::current_exe()?)
            .args(args.foreground_arguments())
            .env("FLEET_HOME", home.path())
            .current_dir(home.path())
            .stdin(Stdio::null())
            .stdout(log.try_clone()?)
            .stderr(log)
            .process_group(0)
            .spawn()
    };
    start().map_err(|error| Failure::io("cannot start the server", &error))
}

/// A running process.
pub(super) struct Process {
    pid: Pid,
    #[cfg(target_os = "linux")]
    handle: Option<std::os::fd::OwnedFd>,
}

/// What has the process id of a server.
pub(super) enum Found {
    /// A server of ours.
    Server(Process),
    /// A process of which the system does not say what it runs.
    Unsaid(Process),
    /// Nothing, or another program.
    NoServer,
}

impl Process {
    /// Looks at what has the process id of a server now.
    pub(super) fn find(server: &ServerFile) -> Found {
        let Some(process) = i32::try_from(server.pid).ok().and_then(Pid::from_raw).map(Self::hold) else {
            return Found::NoServer;
        };
        match rustix::process::test_kill_process(process.pid).map(|()| is_server(server.pid)) {
            Ok(Some(true)) => Found::Server(process),
            Ok(None) => Found::Unsaid(process),
            Ok(Some(false)) | Err(_) => Found::NoServer,
        }
    }

    /// Holds a process before it is looked at, so that what is signalled later is what was looked at.
    fn hold(pid: Pid) -> Self {
        Self {
            pid,
            #[cfg(target_os = "linux")]
            handle: rustix::process::pidfd_open(pid, rustix::process::PidfdFlags::NONBLOCK).ok(),
        }
    }

    /// Asks it to end.
    pub(super) fn terminate(&self) -> io::Result<()> {
        #[cfg(target_os = "linux")]
        if let Some(handle) = &self.handle {
            return Ok(rustix::process::pidfd_send_signal(handle, Signal::TERM)?);
        }
        Ok(rustix::process::kill_process(self.pid, Signal::TERM)?)
    }

    /// Waits until it has ended.
    pub(super) async fn ended(&self, clock: &Clock) {
        while self.lives() {
            clock.sleep(super::LOOK_EVERY).await;
        }
    }

    /// Asks the handle where there is one: it stays with the process, while its number may go to another.
    fn lives(&self) -> bool {
        #[cfg(target_os = "linux")]
        if let Some(handle) = &self.handle {
            use rustix::event::{PollFd, PollFlags, Timespec, poll};
            let at_once = Timespec { tv_sec: 0, tv_nsec: 0 };
            // Readable is what an ended process is, whether or not anyone has collected it.
            return poll(&mut [PollFd::new(handle, PollFlags::IN)], Some(&at_once)) == Ok(0);
        }
        rustix::process::test_kill_process(self.pid).is_ok()
    }
}

/// Returns whether a process runs our program as a server; unknown where the system does not say.
#[expect(clippy::disallowed_methods, reason = "facts about a process are not files of a user")]
fn is_server(pid: u32) -> Option<bool> {
    let folder = Path::new("/proc").join(pid.to_string());
    if !Path::new("/proc/self/exe").exists() {
        return None;
    }
    let (Ok(program), Ok(arguments)) = (std::fs::read_link(folder.join("exe")), std::fs::read(folder.join("cmdline")))
    else {
        return Some(false);
    };
    let ours = std::env::current_exe().ok()?;
    Some(same_name(&program, &ours) && arguments.split(|byte| *byte == 0).any(|argument| argument == b"up"))
}

/// An upgraded binary is still ours; the kernel marks the old file as deleted.
fn same_name(program: &Path, ours: &Path) -> bool {
    let name = |path: &Path| {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        name.strip_suffix(" (deleted)").map(str::to_owned).unwrap_or(name)
    };
    name(program) == name(ours)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_is_known_by_its_name_even_after_an_upgrade() {
        assert!(same_name(Path::new("/opt/old/fleet (deleted)"), Path::new("/opt/new/fleet")));
        assert!(!same_name(Path::new("/usr/bin/fleetwood"), Path::new("/opt/new/fleet")));
    }

    #[test]
    fn a_process_that_is_no_server_is_not_taken_for_one() {
        // This test runs no `up`.
        assert_eq!(is_server(std::process::id()), Some(false));
        assert_eq!(is_server(u32::MAX), Some(false));
    }
}
