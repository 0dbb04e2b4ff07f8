//! Why a mission that is not ready does not run.

use types::MissionState;

use crate::Why;

/// Says why a mission in a state does not run, or who runs it; none for a ready one, for which [`Plan::why`] knows.
///
/// [`Plan::why`]: crate::Plan::why
#[must_use]
pub fn why(state: &MissionState) -> Option<Why> {
    Some(match state.clone() {
        MissionState::Ready { .. } => return None,
        MissionState::Draft => Why::Draft,
        MissionState::Held { holder, since, .. } => Why::Held { holder, since },
        MissionState::Landing { since, .. } => Why::Landing { since, progress: None },
        MissionState::Parked { why, until } => Why::Parked { why, until },
        MissionState::Done { at, proof } => Why::Done { at, proof },
        MissionState::Failed { at, failure } => Why::Failed { at, failure, text: None },
        MissionState::Cancelled { at, by } => Why::Cancelled { at, by },
    })
}
