//! The conversation carried out: what is heard goes into the dialogue, what comes out of it is done.

use std::collections::BTreeMap;
use std::io::{self, Write as _};
use std::time::Duration;

use agents::bridge::Said;
use agents::{Ask, Dialogue, Ending, Event, FailureClass, Opening, Out, Question, Say, Spoken, TurnResult};
use policy::{AnswerKey, Call};
use runtime::Clock;
use rustix::process::Signal;
use serde_json::Value;
use signal_hook::consts::SIGINT;

use crate::agent::Agent;
use crate::cooldown::hold;
use crate::judge::{Judge, Judgement};
use crate::shutdown::{Shutdown, Step};
use crate::sources::{Input, Sources};
use crate::{Args, Trouble};

/// What programs add to a signal's number when they return because of it.
const BY_SIGNAL: i32 = 128;

/// Why a call that needs approval is refused once standard input is closed.
const NO_APPROVER: &str = "no person can approve this any more; continue without it";

/// A conversation under way.
pub(crate) struct Talk {
    spoken: Spoken,
    dialogue: Box<dyn Dialogue>,
    agent: Agent,
    ears: Sources,
    judge: Judge,
    clock: Clock,
    leaving: Shutdown,
    /// What the server proves its answers by; none if it proves none.
    key: Option<AnswerKey>,
    /// Questions that a person is to answer, with the call of each.
    asked: BTreeMap<String, Call>,
    /// Until when the agent must be ready; none once it is.
    ready_by: Option<Duration>,
    /// Whether more input may come.
    listens: bool,
    /// The signal by which the bridge was asked to end.
    stopped: Option<i32>,
    /// Whether the conversation came to its end.
    over: bool,
    /// Whether all that the agent wrote was heard.
    silent: bool,
    gone: bool,
}

/// What came of waiting for the opening.
enum Begun {
    Opening(Box<Opening>, Vec<Vec<u8>>, bool),
    Stopped(i32),
}

impl Talk {
    /// Reads the opening, starts the agent and begins to speak; a code if it was over before that.
    pub(crate) fn begin(args: Args, ears: Sources, judge: Judge, clock: Clock) -> Result<Conversation, Trouble> {
        let (opening, early, listens) = match wait_for_opening(&ears, &clock)? {
            Begun::Opening(opening, early, listens) => (opening, early, listens),
            Begun::Stopped(signal) => return Ok(Conversation::Over(by_signal(signal))),
        };
        let agent = match Agent::start(&args.agent, &ears) {
            Ok(agent) => agent,
            Err(error) => {
                let program =
                    args.agent.first().map(|program| program.to_string_lossy().into_owned()).unwrap_or_default();
                tell(&not_started(&format!("agent `{program}` could not be started: {error}")))?;
                return Ok(Conversation::Over(1));
            }
        };
        let ready_by = clock.monotonic().checked_add(Duration::from_secs(opening.ready_secs_max));
        let mut talk = Self {
            ready_by,
            spoken: args.spoken,
            key: opening.answer_key.as_deref().and_then(AnswerKey::of),
            dialogue: args.spoken.dialogue(*opening),
            agent,
            ears,
            judge,
            clock,
            leaving: Shutdown::No,
            asked: BTreeMap::new(),
            listens: true,
            stopped: None,
            over: false,
            silent: false,
            gone: false,
        };
        let opened = talk.dialogue.open();
        talk.carry_out(opened)?;
        for line in early {
            talk.hear(Input::Said(line))?;
        }
        if !listens {
            talk.hear(Input::SaidAll)?;
        }
        Ok(Conversation::Begun(Box::new(talk)))
    }

    fn run(mut self) -> Result<u8, Trouble> {
        loop {
            if self.gone && self.silent {
                break;
            }
            match self.leaving.next(self.clock.monotonic()) {
                Step::Wait(limit) => {
                    let ready = self.ready_by.map(|until| until.saturating_sub(self.clock.monotonic()));
                    match self.ears.next(limit.into_iter().chain(ready).min()) {
                        Some(heard) => self.hear(heard)?,
                        None if ready.is_some_and(|left| left.is_zero()) => self.give_up()?,
                        None => {}
                    }
                }
                Step::Close => self.agent.close_input(),
                Step::Signal => self.agent.signal(stop_signal(self.spoken)),
                Step::Kill => self.agent.signal(Signal::KILL),
                Step::Over => break,
            }
        }
        let code = self.agent.collect();
        Ok(match self.stopped {
            Some(signal) => by_signal(signal),
            // The result was reported; that it had to be killed does not change it.
            None if self.over => 0,
            None => u8::try_from(code).unwrap_or(1),
        })
    }

    fn hear(&mut self, heard: Input) -> Result<(), Trouble> {
        let now = self.clock.monotonic();
        let out = match heard {
            Input::Agent(line) => self.agent_wrote(&line),
            Input::Said(line) => self.said(&line),
            Input::SaidAll => {
                self.listens = false;
                let asked = std::mem::take(&mut self.asked);
                let denied = asked.into_keys().map(|request| Say::Deny { request, why: NO_APPROVER.to_owned() });
                let mut out: Vec<Out> = denied.flat_map(|say| self.dialogue.say(&say)).collect();
                out.extend(self.dialogue.close());
                out
            }
            Input::Signal(signal) => {
                self.stopped.get_or_insert(signal);
                self.leaving.stop(now);
                self.dialogue.stop()
            }
            Input::AgentSilent => {
                self.silent = true;
                // An agent that closed its output has nothing more to do.
                self.leaving.over(now);
                Vec::new()
            }
            Input::AgentGone => {
                self.gone = true;
                self.leaving.gone(now);
                Vec::new()
            }
        };
        self.carry_out(out)
    }

    /// The agent is not ready, and the reason is unknown.
    fn give_up(&mut self) -> Result<(), Trouble> {
        self.ready_by = None;
        self.carry_out(vec![
            Out::Tell(not_started("the agent did not answer; does it speak this protocol?")),
            Out::Over,
        ])
    }

    fn agent_wrote(&mut self, line: &[u8]) -> Vec<Out> {
        let text = String::from_utf8_lossy(line);
        let text = text.trim();
        match serde_json::from_str::<Value>(text) {
            _ if text.is_empty() => Vec::new(),
            Ok(message) => self.dialogue.hear(&message),
            Err(_) => vec![Out::Tell(Event::Raw { line: text.to_owned() })],
        }
    }

    fn said(&mut self, line: &[u8]) -> Vec<Out> {
        match serde_json::from_slice::<Said>(line) {
            Ok(said) if !self.is_proven(&said) => {
                let line = "an answer was dropped: it does not prove that it is the server's, or is for another call";
                vec![Out::Tell(Event::Raw { line: line.to_owned() })]
            }
            Ok(Said { say, .. }) => {
                if let Say::Allow { request, .. } | Say::Deny { request, .. } | Say::Escalate { request } = &say {
                    self.asked.remove(request);
                }
                self.dialogue.say(&say)
            }
            Err(error) => {
                let _ = writeln!(io::stderr(), "{}: a line was said that means nothing: {error}", crate::WORD);
                Vec::new()
            }
        }
    }

    /// Returns whether a yes is the server's, and for the very call that was asked about. A no needs no proof.
    fn is_proven(&self, said: &Said) -> bool {
        let Say::Allow { request, .. } = &said.say else { return true };
        let Some(call) = self.asked.get(request) else { return false };
        let proven = |key: &AnswerKey| said.proof.as_deref().is_some_and(|proof| key.holds(proof, request, call));
        self.key.as_ref().is_none_or(proven)
    }

    fn carry_out(&mut self, out: Vec<Out>) -> Result<(), Trouble> {
        let mut todo: std::collections::VecDeque<Out> = out.into();
        while let Some(next) = todo.pop_front() {
            match next {
                Out::Send(message) => self.agent.tell(&message),
                Out::Tell(event) => {
                    if matches!(event, Event::Started(_) | Event::Result(_)) {
                        self.ready_by = None;
                    }
                    tell(&event)?;
                }
                Out::Judge(question) => match self.judge.decide(&question) {
                    Judgement::Answer(say) => {
                        self.dialogue.say(&say).into_iter().rev().for_each(|out| todo.push_front(out))
                    }
                    Judgement::Ask(call) if self.listens => {
                        self.asked.insert(question.request.clone(), call);
                        tell(&asking(question))?;
                    }
                    Judgement::Ask(_) => {
                        let say = Say::Deny { request: question.request, why: NO_APPROVER.to_owned() };
                        self.dialogue.say(&say).into_iter().rev().for_each(|out| todo.push_front(out));
                    }
                },
                Out::Over => {
                    self.over = true;
                    self.leaving.over(self.clock.monotonic());
                }
            }
        }
        Ok(())
    }
}

/// A conversation that is begun, or was over before.
pub(crate) enum Conversation {
    Begun(Box<Talk>),
    Over(u8),
}

impl Conversation {
    /// Speaks until the agent is gone, and returns the exit code of the program.
    pub(crate) fn run(self) -> Result<u8, Trouble> {
        match self {
            Self::Begun(talk) => talk.run(),
            Self::Over(code) => Ok(code),
        }
    }
}

/// Waits for the first line, and for the time at which an earlier conversation can be taken up.
fn wait_for_opening(ears: &Sources, clock: &Clock) -> Result<Begun, Trouble> {
    let opening: Opening = match ears.next(None) {
        Some(Input::Said(line)) => {
            serde_json::from_slice(&line).map_err(|error| Trouble::Opening(error.to_string()))?
        }
        Some(Input::Signal(signal)) => return Ok(Begun::Stopped(signal)),
        Some(Input::SaidAll | Input::Agent(_) | Input::AgentSilent | Input::AgentGone) | None => {
            return Err(Trouble::Opening("there is none".to_owned()));
        }
    };
    let (mut early, mut listens) = (Vec::new(), true);
    let Some(held) = hold(&opening, clock.now()) else { return Ok(Begun::Opening(Box::new(opening), early, listens)) };
    let line = format!(
        "the conversation is taken up in {} s: this agent writes over one that was begun in the same minute",
        held.as_secs()
    );
    tell(&Event::Raw { line })?;
    let until = clock.monotonic() + held;
    while let Some(left) = until.checked_sub(clock.monotonic()).filter(|left| !left.is_zero()) {
        match ears.next(Some(left)) {
            Some(Input::Said(line)) => early.push(line),
            Some(Input::SaidAll) => listens = false,
            Some(Input::Signal(signal)) => return Ok(Begun::Stopped(signal)),
            Some(Input::Agent(_) | Input::AgentSilent | Input::AgentGone) | None => {}
        }
    }
    Ok(Begun::Opening(Box::new(opening), early, listens))
}

/// What ends an agent cleanly. Codex dies at once of another and leaves its shells running.
const fn stop_signal(spoken: Spoken) -> Signal {
    match spoken {
        Spoken::Acp => Signal::TERM,
        Spoken::Codex => Signal::INT,
    }
}

fn by_signal(signal: i32) -> u8 {
    u8::try_from(BY_SIGNAL + signal).unwrap_or((BY_SIGNAL + SIGINT) as u8)
}

/// Prints an event in one write, so that no end of the process comes in between.
fn tell(event: &Event) -> Result<(), Trouble> {
    let mut line = serde_json::to_vec(event).map_err(io::Error::from).map_err(Trouble::system("writing an event"))?;
    line.push(b'\n');
    let mut stdout = io::stdout().lock();
    stdout.write_all(&line).and_then(|()| stdout.flush()).map_err(Trouble::system("printing"))
}

fn asking(question: Question) -> Event {
    let Question { request, tool, input, call } = question;
    Event::Asking { request, ask: Ask::Permission { tool, input, call } }
}

fn not_started(text: &str) -> Event {
    Event::Result(TurnResult {
        ending: Ending::Failed { class: FailureClass::NotStarted },
        text: text.to_owned(),
        session: None,
        turns: None,
        duration_ms: None,
        totals: None,
        turn: None,
        denials: Vec::new(),
        structured: None,
    })
}
