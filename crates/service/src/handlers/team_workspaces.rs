//! Which workspaces and repositories a caller may act on: those of its team; the owner all of them.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use api::{Code, Error};
use store::{Query, by};
use tokens::Member;
use types::{Project, Session, SessionId};
use workspaces::{Kept, Listed, Purpose};

use super::LIST_MAX;
use super::workspaces::refused;
use crate::authority::Viewer;
use crate::{Result, Service};

/// What a caller sees of the folders that sessions work in.
pub(super) struct TeamWorkspaces {
    who: Viewer,
    /// The repositories of its team's projects; empty for the owner, who needs no list.
    repositories: BTreeSet<PathBuf>,
}

impl Service {
    /// Finds what a caller sees.
    pub(super) async fn team_workspaces(&self, member: &Member) -> Result<TeamWorkspaces> {
        let who = self.viewer(member);
        let mut repositories = BTreeSet::new();
        if who != Viewer::Owner {
            let mut query = Query::latest(by::project::team(&member.team), LIST_MAX);
            loop {
                let page = self.store.list::<Project>(query.clone()).await?;
                for project in page.records.iter().filter(|project| who.sees(*project)) {
                    repositories.extend(self.workspaces.repository_folder(Path::new(&project.path)).await.ok());
                }
                match page.next {
                    Some(next) => query.after = Some(next),
                    None => break,
                }
            }
        }
        Ok(TeamWorkspaces { who, repositories })
    }

    /// Whether a workspace belongs to the caller's team: by its session, or by its repository if it has none.
    pub(super) async fn is_of_team(&self, team: &TeamWorkspaces, one: &Listed) -> Result<bool> {
        if team.who == Viewer::Owner {
            return Ok(true);
        }
        match &one.purpose {
            Purpose::Session { session } | Purpose::Unfinished { session: Some(session) } => {
                self.is_session_of_team(team, session).await
            }
            Purpose::Pool | Purpose::Unfinished { session: None } => match &one.repository {
                Some(repository) => Ok(self.is_repository_of_team(team, repository).await),
                None => Ok(false),
            },
            Purpose::Foreign => Ok(false),
        }
    }

    async fn is_session_of_team(&self, team: &TeamWorkspaces, session: &str) -> Result<bool> {
        let Ok(id) = session.parse::<SessionId>() else { return Ok(false) };
        Ok(self.store.get::<Session>(&id).await?.is_some_and(|session| team.who.sees(&session)))
    }

    async fn is_repository_of_team(&self, team: &TeamWorkspaces, folder: &Path) -> bool {
        let folder = self.workspaces.repository_folder(folder).await;
        folder.is_ok_and(|folder| team.repositories.contains(&folder))
    }

    /// Refuses a folder that is in no repository of the caller's team, in the same words whether there is one.
    pub(super) async fn repository_of_team(&self, team: &TeamWorkspaces, folder: &str) -> Result<()> {
        if team.who == Viewer::Owner || self.is_repository_of_team(team, Path::new(folder)).await {
            return Ok(());
        }
        let message = format!("`{folder}` is in no repository of a project of your team");
        Err(Error::new(Code::WORKSPACE_REFUSED, message).hint("`fleet project list` shows their folders.").into())
    }

    /// Lists the snapshots of a repository that the caller sees: not those of sessions of other teams.
    pub(super) async fn snapshots_of_team(&self, team: &TeamWorkspaces, folder: &str) -> Result<Vec<Kept>> {
        self.repository_of_team(team, folder).await?;
        let mut seen = Vec::new();
        for kept in self.workspaces.snapshots(Path::new(folder)).await.map_err(refused)? {
            let is_seen = match (&kept.session, &team.who) {
                (_, Viewer::Owner) | (None, _) => true,
                (Some(session), _) => self.is_session_of_team(team, session).await?,
            };
            seen.extend(is_seen.then_some(kept));
        }
        Ok(seen)
    }

    /// Refuses a snapshot that the caller does not see.
    pub(super) async fn snapshot_of_team(&self, team: &TeamWorkspaces, folder: &str, snapshot: &str) -> Result<()> {
        if team.who == Viewer::Owner {
            return Ok(());
        }
        match self.snapshots_of_team(team, folder).await?.iter().any(|kept| kept.snapshot == snapshot) {
            true => Ok(()),
            false => {
                let message = format!("`{folder}` has no snapshot `{snapshot}`");
                let hint = format!("List them: `fleet workspace snapshots {folder}`.");
                Err(Error::new(Code::WORKSPACE_REFUSED, message).hint(hint).into())
            }
        }
    }
}
