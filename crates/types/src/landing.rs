//! A landing: a finished branch on its way to the target branch.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::{CheckRun, Handle, LandingId, MissionId, ProjectId, SessionId, TeamName};

/// What becomes of a branch whose agent says that it is done.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LandMode {
    /// It lands by itself once its checks are green.
    #[default]
    Auto,
    /// It lands once a person says so.
    Review,
    /// It stays where it is.
    Never,
}

/// How the branches of a project land.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct LandingRules {
    /// What is done with them.
    pub mode: LandMode,
    /// Where they land; none for the branch that the project's folder is on.
    pub target: Option<String>,
    /// Lines for the shell that must all be green on exactly what lands.
    pub checks: Vec<String>,
}

impl LandingRules {
    /// Tells whether nobody has said anything about landing.
    #[must_use]
    pub fn is_default(&self) -> bool {
        *self == Self::default()
    }
}

/// A finished branch on its way to the target branch.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Landing {
    /// Its id.
    pub id: LandingId,
    /// The team that sees it.
    pub team: TeamName,
    /// The project it lands in.
    pub project: Option<ProjectId>,
    /// The folder of the repository.
    pub folder: String,
    /// The mission whose work it is.
    pub mission: MissionId,
    /// The session that did it.
    pub session: SessionId,
    /// The branch.
    pub branch: String,
    /// What the work is called.
    pub title: String,
    /// How it is to land, as it was when the session ended.
    pub rules: LandingRules,
    /// How often it was sent back to its agent.
    pub returns: u32,
    /// Where it stands.
    pub state: LandingState,
    /// When it came.
    pub created_at: Timestamp,
    /// When it last changed.
    pub updated_at: Timestamp,
}

/// Where a landing stands.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "name", rename_all = "snake_case")]
pub enum LandingState {
    /// It waits for its turn, or is being checked.
    Queued {
        /// Since when.
        since: Timestamp,
    },
    /// It waits for a person to say that it may land.
    Review {
        /// Since when.
        since: Timestamp,
    },
    /// It waits for something outside of it, such as the user's checkout to be clean.
    Waiting {
        /// Since when.
        since: Timestamp,
        /// For what.
        why: String,
    },
    /// Its agent works on what kept it from landing.
    Returned {
        /// Since when.
        since: Timestamp,
        /// What kept it.
        obstacle: Obstacle,
    },
    /// It cannot land, and a person must see to it.
    Stuck {
        /// Since when.
        since: Timestamp,
        /// What keeps it.
        obstacle: Obstacle,
    },
    /// It is on the target branch.
    Landed {
        /// When.
        at: Timestamp,
        /// The commit at which the target branch stood then.
        commit: String,
        /// The checks that were green on it.
        checks: Vec<CheckRun>,
    },
    /// Somebody took it out.
    Dropped {
        /// When.
        at: Timestamp,
        /// Who.
        by: Handle,
    },
}

/// What keeps a branch from landing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Obstacle {
    /// It changes what others changed meanwhile.
    Conflict {
        /// In these files.
        files: Vec<String>,
    },
    /// A check is not green on it.
    Red {
        /// The check.
        check: CheckRun,
    },
    /// Landing itself failed.
    Failed {
        /// Why.
        why: String,
    },
}

/// The name of a landing's state without its data.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LandingStateName {
    /// See [`LandingState::Queued`].
    Queued,
    /// See [`LandingState::Review`].
    Review,
    /// See [`LandingState::Waiting`].
    Waiting,
    /// See [`LandingState::Returned`].
    Returned,
    /// See [`LandingState::Stuck`].
    Stuck,
    /// See [`LandingState::Landed`].
    Landed,
    /// See [`LandingState::Dropped`].
    Dropped,
}

impl LandingState {
    /// Returns the state's name.
    #[must_use]
    pub fn name(&self) -> LandingStateName {
        match self {
            Self::Queued { .. } => LandingStateName::Queued,
            Self::Review { .. } => LandingStateName::Review,
            Self::Waiting { .. } => LandingStateName::Waiting,
            Self::Returned { .. } => LandingStateName::Returned,
            Self::Stuck { .. } => LandingStateName::Stuck,
            Self::Landed { .. } => LandingStateName::Landed,
            Self::Dropped { .. } => LandingStateName::Dropped,
        }
    }
}

impl LandingStateName {
    /// Every state, in the order a landing meets them.
    pub const ALL: [Self; 7] =
        [Self::Queued, Self::Review, Self::Waiting, Self::Returned, Self::Stuck, Self::Landed, Self::Dropped];

    /// Returns the word used in keys and on the wire.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Queued => "queued",
            Self::Review => "review",
            Self::Waiting => "waiting",
            Self::Returned => "returned",
            Self::Stuck => "stuck",
            Self::Landed => "landed",
            Self::Dropped => "dropped",
        }
    }
}

impl std::fmt::Display for Obstacle {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Conflict { files } => write!(f, "it conflicts with the target branch in {}", files.join(", ")),
            Self::Red { check } => write!(f, "check `{}` is not green on it", check.command),
            Self::Failed { why } => f.write_str(why),
        }
    }
}
