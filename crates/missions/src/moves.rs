//! Which state may follow which, and who may bring it about.

use types::{
    Failure, Handle, Holder, LandingId, Mission, MissionId, MissionState, ParkReason, Proof, Role, SessionId,
    StateName, Timestamp,
};

/// A step that a caller takes with a mission.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Move {
    /// Back to being written.
    Redraft,
    /// Open for any caller that may start or claim it.
    Open,
    /// The caller begins to work on it.
    Claim,
    /// The caller reports that it cannot continue for now.
    Park,
    /// The caller reports that it is done.
    Finish,
    /// The caller gives it up.
    Fail,
    /// The caller cancels it.
    Cancel,
}

/// Who takes the step.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Actor {
    /// The name.
    pub handle: Handle,
    /// The role.
    pub role: Role,
    /// Whether it is the agent of a session, whose work Fleet judges itself.
    pub is_agent: bool,
}

/// The mission after a step, and the states it went between.
#[derive(Debug, Clone, PartialEq)]
pub struct Moved {
    /// The mission as it is now.
    pub mission: Mission,
    /// The state before.
    pub from: StateName,
    /// The state now.
    pub to: StateName,
}

/// Why a step was not taken.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// Another agent works on it.
    #[error("mission `{mission}` is held by `{holder}`")]
    Held {
        /// The mission.
        mission: MissionId,
        /// Who works on it.
        holder: Handle,
    },
    /// A session of Fleet works on it.
    #[error("session `{session}` works on mission `{mission}`")]
    InSession {
        /// The mission.
        mission: MissionId,
        /// The session.
        session: SessionId,
    },
    /// The agent of a session says that work is done of which Fleet finds that out itself.
    #[error("an agent does not finish mission `{mission}` by saying so: Fleet judges the work of its session")]
    Unproven {
        /// The mission.
        mission: MissionId,
    },
    /// Its branch is on its way to the target branch.
    #[error("mission `{mission}` is landing, as `{landing}`")]
    Landing {
        /// The mission.
        mission: MissionId,
        /// The landing.
        landing: LandingId,
    },
    /// It depends on missions that are not done.
    #[error("mission `{mission}` depends on missions that are not done")]
    Unresolved {
        /// The mission.
        mission: MissionId,
        /// Those not done.
        blockers: Vec<MissionId>,
    },
}

/// Takes a step.
///
/// A step to the state that the mission is in changes nothing and is not refused, so a retried call is harmless. A held
/// mission is moved only by its holder and by team leads; one that a session holds, by the end of the session alone. A
/// session that waits with a parked mission loses it to the caller that moves it. Finishing needs every dependency
/// done; `unresolved` names the others. The agent of a session finishes a task that it claimed, and nothing that is to
/// be proven by its work.
///
/// # Errors
/// Says who holds the mission, or what it waits for.
pub fn advance(
    mission: &Mission,
    step: Move,
    actor: &Actor,
    unresolved: Vec<MissionId>,
    now: Timestamp,
) -> Result<Option<Moved>, Refusal> {
    if stands(&mission.state, &step, actor) {
        return Ok(None);
    }
    may_move(mission, actor)?;
    if step == Move::Finish && actor.is_agent && !is_claimed_task(mission, actor) {
        return Err(Refusal::Unproven { mission: mission.id.clone() });
    }
    let mut moved = mission.clone();
    if matches!(mission.state, MissionState::Parked { .. }) && step != Move::Claim {
        // A session may wait with it, to take it up again under its old generation: that is over.
        moved.holders += 1;
    }
    moved.state = match step {
        Move::Redraft => MissionState::Draft,
        Move::Open => MissionState::Ready { since: now },
        Move::Claim => {
            moved.holders += 1;
            let handle = claimant(mission, actor);
            MissionState::Held { holder: Holder::Agent { handle }, generation: moved.holders, since: now }
        }
        Move::Park => MissionState::Parked { why: blocked(actor), until: None },
        Move::Finish if !unresolved.is_empty() => {
            return Err(Refusal::Unresolved { mission: mission.id.clone(), blockers: unresolved });
        }
        Move::Finish => MissionState::Done { at: now, proof: Proof::Stated { by: actor.handle.clone() } },
        Move::Fail => MissionState::Failed { at: now, failure: Failure::Stated { by: actor.handle.clone() } },
        Move::Cancel => MissionState::Cancelled { at: now, by: actor.handle.clone() },
    };
    moved.updated_at = now;
    let (from, to) = (mission.state.name(), moved.state.name());
    Ok(Some(Moved { mission: moved, from, to }))
}

/// Whether the mission is already in the state that the step leads to.
fn stands(state: &MissionState, step: &Move, actor: &Actor) -> bool {
    match step {
        Move::Redraft => state.name() == StateName::Draft,
        Move::Open => state.name() == StateName::Ready,
        Move::Claim => holder(state).is_some_and(|holder| *holder.handle() == actor.handle || actor.role.leads()),
        // One that waits with a session for a time is put aside by a person all the same.
        Move::Park => matches!(state, MissionState::Parked { why, until: None } if *why == blocked(actor)),
        Move::Finish => state.name() == StateName::Done,
        Move::Fail => state.name() == StateName::Failed,
        Move::Cancel => state.name() == StateName::Cancelled,
    }
}

fn blocked(actor: &Actor) -> ParkReason {
    ParkReason::Blocked { by: actor.handle.clone() }
}

fn may_move(mission: &Mission, actor: &Actor) -> Result<(), Refusal> {
    // What is on its way is taken out of the queue first: it would land all the same.
    if let MissionState::Landing { landing, .. } = &mission.state {
        return Err(Refusal::Landing { mission: mission.id.clone(), landing: landing.clone() });
    }
    match holder(&mission.state) {
        Some(Holder::Agent { handle }) if *handle == actor.handle => Ok(()),
        // Neither a lead nor its own agent: the session would go on, and nothing would say so. It is ended first.
        Some(Holder::Session { session, .. }) => {
            Err(Refusal::InSession { mission: mission.id.clone(), session: session.clone() })
        }
        Some(Holder::Agent { handle }) if !actor.role.leads() => {
            Err(Refusal::Held { mission: mission.id.clone(), holder: handle.clone() })
        }
        Some(Holder::Agent { .. }) | None => Ok(()),
    }
}

/// Returns whether it is a task outside of every project that this caller has claimed by its word, and so ends by it.
fn is_claimed_task(mission: &Mission, actor: &Actor) -> bool {
    let claimed = matches!(holder(&mission.state), Some(Holder::Agent { handle }) if *handle == actor.handle);
    mission.project.is_none() && claimed
}

/// A team lead that reports work as begun reports it for the assignee.
fn claimant(mission: &Mission, actor: &Actor) -> Handle {
    match &mission.assignee {
        Some(assignee) if actor.role.leads() => assignee.clone(),
        Some(_) | None => actor.handle.clone(),
    }
}

pub(crate) fn holder(state: &MissionState) -> Option<&Holder> {
    match state {
        MissionState::Held { holder, .. } => Some(holder),
        MissionState::Draft
        | MissionState::Ready { .. }
        | MissionState::Landing { .. }
        | MissionState::Parked { .. }
        | MissionState::Done { .. }
        | MissionState::Failed { .. }
        | MissionState::Cancelled { .. } => None,
    }
}

#[cfg(test)]
#[path = "moves_tests.rs"]
mod tests;
