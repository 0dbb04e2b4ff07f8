//! Giving a mission to a session.

use store::{Stamp, Transaction};
use types::{Assignment, Event, Handle, Mission, MissionId, SessionId, StateName};

use crate::Result;
use crate::error::Refusal;

/// Gives a mission to a session, in its transaction.
pub(crate) async fn take(
    tx: &Transaction,
    mission: &MissionId,
    session: &SessionId,
    handle: &Handle,
    stamp: &Stamp,
) -> Result<Assignment> {
    let held = tx.get::<Mission>(mission).await?;
    let held = held.ok_or_else(|| Refusal::MissionNotFound { mission: mission.clone() })?;
    let unresolved = unresolved(tx, &held.record).await?;
    let moved = missions::take(&held.record, session, handle, unresolved, stamp.at).map_err(Refusal::Mission)?;
    tx.update(&held, &moved.mission)?;
    tx.append(Event::MissionMoved { mission: mission.clone(), from: moved.from, to: moved.to });
    Ok(Assignment { mission: mission.clone(), generation: moved.mission.holders })
}

/// Those of a mission's dependencies that are not done; one that was deleted holds nothing up.
///
/// # Errors
/// When the store fails.
pub async fn unresolved(tx: &Transaction, mission: &Mission) -> std::result::Result<Vec<MissionId>, store::Error> {
    let mut open = Vec::new();
    for id in &mission.depends_on {
        if let Some(held) = tx.get::<Mission>(id).await?
            && held.record.state.name() != StateName::Done
        {
            open.push(id.clone());
        }
    }
    Ok(open)
}
