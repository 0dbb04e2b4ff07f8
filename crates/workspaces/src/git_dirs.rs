//! Where git keeps what belongs to a workspace, read from the files that say so.

use std::path::{Path, PathBuf};

use types::Workspace;

use crate::Workspaces;
use crate::{files, list};

impl Workspaces {
    /// Returns the git directory of a workspace and the one that all worktrees of its repository share; none for a
    /// folder without git, or with all of it inside. Blocks.
    #[must_use]
    pub fn git_dirs(&self, workspace: &Workspace) -> Option<(PathBuf, PathBuf)> {
        let folder = Path::new(&workspace.path);
        if folder.join(".git").is_dir() {
            return None;
        }
        if let Some(own) = list::git_dir_of(folder) {
            let shared = files::text(&own.join("commondir")).ok().flatten();
            let common = shared.map_or_else(|| own.clone(), |shared| own.join(shared.trim_end()));
            return Some((own.canonicalize().ok()?, common.canonicalize().ok()?));
        }
        // A folder inside of a checkout.
        let above = folder.ancestors().skip(1).map(|folder| folder.join(".git")).find(|git| git.is_dir())?;
        Some((above.clone(), above))
    }
}
