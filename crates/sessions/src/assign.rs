//! Giving a mission to a session.

use store::{Stamp, Transaction};
use types::{Assignment, Handle, Mission, MissionId, SessionId, StateName};

use crate::Result;
use crate::error::Refusal;

/// Whether a session begins with a mission or continues with it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Going {
    /// It begins: what the mission waits for must be done.
    Anew,
    /// It had begun when that was so; what was deleted since is nothing to it.
    On,
}

/// Gives a mission to a session, in its transaction.
pub(crate) async fn take(
    tx: &Transaction,
    mission: &MissionId,
    session: &SessionId,
    handle: &Handle,
    going: Going,
    stamp: &Stamp,
) -> Result<Assignment> {
    let held = tx.get::<Mission>(mission).await?;
    let held = held.ok_or_else(|| Refusal::MissionNotFound { mission: mission.clone() })?;
    let unresolved = match going {
        Going::Anew => unmet(tx, &held.record).await?,
        Going::On => unresolved(tx, &held.record).await?,
    };
    let moved = missions::take(&held.record, session, handle, unresolved, stamp.at).map_err(Refusal::Mission)?;
    tx.move_mission(&held, &moved.mission)?;
    Ok(Assignment { mission: mission.clone(), generation: moved.mission.holders })
}

/// Those of a mission's dependencies without which it does not start, by itself or by hand: all that are not known to
/// be done. A deleted one is not, and a person has to remove the dependency; `schedule` decides the same.
///
/// # Errors
/// When the store fails.
pub async fn unmet(tx: &Transaction, mission: &Mission) -> std::result::Result<Vec<MissionId>, store::Error> {
    standing(tx, mission, |state| state != Some(StateName::Done)).await
}

/// The existing dependencies of a mission that are not done: until they are, it cannot be done itself.
///
/// # Errors
/// When the store fails.
pub async fn unresolved(tx: &Transaction, mission: &Mission) -> std::result::Result<Vec<MissionId>, store::Error> {
    standing(tx, mission, |state| state.is_some_and(|state| state != StateName::Done)).await
}

async fn standing(
    tx: &Transaction,
    mission: &Mission,
    counts: impl Fn(Option<StateName>) -> bool,
) -> std::result::Result<Vec<MissionId>, store::Error> {
    let mut open = Vec::new();
    for id in &mission.depends_on {
        if counts(tx.get::<Mission>(id).await?.map(|held| held.record.state.name())) {
            open.push(id.clone());
        }
    }
    Ok(open)
}
