//! What commands of a repository may reach that run for a project: recipes and checks.
//!
//! The settings and the project say it as for agents, the repository's file on the target branch only narrows it.

use std::path::{Path, PathBuf};

use sandbox::{CommandRules, Limits};
use types::{LandingRules, Place, Project, ProjectId, SaidBy, SandboxRules, SandboxWish};
use workspaces::RecipeRules;

use crate::landing_rules::{file_that_counts, says_something};
use crate::manager::{SessionManager, Shared};

impl SessionManager {
    /// Returns what commands may reach that a project runs in a repository; `narrower` are levels that can only
    /// narrow it, such as the mission whose work is checked.
    ///
    /// # Errors
    /// As a message, when git fails or the repository's file is invalid: then it is unknown what they may reach.
    pub async fn command_rules(
        &self,
        project: Option<&Project>,
        folder: &Path,
        narrower: &[(SaidBy, &SandboxRules)],
    ) -> Result<CommandRules, String> {
        Ok(self.0.recipe_rules(project, folder, narrower).await?.sandbox)
    }
}

impl Shared {
    /// Returns which branch has the recipe of a repository, and what commands may reach there.
    async fn recipe_rules(
        &self,
        project: Option<&Project>,
        folder: &Path,
        narrower: &[(SaidBy, &SandboxRules)],
    ) -> Result<RecipeRules, String> {
        let settings = self.settings();
        let mut wish = SandboxWish::of_settings(&settings.sandbox_rules());
        if let Some(project) = project {
            wish = wish.and(SaidBy::Project, &project.sandbox);
        }
        wish = narrower.iter().fold(wish, |wish, (by, rules)| wish.narrowed(*by, rules));
        let landing = project.map_or_else(LandingRules::default, |project| project.landing.clone());
        let mut branch = landing.target.clone();
        let workspaces = self.parts.workspaces.as_ref();
        if says_something(workspaces, &landing, folder).await
            && let Some((counts, rules)) = file_that_counts(workspaces, &landing, folder).await?
        {
            wish = wish.narrowed(SaidBy::File, &rules);
            branch = Some(counts);
        }
        Ok(RecipeRules {
            branch,
            sandbox: CommandRules { wish, limits: limits(&settings), caches: settings.sandbox_caches.clone() },
        })
    }

    /// Returns how the recipe of a place is followed for a project.
    pub(crate) async fn recipe_of(
        &self,
        project: Option<&ProjectId>,
        place: &Place,
    ) -> crate::Result<Result<RecipeRules, String>> {
        let folder = match place {
            Place::InPlace { .. } => return Ok(Ok(RecipeRules::default())),
            Place::Worktree { folder, .. } | Place::Inherit { folder, .. } => Path::new(folder),
        };
        let project = match project {
            Some(project) => self.parts.store.get::<Project>(project).await?,
            None => None,
        };
        Ok(self.recipe_rules(project.as_ref(), folder, &[]).await)
    }
}

/// Returns how much of the machine one session, or one command, may use; 0 sets no limit.
pub(crate) fn limits(settings: &config::Settings) -> Limits {
    let limit = |most: u32| (most > 0).then_some(most);
    Limits {
        processes: limit(settings.sandbox_processes),
        open_files: limit(settings.sandbox_open_files),
        memory_mb: limit(settings.sandbox_memory_mb),
        file_mb: limit(settings.sandbox_file_mb),
        together_mb: match settings.sandbox_session_memory_mb {
            None => Limits::usually_together(),
            Some(most) => limit(most),
        },
    }
}

/// Returns what belongs to Fleet alone, and no agent and no command sees; SQLite keeps files beside its database.
#[must_use]
pub fn hidden(home: Option<&Path>, settings: &config::Settings) -> Vec<PathBuf> {
    let database = ["", "-wal", "-shm", "-journal"].map(|end| {
        let mut name = settings.db_path.clone().into_os_string();
        name.push(end);
        PathBuf::from(name)
    });
    home.into_iter().map(Path::to_owned).chain([settings.worktrees_dir.clone()]).chain(database).collect()
}
