//! How asking something of sessions fails.

use schedule::Overdrawn;
use types::{
    ApprovalId, ApprovalStateName, Handle, MissionId, QuestionId, QuestionStateName, SessionId, SessionStateName, Spent,
};

use crate::slots::Bound;

/// Why something asked was not done.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// It cannot be done as asked; nothing was changed.
    #[error(transparent)]
    Refused(#[from] Refusal),
    /// The store failed.
    #[error(transparent)]
    Store(#[from] store::Error),
    /// A file of the session cannot be read or written.
    #[error("{what}: {source}")]
    File {
        /// What was tried.
        what: String,
        /// What the system said.
        #[source]
        source: std::io::Error,
    },
}

/// Why something cannot be done as asked.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// As many agents run as may.
    #[error("all {max} agents that may run at once{bound} are at work")]
    Full {
        /// How many may.
        max: u32,
        /// Which limit that is.
        bound: Bound,
    },
    /// A budget over it is used up.
    #[error("{0}")]
    Overdrawn(Overdrawn),
    /// Its mission has spent more than the order was made for; nothing was begun.
    #[error("mission `{mission}` has spent more meanwhile")]
    SpentMeanwhile {
        /// The mission.
        mission: MissionId,
        /// What it has spent by now.
        spent: Spent,
    },
    /// The name is taken.
    #[error("agent `{handle}` is at work already, in session `{session}`")]
    HandleTaken {
        /// The name.
        handle: Handle,
        /// By whom.
        session: SessionId,
    },
    /// There is no such agent.
    #[error("no agent is called `{agent}`{meant}")]
    UnknownAgent {
        /// What was asked for.
        agent: String,
        /// The end of the message, with the closest name; empty if none is close.
        meant: String,
        /// Those there are.
        known: String,
    },
    /// There is no such session.
    #[error("there is no session `{session}`")]
    NotFound {
        /// What was asked for.
        session: SessionId,
    },
    /// There is no such approval.
    #[error("there is no approval `{approval}`")]
    ApprovalNotFound {
        /// What was asked for.
        approval: ApprovalId,
    },
    /// The approval has another answer, or needs none any more.
    #[error("approval `{approval}` is {} already", state.as_str())]
    Settled {
        /// Which approval.
        approval: ApprovalId,
        /// Where it stands.
        state: ApprovalStateName,
    },
    /// The call cannot be shown whole, so it cannot be allowed.
    #[error("approval `{approval}` cannot be allowed: {why}")]
    Hidden {
        /// Which approval.
        approval: ApprovalId,
        /// What cannot be shown.
        why: String,
    },
    /// There is no such question.
    #[error("there is no question `{question}`")]
    QuestionNotFound {
        /// What was asked for.
        question: QuestionId,
    },
    /// The question has another answer, or needs none any more.
    #[error("question `{question}` is {} already", state.as_str())]
    QuestionSettled {
        /// Which question.
        question: QuestionId,
        /// Its state.
        state: QuestionStateName,
    },
    /// A session may not ask before an answer is there.
    #[error("{most} questions of session `{session}` wait for an answer already, which is the most")]
    QuestionsFull {
        /// Which session.
        session: SessionId,
        /// How many may.
        most: usize,
    },
    /// There is no such mission.
    #[error("there is no mission `{mission}`")]
    MissionNotFound {
        /// What was asked for.
        mission: MissionId,
    },
    /// The mission cannot be given to a session.
    #[error(transparent)]
    Mission(#[from] missions::Refusal),
    /// The session is not in a state for it.
    #[error("session `{session}` is {}", state.as_str())]
    WrongState {
        /// Which session.
        session: SessionId,
        /// Where it stands.
        state: SessionStateName,
    },
    /// The agent cannot do it.
    #[error("agent `{agent}` cannot {what}")]
    Incapable {
        /// The agent.
        agent: String,
        /// What was asked.
        what: &'static str,
    },
    /// The session's conversation is not known, so nothing can go on from it.
    #[error("session `{session}` has no conversation to continue")]
    NoConversation {
        /// Which session.
        session: SessionId,
    },
}
