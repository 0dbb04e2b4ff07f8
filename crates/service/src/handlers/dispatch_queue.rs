//! A mission that is dispatched while no slot is free: it waits in the same queue as those that start by themselves, by
//! its priority and its age.

use api::devfleet::{Dispatched, MissionStatus};
use missions::{Edit, Move};
use sessions::Refusal;
use tokens::Member;
use types::{Event, MissionId};

use super::mission_commands::held_mission;
use crate::{Result, Service};

const NOUN: &str = "Mission";

impl Service {
    /// Queues a mission, with what it was to be started with.
    pub(super) async fn queue_mission(&self, member: &Member, id: &MissionId, edit: &Edit) -> Result<Dispatched> {
        let before = self.mission(member, id, NOUN).await?;
        let project = self.project_of(&before).await?;
        let by = self.stamp(member, &before.team);
        let queued = self.store.transact(&by, |tx| async move {
            let held = held_mission(&tx, member, id, NOUN).await?;
            let blockers = sessions::unmet(&tx, &held.record).await?;
            if !blockers.is_empty() {
                let refusal = Refusal::Mission(missions::Refusal::Unresolved { mission: id.clone(), blockers });
                return Err(sessions::Error::from(refusal).into());
            }
            let edited = missions::edit(&held.record, edit.clone(), self.clock.now());
            if edited != held.record {
                tx.append(Event::MissionUpdated { mission: edited.id.clone() });
            }
            let moved = self.moved(&tx, member, &edited, Move::Open).await?;
            tx.move_mission(&held, &moved)?;
            Ok::<_, crate::Error>(moved)
        });
        let mission = queued.await?;
        let model = self.shown_model(&mission, project.as_ref());
        Ok(Dispatched { session_id: None, status: MissionStatus::Queued, model })
    }
}
