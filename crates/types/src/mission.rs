//! A mission: a unit of work, and the state it is in.
//!
//! "Waiting for dependencies" is no state: it is derived from the states of the dependencies, so it cannot go stale.

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    FailureClass, Handle, LandMode, LandingId, MissionId, MissionKind, ParkReason, ProjectId, Reason, SandboxRules,
    SessionId, Spent, TeamName, ToolChoice, WorkerNotes,
};

/// A unit of work with everything that was said about it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Mission {
    /// Its id.
    pub id: MissionId,
    /// The project it works on; none for work that was stated without a directory.
    pub project: Option<ProjectId>,
    /// Counts 1, 2, 3… within its project; none without one.
    pub number: Option<u64>,
    /// The team that sees it.
    pub team: TeamName,
    /// One line.
    pub title: String,
    /// What to do, in full.
    pub prompt: String,
    /// How to tell that it is done.
    pub acceptance: String,
    /// What kind of work it is, which is also the preset it runs under.
    pub kind: MissionKind,
    /// Where it stands.
    pub state: MissionState,
    /// Higher runs earlier.
    pub priority: i32,
    /// Words to find it by.
    pub tags: Vec<String>,
    /// Missions that must be done first.
    pub depends_on: Vec<MissionId>,
    /// The mission that it was made for.
    pub parent: Option<MissionId>,
    /// Who is meant to do it.
    pub assignee: Option<Handle>,
    /// Who stated it.
    pub created_by: Handle,
    /// Whether it starts by itself.
    pub start: Start,
    /// The agent asked for; none leaves it to the configuration.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    /// The model asked for; none leaves it to the configuration.
    pub model: Option<String>,
    /// The tools of its agents; none leaves them to its kind.
    pub allowed_tools: Option<ToolChoice>,
    /// Ceilings on all its sessions together.
    pub limits: Limits,
    /// What its sessions have spent.
    #[serde(default, skip_serializing_if = "Spent::is_nothing")]
    pub spent: Spent,
    /// When it is cloned and run again.
    pub schedule: Option<Schedule>,
    /// Told when it ends.
    pub callback_url: Option<String>,
    /// What becomes of its branch; none leaves it to the project.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub land: Option<LandMode>,
    /// What is said about the sandbox of its agents, beside what the project says.
    #[serde(default, skip_serializing_if = "SandboxRules::is_default")]
    pub sandbox: SandboxRules,
    /// The branch or commit that its work starts from, whatever it depends on; none for the project's target branch with
    /// the work of its dependencies.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base: Option<String>,
    /// What a client said about it that started it as a worker.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub worker: Option<WorkerNotes>,
    /// What its sub-missions were allotted of its ceilings, which it may no longer spend itself.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub shares: Vec<Share>,
    /// What happens after a failure that may pass.
    pub retry: Retry,
    /// What its branches start from.
    #[serde(default, skip_serializing_if = "StartFrom::is_target")]
    pub start_from: StartFrom,
    /// Whether it may be done without a commit, if its agent says that nothing needed doing.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub may_change_nothing: bool,
    /// How many holders it has had; each gets the next generation.
    pub holders: u64,
    /// When it was stated.
    pub created_at: Timestamp,
    /// When it last changed.
    pub updated_at: Timestamp,
}

/// Where a mission stands; each state carries what exists then.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "name", rename_all = "snake_case")]
pub enum MissionState {
    /// Being written; never starts by itself.
    Draft,
    /// May be started as soon as its dependencies are done and a slot is free.
    Ready {
        /// Since when.
        since: Timestamp,
    },
    /// Somebody works on it.
    Held {
        /// Who.
        holder: Holder,
        /// Counts the holders this mission has had; a holder of an older generation can write nothing.
        generation: u64,
        /// Since when.
        since: Timestamp,
    },
    /// Its branch is on its way to the target branch.
    Landing {
        /// Which way.
        landing: LandingId,
        /// The session that did the work, and takes it up again if it cannot land.
        session: SessionId,
        /// Since when.
        since: Timestamp,
    },
    /// Cannot go on for now.
    Parked {
        /// Why.
        #[serde(with = "crate::park::stored")]
        why: ParkReason,
        /// When it wakes by itself; never, without a time.
        until: Option<Timestamp>,
    },
    /// Finished, with what shows it.
    Done {
        /// When.
        at: Timestamp,
        /// What shows it.
        proof: Proof,
    },
    /// Given up.
    Failed {
        /// When.
        at: Timestamp,
        /// What happened.
        failure: Failure,
    },
    /// Called off.
    Cancelled {
        /// When.
        at: Timestamp,
        /// By whom.
        by: Handle,
    },
}

/// The name of a state without its data: what indexes, counters and filters use.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum StateName {
    /// See [`MissionState::Draft`].
    Draft,
    /// See [`MissionState::Ready`].
    Ready,
    /// See [`MissionState::Held`].
    Held,
    /// See [`MissionState::Landing`].
    Landing,
    /// See [`MissionState::Parked`].
    Parked,
    /// See [`MissionState::Done`].
    Done,
    /// See [`MissionState::Failed`].
    Failed,
    /// See [`MissionState::Cancelled`].
    Cancelled,
}

/// Who works on a mission.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Holder {
    /// A running agent or a person that claimed it.
    Agent {
        /// Its handle.
        handle: Handle,
    },
    /// A session that Fleet runs.
    Session {
        /// Which.
        session: SessionId,
        /// The handle of its agent.
        handle: Handle,
    },
}

impl Holder {
    /// Returns the name the holder goes by.
    #[must_use]
    pub fn handle(&self) -> &Handle {
        match self {
            Self::Agent { handle } | Self::Session { handle, .. } => handle,
        }
    }
}

/// What shows that a mission is done.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Proof {
    /// Somebody said so; Fleet has checked nothing.
    Stated {
        /// Who.
        by: Handle,
    },
    /// Its session ended well by its agent's account; Fleet has counted what it left, and checked nothing else.
    Session {
        /// Which.
        session: SessionId,
        /// Commits on the session's branch; none where it worked in place.
        commits: Option<u64>,
    },
    /// It is on the target branch, and its checks were green on exactly that tree.
    Landed {
        /// Which way it came there.
        landing: LandingId,
        /// The commit at which the target branch stood then.
        commit: String,
        /// How many checks were green.
        checks: u32,
    },
}

/// What a mission failed of.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Failure {
    /// Somebody said so.
    Stated {
        /// Who.
        by: Handle,
    },
    /// Its session failed.
    Session {
        /// Which.
        session: SessionId,
        /// Of what.
        class: FailureClass,
    },
    /// Its agent was through with it, and it is not done.
    NotDone {
        /// The session.
        session: SessionId,
        /// Why it is not; never empty.
        reasons: Vec<Reason>,
    },
}

/// Whether a mission waits for a person to start it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Start {
    /// A person or an agent dispatches it.
    ByHand,
    /// It starts once its dependencies are done.
    WhenReady,
}

/// What the branches of a mission start from.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum StartFrom {
    /// The target branch, with the work of its dependencies that has not landed.
    #[default]
    Target,
    /// Exactly the work of these missions, merged with each other where they are several.
    Missions {
        /// Which, in the order in which they are merged.
        missions: Vec<MissionId>,
    },
}

impl StartFrom {
    fn is_target(&self) -> bool {
        *self == Self::Target
    }
}

/// Ceilings on what is spent.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct Limits {
    /// Most turns of the agent.
    pub turns_max: Option<u32>,
    /// Most dollars.
    pub dollars_max: Option<f64>,
    /// Most tokens of all kinds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tokens_max: Option<u64>,
    /// Most seconds in which agents run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub secs_max: Option<u64>,
}

/// A part of a mission's ceilings that a sub-mission has.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Share {
    /// The sub-mission.
    pub to: MissionId,
    /// The session that worked on the mission then, whose ceilings have that much less; none if there was none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<SessionId>,
    /// How much: dollars and tokens alone.
    pub amount: Spent,
}

/// When a mission is cloned and run again.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Schedule {
    /// Five cron fields.
    pub cron: String,
    /// Off keeps the expression without acting on it.
    pub enabled: bool,
    /// The last due time that was handled, run or missed.
    pub fired_at: Option<Timestamp>,
    /// When it was put in force: earlier times are not due.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub since: Option<Timestamp>,
    /// The time zone of the expression; UTC if none is named.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub time_zone: Option<String>,
    /// What happens to times that were missed.
    #[serde(default, skip_serializing_if = "is_usual")]
    pub catch_up: CatchUp,
    /// What happens while the last run is not over.
    #[serde(default, skip_serializing_if = "is_usual")]
    pub overlap: Overlap,
}

fn is_usual<T: Default + PartialEq>(choice: &T) -> bool {
    *choice == T::default()
}

/// What happens to due times at which no server ran
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum CatchUp {
    /// They are missed
    #[default]
    Skip,
    /// The mission runs once for all of them
    Once,
    /// The mission runs for each of them, up to 24
    All,
}

/// What happens when a time is due while the last run is not over
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum Overlap {
    /// The time is missed
    #[default]
    Skip,
    /// The mission runs again beside it
    Allow,
}

impl Schedule {
    /// Puts an expression in force, in UTC.
    #[must_use]
    pub fn new(cron: String, now: Timestamp) -> Self {
        Self {
            cron,
            enabled: true,
            fired_at: None,
            since: Some(now),
            time_zone: None,
            catch_up: CatchUp::default(),
            overlap: Overlap::default(),
        }
    }
}

/// What happens after a failure that may pass.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Retry {
    /// Most tries after the first.
    pub times_max: u32,
    /// Whether Fleet retries by itself.
    pub automatic: bool,
}

impl MissionState {
    /// Returns the state's name.
    #[must_use]
    pub fn name(&self) -> StateName {
        match self {
            Self::Draft => StateName::Draft,
            Self::Ready { .. } => StateName::Ready,
            Self::Held { .. } => StateName::Held,
            Self::Landing { .. } => StateName::Landing,
            Self::Parked { .. } => StateName::Parked,
            Self::Done { .. } => StateName::Done,
            Self::Failed { .. } => StateName::Failed,
            Self::Cancelled { .. } => StateName::Cancelled,
        }
    }
}

impl StateName {
    /// Every state, in the order a mission meets them.
    pub const ALL: [Self; 8] =
        [Self::Draft, Self::Ready, Self::Held, Self::Landing, Self::Parked, Self::Done, Self::Failed, Self::Cancelled];

    /// Returns the word used in keys and counters.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Draft => "draft",
            Self::Ready => "ready",
            Self::Held => "held",
            Self::Landing => "landing",
            Self::Parked => "parked",
            Self::Done => "done",
            Self::Failed => "failed",
            Self::Cancelled => "cancelled",
        }
    }
}
