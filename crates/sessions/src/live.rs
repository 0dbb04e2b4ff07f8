//! What is seen of a session that runs, beside its record.

use agents::{Health, Patience, Phase, Pulse};
use config::Settings;
use types::{Session, Spending, Timestamp};

/// A session as it is right now.
#[derive(Debug, Clone, PartialEq)]
pub struct Live {
    /// Its record, as it was last committed.
    pub session: Session,
    /// Where its process stands.
    pub phase: Phase,
    /// When its agent was last heard, and what it is doing.
    pub pulse: Pulse,
    /// What it has cost until now.
    pub spending: Spending,
    /// The agent's process.
    pub pid: Option<u32>,
    /// Tokens in the agent's context, when it last said so.
    pub context: Option<u64>,
    /// The agent's own id of the conversation, as soon as it says so.
    pub conversation: Option<String>,
}

impl Live {
    pub(crate) fn new(session: Session, now: Timestamp) -> Self {
        let (spending, conversation) = (session.spending, session.conversation.clone());
        let (phase, pulse, pid, context) = (Phase::Starting, Pulse::new(now), None, None);
        Self { session, phase, pulse, spending, pid, context, conversation }
    }

    /// Tells whether it takes one of the places for agents.
    #[must_use]
    pub fn takes_slot(&self) -> bool {
        crate::parking::needs_slot(&self.session.state)
    }

    /// Returns how the agent is; one without a process is as healthy as can be.
    #[must_use]
    pub fn health(&self, now: Timestamp, settings: &Settings) -> Health {
        if self.pid.is_none() { Health::Healthy } else { self.pulse.health(now, patience(settings)) }
    }
}

pub(crate) fn patience(settings: &Settings) -> Patience {
    Patience {
        degraded_secs: settings.degraded_after_secs,
        unhealthy_secs: settings.stale_after_secs,
        call_secs_max: settings.call_secs_max,
    }
}
