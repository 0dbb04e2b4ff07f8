//! From a folder that a client names to the project whose repository it is in, and the repositories that are allowed.

use std::path::{Path, PathBuf};

use api::Code;
use store::{Query, by};
use tokens::Member;
use types::Project;

use super::LIST_MAX;
use super::projects::{NewProject, existing_directory, path_taken, whole};
use crate::authority::Rule;
use crate::{Result, Service, authorize};

/// Who may have a project made of a repository.
const NEW: &str = "to work in a repository without a project";

impl Service {
    /// Finds the project that a folder belongs to, and makes one of its repository if there is none and the caller
    /// leads.
    ///
    /// An agent finds its own project alone, whatever else there is: by its folder, or by the worktree it works in.
    ///
    /// # Errors
    /// When the folder is in no git repository, in none that is allowed, or in one of another team.
    pub(crate) async fn project_of_repo(&self, member: &Member, path: &str) -> Result<Project> {
        if self.viewer(member).agent().is_some() {
            return self.own_project(member, path).await;
        }
        existing_directory(path).await?;
        let repository = self.workspaces.repository_folder(Path::new(path)).await;
        let repository = repository.map_err(super::workspaces::refused)?;
        self.allowed_folder(&repository).await?;
        let folders = [whole(path).await, whole(&repository.to_string_lossy()).await];
        if let Some(found) = self.project_at(member, &folders).await? {
            return Ok(found);
        }
        authorize::leading(member, true, NEW)?;
        let [_, folder] = &folders;
        let name = folder.file_name().map_or_else(|| "repository".into(), |name| name.to_string_lossy());
        let name = name.chars().take(100).collect();
        let new = NewProject::at(name, folder.to_string_lossy().into_owned());
        match self.add_project(member, new).await {
            // Another call was faster.
            Err(crate::Error::Refused(taken)) if taken.code == Code::PROJECT_PATH_TAKEN => {
                self.project_at(member, &folders).await?.ok_or_else(|| taken.into())
            }
            made => made,
        }
    }

    /// Returns the project of an agent if the folder is in it, without a look at any other folder.
    async fn own_project(&self, member: &Member, path: &str) -> Result<Project> {
        let foreign = || authorize::refused(Rule::SubMissionsOnly, member, path);
        let session = self.sessions.named(&member.team, &member.handle).await?.ok_or_else(foreign)?;
        let project = session.project.as_ref().ok_or_else(foreign)?;
        let project = self.project(member, project).await?;
        let asked = whole(path).await;
        let mut is_own = asked.starts_with(whole(&project.path).await);
        if let Some(workspace) = &session.workspace {
            is_own |= asked.starts_with(whole(&workspace.path).await);
        }
        if asked.is_absolute() && is_own {
            return Ok(project);
        }
        Err(foreign().into())
    }

    /// Finds the project with one of these folders, the first of them before the others.
    async fn project_at(&self, member: &Member, folders: &[PathBuf]) -> Result<Option<Project>> {
        let (who, mut found) = (self.viewer(member), None::<(usize, Project)>);
        let mut query = Query::latest(by::project::all(), LIST_MAX);
        loop {
            let page = self.store.list::<Project>(query.clone()).await?;
            for project in page.records {
                let path = whole(&project.path).await;
                let rank = folders.iter().position(|folder| *folder == path);
                if let Some(rank) = rank.filter(|rank| found.as_ref().is_none_or(|(best, _)| rank < best)) {
                    found = Some((rank, project));
                }
            }
            match page.next {
                Some(next) => query.after = Some(next),
                None => break,
            }
        }
        match found {
            Some((_, project)) if !who.sees(&project) => Err(path_taken(&project.path, None).into()),
            found => Ok(found.map(|(_, project)| project)),
        }
    }

    /// Refuses a folder outside of those that the settings allow, if they name any.
    pub(super) async fn allowed_folder(&self, folder: &Path) -> Result<()> {
        Ok(self.runner.check_folder(folder).await?)
    }
}
