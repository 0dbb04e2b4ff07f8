//! What a person can say about a landing: try it again, or drop it.

use missions::{Arrival, Relaunch, Standing};
use store::{Query, Stamp, Store, Transaction, by};
use types::{Event, Landing, LandingId, LandingRules, LandingState, LandingStateName, Mission, Project, Publication};

use crate::records::{Move, move_landing};

type Result<T> = std::result::Result<T, CommandError>;

/// Why a landing was not moved.
#[derive(Debug, thiserror::Error)]
pub enum CommandError {
    /// It does not exist any more.
    #[error("the landing is gone")]
    Gone,
    /// Its state does not allow it; nothing was changed.
    #[error("landing `{landing}` is {}: {why}", state.as_str())]
    NotNow {
        /// The landing.
        landing: LandingId,
        /// Its state.
        state: LandingStateName,
        /// What is in the way.
        why: &'static str,
    },
    /// The store failed.
    #[error(transparent)]
    Store(#[from] store::Error),
}

/// Refuses a command about a landing in its present state.
#[must_use]
pub fn not_now(landing: &Landing, why: &'static str) -> CommandError {
    CommandError::NotNow { landing: landing.id.clone(), state: landing.state.name(), why }
}

/// Puts a landing that waits for a person into its queue, or publishes again what a remote refused.
///
/// # Errors
/// When there is nothing to try again, or the store fails.
pub async fn retry(store: &Store, landing: &Landing, by: &Stamp) -> Result<Landing> {
    let newest = Query::latest(by::landing::mission(&landing.mission), 1);
    if store.list::<Landing>(newest).await?.records.pop().is_some_and(|newest| newest.id != landing.id) {
        return Err(not_now(landing, "a later one is on its way"));
    }
    let tried = store.transact(by, |tx| async move {
        let held = tx.get::<Landing>(&landing.id).await?.ok_or(CommandError::Gone)?;
        let from = held.record.state.name();
        let next = match (from, &held.record.publication) {
            (LandingStateName::Landed, Some(Publication::Refused { .. })) => {
                let publication = Some(Publication::Pending { since: by.at });
                Landing { publication, ..held.record.clone() }
            }
            (state, _) if can_retry(state) => {
                set_out(&tx, &held.record, by.at).await?;
                let state = LandingState::Queued { since: by.at };
                Landing { returns: 0, state, ..held.record.clone() }
            }
            (_, _) => return Err(not_now(&held.record, "there is nothing to try again")),
        };
        // What the project says now, since that may be what was mended.
        let rules = rules_now(&tx, &held.record).await?;
        if next.publication.is_some() && rules.push.is_none() && !rules.pr {
            return Err(not_now(&held.record, "its project asks for no push any more"));
        }
        let next = Landing { rules, updated_at: by.at, ..next };
        tx.update(&held, &next)?;
        let (landing, mission, to) = (next.id.clone(), next.mission.clone(), next.state.name());
        tx.append(Event::LandingMoved { landing, mission, from: Some(from), to });
        Ok(next)
    });
    tried.await
}

/// Takes a landing out of its queue, from exactly the state that was read: what is cleared to land meanwhile stays.
///
/// # Errors
/// When it has landed, is landing or was dropped, when its agent works on it, or when the store fails.
pub async fn drop_landing(store: &Store, landing: &Landing, by: &Stamp) -> Result<Landing> {
    let mission = store.get::<Mission>(&landing.mission).await?;
    let at_work = missions::standing(mission.as_ref(), landing) == Standing::AtWork;
    match landing.state.name() {
        LandingStateName::Returned if at_work => {
            return Err(not_now(landing, "its agent works on it; end its session first"));
        }
        LandingStateName::Cleared => return Err(not_now(landing, "it is landing this very moment")),
        LandingStateName::Landed => return Err(not_now(landing, "it has landed")),
        LandingStateName::Dropped => return Err(not_now(landing, "it was taken out before")),
        LandingStateName::Queued
        | LandingStateName::Review
        | LandingStateName::Waiting
        | LandingStateName::Returned
        | LandingStateName::Stuck => {}
    }
    let state = LandingState::Dropped { at: by.at, by: by.handle.clone(), why: String::new() };
    let next = Landing { state, ..landing.clone() };
    match move_landing(store, landing, next, Some(Arrival::Dropped { by: by.handle.clone() }), by).await? {
        Move::Done(dropped) => Ok(*dropped),
        Move::Lost => {
            let now = store.get::<Landing>(&landing.id).await?.ok_or(CommandError::Gone)?;
            Err(not_now(&now, "it went on while this was asked"))
        }
    }
}

/// Returns whether a landing in a state can be tried again; of one that has landed, only its push can.
#[must_use]
pub fn can_retry(state: LandingStateName) -> bool {
    match state {
        LandingStateName::Review | LandingStateName::Waiting | LandingStateName::Stuck | LandingStateName::Dropped => {
            true
        }
        LandingStateName::Queued
        | LandingStateName::Cleared
        | LandingStateName::Returned
        | LandingStateName::Landed => false,
    }
}

/// Makes the mission of a landing land again, unless it has another holder.
async fn set_out(tx: &Transaction, landing: &Landing, now: types::Timestamp) -> Result<()> {
    let elsewhere = || not_now(landing, "its mission went another way");
    let mission = tx.get::<Mission>(&landing.mission).await?.ok_or_else(elsewhere)?;
    match missions::relaunch(&mission.record, landing, now) {
        Relaunch::OnItsWay => Ok(()),
        Relaunch::Elsewhere => Err(elsewhere()),
        Relaunch::Moved(step) => Ok(tx.move_mission(&mission, &step.mission)?),
    }
}

async fn rules_now(tx: &Transaction, landing: &Landing) -> Result<LandingRules> {
    let project = match &landing.project {
        Some(project) => tx.get::<Project>(project).await?,
        None => None,
    };
    let Some(project) = project else { return Ok(landing.rules.clone()) };
    let rules = project.record.landing;
    // Where the project names no target, it stays the one that it came for.
    let target = rules.target.clone().or_else(|| landing.rules.target.clone());
    Ok(LandingRules { target, ..rules })
}
