//! Registers a worktree without running git: the four files that `git worktree add --no-checkout` writes.
//!
//! That command reads where each of the other worktrees is before it writes them, so the three hundredth would take
//! many times as long as the first; and what it looks for, a branch that another one has, cannot be where the branch
//! was made a moment ago or is none. Whatever else there is to be taken over is left to git.

use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use crate::disk;
use crate::error::Error;
use crate::oid::Oid;
use crate::repository::Repository;
use crate::{BranchName, worktree::resolved};

/// How many folders of one name are tried, as git numbers them.
const NAMES_MAX: u32 = 1000;

/// What a new worktree is at.
#[derive(Debug, Clone)]
pub(crate) enum NewHead {
    /// A branch that was made for it.
    Branch(BranchName),
    /// A commit, on no branch.
    Commit(Oid),
}

impl Repository {
    /// Registers a worktree whose folder is empty or not there; false, with nothing done, where that is git's to do.
    pub(crate) fn add_plainly(&self, path: &Path, head: &NewHead) -> Result<bool, Error> {
        let Some(name) = name(path).filter(|_| self.is_plain()) else { return Ok(false) };
        let common_dir = resolved(&self.common_dir);
        let folder = common_dir.join("worktrees");
        disk::create_dirs(&folder)?;
        disk::create_dirs(path)?;
        let back = line(&[path.join(".git").as_os_str().as_bytes()]);
        let Some(git_dir) = own_folder(&folder, name, &back)? else { return Ok(false) };
        // As long as this exists, git does not prune the registration.
        let lock = git_dir.join("locked");
        disk::write_new(&lock, b"initializing\n")?;
        disk::write_new(&git_dir.join("gitdir"), &back)?;
        disk::write_new(&path.join(".git"), &line(&[b"gitdir: ", git_dir.as_os_str().as_bytes()]))?;
        let said = match head {
            NewHead::Branch(branch) => line(&[b"ref: ", branch.reference().as_bytes()]),
            NewHead::Commit(commit) => line(&[commit.as_str().as_bytes()]),
        };
        disk::write_new(&git_dir.join("HEAD"), &said)?;
        disk::write_new(&git_dir.join("commondir"), b"../..\n")?;
        disk::remove_file(&lock)?;
        Ok(true)
    }

    /// Returns whether a worktree of this repository is nothing but those files: references are kept in files, there
    /// are no settings or sparse patterns of single worktrees to take over, and no group that must be let in.
    fn is_plain(&self) -> bool {
        let of_worktrees = ["config.worktree", "info/sparse-checkout"];
        let places = [&self.git_dir, &self.common_dir];
        let taken_over = places.iter().any(|place| of_worktrees.iter().any(|name| place.join(name).exists()));
        let shared = self.common_dir.metadata().is_ok_and(|found| found.permissions().mode() & 0o020 != 0);
        !taken_over && !shared && !self.common_dir.join("reftable").exists()
    }
}

/// Returns what the registration is called; none for a name that git would have to change first.
fn name(path: &Path) -> Option<&str> {
    let name = path.file_name()?.to_str()?;
    let usual = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.');
    let dots = name.starts_with('.') || name.ends_with('.') || name.contains("..") || name.ends_with(".lock");
    let whole = path.as_os_str().as_bytes();
    (name.bytes().all(usual) && !dots && !whole.contains(&b'\n')).then_some(name)
}

/// Makes a folder with an unused name; none if a worktree that is gone was at this very path, which leads `back` there.
fn own_folder(folder: &Path, name: &str, back: &[u8]) -> Result<Option<PathBuf>, Error> {
    let numbered = (1..NAMES_MAX).map(|number| folder.join(format!("{name}{number}")));
    for path in std::iter::once(folder.join(name)).chain(numbered) {
        if disk::create_dir(&path)? {
            return Ok(Some(path));
        }
        if disk::read(&path.join("gitdir")).is_ok_and(|other| other == back) {
            return Ok(None);
        }
    }
    Ok(None)
}

fn line(parts: &[&[u8]]) -> Vec<u8> {
    [&parts.concat()[..], b"\n"].concat()
}
