//! Giving a mission to a session, and opening one again that is over; as `sessions` has it.

use store::{Stamp, Transaction};
use types::{
    Assignment, Begun, Event, Handle, Mission, MissionId, MissionState, Session, SessionId, SessionState, StateName,
    Timestamp,
};

use super::NotBegun;

/// Gives a mission to a session that begins, or to one that goes on, in its transaction.
pub(super) async fn take(
    tx: &Transaction,
    id: &MissionId,
    session: &SessionId,
    handle: &Handle,
    is_new: bool,
    now: Timestamp,
) -> Result<(Mission, u64), NotBegun> {
    let held = tx.get::<Mission>(id).await?.ok_or(NotBegun::Refused)?;
    let unresolved = match is_new {
        true => sessions::unmet(tx, &held.record).await?,
        false => sessions::unresolved(tx, &held.record).await?,
    };
    let moved = missions::take(&held.record, session, handle, unresolved, now).map_err(|_| NotBegun::Refused)?;
    tx.update(&held, &moved.mission)?;
    tx.append(Event::MissionMoved { mission: id.clone(), from: moved.from, to: moved.to });
    let generation = moved.mission.holders;
    Ok((moved.mission, generation))
}

/// Takes a mission from whoever has it, which nobody may.
pub(super) async fn free(tx: &Transaction, id: &MissionId, since: Timestamp) -> Result<(), store::Error> {
    let held = tx.get::<Mission>(id).await?.filter(|held| held.record.state.name() == StateName::Held);
    let Some(held) = held else { return Ok(()) };
    tx.update(&held, &Mission { state: MissionState::Ready { since }, ..held.record.clone() })
}

/// Opens a session again that is over, in its transaction.
pub(super) async fn reopen(tx: &Transaction, id: &SessionId, stamp: &Stamp) -> Result<Session, NotBegun> {
    let held = tx.get::<Session>(id).await?.ok_or(NotBegun::Refused)?;
    let before = &held.record;
    if before.state.is_live() {
        return Err(NotBegun::Refused);
    }
    let mut session = before.clone();
    if let Some(Assignment { mission, .. }) = &before.mission {
        let (_, generation) = take(tx, mission, id, &before.handle, false, stamp.at).await?;
        session.mission = Some(Assignment { mission: mission.clone(), generation });
    }
    session.runs += 1;
    (session.begun, session.failures, session.restarts) = (Begun::Resumed, 0, 0);
    session.state = SessionState::Starting { since: stamp.at };
    session.updated_at = stamp.at;
    tx.update(&held, &session)?;
    let mission = session.mission.as_ref().map(|assignment| assignment.mission.clone());
    let (from, to) = (before.state.name(), session.state.name());
    tx.append(Event::SessionMoved { session: id.clone(), mission, from, to });
    Ok(session)
}
