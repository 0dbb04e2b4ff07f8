//! What a shim does all day: wait for a child, a signal, a connection, the agent's terminal or room in its pipe, and
//! deal with it.

use std::io;
use std::os::unix::net::UnixListener;
use std::time::Duration;

use jiff::Timestamp;
use runtime::Clock;
use rustix::event::{PollFd, PollFlags};
use rustix::process::Signal;

use super::agent::Agent;
use super::clients::{Client, Clients};
use super::growth::{Full, Room, goes_on, look_again};
use super::input::Input;
use super::last_word::{self, TRY_AGAIN_AFTER};
use super::output::Output;
use super::rest::Rest;
use super::screen::Copied;
use super::signals::Signals;
use super::stopping::{Seen, Step, Stopping};
use crate::identity::Identity;
use crate::launch::Stop;
use crate::record::{End, Exit, Record};
use crate::wire::{Phase, Reply, Request, Status};

/// The input and output of the agent, and its clients.
#[derive(Debug)]
pub(super) struct Streams {
    pub(super) input: Input,
    pub(super) output: Output,
}

/// A shim whose agent runs.
#[derive(Debug)]
pub(super) struct Work {
    clock: Clock,
    record: Record,
    stop: Stop,
    agent: Agent,
    streams: Streams,
    signals: Signals,
    clients: Clients,
    stopping: Stopping,
    /// Whether a child may have ended since it was looked.
    disturbed: bool,
    /// Whether the end was requested.
    stopped: bool,
    /// The log that grew too long, as it was when the agent was asked to end for it.
    capped: Option<Full>,
    ended: Option<(End, Timestamp)>,
    rest: Rest,
}

impl Work {
    pub(super) fn new(
        clock: Clock,
        record: Record,
        stop: Stop,
        agent: Agent,
        streams: Streams,
        listener: UnixListener,
        signals: Signals,
    ) -> Self {
        Self {
            rest: Rest::after(clock.monotonic()),
            clock,
            clients: Clients::new(listener, record.secret.clone()),
            record,
            stop,
            agent,
            streams,
            signals,
            stopping: Stopping::No,
            disturbed: true,
            stopped: false,
            capped: None,
            ended: None,
        }
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
        let look_again = self.look_at_the_logs()?;
        let running = self.look_at_the_processes()?;
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
        let stuck = (self.streams.output.copy() == Copied::Stuck).then_some(TRY_AGAIN_AFTER);
        let stranger = self.clients.due_in(self.clock.monotonic());
        self.wait([limit, look_again, stuck, stranger].into_iter().flatten().min())?;
        let heard = self.signals.drain();
        self.disturbed |= heard.child_ended;
        if heard.asked_to_end {
            self.ask_to_stop(self.stop);
        }
        self.streams.input.hand_over();
        self.clients.accept(self.clock.monotonic());
        self.serve();
        Ok(None)
    }

    /// Finds out what has ended, and returns what else runs beside the agent, as far as that matters now.
    fn look_at_the_processes(&mut self) -> io::Result<Vec<u32>> {
        // It takes longer than to copy a line; and while the agent runs on, what it has started is its own affair.
        if !self.disturbed && self.ended.is_none() && self.stopping == Stopping::No {
            return Ok(Vec::new());
        }
        // In this order: what an agent leaves behind is here by the time its end is seen.
        self.look_for_the_end();
        let running = self.agent.collect_others()?;
        self.disturbed = false;
        Ok(running)
    }

    fn look_for_the_end(&mut self) {
        if self.ended.is_none()
            && let Some(end) = self.agent.end()
        {
            self.ended = Some((end, self.clock.now()));
            self.streams.input.break_off();
            if self.stopping != Stopping::No {
                // What a stopped agent leaves behind is asked too; it gets the rest of the grace.
                let _ = self.agent.signal_others(Signal::TERM);
            }
        }
    }

    /// Stops an agent whose logs have reached their limit; returns when to look again if no client watches them.
    fn look_at_the_logs(&mut self) -> io::Result<Option<Duration>> {
        if self.ended.is_some() {
            return Ok(None);
        }
        let full = match self.streams.output.room()? {
            Room::Left(left) => return Ok((!self.clients.follow()).then(|| look_again(left))),
            Room::None(full) => full,
        };
        // An agent that ended by itself a moment ago was not stopped.
        self.look_for_the_end();
        match self.capped {
            None if self.ended.is_none() => {
                self.capped = Some(full);
                self.begin_to_stop(self.stop);
            }
            Some(asked) if goes_on(full, asked, self.record.log_max) => {
                self.stopping.ask(Stop { grace_ms: 0, ..self.stop }, self.clock.monotonic());
            }
            None | Some(_) => {}
        }
        Ok(Some(look_again(0)))
    }

    /// Sleeps until something happens; for ever if nothing does.
    fn wait(&mut self, limit: Option<Duration>) -> io::Result<()> {
        let mut sources = self.signals.sources().to_vec();
        if let Some(pipe) = self.streams.input.blocked() {
            sources.push(PollFd::from_borrowed_fd(pipe, PollFlags::OUT));
        }
        if let Some(screen) = self.streams.output.source() {
            sources.push(PollFd::from_borrowed_fd(screen, PollFlags::IN));
        }
        sources.extend(self.clients.sources());
        self.rest.wait(&mut sources, limit, &self.clock)
    }

    fn serve(&mut self) {
        let mut clients = std::mem::take(&mut self.clients.connected);
        for client in &mut clients {
            client.exchange();
            self.settle(client);
            while let Some(request) = client.next(self.stop) {
                match request {
                    Ok(Request::Input { seq, bytes }) => {
                        let fate = self.streams.input.offer(seq, bytes.0);
                        client.awaits = Some(seq);
                        client.tell(fate);
                    }
                    Ok(Request::Follow) => {
                        client.follows = true;
                        client.say(&Reply::Done);
                    }
                    Ok(request) => client.say(&self.answer(&request)),
                    Err(why) => client.say(&Reply::Refused { why }),
                }
            }
        }
        clients.retain(|client| !client.gone());
        self.clients.connected = clients;
    }

    /// Reports to a client what happened to its message, if that is known by now.
    fn settle(&self, client: &mut Client) {
        if let Some(seq) = client.awaits {
            client.tell(self.streams.input.fate(seq));
        }
    }

    fn answer(&mut self, request: &Request) -> Reply {
        match request {
            Request::Ping => Reply::Pong { launch: self.record.launch.clone(), shim: self.record.shim },
            Request::Status => Reply::Status(Status {
                agent: self.record.agent,
                phase: if self.stopping == Stopping::No { Phase::Running } else { Phase::Stopping },
                input: self.streams.input.status(),
            }),
            Request::Signal { signal } => {
                self.agent.signal(signal.raw());
                Reply::Done
            }
            Request::Stop(stop) => {
                self.ask_to_stop(*stop);
                Reply::Done
            }
            Request::CloseInput => {
                self.streams.input.close();
                Reply::Done
            }
            // These concern the connection, which knows what to say.
            Request::Input { .. } | Request::Follow => Reply::Done,
        }
    }

    fn ask_to_stop(&mut self, stop: Stop) {
        // An agent that ended by itself a moment ago was not stopped.
        self.look_for_the_end();
        self.stopped |= self.ended.is_none();
        self.begin_to_stop(stop);
    }

    fn begin_to_stop(&mut self, stop: Stop) {
        self.agent.signal(stop.signal.raw());
        self.stopping.ask(stop, self.clock.monotonic());
    }

    /// Writes how it ended, and exits: clients see that by the end of the stream.
    fn leave_word(mut self, survivors: &[u32]) -> io::Result<()> {
        for client in &mut self.clients.connected {
            if let Some(seq) = client.awaits {
                client.tell(self.streams.input.fate(seq));
            }
        }
        let Some((end, ended_at)) = self.ended else { return Err(io::Error::other("the agent has not ended")) };
        let exit = Exit {
            launch: self.record.launch,
            end,
            stopped: self.stopped,
            capped: self.capped.map(|full| full.stream),
            started_at: self.record.started_at,
            ended_at,
            input_delivered: self.streams.input.status().delivered,
            survivors: survivors.iter().filter_map(|pid| Identity::of(*pid).ok()).collect(),
        };
        self.agent.collect();
        self.streams.output.finish();
        last_word::leave(&exit)
    }
}
