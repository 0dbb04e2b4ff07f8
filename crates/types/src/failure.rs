//! What a run can fail of.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

/// What a run failed of; crate `agents` says what to do about each.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "name", rename_all = "snake_case")]
pub enum FailureClass {
    /// Too many calls at once; it passes within minutes.
    RateLimit,
    /// The account has used up what it may use.
    Quota {
        /// When it may continue; none if unknown.
        resets_at: Option<Timestamp>,
    },
    /// The provider is too busy or cannot be reached.
    Overloaded,
    /// The key or the login is missing or wrong.
    Auth,
    /// The conversation no longer fits into the model.
    ContextFull,
    /// Its folder could not be made, or its program could not be started.
    NotStarted,
    /// The process broke off without saying how its turn went.
    Crash,
    /// It was silent for too long with nothing under way.
    Stale,
    /// It took longer than it may.
    Timeout,
    /// It cost more than it may.
    Budget,
    /// Nothing it wanted to do was allowed.
    Denied,
    /// It took more turns than it may.
    MaxTurns,
    /// It was stopped on request.
    Interrupted,
    /// The conversation to go on with is not there.
    NoSession,
    /// The provider refuses what it is asked: an unknown model, a malformed request.
    Invalid,
    /// Its agent was through with its work, and the work is not done.
    NotDone,
}

impl FailureClass {
    /// Returns the word for it, in lower case.
    #[must_use]
    pub fn as_str(&self) -> &'static str {
        match self {
            Self::RateLimit => "rate_limit",
            Self::Quota { .. } => "quota",
            Self::Overloaded => "overloaded",
            Self::Auth => "auth",
            Self::ContextFull => "context_full",
            Self::NotStarted => "not_started",
            Self::Crash => "crash",
            Self::Stale => "stale",
            Self::Timeout => "timeout",
            Self::Budget => "budget",
            Self::Denied => "denied",
            Self::MaxTurns => "max_turns",
            Self::Interrupted => "interrupted",
            Self::NoSession => "no_session",
            Self::Invalid => "invalid",
            Self::NotDone => "not_done",
        }
    }
}
