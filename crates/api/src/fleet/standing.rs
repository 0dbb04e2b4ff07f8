//! Where missions and sessions stand in Fleet's own words, and what they wait for.
//!
//! The contracts have fewer words: DevFleet shows a mission that nothing but a person can move as `queued`. These stand
//! beside them in every row.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use types::{
    ApprovalId, FailureClass, Landing, LandingState, Mission, MissionState, ParkReason, Session, SessionEnding,
    SessionState, Start, Wait,
};

/// The state of a mission, in Fleet's own words
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum MissionStanding {
    /// Being written
    Draft,
    /// It starts once its dependencies are done and a slot is free, or when it is dispatched
    Ready,
    /// An agent works on it
    Running,
    /// Its agent has no process for now and continues by itself
    Waiting,
    /// Its agent waits for a person to allow a call
    AwaitingApproval,
    /// Its agent waits for a person to answer a question
    AwaitingAnswer,
    /// Its branch is on its way to the target branch
    Landing,
    /// Its branch waits for a person to say that it may land
    InReview,
    /// It does not continue before what it waits for
    Parked,
    /// Its branch cannot land, and a person decides
    Stuck,
    /// Done
    Done,
    /// Given up
    Failed,
    /// Cancelled
    Cancelled,
}

/// The state of a session, in Fleet's own words
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SessionStanding {
    /// A process is being started
    Starting,
    /// Its process runs
    Running,
    /// It has no process for now and continues by itself
    Waiting,
    /// It waits for a person to allow a call
    AwaitingApproval,
    /// It waits for a person to answer a question
    AwaitingAnswer,
    /// It does not continue before what it waits for
    Parked,
    /// It was told to end
    Stopping,
    /// Its agent says that it is done
    Completed,
    /// It failed
    Failed,
    /// Cancelled
    Cancelled,
}

/// What else is known of a mission: the session that holds it, what that asks, and the landing of its work.
#[derive(Debug, Clone, Copy, Default)]
pub struct Beside<'a> {
    /// The session that works on it.
    pub session: Option<&'a Session>,
    /// The approval that the session waits for.
    pub asks: Option<&'a ApprovalId>,
    /// The landing of its work.
    pub landing: Option<&'a Landing>,
}

impl SessionStanding {
    /// Returns the state of a session, and in a few words what it waits for.
    #[must_use]
    pub fn of(session: &Session, asks: Option<&ApprovalId>) -> (Self, Option<String>) {
        let agent = &session.order.agent;
        if let (Some(approval), true) = (asks, session.state.is_live()) {
            return (Self::AwaitingApproval, Some(format!("approval {approval}")));
        }
        match &session.state {
            SessionState::Starting { .. } => (Self::Starting, None),
            SessionState::Running { .. } => (Self::Running, None),
            SessionState::Stopping { .. } => (Self::Stopping, None),
            SessionState::Waiting { wait, .. } => match wait {
                Wait::Approval { approval } => (Self::AwaitingApproval, Some(format!("approval {approval}"))),
                Wait::Question { question } => (Self::AwaitingAnswer, Some(format!("question {question}"))),
                Wait::Parked { class } => (Self::Parked, Some(account(class, agent))),
                Wait::Budget => (Self::Parked, Some("budget".to_owned())),
                Wait::BackOff { class } => (Self::Waiting, Some(format!("retry ({})", class.as_str()))),
                Wait::Slot => (Self::Waiting, Some("slot".to_owned())),
            },
            SessionState::Ended { ending, .. } => match ending {
                SessionEnding::Completed { .. } => (Self::Completed, None),
                SessionEnding::Failed { .. } => (Self::Failed, None),
                SessionEnding::Cancelled { .. } => (Self::Cancelled, None),
            },
        }
    }
}

impl MissionStanding {
    /// Returns the state of a mission, and in a few words what it waits for.
    #[must_use]
    pub fn of(mission: &Mission, beside: Beside<'_>) -> (Self, Option<String>) {
        match &mission.state {
            MissionState::Draft => (Self::Draft, None),
            MissionState::Ready { .. } => {
                (Self::Ready, (mission.start == Start::ByHand).then(|| "dispatch".to_owned()))
            }
            MissionState::Held { .. } => held(beside),
            MissionState::Landing { .. } => landing(beside.landing),
            MissionState::Parked { why, .. } => parked(why),
            MissionState::Done { .. } => (Self::Done, None),
            MissionState::Failed { .. } => (Self::Failed, None),
            MissionState::Cancelled { .. } => (Self::Cancelled, None),
        }
    }
}

fn held(beside: Beside<'_>) -> (MissionStanding, Option<String>) {
    let Some((standing, waits_for)) = beside.session.map(|session| SessionStanding::of(session, beside.asks)) else {
        return (MissionStanding::Running, None);
    };
    let standing = match standing {
        SessionStanding::AwaitingApproval => MissionStanding::AwaitingApproval,
        SessionStanding::AwaitingAnswer => MissionStanding::AwaitingAnswer,
        SessionStanding::Parked => MissionStanding::Parked,
        SessionStanding::Waiting => MissionStanding::Waiting,
        SessionStanding::Starting
        | SessionStanding::Running
        | SessionStanding::Stopping
        | SessionStanding::Completed
        | SessionStanding::Failed
        | SessionStanding::Cancelled => MissionStanding::Running,
    };
    (standing, waits_for)
}

fn landing(landing: Option<&Landing>) -> (MissionStanding, Option<String>) {
    let Some(landing) = landing else { return (MissionStanding::Landing, None) };
    match &landing.state {
        LandingState::Review { .. } => (MissionStanding::InReview, Some(format!("review of {}", landing.id))),
        LandingState::Stuck { .. } => (MissionStanding::Stuck, Some(format!("decision on {}", landing.id))),
        LandingState::Waiting { .. } => (MissionStanding::Landing, Some(format!("landing {}", landing.id))),
        LandingState::Queued { .. }
        | LandingState::Cleared { .. }
        | LandingState::Returned { .. }
        | LandingState::Landed { .. }
        | LandingState::Dropped { .. } => (MissionStanding::Landing, None),
    }
}

fn parked(why: &ParkReason) -> (MissionStanding, Option<String>) {
    match why {
        ParkReason::Stuck { landing, .. } => (MissionStanding::Stuck, Some(format!("decision on {landing}"))),
        ParkReason::Dropped { landing, .. } => (MissionStanding::Parked, Some(format!("decision on {landing}"))),
        ParkReason::Account { class: FailureClass::Auth, .. } => (MissionStanding::Parked, Some("login".to_owned())),
        ParkReason::Account { .. } => (MissionStanding::Parked, Some("account".to_owned())),
        ParkReason::Budget { .. } => (MissionStanding::Parked, Some("budget".to_owned())),
        ParkReason::Blocked { .. } | ParkReason::Recorded { .. } | ParkReason::Dependencies { .. } => {
            (MissionStanding::Parked, Some("a person".to_owned()))
        }
    }
}

fn account(class: &FailureClass, agent: &str) -> String {
    match class {
        FailureClass::Auth => format!("login of {agent}"),
        FailureClass::Quota { .. } => format!("quota of {agent}"),
        FailureClass::RateLimit
        | FailureClass::Overloaded
        | FailureClass::ContextFull
        | FailureClass::NotStarted
        | FailureClass::Crash
        | FailureClass::Stale
        | FailureClass::Timeout
        | FailureClass::Budget
        | FailureClass::Denied
        | FailureClass::MaxTurns
        | FailureClass::Interrupted
        | FailureClass::NoSession
        | FailureClass::Invalid
        | FailureClass::NotDone => format!("account of {agent}"),
    }
}

#[cfg(test)]
#[path = "standing_tests.rs"]
mod tests;
