//! Removing a project with all of its missions, which is more than one commit can hold.
//!
//! The project is marked first, so that no mission slips in; then its missions go, each in a commit of its own; last
//! the project. Cut off half-way, the mark stays and the same call continues where it stopped.

use api::devfleet::{DeleteProject, Deleted};
use api::{Code, Error};
use futures::{StreamExt, TryStreamExt, stream};
use store::{Query, by};
use tokens::Member;
use types::{Event, Mission, Project, ProjectId, StateName};

use super::LIST_MAX;
use super::projects::held_project;
use crate::{Caller, Handle, Result, Service};

/// Missions removed at the same time, so that their commits share a disk write.
const AT_ONCE: usize = 32;

impl Handle<DeleteProject> for Service {
    async fn handle(&self, caller: &Caller, op: DeleteProject) -> Result<Deleted> {
        let member = caller.member()?;
        let project = self.project(member, &op.project).await?;
        if self.store.count(&by::mission::project_count(&project.id, StateName::Held)) > 0 {
            return Err(at_work(&project.id).into());
        }
        self.mark_deleting(member, &project, true).await?;
        match self.delete_missions(member, &project.id).await {
            Ok(()) => self.drop_project(member, &project).await.map_err(cut_off)?,
            // The mark stays: without the store nothing can be taken back, and the same call continues from here.
            Err(error @ crate::Error::Store(_)) => return Err(cut_off(error)),
            Err(error) => {
                self.mark_deleting(member, &project, false).await.map_err(cut_off)?;
                return Err(error);
            }
        }
        Ok(Deleted::OK)
    }
}

impl Service {
    async fn mark_deleting(&self, member: &Member, project: &Project, deleting: bool) -> Result<()> {
        let by = self.stamp(member, &project.team);
        self.store
            .transact(&by, |tx| async move {
                let held = held_project(&tx, member, &project.id).await?;
                let marked = Project { deleting, ..held.record.clone() };
                tx.update(&held, &marked)?;
                Ok(())
            })
            .await
    }

    async fn delete_missions(&self, member: &Member, project: &ProjectId) -> Result<()> {
        loop {
            let query = Query::latest(by::mission::project(project), LIST_MAX);
            let missions = self.store.list::<Mission>(query).await?.records;
            if missions.is_empty() {
                return Ok(());
            }
            stream::iter(missions)
                .map(|mission| async move { self.delete_mission(member, &mission.id).await })
                .buffer_unordered(AT_ONCE)
                .try_collect::<()>()
                .await?;
        }
    }

    async fn drop_project(&self, member: &Member, project: &Project) -> Result<()> {
        let by = self.stamp(member, &project.team);
        self.store
            .transact(&by, |tx| async move {
                let held = held_project(&tx, member, &project.id).await?;
                self.drop_servers(&tx, project).await?;
                tx.delete(&held);
                tx.append(Event::ProjectDeleted { project: project.id.clone() });
                Ok(())
            })
            .await
    }
}

/// The store's own words would say that nothing was changed, and by now something was.
fn cut_off(error: crate::Error) -> crate::Error {
    match error {
        crate::Error::Store(error) => {
            tracing::error!(%error, "deletion of a project was cut off");
            let message = "the store stopped answering; the project is still there, some of its missions are gone";
            Error::new(Code::STORE_UNAVAILABLE, message).hint("Delete the project again once the store answers.").into()
        }
        other @ (crate::Error::Refused(_) | crate::Error::Session(_) | crate::Error::Fault(_)) => other,
    }
}

fn at_work(project: &ProjectId) -> Error {
    Error::new(Code::PROJECT_BUSY, format!("missions of project `{project}` are being worked on"))
        .hint("Wait for them or cancel them; `fleet mission list --status running` shows them.")
}

/// The refusal of a new mission in a project that is on its way out.
pub(super) fn being_deleted(project: &ProjectId) -> Error {
    Error::new(Code::PROJECT_BUSY, format!("project `{project}` is being deleted"))
        .hint("If the deletion was cut off, delete the project again.")
}
