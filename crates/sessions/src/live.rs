//! What is seen of a session that runs, beside its record.

use agents::{Health, Patience, Phase, Pulse};
use config::Settings;
use types::{Day, Session, Spending, Spent, Timestamp};

/// A session as it is right now.
#[derive(Debug, Clone, PartialEq)]
pub struct Live {
    /// Its record, as it was last committed.
    pub session: Session,
    /// The phase of its process.
    pub phase: Phase,
    /// When its agent was last heard, and what it is doing.
    pub pulse: Pulse,
    /// What it has cost until now.
    pub spending: Spending,
    /// The agent's process.
    pub pid: Option<u32>,
    /// Tokens in the agent's context, when it last said so.
    pub context: Option<u64>,
    /// The model that the agent reports, as soon as it does.
    pub model: Option<String>,
    /// The agent's own id of the conversation, as soon as it says so.
    pub conversation: Option<String>,
    /// How many notices it has.
    pub(crate) notices: usize,
    /// For how long its processes ran.
    pub(crate) ran: Ran,
    /// The day that counts what it has spent and not booked.
    pub(crate) day: Day,
}

/// For how long the processes of a session ran.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ran {
    /// So long, and none runs.
    Until {
        /// Seconds.
        secs: u64,
    },
    /// One runs.
    Since {
        /// Since then.
        at: Timestamp,
        /// Seconds that those before it ran.
        secs_before: u64,
    },
}

impl Live {
    pub(crate) fn new(session: Session, now: Timestamp, day: Day) -> Self {
        let (spending, conversation) = (session.spending, session.conversation.clone());
        let model = session.model.clone();
        let (phase, pulse, pid, context) = (Phase::Starting, Pulse::new(now), None, None);
        let ran = Ran::Until { secs: session.booked.secs };
        Self { session, phase, pulse, spending, pid, context, model, conversation, notices: 0, ran, day }
    }

    /// Returns whether it takes a slot.
    #[must_use]
    pub fn takes_slot(&self) -> bool {
        crate::parking::needs_slot(&self.session.state)
    }

    /// Returns all that it has spent until now.
    #[must_use]
    pub fn spent(&self, now: Timestamp) -> Spent {
        self.session.booked.plus(self.unbooked(now))
    }

    /// Returns what it has spent and not booked.
    pub(crate) fn unbooked(&self, now: Timestamp) -> Spent {
        let secs = match self.ran {
            Ran::Until { secs } => secs,
            Ran::Since { at, secs_before } => {
                let secs = now.as_second().saturating_sub(at.as_second());
                secs_before.saturating_add(u64::try_from(secs).unwrap_or_default())
            }
        };
        self.spending.in_all(secs).less(self.session.booked)
    }

    /// Returns whether a process of it runs, so that its time counts.
    pub(crate) fn is_timed(&self) -> bool {
        match self.ran {
            Ran::Until { .. } => false,
            Ran::Since { .. } => true,
        }
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
