//! The demo's own server: this program again, on a port of its own and a home of its own.

use std::os::unix::process::CommandExt as _;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use api::Kind;
use cli::Failure;
use config::{Home, ServerFile};
use runtime::Clock;
use rustix::process::{Pid, Signal, kill_process};

use super::place::DemoFolder;
use crate::daemon::{LogTail, answering};

/// How long it may take until it answers.
const START_TIMEOUT: Duration = Duration::from_secs(20);
/// How long it may take to end in order.
const STOP_TIMEOUT: Duration = Duration::from_secs(20);
/// How often it is looked at.
const LOOK_EVERY: Duration = Duration::from_millis(20);

/// A running server; dropping it kills it.
#[derive(Debug)]
pub(super) struct Server {
    child: Child,
    file: ServerFile,
}

impl Server {
    /// Starts it and waits until it answers.
    pub(super) async fn start(place: &DemoFolder, clock: &Clock) -> Result<Self, Failure> {
        let home = Home::at(place.home());
        home.create()?;
        let log = LogTail::open(&home.server_log())?;
        let mut child = spawn(place, log.writer()?).map_err(|error| Failure::io("cannot start the server", &error))?;
        match clock.timeout(START_TIMEOUT, answering(&mut child, &home, clock)).await {
            Ok(Ok(file)) => Ok(Self { child, file }),
            Ok(Err(ended)) => Err(log.explain(&format!("the demo's server ended while it started ({ended})"))),
            Err(_) => {
                // It belongs to this demo, and nothing else ends it.
                let _ = child.kill().and_then(|()| child.wait());
                Err(log.explain("the demo's server does not answer"))
            }
        }
    }

    /// Returns where it listens.
    pub(super) fn url(&self) -> String {
        cli::server_url(&self.file)
    }

    /// Returns its process.
    pub(super) fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Kills it as a power cut would: no goodbye, nothing written down.
    pub(super) fn kill(mut self) -> Result<(), Failure> {
        let killed = self.child.kill().and_then(|()| self.child.wait());
        killed.map(drop).map_err(|error| Failure::io("cannot kill the server", &error))
    }

    /// Ends it in order.
    pub(super) async fn stop(mut self, clock: &Clock) -> Result<(), Failure> {
        let failed = |error: std::io::Error| Failure::io("cannot stop the server", &error);
        let pid = i32::try_from(self.child.id()).ok().and_then(Pid::from_raw);
        let pid = pid.ok_or_else(|| failed(std::io::ErrorKind::NotFound.into()))?;
        kill_process(pid, Signal::TERM).map_err(|error| failed(error.into()))?;
        let ended = clock.timeout(STOP_TIMEOUT, async {
            loop {
                match self.child.try_wait() {
                    Ok(None) => clock.sleep(LOOK_EVERY).await,
                    ended => return ended,
                }
            }
        });
        match ended.await {
            Ok(Ok(Some(status))) if status.success() => Ok(()),
            Ok(Ok(status)) => Err(Failure::new(Kind::Internal, format!("the server ended badly: {status:?}"))),
            Ok(Err(error)) => Err(failed(error)),
            Err(_) => Err(Failure::new(Kind::Internal, "the server was told to stop and still runs")),
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // Nothing to do about one that has ended, which is what both tell.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// In a process group of its own, so that Ctrl-C reaches the demo alone, which ends everything in order.
#[expect(clippy::disallowed_methods, reason = "the one process that is started is the server itself")]
fn spawn(place: &DemoFolder, log: std::fs::File) -> std::io::Result<Child> {
    Command::new(std::env::current_exe()?)
        .args(["up", "--port", "0"])
        .env_clear()
        .envs(place.variables())
        .current_dir(place.root())
        .stdin(Stdio::null())
        .stdout(log.try_clone()?)
        .stderr(log)
        .process_group(0)
        .spawn()
}
