//! Where branches stand, in which checkout each is, and how two commits stand to each other.

use std::collections::HashMap;
use std::path::PathBuf;

use crate::branch::BranchName;
use crate::error::Error;
use crate::oid::Oid;
use crate::plain::PlainHead;
use crate::repository::{Repository, path_from};

/// The commit of a branch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tip {
    /// Its commit.
    pub commit: Oid,
    /// The top directory of the checkout that is on it, if one is; of a bare repository, the repository itself.
    pub checkout: Option<PathBuf>,
}

/// How a branch relates to a tip.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Apart {
    /// The tip has all commits of the branch.
    Contained,
    /// The branch has all commits of the tip, and more.
    Ahead {
        /// How many more.
        commits: u64,
    },
    /// Each has commits that the other has not.
    Both,
}

impl Repository {
    /// Finds where these branches stand, all in one process; one that does not exist is left out.
    ///
    /// # Errors
    /// When git cannot tell.
    pub async fn tips(&self, branches: &[BranchName]) -> Result<HashMap<BranchName, Tip>, Error> {
        if branches.is_empty() {
            return Ok(HashMap::new());
        }
        let format = "--format=%(refname)%00%(objectname)%00%(worktreepath)%00";
        let command = branches
            .iter()
            .fold(self.look(["for-each-ref", format]), |command, branch| command.arg(branch.reference()));
        let printed = command.clone().run().await?;
        let mut fields = printed.split(|byte| *byte == 0);
        let mut found = HashMap::new();
        while let (Some(name), Some(commit), Some(path)) = (fields.next(), fields.next(), fields.next()) {
            let name = String::from_utf8_lossy(name.trim_ascii_start()).into_owned();
            let commit = Oid::from_bytes(commit).ok_or_else(|| command.unexpected("a branch without a commit"))?;
            let checkout = (!path.is_empty()).then(|| path_from(path));
            // A name also finds what lies below it as in a folder; that was not asked for.
            if let Some(branch) = BranchName::from_reference(&name).filter(|name| branches.contains(name)) {
                found.insert(branch, Tip { commit, checkout });
            }
        }
        Ok(found)
    }

    /// Returns the names of the branches, at most `max`.
    ///
    /// # Errors
    /// When git cannot tell.
    pub async fn branch_names(&self, max: usize) -> Result<Vec<String>, Error> {
        let count = format!("--count={max}");
        let printed = self.look(["for-each-ref", &count, "--format=%(refname:lstrip=2)", "refs/heads/"]).run().await?;
        Ok(String::from_utf8_lossy(&printed).lines().map(str::to_owned).collect())
    }

    /// Returns the branch that HEAD is on at the place where the repository was opened, even if it has no commit.
    ///
    /// # Errors
    /// When git cannot tell.
    pub async fn head_branch(&self) -> Result<Option<BranchName>, Error> {
        match self.plain_head() {
            Some(PlainHead::Branch(branch)) => return Ok(Some(branch)),
            Some(PlainHead::Detached(_)) => return Ok(None),
            None => {}
        }
        let named = self.look(["symbolic-ref", "--quiet", "HEAD"]).run_to(&[0, 1]).await?;
        Ok(BranchName::from_reference(String::from_utf8_lossy(&named.stdout).trim_end_matches('\n')))
    }

    /// Returns whether something lies at a path from the top, in whatever `rev` names.
    ///
    /// # Errors
    /// When that names nothing.
    pub async fn has_path(&self, rev: &str, path: &str) -> Result<bool, Error> {
        let commit = self.resolve(rev).await?;
        Ok(!self.listed(&commit, path).await?.is_empty())
    }

    /// Returns what a file at `path`, relative to the top, holds in a commit; none if there is no plain file, or one of
    /// more than `max` bytes.
    ///
    /// # Errors
    /// When the commit does not exist.
    pub async fn file_in(&self, commit: &Oid, path: &str, max: u64) -> Result<Option<Vec<u8>>, Error> {
        let listed = self.listed(commit, path).await?;
        let listed = String::from_utf8_lossy(&listed).into_owned();
        let fields: Vec<&str> = listed.split(['\t', ' ']).filter(|field| !field.is_empty()).collect();
        let [mode, "blob", object, size, ..] = fields[..] else { return Ok(None) };
        let plain = mode.starts_with("100") && size.parse::<u64>().is_ok_and(|size| size <= max);
        if !plain {
            return Ok(None);
        }
        Ok(Some(self.ask_once(&["cat-file", "blob", object]).await?))
    }

    /// Returns the entry at a path from the top in a commit, as git lists it; nothing if there is none.
    pub(crate) async fn listed(&self, commit: &Oid, path: &str) -> Result<Vec<u8>, Error> {
        self.ask_once(&["ls-tree", "-z", "--long", "--full-tree", commit.as_str(), "--", path]).await
    }

    /// Returns how the commit `branch` relates to the commit `tip`.
    ///
    /// # Errors
    /// When one of them does not exist.
    pub async fn apart_from(&self, tip: &Oid, branch: &Oid) -> Result<Apart, Error> {
        let range = format!("{tip}...{branch}");
        let command = self.look(["rev-list", "--left-right", "--count", &range]);
        let printed = command.clone().run().await?;
        let text = String::from_utf8_lossy(&printed);
        let counts: Vec<&str> = text.split_whitespace().collect();
        match counts[..] {
            [_, "0"] => Ok(Apart::Contained),
            ["0", commits] => match commits.parse() {
                Ok(commits) => Ok(Apart::Ahead { commits }),
                Err(_) => Err(command.unexpected("no two numbers")),
            },
            [_, _] => Ok(Apart::Both),
            _ => Err(command.unexpected("no two numbers")),
        }
    }
}
