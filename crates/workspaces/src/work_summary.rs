//! What git shows of the work on a branch: its commits and the files that differ. It looks and changes nothing.

use std::path::Path;

use git::{Apart, BranchName, Head, Oid, Repository};
use types::{ChangeKind, Commit, FileChange, Workspace};

use crate::Workspaces;
use crate::error::Error;
use crate::work::own_tree;

/// Commits that are listed; the rest is counted.
const COMMITS_MAX: usize = 500;

/// What git shows of the work on a branch.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Seen {
    /// The newest commits since the branch started, newest first.
    pub commits: Vec<Commit>,
    /// How many there are besides those.
    pub more_commits: usize,
    /// Files that differ between the commit it started from and its current one.
    pub files: Vec<FileChange>,
}

impl Workspaces {
    /// Looks at the work on a branch; also when the worktree is gone. What the `target` branch has is others' work;
    /// without one, what the branch has that the user is on.
    ///
    /// # Errors
    /// When the branch is gone, or the workspace has none.
    pub async fn seen(&self, workspace: &Workspace, target: Option<&str>) -> Result<Seen, Error> {
        let Some((repository, base, tip)) = self.own_work(workspace, target).await? else {
            return Ok(Seen::default());
        };
        let (log, changes) =
            tokio::join!(repository.log(Some(&base), &tip, COMMITS_MAX), repository.changes(&base, &tip));
        let commits: Vec<Commit> =
            log?.into_iter().map(|commit| Commit { oid: commit.id.to_string(), subject: commit.subject }).collect();
        let more_commits = match commits.len() {
            COMMITS_MAX => {
                let all = repository.commits_since(&base, tip.as_str()).await?;
                usize::try_from(all).unwrap_or(usize::MAX).saturating_sub(COMMITS_MAX)
            }
            _ => 0,
        };
        let files = changes?.into_iter().map(file).collect();
        Ok(Seen { commits, more_commits, files })
    }

    /// Writes out the work on a branch as a patch of at most `max` bytes, and says whether it was cut.
    ///
    /// # Errors
    /// As [`Self::seen`].
    pub async fn patch(&self, workspace: &Workspace, target: Option<&str>, max: u64) -> Result<(String, bool), Error> {
        let Some((repository, base, tip)) = self.own_work(workspace, target).await? else {
            return Ok((String::new(), false));
        };
        let (patch, cut) = repository.patch(&base, &tip, max).await?;
        Ok((String::from_utf8_lossy(&patch).into_owned(), cut))
    }

    /// Finds the commits between which the work of a branch is; none if there is no work on it.
    async fn own_work(
        &self,
        workspace: &Workspace,
        target: Option<&str>,
    ) -> Result<Option<(Repository, Oid, Oid)>, Error> {
        let tree = own_tree(workspace, "look at commits of")?;
        let (branch, base): (BranchName, Oid) = (tree.branch.parse()?, tree.base.parse()?);
        let source = self.source(Path::new(&tree.repository)).await?;
        self.take_over(&source, Path::new(&workspace.path)).await?;
        let repository = source.repository;
        let tip = repository.resolve(&branch.reference()).await?;
        if tip == base {
            return Ok(None);
        }
        let base = own_base(&repository, target, base, &tip).await?;
        Ok(Some((repository, base, tip)))
    }
}

/// Finds from where on the work is the branch's own: what the target has and the agent took over is others' work.
async fn own_base(repository: &Repository, target: Option<&str>, base: Oid, tip: &Oid) -> Result<Oid, Error> {
    let Some(ground) = ground(repository, target).await? else { return Ok(base) };
    // Where nothing has come to the target since, all of it is the branch's own.
    if ground == base {
        return Ok(base);
    }
    let Some(common) = repository.common(tip, &ground).await? else { return Ok(base) };
    // What has landed is the branch's own all the same; and what the branch started from is older or this very commit.
    if common == *tip || common == base || repository.apart_from(&common, &base).await? != Apart::Contained {
        return Ok(base);
    }
    Ok(common)
}

/// Returns the commit of the target. A checkout that is on no branch does not show it: a user may be looking at the
/// very commits that are to be counted.
async fn ground(repository: &Repository, target: Option<&str>) -> Result<Option<Oid>, Error> {
    let Some(target) = target else {
        return Ok(match repository.head().await? {
            Head::Branch { commit, .. } => Some(commit),
            Head::Detached { .. } | Head::Unborn { .. } => None,
        });
    };
    let name: BranchName = target.parse()?;
    match repository.resolve(&name.reference()).await {
        Ok(commit) => Ok(Some(commit)),
        Err(git::Error::NoCommit { .. }) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

fn file(change: git::Change) -> FileChange {
    let shown = |path: &Path| path.to_string_lossy().into_owned();
    let kind = match &change.kind {
        git::ChangeKind::Added | git::ChangeKind::Copied { .. } => ChangeKind::Added,
        git::ChangeKind::Deleted => ChangeKind::Deleted,
        git::ChangeKind::Modified | git::ChangeKind::Other(_) => ChangeKind::Modified,
        git::ChangeKind::Retyped => ChangeKind::Retyped,
        git::ChangeKind::Renamed { from } => ChangeKind::Renamed { from: shown(from) },
    };
    let (added, removed) = change.lines.unzip();
    FileChange { path: shown(&change.path), kind, added, removed }
}
