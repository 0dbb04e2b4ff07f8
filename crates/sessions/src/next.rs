//! What follows when a process of a session has ended: a pure decision.

use agents::{Ask, BackOff, Outcome, RetryRule, retry_rule};
use config::Parking;
use schedule::Overdrawn;
use serde_json::Value;
use types::{Begun, FailureClass, Handle, QuestionId, Session, SessionEnding, Timestamp, Trouble, Wait};

/// What is known when a process has ended.
#[derive(Debug, Clone)]
pub struct Ended<'a> {
    /// How its run is judged.
    pub outcome: &'a Outcome,
    /// Who asked for its end, if anyone did.
    pub stopped_by: Option<&'a Handle>,
    /// Whether it got anything done, so that failures before it no longer count.
    pub advanced: bool,
    /// Whether it ended with everything else on the machine, which is not a failure.
    pub rebooted: bool,
    /// Whether it said which conversation it is in.
    pub told: bool,
    /// Whether its agent can continue with a conversation.
    pub can_resume: bool,
    /// The budget it was stopped for that is not its session's own.
    pub overdrawn: Option<&'a Overdrawn>,
    /// The question whose answer its agent has not heard, if it has one and did not report that it is through.
    pub asks: Option<QuestionId>,
    /// When it ended.
    pub now: Timestamp,
    /// From 0 to 1, so that not all come back at once.
    pub chance: f64,
}

/// What the settings say about trying again.
#[derive(Debug, Clone, Copy)]
pub struct Rules {
    /// Who waits for an account that is used up.
    pub parking: Parking,
    /// How often a stale agent is started again.
    pub stale_restarts_max: u32,
    /// Waiting for a provider that slows down.
    pub back_off: BackOff,
}

/// What follows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Next {
    /// The session is over.
    End(SessionEnding),
    /// Another process, at once.
    Again(Begun),
    /// Another process, once a person has said whether the call may run that this one left.
    Ask {
        /// What the agent calls the call.
        request: String,
        /// The tool, as the agent calls it.
        tool: String,
        /// What it would be called with.
        input: Value,
    },
    /// Another process, later.
    Later {
        /// How it takes up the conversation.
        begun: Begun,
        /// What is waited for.
        wait: Wait,
        /// Until when; none if a person must see to it.
        until: Option<Timestamp>,
    },
}

/// What a session remembers of the failure, and how its counters stand.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Decided {
    /// What follows.
    pub next: Next,
    /// Failures of the provider in a row.
    pub failures: u32,
    /// Processes begun because the one before broke off.
    pub restarts: u32,
    /// What the process failed of; none if it did not.
    pub trouble: Option<Trouble>,
}

/// Decides what follows.
#[must_use]
pub fn decide(session: &Session, ended: &Ended<'_>, rules: &Rules) -> Decided {
    let settled = |next| Decided { next, failures: 0, restarts: session.restarts, trouble: None };
    let (class, text) = match ended.outcome {
        Outcome::Succeeded { text, .. } => {
            // It ended its turn to wait, and holds no process meanwhile.
            if let (Some(question), None, true, true) = (&ended.asks, ended.stopped_by, ended.can_resume, ended.told) {
                let wait = Wait::Question { question: question.clone() };
                return settled(Next::Later { begun: Begun::Resumed, wait, until: None });
            }
            return settled(Next::End(match ended.stopped_by {
                // A worker between two turns is dismissed, not done.
                Some(by) if session.order.stay == types::Stay::UntilDismissed => {
                    SessionEnding::Cancelled { by: by.clone() }
                }
                Some(_) | None => SessionEnding::Completed { text: text.clone() },
            }));
        }
        // It holds no process meanwhile, and asking is not a failure.
        Outcome::Asking { request, ask: Ask::Deferred { tool, input } }
            if ended.stopped_by.is_none() && ended.can_resume && ended.told =>
        {
            let (request, tool, input) = (request.clone(), tool.clone(), input.clone());
            return settled(Next::Ask { request, tool, input });
        }
        Outcome::Asking { .. } => {
            (FailureClass::Denied, "it left to wait for a decision, and cannot be taken up again".to_owned())
        }
        Outcome::Failed { class, text } => (class.clone(), text.clone()),
    };
    if let Some(by) = ended.stopped_by {
        return settled(Next::End(SessionEnding::Cancelled { by: by.clone() }));
    }
    let before = if ended.advanced { 0 } else { session.failures };
    let tried = Tried { session, ended, rules, before };
    let next = match ended.overdrawn {
        Some(over) => Next::Later { begun: tried.resumed(), wait: Wait::Budget, until: over.resets_at },
        None => tried.after(&class, &text),
    };
    let failures = before + u32::from(matches!(retry_rule(&class), RetryRule::BackOff(_)));
    let restarts = session.restarts + u32::from(matches!(next, Next::Again(_)) && !ended.rebooted);
    Decided { next, failures, restarts, trouble: Some(Trouble { class, text }) }
}

struct Tried<'a> {
    session: &'a Session,
    ended: &'a Ended<'a>,
    rules: &'a Rules,
    /// Failures of the provider in a row before this one.
    before: u32,
}

impl Tried<'_> {
    fn after(&self, class: &FailureClass, text: &str) -> Next {
        let give_up = || Next::End(SessionEnding::Failed { class: class.clone(), text: text.to_owned() });
        match retry_rule(class) {
            RetryRule::GiveUp => give_up(),
            RetryRule::Resume { .. } if self.ended.rebooted => Next::Again(self.resumed()),
            // Waiting for a reset costs nothing and is not a failure, so it does not count against the tries.
            RetryRule::Park { until, .. } => match self.rules.parking {
                Parking::Off => give_up(),
                Parking::Account | Parking::Fleet => {
                    // A reset that is past has not helped, and asking without end would not either.
                    let until = until.map(|until| until.max(self.after_ms(self.rules.back_off.first_ms)));
                    Next::Later { begun: self.resumed(), wait: Wait::Parked { class: class.clone() }, until }
                }
            },
            _ if self.tries_used_up() => give_up(),
            RetryRule::BackOff(_) => match self.rules.back_off.delay_ms(self.before + 1, self.ended.chance) {
                Some(delay) => self.later(class, delay),
                None => give_up(),
            },
            RetryRule::Resume { times_max } => {
                let times_max = if *class == FailureClass::Stale { self.rules.stale_restarts_max } else { times_max };
                if self.session.restarts < times_max { Next::Again(self.resumed()) } else { give_up() }
            }
            RetryRule::StartAnew { times_max } => {
                if self.session.restarts < times_max {
                    Next::Again(Begun::Anew)
                } else {
                    give_up()
                }
            }
        }
    }

    fn tries_used_up(&self) -> bool {
        let used = self.session.restarts.saturating_add(self.before);
        self.session.order.retries_max.is_some_and(|most| used >= most)
    }

    fn later(&self, class: &FailureClass, delay_ms: u64) -> Next {
        let until = Some(self.after_ms(delay_ms));
        Next::Later { begun: self.resumed(), wait: Wait::BackOff { class: class.clone() }, until }
    }

    fn after_ms(&self, delay_ms: u64) -> Timestamp {
        let now = self.ended.now.as_millisecond();
        Timestamp::from_millisecond(now.saturating_add_unsigned(delay_ms)).unwrap_or(self.ended.now)
    }

    /// Continues with the conversation, if the agent can; a process that never said which one it was in is begun again
    /// as it was.
    fn resumed(&self) -> Begun {
        match (self.ended.can_resume, self.ended.told) {
            (false, _) => Begun::Anew,
            (true, true) => Begun::Resumed,
            (true, false) => self.session.begun,
        }
    }
}

#[cfg(test)]
#[path = "next_tests.rs"]
mod tests;
