//! Waiting for a mission to come to rest, without looking again and again.

use std::time::Duration;

use runtime::Kind;
use types::{Mission, MissionId, MissionState};

use crate::Result;
use crate::manager::SessionManager;

impl SessionManager {
    /// Waits until nobody works on a mission and nothing will by itself; none if that takes too long or the server stops.
    ///
    /// # Errors
    /// When the store fails.
    pub async fn at_rest(&self, mission: &MissionId, at_most: Duration) -> Result<Option<Mission>> {
        let parts = &self.0.parts;
        // Listened to before the look, so that what happens in between is heard.
        let mut tail = parts.store.tail(parts.store.position());
        let stop = parts.tree.stop_of(Kind::Listener);
        let rest = async {
            loop {
                let found = parts.store.get::<Mission>(mission).await?;
                if found.as_ref().is_none_or(|found| rests(&found.state)) {
                    return Ok(found);
                }
                while !tail.next().await?.change.events.iter().any(|event| event.mission() == Some(mission)) {}
            }
        };
        tokio::select! {
            biased;
            found = parts.clock.timeout(at_most, rest) => found.unwrap_or(Ok(None)),
            () = stop.asked() => Ok(None),
        }
    }
}

fn rests(state: &MissionState) -> bool {
    match state {
        MissionState::Draft
        | MissionState::Done { .. }
        | MissionState::Failed { .. }
        | MissionState::Cancelled { .. }
        // Somebody must see to it.
        | MissionState::Parked { until: None, .. } => true,
        MissionState::Ready { .. }
        | MissionState::Held { .. }
        | MissionState::Landing { .. }
        | MissionState::Parked { until: Some(_), .. } => false,
    }
}
