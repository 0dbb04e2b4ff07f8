//! What a shim does all day: wait for a child, a signal, a connection or room in the agent's pipe, and deal with it.

use std::io::{self, Read as _};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::Path;
use std::time::Duration;

use jiff::Timestamp;
use runtime::Clock;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::process::Signal;
use signal_hook::consts::{SIGCHLD, SIGHUP, SIGINT, SIGTERM};

use super::agent::Agent;
use super::clients::Client;
use super::input::{Fate, Input};
use super::stopping::{Seen, Step, Stopping};
use crate::files::{self, Keep};
use crate::identity::Identity;
use crate::launch::Stop;
use crate::record::{End, Exit, Record};
use crate::spool::{EXIT, SOCKET};
use crate::wire::{Phase, Reply, Request, Status};

/// How many may speak at once; others wait.
const CLIENTS_MAX: usize = 64;
/// How often a full disk is tried again for the last word.
const LAST_WORD_TRIES: u32 = 30;

/// How long to wait when the machine refuses what it never should.
const TRY_AGAIN_AFTER: Duration = Duration::from_secs(1);

/// The signals of this process, as bytes in pipes.
#[derive(Debug)]
pub(super) struct Signals {
    child_ended: UnixStream,
    asked_to_end: UnixStream,
}

/// A shim whose agent runs.
#[derive(Debug)]
pub(super) struct Work {
    clock: Clock,
    record: Record,
    stop: Stop,
    agent: Agent,
    input: Input,
    listener: UnixListener,
    signals: Signals,
    clients: Vec<Client>,
    stopping: Stopping,
    /// Whether somebody asked for the end that comes.
    stopped: bool,
    ended: Option<(End, Timestamp)>,
}

impl Signals {
    /// Takes the signals from now on; a child that ended before is found by looking.
    pub(super) fn take() -> io::Result<Self> {
        let (child_ended, bell) = UnixStream::pair()?;
        signal_hook::low_level::pipe::register(SIGCHLD, bell)?;
        let (asked_to_end, bell) = UnixStream::pair()?;
        for signal in [SIGTERM, SIGINT, SIGHUP] {
            signal_hook::low_level::pipe::register(signal, bell.try_clone()?)?;
        }
        child_ended.set_nonblocking(true)?;
        asked_to_end.set_nonblocking(true)?;
        Ok(Self { child_ended, asked_to_end })
    }
}

impl Work {
    pub(super) fn new(
        clock: Clock,
        record: Record,
        stop: Stop,
        agent: Agent,
        input: Input,
        listener: UnixListener,
        signals: Signals,
    ) -> Self {
        let (clients, stopping) = (Vec::new(), Stopping::No);
        Self { clock, record, stop, agent, input, listener, signals, clients, stopping, stopped: false, ended: None }
    }

    pub(super) const fn record(&self) -> &Record {
        &self.record
    }

    /// Works until the agent and everything it started has ended, and leaves word of it.
    pub(super) fn run(mut self) -> io::Result<()> {
        loop {
            match self.turn() {
                Ok(None) => {}
                Ok(Some(survivors)) => return self.leave_word(&survivors),
                // A machine that has no memory or no file to spare has some later, and the agent runs meanwhile.
                Err(_) => std::thread::sleep(TRY_AGAIN_AFTER),
            }
        }
    }

    /// Looks, acts, waits for something to happen, and deals with it; returns who is left when it is over.
    fn turn(&mut self) -> io::Result<Option<Vec<u32>>> {
        // In this order: what an agent leaves behind is here by the time its end is seen.
        self.look_for_the_end();
        let running = self.agent.collect_others()?;
        let seen = Seen { agent_ended: self.ended.is_some(), others_run: !running.is_empty() };
        let limit = match self.stopping.next(seen, self.stop, self.clock.monotonic()) {
            Step::Wait(limit) => limit,
            Step::AskOthers => {
                self.agent.signal(Signal::TERM);
                self.agent.signal_others(Signal::TERM)?;
                return Ok(None);
            }
            Step::Kill(limit) => {
                self.agent.signal(Signal::KILL);
                self.agent.signal_others(Signal::KILL)?;
                Some(limit)
            }
            Step::Over => return Ok(Some(running)),
        };
        self.wait(limit)?;
        if drain(&self.signals.asked_to_end) {
            self.ask_to_stop(self.stop);
        }
        drain(&self.signals.child_ended);
        self.input.hand_over();
        self.accept();
        self.serve();
        Ok(None)
    }

    fn look_for_the_end(&mut self) {
        if self.ended.is_none()
            && let Some(end) = self.agent.end()
        {
            self.ended = Some((end, self.clock.now()));
            self.input.break_off();
            if self.stopped {
                // What a stopped agent leaves behind is asked too; it gets the rest of the grace.
                let _ = self.agent.signal_others(Signal::TERM);
            }
        }
    }

    /// Sleeps until something happens; for ever if nothing does.
    fn wait(&self, limit: Option<Duration>) -> io::Result<()> {
        let mut sources = vec![
            PollFd::new(&self.signals.child_ended, PollFlags::IN),
            PollFd::new(&self.signals.asked_to_end, PollFlags::IN),
        ];
        if self.clients.len() < CLIENTS_MAX {
            sources.push(PollFd::new(&self.listener, PollFlags::IN));
        }
        if let Some(pipe) = self.input.blocked() {
            sources.push(PollFd::from_borrowed_fd(pipe, PollFlags::OUT));
        }
        for (stream, flags) in self.clients.iter().map(Client::interest) {
            sources.push(PollFd::from_borrowed_fd(stream, flags));
        }
        let limit = limit.and_then(|limit| Timespec::try_from(limit).ok());
        match poll(&mut sources, limit.as_ref()) {
            Ok(_) | Err(Errno::INTR) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }

    fn accept(&mut self) {
        while self.clients.len() < CLIENTS_MAX
            && let Ok((stream, _)) = self.listener.accept()
        {
            self.clients.extend(Client::new(stream));
        }
    }

    fn serve(&mut self) {
        let mut clients = std::mem::take(&mut self.clients);
        for client in &mut clients {
            client.exchange();
            self.settle(client);
            while let Some(request) = client.next() {
                match request {
                    Ok(Request::Input { seq, bytes }) => {
                        let fate = self.input.offer(seq, bytes.0);
                        client.awaits = Some(seq);
                        tell(client, fate);
                    }
                    Ok(request) => client.say(&self.answer(&request)),
                    Err(why) => client.say(&Reply::Refused { why }),
                }
            }
        }
        clients.retain(|client| !client.gone());
        self.clients = clients;
    }

    /// Tells a client what became of its message, if that is known by now.
    fn settle(&self, client: &mut Client) {
        if let Some(seq) = client.awaits {
            tell(client, self.input.fate(seq));
        }
    }

    fn answer(&mut self, request: &Request) -> Reply {
        match request {
            Request::Ping => Reply::Pong { launch: self.record.launch.clone(), shim: self.record.shim },
            Request::Status => Reply::Status(Status {
                agent: self.record.agent,
                phase: if self.stopping == Stopping::No { Phase::Running } else { Phase::Stopping },
                input: self.input.status(),
            }),
            Request::Signal { signal } => {
                self.agent.signal(signal.raw());
                Reply::Done
            }
            Request::Stop(stop) => {
                self.ask_to_stop(*stop);
                Reply::Done
            }
            Request::CloseInput | Request::Input { .. } => {
                self.input.close();
                Reply::Done
            }
        }
    }

    fn ask_to_stop(&mut self, stop: Stop) {
        // An agent that ended by itself a moment ago was not stopped.
        self.look_for_the_end();
        self.stopped |= self.ended.is_none();
        self.agent.signal(stop.signal.raw());
        self.stopping.ask(stop, self.clock.monotonic());
    }

    /// Writes how it ended, and is gone: whoever is connected hears that by the end of the stream.
    fn leave_word(mut self, survivors: &[u32]) -> io::Result<()> {
        for client in &mut self.clients {
            if let Some(seq) = client.awaits {
                tell(client, self.input.fate(seq));
            }
        }
        let Some((end, ended_at)) = self.ended else { return Err(io::Error::other("the agent has not ended")) };
        let exit = Exit {
            launch: self.record.launch,
            end,
            stopped: self.stopped,
            started_at: self.record.started_at,
            ended_at,
            input_delivered: self.input.status().delivered,
            survivors: survivors.iter().filter_map(|pid| Identity::of(*pid).ok()).collect(),
        };
        self.agent.collect();
        last_word(&serde_json::to_string(&exit)?)?;
        files::remove(Path::new(SOCKET))
    }
}

/// Writes how it ended. The agent may have filled the disk, and somebody may be making room.
fn last_word(text: &str) -> io::Result<()> {
    let mut tries = 0;
    loop {
        tries += 1;
        match files::replace(Path::new(EXIT), text, Keep::ForEver) {
            Err(error) if error.kind() != io::ErrorKind::NotFound && tries < LAST_WORD_TRIES => {
                std::thread::sleep(TRY_AGAIN_AFTER);
            }
            // A spool that was removed takes no word any more.
            written => return written,
        }
    }
}

fn tell(client: &mut Client, fate: Fate) {
    let reply = match fate {
        Fate::Waiting => return,
        Fate::Delivered => Reply::Done,
        Fate::Refused(why) => Reply::Refused { why },
    };
    client.awaits = None;
    client.say(&reply);
}

/// Empties a pipe of signals, and says whether there was one.
fn drain(mut pipe: &UnixStream) -> bool {
    let mut bytes = [0; 64];
    let mut any = false;
    while matches!(pipe.read(&mut bytes), Ok(length) if length > 0) {
        any = true;
    }
    any
}
