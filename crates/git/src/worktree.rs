//! Which worktrees a repository has, and where git keeps what belongs to each.

use std::path::{Path, PathBuf};

use crate::branch::BranchName;
use crate::disk;
use crate::error::Error;
use crate::oid::Oid;
use crate::private::private_of;
use crate::repository::{Kind, Repository, path_from};

/// A worktree as git lists it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Worktree {
    /// Its top directory.
    pub path: PathBuf,
    /// Whether it is the one the repository was made with, which Fleet never touches.
    pub main: bool,
    /// The commit it is at; none if there is none yet.
    pub head: Option<Oid>,
    /// The branch it is on; none if HEAD is detached.
    pub branch: Option<BranchName>,
    /// Why it was locked by `git worktree lock`; empty if no reason was given.
    pub locked: Option<String>,
    /// Whether its directory is gone.
    pub gone: bool,
}

impl Repository {
    /// Lists all worktrees, the main one first.
    ///
    /// # Errors
    /// When git cannot tell.
    pub async fn list(&self) -> Result<Vec<Worktree>, Error> {
        let printed = self.look(["worktree", "list", "--porcelain", "-z"]).run().await?;
        Ok(parse(&printed))
    }

    /// Returns the added worktree at `path`, seen from there; its directory may be gone.
    ///
    /// # Errors
    /// [`Error::NoWorktree`] if there is none, or if it is the main one.
    pub async fn worktree(&self, path: &Path) -> Result<Self, Error> {
        let (common_dir, wanted) = (self.common_dir.clone(), resolved(path));
        let find = move || by_name(&common_dir, &wanted).or_else(|| registration(&common_dir, &wanted));
        let found = runtime::blocking(find).await;
        let is_its = |(git_dir, root): &(PathBuf, PathBuf)| {
            // Where a session's own git directory leads is what the registration says, and not what its agent wrote.
            !root.is_dir() || private_of(git_dir).is_ok_and(|own| own.is_some()) || leads_to(root, git_dir)
        };
        let found = found.filter(is_its).ok_or_else(|| Error::NoWorktree { path: path.to_owned() })?;
        let (git_dir, root) = found;
        Ok(Self { kind: Kind::Linked { root }, git_dir, ..self.clone() })
    }
}

/// Looks at the registration of the same name; with hundreds of them nothing else is quick.
fn by_name(common_dir: &Path, wanted: &Path) -> Option<(PathBuf, PathBuf)> {
    let git_dir = common_dir.join("worktrees").join(wanted.file_name()?);
    let back = disk::read(&git_dir.join("gitdir")).ok()?;
    (path_from(back.trim_ascii_end()) == wanted.join(".git")).then(|| (git_dir, wanted.to_owned()))
}

/// Returns the registration of the worktree at `path`, in the directory that all worktrees of a repository share.
#[must_use]
pub fn registered(common_dir: &Path, path: &Path) -> Option<PathBuf> {
    let wanted = resolved(path);
    let found = by_name(common_dir, &wanted).or_else(|| registration(common_dir, &wanted));
    found.map(|(git_dir, _)| git_dir)
}

/// Looks through git's registrations, which also tell of worktrees whose directory is gone.
pub(crate) fn registration(common_dir: &Path, wanted: &Path) -> Option<(PathBuf, PathBuf)> {
    let entries = std::fs::read_dir(common_dir.join("worktrees")).ok()?;
    entries.flatten().map(|entry| entry.path()).find_map(|git_dir| {
        let written = disk::read(&git_dir.join("gitdir")).ok()?;
        let link = git_dir.join(path_from(written.trim_ascii_end()));
        let root = resolved(link.parent()?);
        (root == wanted).then_some((git_dir, root))
    })
}

/// Whether git, asked in the directory, would find this registration and no other repository.
fn leads_to(root: &Path, git_dir: &Path) -> bool {
    let link = disk::read(&root.join(".git")).unwrap_or_default();
    let target = link.strip_prefix(b"gitdir: ").map(|target| root.join(path_from(target.trim_ascii_end())));
    target.is_some_and(|target| resolved(&target) == resolved(git_dir))
}

/// Follows links and dots as far as the path exists.
pub(crate) fn resolved(path: &Path) -> PathBuf {
    let absolute = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let known = absolute.ancestors().find_map(|above| Some((above, above.canonicalize().ok()?)));
    match known {
        Some((above, canonical)) => {
            let rest = absolute.strip_prefix(above).unwrap_or(Path::new(""));
            if rest.as_os_str().is_empty() { canonical } else { canonical.join(rest) }
        }
        None => absolute,
    }
}

/// Reads `git worktree list --porcelain -z`: fields end with a zero byte, records with an empty field.
fn parse(printed: &[u8]) -> Vec<Worktree> {
    let mut worktrees: Vec<Worktree> = Vec::new();
    for field in printed.split(|byte| *byte == 0) {
        let at = field.iter().position(|byte| *byte == b' ').unwrap_or(field.len());
        let (name, value) = (&field[..at], field.get(at + 1..).unwrap_or_default());
        if name == b"worktree" {
            let main = worktrees.is_empty();
            let path = path_from(value);
            worktrees.push(Worktree { path, main, head: None, branch: None, locked: None, gone: false });
        }
        let Some(last) = worktrees.last_mut() else { continue };
        let text = || String::from_utf8_lossy(value).into_owned();
        match name {
            // An unborn branch is listed with a HEAD of zeros.
            b"HEAD" => last.head = Oid::from_bytes(value).filter(|oid| oid.as_str().bytes().any(|b| b != b'0')),
            b"branch" => last.branch = BranchName::from_reference(&text()),
            b"locked" => last.locked = Some(text()),
            b"prunable" => last.gone = true,
            _ => {}
        }
    }
    worktrees
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_field_of_a_listing_is_read() {
        let (one, none) = ("1".repeat(40), "0".repeat(40));
        let printed = format!(
            "worktree /a\nb\0HEAD {one}\0branch refs/heads/main\0\0worktree /w\0HEAD {one}\0detached\0locked by me\0\0\
             worktree /u\0HEAD {none}\0branch refs/heads/new\0prunable gone\0\0"
        );
        let seen = parse(printed.as_bytes());
        let branch = |name: &str| Some(name.parse().unwrap());
        let oid = Some(one.parse().unwrap());
        let base = Worktree { path: "/a\nb".into(), main: true, head: oid, branch: None, locked: None, gone: false };
        assert_eq!(
            seen,
            [
                Worktree { branch: branch("main"), ..base.clone() },
                Worktree { path: "/w".into(), main: false, locked: Some("by me".to_owned()), ..base.clone() },
                Worktree { path: "/u".into(), main: false, head: None, branch: branch("new"), gone: true, ..base },
            ]
        );
    }
}
