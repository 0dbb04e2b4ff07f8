//! Prepares the git directory of a checkout that an agent works in directly.

use std::path::Path;

use crate::command::Git;
use crate::disk;
use crate::error::Error;

impl Git {
    /// Prepares the git directory of a checkout that an agent works in directly: what is kept from the agent must
    /// exist, and nothing may lead git to other settings.
    ///
    /// # Errors
    /// When the disk fails.
    pub async fn keep_own(&self, git_dir: &Path) -> Result<(), Error> {
        let git_dir = git_dir.to_owned();
        runtime::blocking(move || {
            if !git_dir.join("HEAD").exists() {
                return Ok(());
            }
            disk::create_dirs(&git_dir.join("hooks"))?;
            // Only that of an added worktree has one, and it is not the git directory of a checkout.
            disk::remove_file(&git_dir.join("commondir"))
        })
        .await
    }
}
