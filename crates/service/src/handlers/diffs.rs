//! What the branch of a mission changes.

use std::path::Path;

use api::devfleet::{DiffMission, MissionDiff};
use api::{Code, Error};
use store::{Query, by};
use types::{Mission, Session, SessionId, Tree, Workspace};

use super::LIST_MAX;
use super::workspaces::refused;
use crate::{Caller, Handle, Result, Service};

const NOUN: &str = "Mission";

impl Handle<DiffMission> for Service {
    async fn handle(&self, caller: &Caller, op: DiffMission) -> Result<MissionDiff> {
        let mission = self.mission(caller.member()?, &op.mission, NOUN).await?;
        let (session, workspace, tree) = self.last_branch(&mission).await?;
        let target = self.target_of(&mission).await?;
        let seen = self.workspaces.seen(&workspace, target.as_deref()).await.map_err(refused)?;
        let (patch, truncated) = match op.max_bytes {
            0 => (String::new(), false),
            max => self.workspaces.patch(&workspace, target.as_deref(), max).await.map_err(refused)?,
        };
        let uncommitted = match Path::new(&workspace.path).is_dir() {
            true => self.workspaces.status(&workspace).await.ok().map(|status| status.is_dirty()),
            false => None,
        };
        Ok(MissionDiff {
            mission: mission.id,
            session,
            branch: tree.branch,
            base: tree.base,
            worktree: workspace.path,
            uncommitted,
            commits: seen.commits.into_iter().map(Into::into).collect(),
            more_commits: seen.more_commits,
            files: seen.files.into_iter().map(Into::into).collect(),
            patch,
            truncated,
        })
    }
}

impl Service {
    /// Finds the newest session of a mission that has a branch.
    async fn last_branch(&self, mission: &Mission) -> Result<(SessionId, Workspace, Tree)> {
        let query = Query::latest(by::session::mission(&mission.id), LIST_MAX);
        for session in self.store.list::<Session>(query).await?.records {
            // The record follows what is live.
            let session = self.sessions.live(&session.id).map_or(session, |live| live.session);
            let Some(workspace) = session.workspace else { continue };
            if let Some(tree) = workspace.worktree.clone() {
                return Ok((session.id, workspace, tree));
            }
        }
        Err(Error::new(Code::WORKSPACE_REFUSED, format!("mission `{}` has no branch yet", mission.id))
            .hint(format!("`fleet why {}` says what it waits for; `fleet dispatch {0}` starts it.", mission.id))
            .into())
    }

    async fn target_of(&self, mission: &Mission) -> Result<Option<String>> {
        let Some(project) = self.project_of(mission).await? else { return Ok(None) };
        let rules = sessions::landing_rules(&self.workspaces, &project.landing, Path::new(&project.path)).await;
        Ok(rules.ok().and_then(|rules| rules.target))
    }
}
