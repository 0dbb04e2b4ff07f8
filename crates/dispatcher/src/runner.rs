//! Who carries out what the dispatcher decides, and what limits it.

use std::collections::BTreeSet;

use schedule::{Budget, Busy, Fairness, Parking, Slots};
use types::{Mission, MissionId, ParkedAccount, Timestamp};

/// Runs missions.
pub trait MissionRunner: Send + Sync + 'static {
    /// Says who would run a mission.
    fn post(&self, mission: &Mission) -> impl Future<Output = Post> + Send;

    /// Says what limits starting right now.
    fn conditions(&self) -> impl Future<Output = Conditions> + Send;

    /// Waits until the conditions may have become better: a slot is free, an account is good again, a setting changed.
    fn eased(&self) -> impl Future<Output = ()> + Send;

    /// Takes a mission and begins to run it; returns once that is stored.
    fn start(
        &self,
        mission: &MissionId,
        because: Option<&MissionId>,
    ) -> impl Future<Output = Result<(), NotStarted>> + Send;
}

/// Who would run a mission.
#[derive(Debug, Clone, PartialEq)]
pub struct Post {
    /// The kind of agent.
    pub agent: String,
    /// The account it runs on.
    pub account: String,
    /// What the mission itself may spend, and has; none if there is no ceiling.
    pub budget: Option<Budget>,
}

/// What limits starting.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Conditions {
    /// Every agent that takes a slot.
    pub busy: Vec<Busy>,
    /// How many there may be.
    pub slots: Slots,
    /// Missions that need no free slot.
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

/// Why a mission was not started.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NotStarted {
    /// Another holder was quicker, or it is not ready any more; the feed will report it.
    Gone,
    /// There is no slot after all.
    Full,
    /// It cannot be started as it is; it is tried again at this time.
    Failed {
        /// Why.
        why: String,
        /// When it is worth another try.
        again_at: Timestamp,
    },
}
