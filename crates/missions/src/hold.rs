//! What sessions do with missions: take one, and let go of it again.

use types::{
    Failure, FailureClass, Handle, Holder, LandingId, Mission, MissionId, MissionState, ParkReason, Proof, Reason,
    SessionId, StateName, Timestamp,
};

use crate::moves::holder;
use crate::{Moved, Refusal};

/// How a session lets go of its mission.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Release {
    /// Its agent says that it is done.
    Done {
        /// Commits on the session's branch; none where it worked in place.
        commits: Option<u64>,
    },
    /// Its agent says that it is done, and its branch goes to the target branch.
    Landing {
        /// Which way.
        landing: LandingId,
    },
    /// It failed.
    Failed {
        /// Of what.
        class: FailureClass,
    },
    /// Its agent was through with it, and it is not done.
    NotDone {
        /// Why it is not.
        reasons: Vec<Reason>,
    },
    /// It cannot go on for now.
    Parked {
        /// Why.
        why: ParkReason,
        /// Until when; none if a person must see to it.
        until: Option<Timestamp>,
    },
    /// Somebody ended the session: the mission waits to be dispatched again.
    Dropped,
}

/// Gives a mission to a session, under the next generation.
///
/// # Errors
/// Says who holds it, or what it waits for; `unresolved` names the dependencies that are not done.
pub fn take(
    mission: &Mission,
    session: &SessionId,
    handle: &Handle,
    unresolved: Vec<MissionId>,
    now: Timestamp,
) -> Result<Moved, Refusal> {
    match holder(&mission.state) {
        Some(Holder::Session { session, .. }) => {
            return Err(Refusal::InSession { mission: mission.id.clone(), session: session.clone() });
        }
        Some(Holder::Agent { handle }) => {
            return Err(Refusal::Held { mission: mission.id.clone(), holder: handle.clone() });
        }
        None => {}
    }
    // Only the session whose work could not land takes it up again.
    if let MissionState::Landing { landing, session: worker, .. } = &mission.state
        && worker != session
    {
        return Err(Refusal::Landing { mission: mission.id.clone(), landing: landing.clone() });
    }
    if !unresolved.is_empty() {
        return Err(Refusal::Unresolved { mission: mission.id.clone(), blockers: unresolved });
    }
    let generation = mission.holders + 1;
    let holder = Holder::Session { session: session.clone(), handle: handle.clone() };
    let state = MissionState::Held { holder, generation, since: now };
    Ok(moved(Mission { holders: generation, ..mission.clone() }, mission.state.name(), state, now))
}

/// Lets go of a mission; none if the session no longer holds it under that generation, and so has no say in it.
#[must_use]
pub fn release(mission: &Mission, session: &SessionId, generation: u64, how: Release, now: Timestamp) -> Option<Moved> {
    let holds = match &mission.state {
        MissionState::Held { holder: Holder::Session { session: holder, .. }, generation: held, .. } => {
            holder == session && *held == generation
        }
        MissionState::Held { holder: Holder::Agent { .. }, .. }
        | MissionState::Landing { .. }
        | MissionState::Draft
        | MissionState::Ready { .. }
        | MissionState::Parked { .. }
        | MissionState::Done { .. }
        | MissionState::Failed { .. }
        | MissionState::Cancelled { .. } => false,
    };
    let session = session.clone();
    let state = match how {
        _ if !holds => return None,
        Release::Done { commits } => MissionState::Done { at: now, proof: Proof::Session { session, commits } },
        Release::Landing { landing } => MissionState::Landing { landing, session, since: now },
        Release::Failed { class } => MissionState::Failed { at: now, failure: Failure::Session { session, class } },
        Release::NotDone { reasons } => {
            MissionState::Failed { at: now, failure: Failure::NotDone { session, reasons } }
        }
        Release::Parked { why, until } => MissionState::Parked { why, until },
        Release::Dropped => MissionState::Draft,
    };
    Some(moved(mission.clone(), mission.state.name(), state, now))
}

/// Puts a mission whose work did not land on its way after all; none if somebody does something else with it now, or
/// may begin to at any moment.
#[must_use]
pub fn recover(mission: &Mission, landing: &LandingId, session: &SessionId, now: Timestamp) -> Option<Moved> {
    let lies_there = match &mission.state {
        MissionState::Parked { until, .. } => until.is_none(),
        MissionState::Draft | MissionState::Failed { .. } => true,
        // Finished work that stayed on its branch can land afterwards; what has landed has not to.
        MissionState::Done { proof, .. } => !matches!(proof, Proof::Landed { .. }),
        MissionState::Ready { .. }
        | MissionState::Held { .. }
        | MissionState::Landing { .. }
        | MissionState::Cancelled { .. } => false,
    };
    let state = MissionState::Landing { landing: landing.clone(), session: session.clone(), since: now };
    lies_there.then(|| moved(mission.clone(), mission.state.name(), state, now))
}

pub(crate) fn moved(mission: Mission, from: StateName, state: MissionState, now: Timestamp) -> Moved {
    let to = state.name();
    Moved { mission: Mission { state, updated_at: now, ..mission }, from, to }
}

#[cfg(test)]
#[path = "hold_tests.rs"]
mod tests;
