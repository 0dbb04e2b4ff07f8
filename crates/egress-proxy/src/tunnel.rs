//! Copying between two connections, both ways at once, until both sides have closed or nothing comes for too long.

use std::io::{self, Read as _, Write as _};
use std::net::{Shutdown, TcpStream};
use std::os::fd::AsFd as _;
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};

/// Bytes that are held of each direction.
const BUFFER: usize = 16 << 10;

/// How often one direction is served before the other is looked at.
const IN_A_ROW: u32 = 8;

/// One direction.
struct Pipe {
    held: Vec<u8>,
    /// How much of it was written.
    written: usize,
    state: State,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Open,
    /// No more will come, but something is held.
    Ended,
    /// The other side was told so.
    Closed,
}

impl Pipe {
    fn new(held: Vec<u8>) -> Self {
        Self { held, written: 0, state: State::Open }
    }

    fn has_some(&self) -> bool {
        self.written < self.held.len()
    }

    /// Copies until one of the sides has to be waited for; says whether anything moved.
    fn pump(&mut self, mut from: &TcpStream, mut to: &TcpStream) -> io::Result<()> {
        for _ in 0..IN_A_ROW {
            if self.has_some() {
                match ready(to.write(self.held.get(self.written..).unwrap_or_default()))? {
                    Some(count) => self.written += count,
                    None => return Ok(()),
                }
                continue;
            }
            match self.state {
                State::Closed => return Ok(()),
                State::Ended => {
                    self.state = State::Closed;
                    self.held = Vec::new();
                    return to.shutdown(Shutdown::Write);
                }
                State::Open => {
                    self.held.resize(BUFFER, 0);
                    let read = ready(from.read(&mut self.held));
                    self.held.truncate(read.as_ref().ok().copied().flatten().unwrap_or_default());
                    self.written = 0;
                    match read? {
                        Some(0) => self.state = State::Ended,
                        Some(_) => {}
                        None => return Ok(()),
                    }
                }
            }
        }
        Ok(())
    }
}

/// Makes nothing of what would have to be waited for.
fn ready(done: io::Result<usize>) -> io::Result<Option<usize>> {
    match done {
        Ok(count) => Ok(Some(count)),
        Err(error) if matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::Interrupted) => Ok(None),
        Err(error) => Err(error),
    }
}

/// Copies both ways; `ahead` was read from the client already.
pub(crate) fn tunnel(client: &TcpStream, server: &TcpStream, ahead: Vec<u8>, idle: Duration) -> io::Result<()> {
    client.set_nonblocking(true)?;
    server.set_nonblocking(true)?;
    let idle = Timespec { tv_sec: i64::try_from(idle.as_secs()).unwrap_or(i64::MAX), tv_nsec: 0 };
    let (mut up, mut down) = (Pipe::new(ahead), Pipe::new(Vec::new()));
    loop {
        up.pump(client, server)?;
        down.pump(server, client)?;
        if up.state == State::Closed && down.state == State::Closed {
            return Ok(());
        }
        let wants = |own: &Pipe, other: &Pipe| {
            let read = if own.has_some() || own.state != State::Open { PollFlags::empty() } else { PollFlags::IN };
            read | if other.has_some() { PollFlags::OUT } else { PollFlags::empty() }
        };
        let ended = up.state == State::Ended || down.state == State::Ended;
        let sides = [(client, wants(&up, &down)), (server, wants(&down, &up))];
        // One of which nothing is wanted would be reported for ever once it has hung up.
        let wanted = sides.iter().filter(|(_, wants)| !wants.is_empty());
        let mut sources: Vec<PollFd<'_>> =
            wanted.map(|(side, wants)| PollFd::from_borrowed_fd(side.as_fd(), *wants)).collect();
        if sources.is_empty() && ended {
            continue;
        }
        if poll(&mut sources, Some(&idle))? == 0 {
            return Err(io::ErrorKind::TimedOut.into());
        }
    }
}
