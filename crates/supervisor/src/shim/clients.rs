//! The connections to the shim: lines in, lines out, and no client can block it.
//!
//! A client is a stranger until it has shown the secret of the launch. Strangers are obeyed in nothing, are few, have
//! little time and little room, and give way to newer ones: so none of them keeps the server from being heard.

use std::io::{self, Read as _, Write as _};
use std::os::unix::net::{UnixListener, UnixStream};
use std::time::Duration;

use rustix::event::{PollFd, PollFlags};

use super::input::Fate;
use crate::launch::Stop;
use crate::secret::Secret;
use crate::wire::{self, HELLO_MAX, Hello, LINE_MAX, Refusal, Reply, Request};

/// How many may speak at once; others wait.
const CLIENTS_MAX: usize = 64;

/// How many may be connected at once that have not shown the secret; the first makes room for the next.
const STRANGERS_MAX: usize = 32;

/// How many are let in at once, before those that are in are listened to.
const ACCEPTED_MAX: usize = 16;

/// How long a stranger may take to show the secret.
const STRANGER_TIME: Duration = Duration::from_secs(2);

/// The connected clients, and the listening socket.
#[derive(Debug)]
pub(super) struct Clients {
    listener: UnixListener,
    /// What a client must show; nothing is asked of one if there is none.
    secret: Option<Secret>,
    pub(super) connected: Vec<Client>,
    /// Those that have not shown the secret, the first first.
    strangers: Vec<Stranger>,
}

/// A connection whose side is not known yet.
#[derive(Debug)]
struct Stranger {
    client: Client,
    until: Duration,
}

/// One connection.
#[derive(Debug)]
pub(super) struct Client {
    stream: UnixStream,
    heard: Vec<u8>,
    to_say: Vec<u8>,
    /// The message of which it waits to hear; nothing else of it is read until then.
    pub(super) awaits: Option<u64>,
    /// Whether it watches the logs for this shim, for as long as it is connected.
    pub(super) follows: bool,
    gone: bool,
}

impl Clients {
    pub(super) const fn new(listener: UnixListener, secret: Option<Secret>) -> Self {
        Self { listener, secret, connected: Vec::new(), strangers: Vec::new() }
    }

    /// Returns what to wait for.
    pub(super) fn sources(&self) -> impl Iterator<Item = PollFd<'_>> {
        let door = (self.connected.len() < CLIENTS_MAX).then(|| PollFd::new(&self.listener, PollFlags::IN));
        let strangers = self.strangers.iter().map(|stranger| stranger.client.source());
        door.into_iter().chain(self.connected.iter().map(Client::source)).chain(strangers)
    }

    /// Returns for how long to wait until the time of a stranger is up.
    pub(super) fn due_in(&self, now: Duration) -> Option<Duration> {
        self.strangers.iter().map(|stranger| stranger.until.saturating_sub(now)).min()
    }

    /// Accepts waiting connections, and lets those in that show the secret.
    pub(super) fn accept(&mut self, now: Duration) {
        let mut accepted = 0;
        while accepted < ACCEPTED_MAX
            && self.connected.len() < CLIENTS_MAX
            && let Ok((stream, _)) = self.listener.accept()
        {
            accepted += 1;
            let until = now + STRANGER_TIME;
            self.strangers.extend(Client::new(stream).map(|client| Stranger { client, until }));
        }
        for mut stranger in std::mem::take(&mut self.strangers) {
            match stranger.client.introduce(self.secret.as_ref()) {
                Introduced::Known => self.connected.push(stranger.client),
                Introduced::NotYet if now < stranger.until => self.strangers.push(stranger),
                Introduced::NotYet | Introduced::Refused => {}
            }
        }
        let too_many = self.strangers.len().saturating_sub(STRANGERS_MAX);
        self.strangers.drain(..too_many);
    }

    /// Returns whether a client watches the logs.
    pub(super) fn follow(&self) -> bool {
        self.connected.iter().any(|client| client.follows)
    }
}

/// What is known of a client.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Introduced {
    /// It has shown the secret.
    Known,
    /// It has not said enough.
    NotYet,
    /// It has shown something else, or is gone.
    Refused,
}

impl Client {
    fn new(stream: UnixStream) -> io::Result<Self> {
        stream.set_nonblocking(true)?;
        Ok(Self { stream, heard: Vec::new(), to_say: Vec::new(), awaits: None, follows: false, gone: false })
    }

    /// Reads the first line, and nothing behind it that is longer than such a line may be.
    fn introduce(&mut self, secret: Option<&Secret>) -> Introduced {
        let Some(secret) = secret else { return Introduced::Known };
        self.read(HELLO_MAX);
        let Some(line) = self.take_line() else {
            let refused = self.gone || self.heard.len() >= HELLO_MAX;
            return if refused { Introduced::Refused } else { Introduced::NotYet };
        };
        match wire::decode::<Hello>(&line) {
            Ok(hello) if secret.is(&hello.secret) => Introduced::Known,
            Ok(_) | Err(_) => Introduced::Refused,
        }
    }

    fn source(&self) -> PollFd<'_> {
        let flags = if self.to_say.is_empty() { PollFlags::IN } else { PollFlags::IN | PollFlags::OUT };
        PollFd::new(&self.stream, flags)
    }

    pub(super) const fn gone(&self) -> bool {
        self.gone
    }

    /// Reads and writes what can be read and written now.
    pub(super) fn exchange(&mut self) {
        self.read(LINE_MAX);
        self.gone |= self.heard.len() >= LINE_MAX;
        self.write();
    }

    /// Reads what can be read now, until so much was heard and not looked at.
    fn read(&mut self, most: usize) {
        let mut chunk = [0; 16 << 10];
        while let Some(room) = most.checked_sub(self.heard.len()).filter(|room| *room > 0) {
            let room = room.min(chunk.len());
            match self.stream.read(&mut chunk[..room]) {
                Ok(0) => self.gone = true,
                Ok(length) => {
                    self.heard.extend_from_slice(&chunk[..length]);
                    continue;
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                Err(_) => self.gone = true,
            }
            return;
        }
    }

    /// Takes the next request, if it is there whole and nothing asked before is open.
    pub(super) fn next(&mut self, usual: Stop) -> Option<Result<Request, Refusal>> {
        if self.awaits.is_some() {
            return None;
        }
        Some(wire::decode_request(&self.take_line()?, usual))
    }

    fn take_line(&mut self) -> Option<Vec<u8>> {
        let end = self.heard.iter().position(|byte| *byte == b'\n')?;
        Some(self.heard.drain(..=end).collect())
    }

    /// Answers what it awaits to hear of its message, if that is known.
    pub(super) fn tell(&mut self, fate: Fate) {
        let reply = match fate {
            Fate::Waiting => return,
            Fate::Delivered => Reply::Done,
            Fate::Refused(why) => Reply::Refused { why },
        };
        self.awaits = None;
        self.say(&reply);
    }

    /// Answers.
    pub(super) fn say(&mut self, reply: &Reply) {
        match wire::encode(reply) {
            Ok(line) => self.to_say.extend_from_slice(&line),
            Err(_) => self.gone = true,
        }
        self.write();
    }

    fn write(&mut self) {
        while !self.to_say.is_empty() {
            match self.stream.write(&self.to_say) {
                Ok(length) => drop(self.to_say.drain(..length)),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return,
                Err(_) => {
                    self.gone = true;
                    return;
                }
            }
        }
    }
}
