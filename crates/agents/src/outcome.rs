//! How a run ended, from everything the agent told and how its process went.
//!
//! Success needs an ending that says so, no error flag, and a process that went as it should; an exit code of zero
//! alone proves nothing. What the agent says it did is still its word only: whether it is true is checked elsewhere.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{
    Adapter, Ask, CallEnd, Denial, Ending, Event, Exit, FailureClass, Meter, RateLimited, Stage, TurnResult,
    WindowStatus,
};

/// What a process has told so far: a fold over its events.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Account {
    /// The agent's own id of the conversation.
    pub session: Option<String>,
    /// What the session has cost, over all its processes.
    pub meter: Meter,
    /// The last turn that came to its end.
    last: Option<TurnResult>,
    /// The call that awaits a decision since the last turn.
    deferred: Option<(String, Ask)>,
    /// Whether a turn is under way.
    open: bool,
    /// Calls of this turn that ran.
    ran: u32,
    /// Calls of this turn that were not allowed.
    denied: u32,
    /// What the provider last refused a call with, if nothing came through since.
    refused_with: Option<FailureClass>,
}

/// How a run ended.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "outcome", rename_all = "snake_case")]
pub enum Outcome {
    /// The agent says that it is done, and nothing says otherwise.
    Succeeded {
        /// Its last words.
        text: String,
        /// Calls that were not allowed on the way.
        denials: Vec<Denial>,
        /// The answer in the form that was asked for.
        structured: Option<Value>,
    },
    /// The agent is gone and waits for a decision; resuming it asks again.
    Asking {
        /// What an answer must name.
        request: String,
        /// What it asks.
        ask: Ask,
    },
    /// It failed.
    Failed {
        /// Of what.
        class: FailureClass,
        /// What is known of it, in words.
        text: String,
    },
}

/// Why Fleet stopped an agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Stop {
    /// It was requested.
    Asked,
    /// It was silent for too long.
    Stale,
    /// Its time was up.
    Timeout,
    /// Its money was spent.
    Budget,
    /// Its turns were taken.
    MaxTurns,
    /// Its context was nearly full.
    ContextPressure,
}

impl Account {
    /// Starts the account of a process, with the meter of the session it belongs to.
    #[must_use]
    pub fn new(meter: Meter) -> Self {
        Self { meter, ..Self::default() }
    }

    /// Starts the account of a process that goes on in the middle of a turn, whose beginning another one has told: that
    /// the first call is denied does not mean that nothing was allowed.
    #[must_use]
    pub fn in_turn(meter: Meter) -> Self {
        Self { meter, ran: 1, ..Self::default() }
    }

    /// Takes an event in.
    pub fn read(&mut self, event: &Event) {
        self.meter.read(event);
        match event {
            Event::Started(started) => {
                self.session = started.session.clone().or(self.session.take());
                self.open = true;
            }
            Event::Text { .. }
            | Event::Thinking { .. }
            | Event::ToolCall { .. }
            | Event::Acknowledged { stage: Stage::Begun, .. } => self.open = true,
            Event::Usage(_) => {
                self.open = true;
                self.refused_with = None;
            }
            Event::ToolResult { end, .. } => {
                self.open = true;
                match end {
                    CallEnd::Ok | CallEnd::Failed => self.ran += 1,
                    CallEnd::Denied => self.denied += 1,
                    CallEnd::Interrupted => {}
                }
            }
            Event::RateLimited(limited) => self.limited(limited),
            Event::Asking { request, ask } => {
                self.open = true;
                self.deferred = matches!(ask, Ask::Deferred { .. }).then(|| (request.clone(), ask.clone()));
            }
            Event::Result(result) => self.turn_over(result),
            Event::Acknowledged { .. } | Event::Background { .. } | Event::Ended { .. } | Event::Raw { .. } => {}
        }
    }

    fn limited(&mut self, limited: &RateLimited) {
        match limited {
            RateLimited::Retrying { class, .. } => {
                self.open = true;
                self.refused_with = Some(class.clone());
            }
            RateLimited::Window { status: WindowStatus::Rejected, resets_at, .. } => {
                self.refused_with = Some(FailureClass::Quota { resets_at: *resets_at });
            }
            RateLimited::Window { status: WindowStatus::Allowed | WindowStatus::Warning, .. } => {}
        }
    }

    /// Nothing of a turn that was allowed to run, and something that was not: the turn could do nothing.
    fn turn_over(&mut self, result: &TurnResult) {
        self.session = result.session.clone().or(self.session.take());
        let mut result = result.clone();
        if result.ending == Ending::Completed && self.denied > 0 && self.ran == 0 {
            result.ending = Ending::Failed { class: FailureClass::Denied };
        }
        self.last = Some(result);
        (self.open, self.ran, self.denied, self.refused_with) = (false, 0, 0, None);
    }
}

/// Decides how a run ended; `stop` says why Fleet ended it, if it did.
///
/// The last turn decides. A turn that was over when the process went is judged by its own ending; one that was not
/// has failed, of what Fleet stopped it for, of what the provider refused it with, or of the way it went.
#[must_use]
pub fn judge(account: &Account, exit: Exit, stop: Option<Stop>) -> Outcome {
    match &account.last {
        Some(result) if !account.open => closed(account, result, exit, stop),
        Some(_) | None => cut_off(account, exit, stop),
    }
}

/// Decides how a run ended, and lets the agent's adapter say what an end without a word means.
///
/// `errors` is the end of what the process wrote to its standard error.
#[must_use]
pub fn judge_by(adapter: &dyn Adapter, account: &Account, exit: Exit, stop: Option<Stop>, errors: &str) -> Outcome {
    let told = account.last.is_some() && !account.open;
    match adapter.last_word(exit, errors) {
        Some(Ending::Completed) if !told && stop.is_none() => {
            Outcome::Succeeded { text: String::new(), denials: Vec::new(), structured: None }
        }
        Some(Ending::Failed { class }) if !told && stop.is_none() => {
            let last = errors.lines().rev().find(|line| !line.trim().is_empty());
            Outcome::Failed { class, text: last.map_or_else(|| went(exit), |line| line.trim().to_owned()) }
        }
        Some(Ending::Completed | Ending::Failed { .. } | Ending::Deferred) | None => judge(account, exit, stop),
    }
}

fn closed(account: &Account, result: &TurnResult, exit: Exit, stop: Option<Stop>) -> Outcome {
    let text = result.text.clone();
    match (&result.ending, &account.deferred) {
        (Ending::Failed { class: FailureClass::Interrupted }, _) => {
            Outcome::Failed { class: stop.map_or(FailureClass::Interrupted, stopped), text }
        }
        (Ending::Failed { class }, _) => Outcome::Failed { class: class.clone(), text },
        (Ending::Completed | Ending::Deferred, _) if stop.is_none() && !clean(exit) => {
            Outcome::Failed { class: FailureClass::Crash, text: format!("{} after its last turn", went(exit)) }
        }
        (Ending::Deferred, Some((request, ask))) => Outcome::Asking { request: request.clone(), ask: ask.clone() },
        (Ending::Deferred, None) => {
            Outcome::Failed { class: FailureClass::Crash, text: "it waits for a decision on nothing".to_owned() }
        }
        (Ending::Completed, _) => {
            let (denials, structured) = (result.denials.clone(), result.structured.clone());
            Outcome::Succeeded { text, denials, structured }
        }
    }
}

fn cut_off(account: &Account, exit: Exit, stop: Option<Stop>) -> Outcome {
    let class = match (stop, &account.refused_with) {
        // An agent that waits for its provider is silent; its provider is to blame.
        (None | Some(Stop::Stale), Some(refused_with)) => refused_with.clone(),
        (Some(stop), _) => stopped(stop),
        (None, None) if signalled(exit) => FailureClass::Interrupted,
        (None, None) => FailureClass::Crash,
    };
    Outcome::Failed { class, text: format!("{} before its turn was over", went(exit)) }
}

fn stopped(stop: Stop) -> FailureClass {
    match stop {
        Stop::Asked => FailureClass::Interrupted,
        Stop::Stale => FailureClass::Stale,
        Stop::Timeout => FailureClass::Timeout,
        Stop::Budget => FailureClass::Budget,
        Stop::MaxTurns => FailureClass::MaxTurns,
        Stop::ContextPressure => FailureClass::ContextFull,
    }
}

/// A process whose exit was not observed may have exited cleanly; its last result counts.
fn clean(exit: Exit) -> bool {
    matches!(exit, Exit::Code { code: 0 } | Exit::Unseen)
}

/// Whether the process was asked to exit: SIGINT or SIGTERM, or the code a program returns on them.
fn signalled(exit: Exit) -> bool {
    matches!(exit, Exit::Signal { signal: 2 | 15 } | Exit::Code { code: 130 | 143 })
}

fn went(exit: Exit) -> String {
    match exit {
        Exit::Code { code } => format!("the process returned {code}"),
        Exit::Signal { signal } => format!("signal {signal} ended the process"),
        Exit::Unseen => "the process went unseen".to_owned(),
    }
}

#[cfg(test)]
#[path = "outcome_tests.rs"]
mod tests;
