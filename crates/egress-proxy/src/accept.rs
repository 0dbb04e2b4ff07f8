//! Accepting connections, a bounded number at a time, each on a thread of its own with a small stack.

use std::io;
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use runtime::Clock;
use types::NetHost;

use crate::allow::{AllowList, Allowed, Why};
use crate::journal::Journal;
use crate::order::Limits;
use crate::read::Client;
use crate::resolve::Resolve;
use crate::tunnel::tunnel;
use crate::{http, socks};

/// Enough for the system's resolver, which takes most of it.
const STACK: usize = 256 << 10;

/// How long to wait when the system has no descriptor or thread to spare.
const TRY_AGAIN_AFTER: Duration = Duration::from_millis(50);

/// How much of a malformed request is kept for readers of the journal.
const SHOWN_MAX: usize = 80;

/// A socket that agents connect to.
#[derive(Debug)]
pub enum Listener {
    /// HTTP and SOCKS5 are spoken here.
    Proxy(TcpListener),
    /// Each connection is one to this loopback port.
    Forward(TcpListener, u16),
}

/// Everything that connections share.
pub struct Proxy {
    allow: AllowList,
    resolver: Box<dyn Resolve>,
    journal: Journal,
    pub(crate) limits: Limits,
    clock: Clock,
    live: AtomicUsize,
}

/// Why a connection failed.
pub(crate) enum Failed {
    /// It is not allowed.
    Refused(Why),
    /// It is, and the other side does not answer.
    Unreachable(io::Error),
}

/// A place among the connections, given back when dropped.
struct Place<'a>(&'a AtomicUsize);

impl Drop for Place<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Proxy {
    /// Makes a proxy; nothing is accepted yet.
    #[must_use]
    pub fn new(
        allow: AllowList,
        resolver: Box<dyn Resolve>,
        journal: Journal,
        limits: Limits,
        clock: Clock,
    ) -> Arc<Self> {
        Arc::new(Self { allow, resolver, journal, limits, clock, live: AtomicUsize::new(0) })
    }

    /// Accepts for ever.
    pub fn serve(self: &Arc<Self>, listener: &Listener) {
        let (socket, forward) = match listener {
            Listener::Proxy(socket) => (socket, None),
            Listener::Forward(socket, port) => (socket, Some(*port)),
        };
        loop {
            match socket.accept() {
                Ok((stream, _)) => self.begin(stream, forward),
                Err(_) => std::thread::sleep(TRY_AGAIN_AFTER),
            }
        }
    }

    /// Serves a connection on a thread of its own; one too many is closed.
    fn begin(self: &Arc<Self>, stream: TcpStream, forward: Option<u16>) {
        if self.live.fetch_add(1, Ordering::Relaxed) >= self.limits.connections {
            self.live.fetch_sub(1, Ordering::Relaxed);
            return;
        }
        let proxy = Arc::clone(self);
        let work = move || {
            let _place = Place(&proxy.live);
            // An error ends the connection, which is all that either side needs to know.
            let _ = proxy.connection(&stream, forward);
        };
        if std::thread::Builder::new().stack_size(STACK).spawn(work).is_err() {
            self.live.fetch_sub(1, Ordering::Relaxed);
            std::thread::sleep(TRY_AGAIN_AFTER);
        }
    }

    fn connection(&self, stream: &TcpStream, forward: Option<u16>) -> io::Result<()> {
        stream.set_nodelay(true)?;
        if let Some(port) = forward {
            let server = self.connect(&[SocketAddr::new(Ipv4Addr::LOCALHOST.into(), port)])?;
            return tunnel(stream, &server, Vec::new(), self.limits.idle());
        }
        let patience = self.limits.head();
        let deadline = self.clock.monotonic().saturating_add(patience);
        let mut client =
            Client { stream, clock: &self.clock, deadline, patience: self.limits.idle(), ahead: Vec::new() };
        client.fill()?;
        stream.set_write_timeout(Some(self.limits.idle()))?;
        match client.ahead.first() {
            Some(&socks::VERSION) => socks::serve(self, client),
            Some(_) | None => http::serve(self, client),
        }
    }

    /// Connects to a host, if it may be reached, at the very address that was judged.
    pub(crate) fn reach(&self, host: &NetHost, port: u16) -> Result<TcpStream, Failed> {
        let refused = |why| {
            self.journal.note(&host.to_string(), port, why, self.clock.now());
            Failed::Refused(why)
        };
        let addresses = match self.allow.judge(host, port).map_err(refused)? {
            Allowed::Address(address) => vec![address],
            Allowed::Name(name) => {
                let resolved = self.resolver.resolve(&name).map_err(Failed::Unreachable)?;
                self.allow.reachable(&resolved, port).map_err(refused)?
            }
        };
        self.connect(&addresses).map_err(Failed::Unreachable)
    }

    /// Connects to the first of some addresses that answers.
    fn connect(&self, addresses: &[SocketAddr]) -> io::Result<TcpStream> {
        let mut last = io::Error::from(io::ErrorKind::NotFound);
        for address in addresses {
            match TcpStream::connect_timeout(address, self.limits.connect()) {
                Ok(stream) => {
                    stream.set_nodelay(true)?;
                    return Ok(stream);
                }
                Err(error) => last = error,
            }
        }
        Err(last)
    }

    /// Writes down that something was asked for that cannot be judged.
    pub(crate) fn note_malformed(&self, head: &[u8]) {
        let line = head.split(|byte| *byte == b'\r').next().unwrap_or_default();
        let shown = |byte: &u8| if byte.is_ascii_graphic() || *byte == b' ' { char::from(*byte) } else { '?' };
        let line: String = line.iter().take(SHOWN_MAX).map(shown).collect();
        self.journal.note(&line, 0, Why::Malformed, self.clock.now());
    }

    /// Writes the journal for the last time.
    pub fn finish(&self) {
        self.journal.finish();
    }
}
