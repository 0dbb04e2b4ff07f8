//! What a worktree holds that its base, its upstream or any remote does not.

use crate::error::Error;
use crate::oid::Oid;
use crate::repository::{Head, Repository};

/// The state of a worktree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Status {
    /// Where HEAD is.
    pub head: Head,
    /// Files with staged or unstaged changes, untracked ones included, ignored ones not.
    pub changed: usize,
    /// Files with an unsettled merge.
    pub conflicted: usize,
    /// Commits that the base does not have.
    pub ahead: usize,
    /// Commits of the base that HEAD does not have.
    pub behind: usize,
    /// Commits that no remote is known to have.
    pub unpushed: usize,
}

impl Status {
    /// Whether there is anything that a commit would take.
    #[must_use]
    pub fn is_dirty(&self) -> bool {
        self.changed > 0
    }
}

impl Repository {
    /// Compares the worktree with its HEAD, and HEAD with `base`.
    ///
    /// # Errors
    /// When there are no files to look at, or git fails.
    pub async fn status(&self, base: Option<&Oid>) -> Result<Status, Error> {
        self.take_over().await?;
        let head = self.head().await?;
        let found = self.found().await?;
        let (ahead, behind) = match (head.commit(), base) {
            (Some(commit), Some(base)) => self.ahead_behind(base, commit).await?,
            (Some(_) | None, _) => (0, 0),
        };
        let unpushed = match head.commit() {
            Some(commit) => self.count(&["rev-list", "--count", commit.as_str(), "--not", "--remotes"]).await?,
            None => 0,
        };
        let conflicted = found.iter().filter(|found| found.unsettled).count();
        Ok(Status { head, changed: found.len(), conflicted, ahead, behind, unpushed })
    }

    async fn ahead_behind(&self, base: &Oid, commit: &Oid) -> Result<(usize, usize), Error> {
        let range = format!("{base}...{commit}");
        let command = self.look(["rev-list", "--left-right", "--count", &range]);
        let printed = command.clone().run().await?;
        let text = String::from_utf8_lossy(&printed);
        let mut numbers = text.split_whitespace().map_while(|number| number.parse().ok());
        match (numbers.next(), numbers.next()) {
            (Some(behind), Some(ahead)) => Ok((ahead, behind)),
            _ => Err(command.unexpected("no two numbers")),
        }
    }

    async fn count(&self, args: &[&str]) -> Result<usize, Error> {
        let command = self.look(args.iter().copied());
        let printed = command.clone().run().await?;
        String::from_utf8_lossy(&printed).trim().parse().map_err(|_| command.unexpected("no number"))
    }
}
