//! The proxy beside an agent that has a network of its own: a child of the shim that ends with it, however it ends.

use std::io::{self, Write as _};
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt as _;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use egress_proxy::Order;

/// How often, and how long, a proxy that was asked to end is waited for: it writes down what it refused last.
const TRIES: u32 = 200;
const PAUSE: Duration = Duration::from_millis(5);

/// A proxy that runs.
#[derive(Debug)]
pub(super) struct EgressProxy {
    child: Child,
    /// Its standard input: it ends when this is closed, which also happens when the shim is killed.
    input: UnixStream,
}

impl EgressProxy {
    /// Starts a proxy, with nothing of the agent's environment.
    #[expect(clippy::disallowed_methods, reason = "the shim starts what its agent needs")]
    pub(super) fn start(order: &Order) -> io::Result<Self> {
        let (mut input, theirs) = UnixStream::pair()?;
        let child = Command::new(format!("/proc/{}/exe", std::process::id()))
            .arg0("fleet")
            .arg(egress_proxy::WORD)
            .env_clear()
            // A heap for each thread would take more memory than all that it holds.
            .env("MALLOC_ARENA_MAX", "1")
            .current_dir("/")
            .process_group(0)
            .stdin(Stdio::from(OwnedFd::from(theirs)))
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()?;
        let order = serde_json::to_string(order)?;
        input.write_all(format!("{order}\n").as_bytes())?;
        Ok(Self { child, input })
    }

    pub(super) fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Ends it, once it has written down what it refused.
    pub(super) fn end(self) {
        let Self { mut child, input } = self;
        drop(input);
        for _ in 0..TRIES {
            match child.try_wait() {
                Ok(None) => std::thread::sleep(PAUSE),
                Ok(Some(_)) | Err(_) => return,
            }
        }
        let _ = child.kill();
        let _ = child.wait();
    }
}
