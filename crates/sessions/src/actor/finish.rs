//! The end of a process: how it is judged, what it leaves, what follows.

use agents::{Account, Adapter, BackOff, Exit, Outcome, Stop, judge_by};
use schedule::Overdrawn;
use supervisor::Stream;
use types::{Begun, FailureClass, ParkReason, Session, SessionState, Timestamp, Wait};

use super::approvals::Left;
use super::follow::Following;
use super::process::Gone;
use super::record::Effects;
use super::report::Words;
use super::{Actor, Flow};
use crate::Result;
use crate::live::Ran;
use crate::next::{Ended, Next, Rules, decide};

impl Actor {
    /// Judges a process that has ended and does what follows.
    pub(super) async fn finish(&mut self, following: Following, gone: Gone) -> Result<Flow> {
        let Following { heard, stop, stopped_by, secs_before, .. } = following;
        self.close_journal().await?;
        self.read_refused(true).await?;
        let now = self.shared.parts.clock.now();
        let (judged, errors) = self.judged(&heard.account, gone.exit, stop, now).await?;
        let judged = gone.explain(judged);
        let spent = self.spent_in_all(&heard, secs_before);
        let overdrawn = self.ended_for(heard.limits(), &judged, spent, now).await?;
        let outcome = overdrawn.as_ref().map_or(judged, of_budget);
        let mut session = self.session.clone();
        session.conversation = heard.account.session.clone().or(session.conversation);
        session.model = heard.model().map(str::to_owned).or(session.model);
        session.spending = heard.account.meter.spending();
        session.booked = spent;
        session.exit = code(gone.exit);
        let ended = Ended {
            outcome: &outcome,
            stopped_by: stopped_by.as_ref(),
            advanced: heard.advanced(),
            rebooted: gone.rebooted,
            told: heard.account.session.is_some(),
            can_resume: self.adapter()?.capabilities().resume,
            overdrawn: overdrawn.as_ref(),
            asks: self.unanswered().await?,
            now,
            chance: self.shared.parts.rng.below(1_000) as f64 / 1_000.0,
        };
        if ended.told {
            // It stands in the conversation now, and is not said again.
            session.order.again = None;
        }
        let decided = decide(&session, &ended, &self.rules());
        tracing::debug!(session = %session.id, exit = ?gone.exit, next = ?decided.next, "a process of a session ended");
        (session.failures, session.restarts) = (decided.failures, decided.restarts);
        self.note_end(&decided, &errors);
        session.trouble = decided.trouble.or(session.trouble);
        let ran = Ran::Until { secs: spent.secs };
        self.live.send_modify(|live| (live.pid, live.ran) = (None, ran));
        let last = match &outcome {
            Outcome::Succeeded { text, .. } => text.clone(),
            Outcome::Asking { .. } | Outcome::Failed { .. } => String::new(),
        };
        let unpark = matches!(outcome, Outcome::Succeeded { .. });
        let words = Words { texts: heard.into_texts(), last };
        self.proceed(session, decided.next, ended.now, unpark, &words).await
    }

    /// Judges how a process went, with what its agent makes of its last words; returns those too.
    async fn judged(
        &self,
        account: &Account,
        exit: Exit,
        stop: Option<Stop>,
        now: Timestamp,
    ) -> Result<(Outcome, String)> {
        let adapter = self.adapter()?;
        let spool = self.shared.spools.run(&self.session, self.session.runs);
        // Words that cannot be read tell nothing; the rest does.
        let errors = self.shared.parts.processes.end_of(&spool, Stream::Errors).await.unwrap_or_default();
        let errors = String::from_utf8_lossy(&errors).into_owned();
        let judged = dated(judge_by(adapter.as_ref(), account, exit, stop, &errors), adapter.as_ref(), now);
        Ok((self.with_login(judged), errors))
    }

    /// Adds what to type to a login that failed, so that every place that repeats the failure says it.
    fn with_login(&self, outcome: Outcome) -> Outcome {
        let Outcome::Failed { class: FailureClass::Auth, text } = outcome else { return outcome };
        let registry = self.shared.agent_registry();
        let agent = &self.session.order.agent;
        let command = registry.find(agent).ok().and_then(|found| found.discovery()?.login_command);
        let login = command.map(|command| format!("log in: `{command}`, then ")).unwrap_or_default();
        let said = text.trim_end_matches(['.', ' ', '\n']);
        let text = format!("{said}; {login}`fleet account unpark {}`", registry.account(agent));
        Outcome::Failed { class: FailureClass::Auth, text }
    }

    fn rules(&self) -> Rules {
        let settings = self.shared.settings();
        let waits = self.session.order.waits;
        Rules {
            parking: settings.parking,
            stale_restarts_max: settings.stale_restarts_max,
            back_off: BackOff {
                first_ms: waits.map_or(u64::from(settings.retry_first_delay_secs) * 1_000, |waits| waits.first_ms),
                longest_ms: waits
                    .map_or(u64::from(settings.retry_longest_delay_secs) * 1_000, |waits| waits.longest_ms),
                times_max: self.session.order.retries_max.unwrap_or(settings.retries_max),
            },
        }
    }

    async fn proceed(
        &mut self,
        mut session: Session,
        next: Next,
        now: Timestamp,
        unpark: bool,
        words: &Words,
    ) -> Result<Flow> {
        match next {
            Next::End(ending) => {
                session.state = SessionState::Ended { at: now, ending };
                self.over(session, Effects { unpark, ..Effects::default() }, words).await
            }
            Next::Again(begun) => {
                self.shared.restarts.note(now);
                session.state = SessionState::Starting { since: now };
                self.next_run(session, begun, Effects::default()).await
            }
            Next::Ask { request, tool, input } => {
                let left = Left { request, tool, input };
                self.left_asking(session, &left).await
            }
            Next::Later { begun, wait, until } => {
                let (effects, gives_way) = match &wait {
                    Wait::Parked { class } => (parks(&session, class, until), true),
                    Wait::Budget => (waits(ParkReason::Budget { text: why(&session) }, until), true),
                    Wait::Question { .. } => (Effects::default(), true),
                    Wait::BackOff { .. } | Wait::Slot | Wait::Approval { .. } => (Effects::default(), false),
                };
                session.state = SessionState::Waiting { wait, until };
                let flow = self.next_run(session, begun, effects).await?;
                if gives_way {
                    self.slot = None;
                }
                Ok(flow)
            }
        }
    }

    /// Commits that there will be another process; what the last one did not acknowledge is for that one.
    pub(super) async fn next_run(&mut self, mut session: Session, begun: Begun, effects: Effects) -> Result<Flow> {
        self.shared.settle_letters(&self.session, None).await?;
        session.begun = begun;
        session.runs += 1;
        self.put(session, effects).await?;
        Ok(Flow::On)
    }
}

/// A quota whose end nobody told may have it in its words.
fn dated(outcome: Outcome, adapter: &dyn Adapter, now: Timestamp) -> Outcome {
    match outcome {
        Outcome::Failed { class: FailureClass::Quota { resets_at: None }, text } => {
            Outcome::Failed { class: FailureClass::Quota { resets_at: adapter.resets_at(&text, now) }, text }
        }
        Outcome::Failed { .. } | Outcome::Succeeded { .. } | Outcome::Asking { .. } => outcome,
    }
}

/// The account waits, and so does the mission.
fn parks(session: &Session, class: &FailureClass, until: Option<Timestamp>) -> Effects {
    let reason = ParkReason::Account { class: class.clone(), text: why(session) };
    Effects { park: Some((class.clone(), why(session), until)), ..waits(reason, until) }
}

/// The mission waits.
fn waits(why: ParkReason, until: Option<Timestamp>) -> Effects {
    let release = Some(missions::Release::Parked { why, until });
    Effects { release, ..Effects::default() }
}

fn why(session: &Session) -> String {
    session.trouble.as_ref().map_or_else(String::new, |trouble| trouble.text.clone())
}

/// What it says of itself is not what it was stopped for.
fn of_budget(over: &Overdrawn) -> Outcome {
    Outcome::Failed { class: FailureClass::Budget, text: over.to_string() }
}

fn code(exit: Exit) -> Option<i32> {
    match exit {
        Exit::Code { code } => Some(code),
        Exit::Signal { signal } => Some(128 + signal),
        Exit::Unseen => None,
    }
}
