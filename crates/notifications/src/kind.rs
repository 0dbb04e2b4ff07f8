//! Which events people are told of. No I/O.

use types::{ApprovalStateName, Event, LandingStateName, QuestionStateName, StateName};

/// What a notification is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A tool call waits for an answer.
    Approval,
    /// An agent asks something.
    Question,
    /// A finished branch waits for a decision.
    Landing,
    /// A mission is parked until a person reopens it.
    Mission,
    /// A budget is used up.
    Budget,
}

impl Kind {
    /// Returns its word in the settings and on the wire.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Approval => "approval",
            Self::Question => "question",
            Self::Landing => "landing",
            Self::Mission => "mission",
            Self::Budget => "budget",
        }
    }
}

/// Returns what people are told of with an event; none if it is nothing for them.
#[must_use]
#[expect(clippy::wildcard_enum_match_arm, reason = "a new event is not told until it is listed here")]
pub fn kind_of(event: &Event) -> Option<Kind> {
    match event {
        Event::ApprovalMoved { to: ApprovalStateName::Waiting, .. } => Some(Kind::Approval),
        Event::QuestionMoved { to: QuestionStateName::Waiting, .. } => Some(Kind::Question),
        Event::LandingMoved { to: LandingStateName::Review | LandingStateName::Stuck, .. } => Some(Kind::Landing),
        Event::MissionMoved { to: StateName::Parked, .. } => Some(Kind::Mission),
        Event::BudgetUsedUp { .. } => Some(Kind::Budget),
        _ => None,
    }
}
