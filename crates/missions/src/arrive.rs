//! What becomes of a mission whose branch is on its way: it arrives, is set aside for a person, or sets out again.
//!
//! A mission that is parked because of a landing names it in its reason. A mission that was moved meanwhile is left
//! alone.

use types::{Handle, Holder, Landing, LandingId, Mission, MissionState, Obstacle, ParkReason, Proof, Timestamp};

use crate::Moved;
use crate::hold::moved;

/// How a landing of a mission's branch ends.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Arrival {
    /// It is on the target branch.
    Landed {
        /// The commit at which that stands.
        commit: String,
        /// How many checks were green on it.
        checks: u32,
    },
    /// It cannot land, and a person must see to it.
    Stuck {
        /// What keeps it.
        obstacle: Obstacle,
    },
    /// Somebody took it out. The mission is not done: its work is on a branch that goes nowhere.
    Dropped {
        /// Who.
        by: Handle,
    },
}

/// What becomes of a mission whose landing is to be tried again.
#[derive(Debug, Clone, PartialEq)]
pub enum Relaunch {
    /// It is on that way still.
    OnItsWay,
    /// It sets out again.
    Moved(Box<Moved>),
    /// Somebody does something else with it now.
    Elsewhere,
}

/// How a mission stands to a landing of its branch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Standing {
    /// It waits for it.
    OnItsWay,
    /// Its session works on it, or waits to.
    AtWork,
    /// It has nothing to do with it any more.
    Elsewhere,
}

/// Says how a mission stands to a landing of its branch; one that is deleted is elsewhere.
#[must_use]
pub fn standing(mission: Option<&Mission>, landing: &Landing) -> Standing {
    let Some(mission) = mission else { return Standing::Elsewhere };
    match &mission.state {
        MissionState::Landing { landing: way, .. } if *way == landing.id => Standing::OnItsWay,
        MissionState::Held { holder: Holder::Session { session, .. }, .. } if *session == landing.session => {
            Standing::AtWork
        }
        // A session that waits for a quota lets go of its mission meanwhile.
        MissionState::Parked { .. } => Standing::AtWork,
        MissionState::Landing { .. }
        | MissionState::Held { .. }
        | MissionState::Draft
        | MissionState::Ready { .. }
        | MissionState::Done { .. }
        | MissionState::Failed { .. }
        | MissionState::Cancelled { .. } => Standing::Elsewhere,
    }
}

/// Ends the landing of a mission; none if it is not on that way, so that this has no say in it.
#[must_use]
pub fn arrive(mission: &Mission, landing: &Landing, how: Arrival, now: Timestamp) -> Option<Moved> {
    if !on_its_way(&mission.state, &landing.id) && !set_aside(&mission.state, &landing.id) {
        return None;
    }
    let id = landing.id.clone();
    let parked = |why| MissionState::Parked { why, until: None };
    let state = match how {
        Arrival::Landed { commit, checks } => {
            MissionState::Done { at: now, proof: Proof::Landed { landing: id, commit, checks } }
        }
        Arrival::Stuck { obstacle } => parked(ParkReason::Stuck { landing: id, obstacle }),
        Arrival::Dropped { by } => parked(ParkReason::Dropped { landing: id, by, branch: landing.branch.clone() }),
    };
    Some(moved(mission.clone(), mission.state.name(), state, now))
}

/// Puts a mission on its way again, if that is what it was set aside from.
#[must_use]
pub fn relaunch(mission: &Mission, landing: &Landing, now: Timestamp) -> Relaunch {
    match &mission.state {
        state if on_its_way(state, &landing.id) => Relaunch::OnItsWay,
        state if set_aside(state, &landing.id) => {
            let (landing, session) = (landing.id.clone(), landing.session.clone());
            let state = MissionState::Landing { landing, session, since: now };
            Relaunch::Moved(Box::new(moved(mission.clone(), mission.state.name(), state, now)))
        }
        MissionState::Draft
        | MissionState::Ready { .. }
        | MissionState::Held { .. }
        | MissionState::Landing { .. }
        | MissionState::Parked { .. }
        | MissionState::Done { .. }
        | MissionState::Failed { .. }
        | MissionState::Cancelled { .. } => Relaunch::Elsewhere,
    }
}

fn on_its_way(state: &MissionState, landing: &LandingId) -> bool {
    match state {
        MissionState::Landing { landing: way, .. } => way == landing,
        MissionState::Draft
        | MissionState::Ready { .. }
        | MissionState::Held { .. }
        | MissionState::Parked { .. }
        | MissionState::Done { .. }
        | MissionState::Failed { .. }
        | MissionState::Cancelled { .. } => false,
    }
}

/// Tells whether a mission waits for a person because of a landing.
fn set_aside(state: &MissionState, landing: &LandingId) -> bool {
    match state {
        MissionState::Parked { why, until: None } => why.landing() == Some(landing),
        MissionState::Parked { until: Some(_), .. }
        | MissionState::Draft
        | MissionState::Ready { .. }
        | MissionState::Held { .. }
        | MissionState::Landing { .. }
        | MissionState::Done { .. }
        | MissionState::Failed { .. }
        | MissionState::Cancelled { .. } => false,
    }
}

#[cfg(test)]
#[path = "arrive_tests.rs"]
mod tests;
