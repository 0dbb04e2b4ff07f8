//! What a decision looks at: who is ready, who is busy, and what limits them all.
//!
//! Plain data without rules. A node decides for itself, so the inputs are those of one node.

use std::collections::{BTreeMap, BTreeSet};

use types::{MissionId, ParkedAccount, ProjectId, Start, Timestamp};

use crate::{Budget, Dependency, Fairness};

/// Everything a decision looks at.
#[derive(Debug, Clone, PartialEq)]
pub struct Inputs {
    /// When it is decided.
    pub now: Timestamp,
    /// The ready missions that this node could run, each once, in any order.
    pub ready: Vec<Candidate>,
    /// Every agent that takes a slot, on this node or another.
    pub busy: Vec<Busy>,
    /// How many agents there may be.
    pub slots: Slots,
    /// Missions that need no free slot: a session that waits for them lends its own.
    pub lent: BTreeSet<MissionId>,
    /// Accounts that are not good for now.
    pub parked: Vec<ParkedAccount>,
    /// Who waits for them.
    pub parking: Parking,
    /// What may be spent and what was.
    pub budgets: Vec<Budget>,
    /// How priority and waiting are weighed.
    pub fairness: Fairness,
}

/// A mission that is ready.
#[derive(Debug, Clone, PartialEq)]
pub struct Candidate {
    /// Which.
    pub mission: MissionId,
    /// The project it works on.
    pub project: Option<ProjectId>,
    /// The kind of agent that is to run it.
    pub agent: String,
    /// The account that agent runs on.
    pub account: String,
    /// Higher goes earlier.
    pub priority: i32,
    /// Since when it is ready.
    pub since: Timestamp,
    /// Whether it starts on its own. One that was dispatched and waits its turn starts on its own.
    pub start: Start,
    /// When it may be tried again after a failure.
    pub not_before: Option<Timestamp>,
    /// What its sessions together may spend, and have; none if there is no ceiling.
    pub budget: Option<Budget>,
    /// What must be done first; those that are done may be left out.
    pub dependencies: Vec<Dependency>,
}

/// An agent that takes a slot.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Busy {
    /// The project it works on.
    pub project: Option<ProjectId>,
    /// Its kind.
    pub agent: String,
    /// Where it runs.
    pub place: Place,
}

/// Where an agent runs, as seen from the node that decides.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// On this node.
    Here,
    /// On another.
    Elsewhere,
}

/// How many agents there may be at once; zero stops them without losing their position.
///
/// Projects and agent kinds are the only two ways in which agents are divided. With a third, a slot that becomes free
/// could let one mission start in the place of two.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Slots {
    /// On all nodes together.
    pub fleet: u32,
    /// On this node.
    pub node: u32,
    /// On a project, all nodes together.
    pub projects: BTreeMap<ProjectId, u32>,
    /// On each project that is not named; no limit of its own, without one.
    pub each_project: Option<u32>,
    /// Of a kind, all nodes together.
    pub agents: BTreeMap<String, u32>,
    /// Of each kind that is not named; no limit of its own, without one.
    pub each_agent: Option<u32>,
}

/// Who waits for an account that is not good.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Parking {
    /// Every mission on that account.
    #[default]
    Account,
    /// Every mission.
    Fleet,
    /// None.
    Off,
}
