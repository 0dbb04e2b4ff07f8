//! A landing: a finished branch on its way to the target branch.

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{CheckRun, Handle, LandingId, MissionId, ProjectId, SessionId, TeamName};

/// What happens to the branch of a finished session.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
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
    /// What is done with them; none for what `fleet.toml` says, and by themselves where that says nothing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mode: Option<LandMode>,
    /// Where they land; none for what `fleet.toml` says, or the pinned branch.
    pub target: Option<String>,
    /// The branch that the project's folder was on when the project was created: the target where nothing names one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pinned: Option<String>,
    /// Lines for the shell that must all be green on exactly what lands; none for those in `fleet.toml`.
    pub checks: Vec<String>,
    /// How long one check may run; none for the server's own setting.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub check_timeout_secs: Option<u32>,
    /// The remote that what has landed is pushed to; none to push nowhere.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub push: Option<String>,
    /// Whether it is told by a pull request of the branch, and not by a push of the target.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub pr: bool,
}

impl LandingRules {
    /// Returns the target branch as far as the project settles it: the one it names, or else the pinned one.
    #[must_use]
    pub fn settled_target(&self) -> Option<&str> {
        self.target.as_deref().or(self.pinned.as_deref())
    }

    /// Returns whether there are no landing rules.
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
    /// How often it was sent back to its agent since a person last saw to it.
    pub returns: u32,
    /// What it was sent back for, oldest first; the last few.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sent_back: Vec<Obstacle>,
    /// Its state.
    pub state: LandingState,
    /// Whether it was published to a remote; none where that was not requested, or it has not landed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub publication: Option<Publication>,
    /// When it came.
    pub created_at: Timestamp,
    /// When it last changed.
    pub updated_at: Timestamp,
}

impl Landing {
    /// Says how far it is, as a part of a sentence about the work.
    #[must_use]
    pub fn progress(&self) -> String {
        let target = self.rules.target.as_deref().unwrap_or("the target branch");
        let id = &self.id;
        match &self.state {
            LandingState::Queued { .. } => format!("it waits for its turn or is being checked to land on `{target}`"),
            LandingState::Review { .. } => {
                format!("it waits for approval to land on `{target}`: `fleet land approve {id}`")
            }
            LandingState::Waiting { why, .. } => why.clone(),
            LandingState::Cleared { .. } => format!("it lands on `{target}` now"),
            LandingState::Returned { obstacle, .. } | LandingState::Stuck { obstacle, .. } => obstacle.to_string(),
            LandingState::Landed { commit, .. } => {
                format!("it landed on `{target}` as {}", commit.get(..10).unwrap_or(commit))
            }
            LandingState::Dropped { by, why, .. } if why.is_empty() => format!("taken out by {by}"),
            LandingState::Dropped { why, .. } => why.clone(),
        }
    }
}

/// The state of a landing.
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
    /// It waits for something outside of it, such as the user's changes to the same files.
    Waiting {
        /// Since when.
        since: Timestamp,
        /// For what.
        why: String,
        /// The check that is red on the target branch itself, if it waits for that.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        check: Option<CheckRun>,
    },
    /// Its checks were green, and the target branch is about to move, or has: it cannot be dropped any more.
    ///
    /// It has this state only during the move. A server that finds it after a crash reads the branch.
    Cleared {
        /// Since when.
        since: Timestamp,
        /// What the target branch moves to.
        commit: String,
        /// The checks that were green on exactly that.
        checks: Vec<CheckRun>,
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
    /// It was dropped.
    Dropped {
        /// When.
        at: Timestamp,
        /// Who.
        by: Handle,
        /// Why, where Fleet did it; nothing where a person requested it.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        why: String,
    },
}

/// How far what has landed has been told to a remote.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "name", rename_all = "snake_case")]
pub enum Publication {
    /// It is to be told.
    Pending {
        /// Since when.
        since: Timestamp,
    },
    /// The remote has it.
    Done {
        /// When.
        at: Timestamp,
        /// The address of the pull request, if that is how it was told.
        pr: Option<String>,
    },
    /// It has landed here, and the remote does not have it.
    Refused {
        /// When.
        at: Timestamp,
        /// The message, from git or another program.
        why: String,
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
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum LandingStateName {
    /// See [`LandingState::Queued`].
    Queued,
    /// See [`LandingState::Review`].
    Review,
    /// See [`LandingState::Waiting`].
    Waiting,
    /// See [`LandingState::Cleared`].
    Cleared,
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
            Self::Cleared { .. } => LandingStateName::Cleared,
            Self::Returned { .. } => LandingStateName::Returned,
            Self::Stuck { .. } => LandingStateName::Stuck,
            Self::Landed { .. } => LandingStateName::Landed,
            Self::Dropped { .. } => LandingStateName::Dropped,
        }
    }
}

impl LandingStateName {
    /// Every state, in the order a landing meets them.
    pub const ALL: [Self; 8] = [
        Self::Queued,
        Self::Review,
        Self::Waiting,
        Self::Cleared,
        Self::Returned,
        Self::Stuck,
        Self::Landed,
        Self::Dropped,
    ];

    /// The states of those that a queue has to see to.
    pub const IN_QUEUE: [Self; 3] = [Self::Queued, Self::Waiting, Self::Cleared];

    /// Returns the word used in keys and on the wire.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Queued => "queued",
            Self::Review => "review",
            Self::Waiting => "waiting",
            Self::Cleared => "cleared",
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
            Self::Red { check } => write!(f, "check `{}` {}", check.command, check.outcome),
            Self::Failed { why } => f.write_str(why),
        }
    }
}
