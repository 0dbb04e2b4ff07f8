//! What the proxy of one agent does, and the process that does it.
//!
//! Its order comes on its standard input, which stays open while the agent runs. Its sockets come from inside of the
//! agent's network, handed over by its sandbox before the agent runs, with a secret or at a path that no other process
//! can guess.

use std::ffi::OsString;
use std::io::{self, BufRead as _, Read as _};
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixListener;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use runtime::Clock;
use rustix::event::{PollFd, PollFlags, poll};
use rustix::fs::Mode;
use serde::{Deserialize, Serialize};
use types::HostRule;

use crate::accept::{Listener, Proxy};
use crate::allow::AllowList;
use crate::handover::{receive, short};
use crate::journal::Journal;
use crate::resolve::System;

/// The word after which the program is a proxy.
pub const WORD: &str = "__egress";

/// The port of the proxy inside of the agent's network.
pub const PORT: u16 = types::PROXY_PORT;

/// Enough for accepting connections.
const STACK: usize = 64 << 10;

/// The longest order.
const ORDER_MAX: u64 = 1 << 20;

/// What a proxy is to do.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Order {
    /// The hosts that are reached.
    pub hosts: Vec<HostRule>,
    /// The loopback ports that are reached as they are, one for each socket after the first.
    #[serde(default)]
    pub forward: Vec<u16>,
    /// Where it is written down what was refused.
    pub journal: PathBuf,
    /// The path of the Unix socket on which its sockets are handed to it.
    pub socket: PathBuf,
    /// What they come with.
    pub secret: String,
    /// What clients are held to.
    #[serde(default)]
    pub limits: Limits,
}

/// What clients are held to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Limits {
    /// Connections at a time.
    pub connections: usize,
    /// Bytes of the head of a request.
    pub head_bytes: usize,
    /// Milliseconds within which it must come.
    pub head_ms: u64,
    /// Milliseconds within which a server must answer.
    pub connect_ms: u64,
    /// Milliseconds for which nothing may come.
    pub idle_ms: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self { connections: 256, head_bytes: 32 << 10, head_ms: 10_000, connect_ms: 10_000, idle_ms: 1_800_000 }
    }
}

impl Limits {
    pub(crate) const fn head(&self) -> Duration {
        Duration::from_millis(self.head_ms)
    }

    pub(crate) const fn connect(&self) -> Duration {
        Duration::from_millis(self.connect_ms)
    }

    pub(crate) const fn idle(&self) -> Duration {
        Duration::from_millis(self.idle_ms)
    }
}

/// Runs a proxy until its standard input ends; `args` are what follows [`WORD`], which is nothing.
#[must_use]
pub fn main(args: &[OsString]) -> u8 {
    match args {
        [] => run().map_or(1, |()| 0),
        [..] => 2,
    }
}

fn run() -> io::Result<()> {
    let mut line = String::new();
    io::stdin().lock().take(ORDER_MAX).read_line(&mut line)?;
    let order: Order = serde_json::from_str(&line)?;
    let sockets = handed_over(&order)?;
    let journal = Journal::begin(&order.journal)?;
    let allow = AllowList::new(&order.hosts);
    let proxy = Proxy::new(allow, Box::new(System), journal, order.limits, Clock::system());
    let ports = std::iter::once(None).chain(order.forward.iter().copied().map(Some));
    for (socket, port) in sockets.into_iter().zip(ports) {
        let listener = match port {
            None => Listener::Proxy(socket.into()),
            Some(port) => Listener::Forward(socket.into(), port),
        };
        let proxy = Arc::clone(&proxy);
        std::thread::Builder::new().stack_size(STACK).spawn(move || proxy.serve(&listener))?;
    }
    let mut byte = [0; 64];
    // The process that started it holds the other end while the agent runs.
    while io::stdin().read(&mut byte).is_ok_and(|read| read > 0) {}
    proxy.finish();
    Ok(())
}

/// Waits for the sockets, unless the standard input ends first.
#[expect(clippy::disallowed_methods, reason = "the socket is this process's own, and used once")]
fn handed_over(order: &Order) -> io::Result<Vec<OwnedFd>> {
    rustix::process::umask(Mode::from_raw_mode(0o177));
    let (folder, path) = short(&order.socket)?;
    let listener = UnixListener::bind(&path)?;
    let sockets = loop {
        let stdin = io::stdin();
        let mut sources = [PollFd::new(&listener, PollFlags::IN), PollFd::new(&stdin, PollFlags::IN)];
        poll(&mut sources, None)?;
        let [connects, ends] = sources.map(|source| !source.revents().is_empty());
        if ends {
            break Err(io::ErrorKind::UnexpectedEof.into());
        }
        if connects {
            let stream = listener.accept()?.0;
            stream.set_read_timeout(Some(order.limits.connect()))?;
            match receive(&stream, &order.secret) {
                Ok(sockets) if sockets.len() == order.forward.len() + 1 => break Ok(sockets),
                // Another process, which does not know the secret.
                Ok(_) | Err(_) => {}
            }
        }
    };
    let _ = std::fs::remove_file(&path);
    drop(folder);
    sockets
}
