//! Where agents may work at all: in the folders that the setting `allowed_repos` names.

use std::path::{Path, PathBuf};

use crate::{Refusal, Result, Runner};

impl Runner {
    /// Refuses a folder outside of those that the settings allow, if they name any; links are followed first.
    ///
    /// # Errors
    /// [`Refusal::FolderNotAllowed`].
    pub async fn check_folder(&self, folder: &Path) -> Result<()> {
        let settings = self.settings();
        if settings.allowed_repos.is_empty() {
            return Ok(());
        }
        let asked = tokio::fs::canonicalize(folder).await.unwrap_or_else(|_| PathBuf::from(folder));
        for allowed in &settings.allowed_repos {
            // A folder that is not there allows nothing.
            if tokio::fs::canonicalize(allowed).await.is_ok_and(|allowed| asked.starts_with(allowed)) {
                return Ok(());
            }
        }
        Err(Refusal::FolderNotAllowed { folder: folder.to_owned() }.into())
    }
}
