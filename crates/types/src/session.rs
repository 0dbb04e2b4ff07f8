//! A session: one agent on a piece of work, over all the processes it takes.
//!
//! Whether its process is busy right now is not stored: that is seen in what the process writes. What is stored is what
//! must be true after the server was killed.

use std::fmt;

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    ApprovalId, FailureClass, Guard, Handle, LetterId, Limits, MissionId, Place, ProjectId, QuestionId, SandboxRules,
    ServerState, SessionId, Spending, Spent, TeamName, Workspace,
};

/// One agent on a piece of work.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Session {
    /// Its id.
    pub id: SessionId,
    /// The team that sees it.
    pub team: TeamName,
    /// The name of its agent; no two live sessions of a team share one.
    pub handle: Handle,
    /// The project it works on.
    pub project: Option<ProjectId>,
    /// The mission it holds, or held.
    pub mission: Option<Assignment>,
    /// Where it comes from.
    pub origin: Origin,
    /// What was asked.
    pub order: Order,
    /// Where it works; none until that is made.
    pub workspace: Option<Workspace>,
    /// The agent's own id of the conversation, once it is known.
    pub conversation: Option<String>,
    /// How many processes it has had; the last one has this number.
    pub runs: u32,
    /// How the last of them was begun.
    pub begun: Begun,
    /// How many of them in a row failed of their provider.
    pub failures: u32,
    /// How many of them were begun because the one before broke off.
    pub restarts: u32,
    /// What it has cost up to its last process, which counts again what it spent when its output is read again.
    pub spending: Spending,
    /// What of it is in the books: of the project, the fleet and the day.
    #[serde(default, skip_serializing_if = "Spent::is_nothing")]
    pub booked: Spent,
    /// What held its last process; none until one was started, and for an agent that others run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub guard: Option<Guard>,
    /// What its last process returned; a signal counts as 128 and its number, as shells have it.
    pub exit: Option<i32>,
    /// What its last process failed of, and what was said about it.
    pub trouble: Option<Trouble>,
    /// The MCP servers its last process had, as its agent found them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub servers: Vec<ServerState>,
    /// The model that its last process reported; none until one does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// Its state.
    pub state: SessionState,
    /// Who asked for it.
    pub created_by: Handle,
    /// When it was asked for.
    pub created_at: Timestamp,
    /// When it last changed.
    pub updated_at: Timestamp,
}

/// A mission that a session holds.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Assignment {
    /// Which.
    pub mission: MissionId,
    /// The generation of the hold; an older one can write nothing.
    pub generation: u64,
}

/// Where a session comes from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Origin {
    /// It begins here.
    New,
    /// It goes on with a copy of another's conversation.
    Fork {
        /// That session.
        of: SessionId,
    },
    /// It begins with what was left of another's conversation after a cut.
    Trim {
        /// That session.
        of: SessionId,
    },
    /// It goes on from where another ended, in a new conversation.
    Continue {
        /// That session.
        of: SessionId,
    },
}

impl Origin {
    /// Returns the session it comes from.
    #[must_use]
    pub fn parent(&self) -> Option<&SessionId> {
        match self {
            Self::New => None,
            Self::Fork { of } | Self::Trim { of } | Self::Continue { of } => Some(of),
        }
    }
}

/// What an agent is asked to do, and how.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Order {
    /// Which agent.
    pub agent: String,
    /// Which model; none leaves it to the settings.
    pub model: Option<String>,
    /// What the work is called, in a few words.
    pub title: Option<String>,
    /// What to do; empty for an agent that waits to be told.
    pub prompt: String,
    /// What to say to an agent that goes on with its conversation; none for the usual words.
    pub again: Option<String>,
    /// Text for the system prompt, after the agent's own.
    pub system_prompt: Option<String>,
    /// Tools that need no question; none leaves it to the agent's settings.
    pub allowed_tools: Option<Vec<String>>,
    /// The preset of those tools; none where they were listed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub preset: Option<String>,
    /// Ceilings on all its processes together.
    pub limits: Limits,
    /// Where to work.
    pub place: Place,
    /// How long it stays.
    pub stay: Stay,
    /// Most processes after the first that Fleet starts by itself; none leaves it to what failed.
    pub retries_max: Option<u32>,
    /// How long to wait before them; none leaves it to the settings.
    pub waits: Option<Waits>,
    /// Whether it gets the context mode: a server that keeps long outputs out of its context.
    #[serde(default, skip_serializing_if = "is_off")]
    pub context_mode: bool,
    /// Arguments for the agent's program, after those that Fleet and the settings give it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub args: Vec<String>,
    /// The caller's sandbox rules, beside those of the mission and the project.
    #[serde(default, skip_serializing_if = "SandboxRules::is_default")]
    pub sandbox: SandboxRules,
    /// The caller's data about the agent's position among others; Fleet stores and returns it.
    #[serde(default)]
    pub rank: Rank,
}

fn is_off(flag: &bool) -> bool {
    !*flag
}

/// An agent's position among others, as the caller sees it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rank {
    /// Its swarm.
    pub swarm: Option<String>,
    /// How many agents stand above it.
    pub depth: u8,
    /// How it was asked to be started.
    pub mode: SpawnMode,
}

/// How a client asks for an agent to be started. Fleet starts all of them alike.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SpawnMode {
    /// As a process
    Process,
    /// In a terminal
    Tmux,
    /// As the agent's own kind does it
    #[default]
    Native,
}

/// How long to wait before another process is started.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Waits {
    /// Before the first, in milliseconds.
    pub first_ms: u64,
    /// At most, in milliseconds.
    pub longest_ms: u64,
}

/// How long an agent stays.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Stay {
    /// Until what it was asked is done.
    UntilDone,
    /// Until it is dismissed; between turns it waits for messages.
    UntilDismissed,
}

/// How a process of a session takes up its conversation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Begun {
    /// With a new one.
    Anew,
    /// With the one it had.
    Resumed,
    /// With a copy of another session's.
    Forked,
    /// With the one it had, in the middle of a call that a person has decided on meanwhile.
    Answered,
}

/// The state of a session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "name", rename_all = "snake_case")]
pub enum SessionState {
    /// A process is to be started for it, or is just being started.
    Starting {
        /// Since when.
        since: Timestamp,
    },
    /// Its process runs.
    Running {
        /// Since when.
        since: Timestamp,
    },
    /// It has no process for now.
    Waiting {
        /// For what.
        wait: Wait,
        /// When it goes on; none if a person must say so.
        until: Option<Timestamp>,
    },
    /// It was told to go.
    Stopping {
        /// Since when.
        since: Timestamp,
        /// Who cancelled it.
        by: Handle,
    },
    /// It is over.
    Ended {
        /// Since when.
        at: Timestamp,
        /// How.
        ending: SessionEnding,
    },
}

/// What a session without a process waits for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Wait {
    /// For a failure to pass.
    BackOff {
        /// Which.
        class: FailureClass,
    },
    /// For its account to be good again.
    Parked {
        /// What the account failed of.
        class: FailureClass,
    },
    /// For another agent to end.
    Slot,
    /// For a budget over it to begin anew, or to be raised.
    Budget,
    /// For a person to say whether a call may run.
    Approval {
        /// Which is asked for.
        approval: ApprovalId,
    },
    /// For a person to answer what its agent asked.
    Question {
        /// Which is to be answered.
        question: QuestionId,
    },
}

/// As the reason of a wait, after a colon.
impl fmt::Display for Wait {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::BackOff { class } => write!(f, "its last process failed ({})", class.as_str()),
            Self::Parked { class } => write!(f, "its account is not usable ({})", class.as_str()),
            Self::Slot => f.write_str("all slots are taken"),
            Self::Budget => f.write_str("a budget is used up"),
            Self::Approval { approval } => write!(f, "approval {approval} is not answered"),
            Self::Question { question } => write!(f, "question {question} is not answered"),
        }
    }
}

/// How a session ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum SessionEnding {
    /// Its agent says that it is done, and nothing says otherwise.
    Completed {
        /// Its last words.
        text: String,
    },
    /// It failed.
    Failed {
        /// Of what.
        class: FailureClass,
        /// What is known of it.
        text: String,
    },
    /// It was ended on request.
    Cancelled {
        /// Who.
        by: Handle,
    },
}

/// What a process failed of.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Trouble {
    /// Of what.
    pub class: FailureClass,
    /// What is known of it.
    pub text: String,
}

/// The name of a state without its data: what indexes, counters and filters use.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SessionStateName {
    /// See [`SessionState::Starting`].
    Starting,
    /// See [`SessionState::Running`].
    Running,
    /// See [`SessionState::Waiting`].
    Waiting,
    /// See [`SessionState::Stopping`].
    Stopping,
    /// See [`SessionEnding::Completed`].
    Completed,
    /// See [`SessionEnding::Failed`].
    Failed,
    /// See [`SessionEnding::Cancelled`].
    Cancelled,
}

impl SessionState {
    /// Returns the state's name.
    #[must_use]
    pub fn name(&self) -> SessionStateName {
        match self {
            Self::Starting { .. } => SessionStateName::Starting,
            Self::Running { .. } => SessionStateName::Running,
            Self::Waiting { .. } => SessionStateName::Waiting,
            Self::Stopping { .. } => SessionStateName::Stopping,
            Self::Ended { ending: SessionEnding::Completed { .. }, .. } => SessionStateName::Completed,
            Self::Ended { ending: SessionEnding::Failed { .. }, .. } => SessionStateName::Failed,
            Self::Ended { ending: SessionEnding::Cancelled { .. }, .. } => SessionStateName::Cancelled,
        }
    }

    /// Returns whether it may still change.
    #[must_use]
    pub fn is_live(&self) -> bool {
        !matches!(self, Self::Ended { .. })
    }
}

impl SessionStateName {
    /// Every state, in the order a session meets them.
    pub const ALL: [Self; 7] =
        [Self::Starting, Self::Running, Self::Waiting, Self::Stopping, Self::Completed, Self::Failed, Self::Cancelled];

    /// Returns the word used in keys and counters.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Starting => "starting",
            Self::Running => "running",
            Self::Waiting => "waiting",
            Self::Stopping => "stopping",
            Self::Completed => "completed",
            Self::Failed => "failed",
            Self::Cancelled => "cancelled",
        }
    }
}

/// A message to the agent of a session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Letter {
    /// Its id.
    pub id: LetterId,
    /// The session it is for.
    pub session: SessionId,
    /// Counts 1, 2, 3… within its session: the order in which they are handed over.
    pub number: u64,
    /// Who wrote it.
    pub from: Handle,
    /// What it says.
    pub text: String,
    /// How far it got.
    pub delivery: Delivery,
    /// When it was written.
    pub created_at: Timestamp,
}

/// How far a message got.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "name", rename_all = "snake_case")]
pub enum Delivery {
    /// It waits for a process that can take it.
    Queued,
    /// The agent's input has the whole of it.
    Delivered {
        /// When.
        at: Timestamp,
    },
    /// The agent says that it has it.
    Acknowledged {
        /// When.
        at: Timestamp,
    },
    /// No agent will ever read it.
    Undelivered {
        /// Why.
        why: String,
    },
}

/// An account of a model provider that is not good for now.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ParkedAccount {
    /// Which account.
    pub account: String,
    /// What it failed of.
    pub class: FailureClass,
    /// What was said about it.
    pub text: String,
    /// When it is good again; none if a person must see to it.
    pub until: Option<Timestamp>,
    /// Since when.
    pub since: Timestamp,
}
