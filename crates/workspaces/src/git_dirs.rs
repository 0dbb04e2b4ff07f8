//! Where git keeps what belongs to a workspace: what an agent may write to depends on it.
//!
//! The agent of a worktree gets a git directory of its own, beside the worktrees. For a folder that is worked in
//! directly, the files that lead to its git directory lie in the workspace, and an agent can make them lead anywhere. So
//! they are believed only if what they lead to leads back, which is out of its reach.

use std::path::{Path, PathBuf};

use types::Workspace;

use crate::Workspaces;
use crate::error::Error;
use crate::source::Source;
use crate::{files, list};

/// The folder of sessions' own git directories, beside the worktrees of a repository.
const PRIVATE: &str = ".private";

impl Workspaces {
    /// Makes the git directory of a workspace ready for its agent, takes over what an agent before it did there, and
    /// returns it with the one that all worktrees of its repository share, the same for a checkout; none for a folder
    /// without git, or with one that is not its own.
    ///
    /// # Errors
    /// When the agent left what cannot be taken over, or git or the disk fails.
    pub async fn git_dirs(&self, workspace: &Workspace) -> Result<Option<(PathBuf, PathBuf)>, Error> {
        if let Some(tree) = &workspace.worktree {
            let source = self.source(Path::new(&tree.repository)).await?;
            let worktree = source.repository.worktree(Path::new(&workspace.path)).await?;
            source.remember()?;
            let own = worktree.give_private(&private_place(&source.home, worktree.git_dir())).await?;
            return Ok(Some((own, worktree.common_dir().to_owned())));
        }
        let folder = PathBuf::from(&workspace.path);
        let found = runtime::blocking(move || in_place(&folder.canonicalize().ok()?)).await;
        if let Some((own, common)) = &found
            && own == common
        {
            self.inner().git.keep_own(common).await?;
        }
        Ok(found)
    }

    /// Takes over what the agent of a worktree has done, if the worktree is there.
    pub(crate) async fn take_over(&self, source: &Source, path: &Path) -> Result<(), Error> {
        match source.repository.worktree(path).await {
            Ok(worktree) => Ok(worktree.take_over().await?),
            Err(git::Error::NoWorktree { .. }) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }
}

/// Where a session's own git directory is: its registration has a name that no other one of the repository has.
fn private_place(home: &Path, registration: &Path) -> PathBuf {
    home.join(PRIVATE).join(registration.file_name().unwrap_or_default())
}

/// A checkout, a worktree of the user's, or a folder inside of a checkout.
fn in_place(folder: &Path) -> Option<(PathBuf, PathBuf)> {
    let is_folder = |path: &Path| path.symlink_metadata().is_ok_and(|found| found.is_dir());
    let inside = folder.join(".git");
    if is_folder(&inside) {
        return Some((inside.clone(), inside));
    }
    if inside.symlink_metadata().is_ok() {
        let own = list::linked_dir(folder)?.canonicalize().ok()?;
        let back = files::text(&own.join("gitdir")).ok()??;
        let common = own.parent().filter(|above| above.ends_with("worktrees"))?.parent()?;
        return (Path::new(back.trim_end()) == inside).then(|| (own.clone(), common.to_owned()));
    }
    let above = folder.ancestors().skip(1).map(|folder| folder.join(".git")).find(|git| is_folder(git))?;
    // Not everything of that name is a repository.
    above.join("HEAD").symlink_metadata().ok()?;
    Some((above.clone(), above))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[expect(clippy::disallowed_methods, reason = "the test writes what an agent would")]
    fn put(path: &Path, text: &str) {
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    #[test]
    fn a_folder_is_led_to_a_git_directory_that_leads_back_and_to_no_other() {
        let root = tempfile::tempdir().unwrap();
        let root = root.path().canonicalize().unwrap();
        let (repo, tree) = (root.join("repo"), root.join("tree"));
        put(&repo.join(".git/HEAD"), "ref: refs/heads/main");
        put(&repo.join("deep/file"), "");
        let own = repo.join(".git/worktrees/tree");
        put(&own.join("gitdir"), &format!("{}\n", tree.join(".git").display()));
        put(&tree.join(".git"), &format!("gitdir: {}\n", own.display()));
        let main = || Some((repo.join(".git"), repo.join(".git")));
        assert_eq!(in_place(&repo), main());
        assert_eq!(in_place(&repo.join("deep")), main());
        assert_eq!(in_place(&tree), Some((own, repo.join(".git"))));

        // An agent writes here, and would like to write there.
        let (home, forged) = (root.join("home"), root.join("forged"));
        put(&home.join("gitdir"), "elsewhere");
        put(&forged.join(".git"), &format!("gitdir: {}\n", home.display()));
        assert_eq!(in_place(&forged), None);
        put(&forged.join("worktrees/x/gitdir"), &format!("{}\n", forged.join(".git").display()));
        put(&forged.join("worktrees/x/commondir"), "../../../home\n");
        put(&forged.join(".git"), "gitdir: worktrees/x\n");
        assert_eq!(in_place(&forged), Some((forged.join("worktrees/x"), forged.clone())), "no more than it has");
        let linked = root.join("linked");
        std::fs::create_dir(&linked).unwrap();
        std::os::unix::fs::symlink(&home, linked.join(".git")).unwrap();
        assert_eq!(in_place(&linked), None);
    }
}
