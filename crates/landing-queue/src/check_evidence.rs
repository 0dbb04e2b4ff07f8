//! Adds the checks that ran for a landing, with exit codes and output, to the report of the work that lands.

use store::{Store, Transaction, by};
use types::{CheckRun, Landing, LandingState, Obstacle, Report, Timestamp};

/// Adds the checks that ran for a landing to the report of its session, in the transaction that moves the landing.
///
/// # Errors
/// When the store fails.
pub(crate) async fn add_to_report(
    store: &Store,
    tx: &Transaction,
    landing: &Landing,
    now: Timestamp,
) -> Result<(), store::Error> {
    let Some(checks) = ran(&landing.state) else { return Ok(()) };
    let Some(found) = store.latest_report(by::report::session(&landing.session)).await? else { return Ok(()) };
    // Read again as part of the transaction: what was listed may have changed.
    let Some(held) = tx.get::<Report>(&found.id).await? else { return Ok(()) };
    let checked = reports::checked(&held.record, checks);
    tx.update(&held, &Report { updated_at: now, ..checked })
}

/// Returns the checks that ran before a landing came to this state, if any.
fn ran(state: &LandingState) -> Option<Vec<CheckRun>> {
    let checks = match state {
        LandingState::Landed { checks, .. } => checks.clone(),
        LandingState::Returned { obstacle, .. } | LandingState::Stuck { obstacle, .. } => match obstacle {
            Obstacle::Red { check } => vec![check.clone()],
            Obstacle::Conflict { .. } | Obstacle::Failed { .. } => Vec::new(),
        },
        LandingState::Queued { .. }
        | LandingState::Review { .. }
        | LandingState::Waiting { .. }
        | LandingState::Cleared { .. }
        | LandingState::Dropped { .. } => Vec::new(),
    };
    (!checks.is_empty()).then_some(checks)
}
