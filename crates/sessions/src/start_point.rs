//! What a new session on a project starts from: the branch that its work lands on, and branches merged on it.

use std::path::Path;

use types::Project;
use workspaces::Combined;

use crate::landing_rules::landing_rules;
use crate::manager::SessionManager;

impl SessionManager {
    /// Returns the branch that the work of a project lands on; none if the project does not settle it.
    pub async fn target_branch(&self, project: &Project) -> Option<String> {
        let settled = project.landing.settled_target()?.to_owned();
        let workspaces = self.0.parts.workspaces.as_ref();
        let rules = landing_rules(workspaces, &project.landing, Path::new(&project.path)).await;
        // A `fleet.toml` that cannot be read is reported when something is to land, and does not stop work.
        Some(rules.ok().and_then(|rules| rules.target).unwrap_or(settled))
    }

    /// Returns the branch that a folder is on; none if it is on none, or in no repository.
    pub async fn head_branch(&self, folder: &Path) -> Option<String> {
        self.0.parts.workspaces.head_branch(folder).await.ok().flatten()
    }

    /// Merges branches in their order on the target branch, in memory.
    ///
    /// # Errors
    /// As a message, when git fails.
    pub async fn combine(&self, folder: &Path, target: Option<&str>, branches: &[String]) -> Result<Combined, String> {
        let combined = self.0.parts.workspaces.combine(folder, target, branches).await;
        combined.map_err(|error| error.to_string())
    }
}
