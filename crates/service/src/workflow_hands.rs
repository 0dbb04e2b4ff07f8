//! What workflows do outside of their records: missions are stopped and landed as a person would.

use std::sync::Arc;

use async_trait::async_trait;
use missions::Move;
use store::Query;
use tokens::Member;
use types::{Holder, Landing, LandingStateName, Mission, MissionId, MissionState};

use crate::{Result, Service};

/// Stops and lands missions for the runner of workflows.
#[derive(Debug)]
pub struct WorkflowHands(pub Arc<Service>);

#[async_trait]
impl workflow_runner::Hands for WorkflowHands {
    async fn stop(&self, mission: &MissionId) -> std::result::Result<(), String> {
        self.0.call_off(mission).await.map_err(|error| error.to_string())
    }

    async fn land(&self, mission: &MissionId) -> std::result::Result<(), String> {
        self.0.land_work_of(mission).await.map_err(|error| error.to_string())
    }
}

impl Service {
    /// Ends a mission that is not over: its landing, its session, then itself.
    async fn call_off(&self, id: &MissionId) -> Result<()> {
        let owner = Member::owner();
        let Some(mission) = self.store.get::<Mission>(id).await? else { return Ok(()) };
        match &mission.state {
            MissionState::Done { .. } | MissionState::Failed { .. } | MissionState::Cancelled { .. } => return Ok(()),
            MissionState::Held { holder: Holder::Session { session, .. }, .. } => {
                self.sessions.stop(session, &owner.handle).await?;
            }
            MissionState::Landing { .. } => {
                let query = Query::latest(store::by::landing::mission(id), 1);
                if let Some(landing) = self.store.list::<Landing>(query).await?.records.pop()
                    && landing.state.name() != LandingStateName::Landed
                {
                    let stamp = self.stamp(&owner, &landing.team);
                    landing_queue::drop_landing(&self.store, &landing, &stamp).await?;
                }
            }
            MissionState::Draft
            | MissionState::Ready { .. }
            | MissionState::Parked { .. }
            | MissionState::Held { holder: Holder::Agent { .. }, .. } => {}
        }
        // What its session left open is closed too.
        let left = self.store.get::<Mission>(id).await?.map(|mission| mission.state);
        match left {
            Some(
                MissionState::Draft
                | MissionState::Ready { .. }
                | MissionState::Parked { .. }
                | MissionState::Held { holder: Holder::Agent { .. }, .. },
            ) => self.step(&owner, id, Move::Cancel, "Mission").await.map(drop),
            Some(
                MissionState::Held { .. }
                | MissionState::Landing { .. }
                | MissionState::Done { .. }
                | MissionState::Failed { .. }
                | MissionState::Cancelled { .. },
            )
            | None => Ok(()),
        }
    }

    /// Puts the work of a mission that is done into the landing queue.
    async fn land_work_of(&self, id: &MissionId) -> Result<()> {
        let Some(mission) = self.store.get::<Mission>(id).await? else { return Ok(()) };
        match &mission.state {
            MissionState::Done { .. } => self.land(&Member::owner(), &mission).await.map(drop),
            MissionState::Draft
            | MissionState::Ready { .. }
            | MissionState::Held { .. }
            | MissionState::Landing { .. }
            | MissionState::Parked { .. }
            | MissionState::Failed { .. }
            | MissionState::Cancelled { .. } => Ok(()),
        }
    }
}
