//! Stating, finding and moving missions, whichever dialect asks.

use api::{Code, Error};
use missions::{Actor, Move, Statement};
use store::{Held, Transaction, by};
use tokens::Member;
use types::{Event, Mission, MissionId, MissionState, Project, ProjectId, Uid};

use super::not_found;
use crate::{Result, Service};

/// Refuses a callback to what is not an http URL; an empty one means no callback.
pub(super) fn tellable(url: Option<&str>) -> Result<()> {
    match url.filter(|url| !url.is_empty()).map(callbacks::target) {
        Some(Err(refused)) => Err(Error::new(Code::FIELDS_INVALID, format!("callback_url: {}", refused.0))
            .hint("Give it as `https://example.org/done`.")
            .into()),
        Some(Ok(_)) | None => Ok(()),
    }
}

impl Service {
    /// Stores a new mission, with a number of its own if it has a project, whose team it then belongs to.
    pub(super) async fn state(
        &self,
        member: &Member,
        project: Option<&ProjectId>,
        mut said: Statement,
    ) -> Result<Mission> {
        let found = match project {
            Some(project) => self.store.get::<Project>(project).await?,
            None => None,
        };
        said.sandbox = self.walls_for_new(member, found.as_ref(), &said.sandbox).await?;
        if let Some(project) = found {
            said.team = project.team;
        }
        let said = &said;
        let by = self.stamp(member, &said.team);
        self.store
            .transact(&by, |tx| async move {
                let id = self.draw_id(MissionId::from_code)?;
                self.add_stated(&tx, member, project, id, said.clone()).await
            })
            .await
    }

    /// Stores a new mission under an id that is free, in a transaction.
    pub(super) async fn add_stated(
        &self,
        tx: &Transaction,
        member: &Member,
        project: Option<&ProjectId>,
        id: MissionId,
        said: Statement,
    ) -> Result<Mission> {
        for other in said.depends_on.iter().chain(&said.parent) {
            existing(tx, member, other).await?;
        }
        let project = match project {
            Some(project) => Some(numbered(tx, member, project).await?),
            None => None,
        };
        let said = Statement { project, ..said };
        let mission = missions::create(id, said, member.handle.clone(), self.clock.now());
        self.no_wider_mission(member, &mission, mission.allowed_tools.is_some()).await?;
        tx.insert(&mission)?;
        tx.append(Event::MissionCreated { mission: mission.id.clone() });
        if let Some(to) = &mission.assignee {
            let from = Uid::of(&mission.team, &mission.created_by);
            tx.append(Event::MissionAssigned { mission: mission.id.clone(), to: to.clone(), from });
        }
        Ok(mission)
    }

    /// Reads a mission that the member may see.
    pub(crate) async fn mission(&self, member: &Member, id: &MissionId, noun: &str) -> Result<Mission> {
        self.read_seen(member, id, || not_found::mission(noun)).await
    }

    /// Moves a mission one step, in a transaction of its own.
    pub(crate) async fn step(&self, member: &Member, id: &MissionId, step: Move, noun: &str) -> Result<Mission> {
        let step = &step;
        let by = self.stamp(member, &self.mission(member, id, noun).await?.team);
        self.store
            .transact(&by, |tx| async move {
                let held = held_mission(&tx, member, id, noun).await?;
                let moved = self.moved(&tx, member, &held.record, step.clone()).await?;
                tx.move_mission(&held, &moved)?;
                Ok(moved)
            })
            .await
    }

    /// Decides a step; a mission that is there already comes back as it was.
    pub(super) async fn moved(
        &self,
        tx: &Transaction,
        member: &Member,
        mission: &Mission,
        step: Move,
    ) -> Result<Mission> {
        let unresolved = if step == Move::Finish { sessions::unresolved(tx, mission).await? } else { Vec::new() };
        let actor = Actor { handle: member.handle.clone(), role: member.role, is_agent: member.session.is_some() };
        match missions::advance(mission, step, &actor, unresolved, self.clock.now()) {
            Ok(None) => Ok(mission.clone()),
            Ok(Some(moved)) => Ok(moved.mission),
            Err(refusal) => Err(refused(refusal).into()),
        }
    }
}

/// Reads a mission for a change.
pub(super) async fn held_mission(
    tx: &Transaction,
    member: &Member,
    id: &MissionId,
    noun: &str,
) -> Result<Held<Mission>> {
    let held = tx.get::<Mission>(id).await?.filter(|held| member.sees(&held.record.team));
    held.ok_or_else(|| not_found::mission(noun).into())
}

/// Checks that a mission which another is to wait for, or to be made for, exists.
pub(super) async fn existing(tx: &Transaction, member: &Member, id: &MissionId) -> Result<Mission> {
    let held = tx.get::<Mission>(id).await?.filter(|held| member.sees(&held.record.team));
    held.map(|held| held.record).ok_or_else(|| not_found::dependency(id.as_str()).into())
}

async fn numbered(tx: &Transaction, member: &Member, id: &ProjectId) -> Result<(ProjectId, u64)> {
    let project = tx.get::<Project>(id).await?.filter(|held| member.sees(&held.record.team));
    match project {
        None => Err(not_found::project_named().into()),
        Some(held) if held.record.deleting => Err(super::project_removal::being_deleted(id).into()),
        Some(_) => Ok((id.clone(), tx.next_number(&by::mission::number(id)).await?)),
    }
}

/// Requires that a mission has no holder.
pub(super) fn not_held(mission: &Mission) -> Result<()> {
    match &mission.state {
        MissionState::Held { holder: types::Holder::Agent { handle }, .. } => {
            Err(refused(missions::Refusal::Held { mission: mission.id.clone(), holder: handle.clone() }).into())
        }
        MissionState::Held { holder: types::Holder::Session { session, .. }, .. } => {
            let (mission, session) = (mission.id.clone(), session.clone());
            Err(refused(missions::Refusal::InSession { mission, session }).into())
        }
        MissionState::Landing { landing, .. } => {
            let (mission, landing) = (mission.id.clone(), landing.clone());
            Err(refused(missions::Refusal::Landing { mission, landing }).into())
        }
        MissionState::Draft
        | MissionState::Ready { .. }
        | MissionState::Parked { .. }
        | MissionState::Done { .. }
        | MissionState::Failed { .. }
        | MissionState::Cancelled { .. } => Ok(()),
    }
}

pub(crate) fn refused(refusal: missions::Refusal) -> Error {
    let message = refusal.to_string();
    match refusal {
        missions::Refusal::Held { holder, .. } => Error::new(Code::MISSION_HELD, message)
            .hint(format!("Ask `{holder}` to release it, or act as a lead of its team.")),
        missions::Refusal::Landing { landing, .. } => Error::new(Code::MISSION_HELD, message)
            .hint(format!("Take it out of the queue first: `fleet land drop {landing}`.")),
        missions::Refusal::InSession { session, .. } => Error::new(Code::MISSION_HELD, message)
            .hint(format!("End the session first: `fleet session cancel {session}`.")),
        missions::Refusal::Unproven { .. } => Error::new(Code::MISSION_UNPROVEN, message).hint(
            "Commit your work, submit your report (submit_report) and end; cancel a sub-mission that is not needed.",
        ),
        missions::Refusal::Unresolved { blockers, mission } => {
            let blockers: Vec<String> = blockers.into_iter().map(String::from).collect();
            Error::new(Code::DEPENDENCY_UNRESOLVED, "Cannot resolve task: blocked by unresolved tasks")
                .hint(format!("Resolve these first, or take them away; `fleet why {mission}` says how they stand."))
                .with("blockedBy", blockers)
        }
    }
}
