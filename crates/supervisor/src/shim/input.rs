//! The agent's input: numbered messages, each handed over whole and once, in order.
//!
//! The pipe lives in this process alone, so its memory is where the numbers have to be: a client that lost the
//! connection asks again and is told. The last number is also written to a file, for the day on which this process is
//! killed.

use std::collections::VecDeque;
use std::fs::{File, OpenOptions};
use std::io::{self, Write as _};
use std::os::fd::{AsFd as _, BorrowedFd};
use std::os::unix::fs::{FileExt as _, OpenOptionsExt as _};
use std::process::ChildStdin;

use rustix::fs::{OFlags, fcntl_getfl, fcntl_setfl};

use crate::spool::DELIVERED;
use crate::wire::{InputStatus, Refusal};

/// How much may wait for an agent that does not read.
const WAITING_MAX: usize = 16 << 20;

#[derive(Debug)]
pub(super) struct Input {
    pipe: Option<ChildStdin>,
    queue: VecDeque<Message>,
    waiting: usize,
    accepted: u64,
    delivered: u64,
    /// Whether the pipe is closed once everything was handed over.
    closing: bool,
    /// Made with the first message: a file costs a start as much as all the rest of it.
    ledger: Option<File>,
}

#[derive(Debug)]
struct Message {
    seq: u64,
    bytes: Vec<u8>,
    written: usize,
}

/// What happened to a message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Fate {
    Waiting,
    Delivered,
    Refused(Refusal),
}

impl Input {
    pub(super) fn new(pipe: Option<ChildStdin>) -> Self {
        // A pipe that blocks would stop the whole shim for an agent that does not read; then better none.
        let pipe = pipe.filter(|pipe| unblock(pipe).is_ok());
        Self { pipe, queue: VecDeque::new(), waiting: 0, accepted: 0, delivered: 0, closing: false, ledger: None }
    }

    pub(super) fn status(&self) -> InputStatus {
        InputStatus { open: self.open(), accepted: self.accepted, delivered: self.delivered }
    }

    /// Takes the first messages, numbered from one. An agent that reads nothing is told nothing.
    pub(super) fn open_with(&mut self, messages: &[String]) {
        for (seq, message) in (1..).zip(messages) {
            self.offer(seq, message.clone().into_bytes());
        }
    }

    /// Takes a message, unless it was taken before.
    pub(super) fn offer(&mut self, seq: u64, bytes: Vec<u8>) -> Fate {
        if seq <= self.accepted {
            return self.fate(seq);
        }
        if !self.open() {
            return Fate::Refused(Refusal::InputClosed);
        }
        if seq != self.accepted + 1 {
            return Fate::Refused(Refusal::OutOfOrder { expected: self.accepted + 1 });
        }
        if self.waiting + bytes.len() > WAITING_MAX {
            return Fate::Refused(Refusal::InputFull);
        }
        self.accepted = seq;
        self.waiting += bytes.len();
        self.queue.push_back(Message { seq, bytes, written: 0 });
        self.hand_over();
        self.fate(seq)
    }

    /// Says what happened to a message that was taken.
    pub(super) fn fate(&self, seq: u64) -> Fate {
        if seq <= self.delivered {
            Fate::Delivered
        } else if self.pipe.is_some() {
            Fate::Waiting
        } else {
            Fate::Refused(Refusal::InputClosed)
        }
    }

    /// Closes the pipe once everything was handed over.
    pub(super) fn close(&mut self) {
        self.closing = true;
        self.hand_over();
    }

    /// Gives up what was not delivered: the reader is gone.
    pub(super) fn break_off(&mut self) {
        self.pipe = None;
        self.queue.clear();
        self.waiting = 0;
    }

    /// Returns the pipe if something waits for room in it.
    pub(super) fn blocked(&self) -> Option<BorrowedFd<'_>> {
        self.pipe.as_ref().filter(|_| !self.queue.is_empty()).map(|pipe| pipe.as_fd())
    }

    /// Writes as much as there is room for.
    pub(super) fn hand_over(&mut self) {
        while let (Some(pipe), Some(message)) = (&mut self.pipe, self.queue.front_mut()) {
            match pipe.write(&message.bytes[message.written..]) {
                Ok(length) => message.written += length,
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(_) => return self.break_off(),
            }
            if message.written == message.bytes.len() {
                self.delivered = message.seq;
                self.waiting -= message.bytes.len();
                self.queue.pop_front();
                // Of use only if this process is killed, so a full disk does not stop it.
                let _ = self.note();
            }
        }
        if self.closing && self.queue.is_empty() {
            self.pipe = None;
        }
    }

    /// Writes down the number of the last message handed over, in the spool, which is the current directory.
    fn note(&mut self) -> io::Result<()> {
        let ledger = match self.ledger.take() {
            Some(ledger) => ledger,
            None => OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(DELIVERED)?,
        };
        self.ledger.insert(ledger).write_all_at(format!("{:020}\n", self.delivered).as_bytes(), 0)
    }

    fn open(&self) -> bool {
        self.pipe.is_some() && !self.closing
    }
}

fn unblock(pipe: &ChildStdin) -> io::Result<()> {
    Ok(fcntl_setfl(pipe, fcntl_getfl(pipe)? | OFlags::NONBLOCK)?)
}
