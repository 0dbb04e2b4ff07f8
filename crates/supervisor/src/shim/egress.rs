//! The proxy beside an agent that has a network of its own: a child of the shim that ends with it, however it ends.

use std::io;
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::process::Child;
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
    pub(super) fn start(order: &Order) -> io::Result<Self> {
        let program = format!("/proc/{}/exe", std::process::id());
        let (mut command, input) = egress_proxy::command(Path::new(&program))?;
        let child = command.spawn()?;
        drop(command);
        egress_proxy::give(&input, order)?;
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
