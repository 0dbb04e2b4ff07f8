//! Those who speak to the shim: lines in, lines out, and nobody can make it wait.

use std::io::{self, Read as _, Write as _};
use std::os::unix::net::{UnixListener, UnixStream};

use rustix::event::{PollFd, PollFlags};

use super::input::Fate;
use crate::wire::{self, LINE_MAX, Refusal, Reply, Request};

/// How many may speak at once; others wait.
const CLIENTS_MAX: usize = 64;

/// Whoever is connected, and the door for more.
#[derive(Debug)]
pub(super) struct Clients {
    listener: UnixListener,
    pub(super) connected: Vec<Client>,
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
    pub(super) const fn new(listener: UnixListener) -> Self {
        Self { listener, connected: Vec::new() }
    }

    /// Returns what to wait for.
    pub(super) fn sources(&self) -> impl Iterator<Item = PollFd<'_>> {
        let door = (self.connected.len() < CLIENTS_MAX).then(|| PollFd::new(&self.listener, PollFlags::IN));
        door.into_iter().chain(self.connected.iter().map(Client::source))
    }

    /// Lets in whoever waits at the door.
    pub(super) fn accept(&mut self) {
        while self.connected.len() < CLIENTS_MAX
            && let Ok((stream, _)) = self.listener.accept()
        {
            self.connected.extend(Client::new(stream));
        }
    }

    /// Says whether somebody watches the logs.
    pub(super) fn follow(&self) -> bool {
        self.connected.iter().any(|client| client.follows)
    }
}

impl Client {
    fn new(stream: UnixStream) -> io::Result<Self> {
        stream.set_nonblocking(true)?;
        Ok(Self { stream, heard: Vec::new(), to_say: Vec::new(), awaits: None, follows: false, gone: false })
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
        let mut chunk = [0; 16 << 10];
        loop {
            match self.stream.read(&mut chunk) {
                Ok(0) => self.gone = true,
                Ok(length) if self.heard.len() + length > LINE_MAX => self.gone = true,
                Ok(length) => {
                    self.heard.extend_from_slice(&chunk[..length]);
                    continue;
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                Err(_) => self.gone = true,
            }
            break;
        }
        self.write();
    }

    /// Takes the next request, if it is there whole and nothing asked before is open.
    pub(super) fn next(&mut self) -> Option<Result<Request, Refusal>> {
        if self.awaits.is_some() {
            return None;
        }
        let end = self.heard.iter().position(|byte| *byte == b'\n')?;
        let line: Vec<u8> = self.heard.drain(..=end).collect();
        Some(wire::decode(&line).map_err(|error| Refusal::NotUnderstood { why: error.to_string() }))
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
