//! Commits that only a worktree's own git directory knows: what is being merged or rebased, what a reflog remembers.
//!
//! Once the worktree is gone nothing else names them, and git would clean them away; a snapshot makes them its parents.

use std::collections::BTreeSet;
use std::path::Path;

use crate::disk;
use crate::error::Error;
use crate::oid::Oid;
use crate::repository::Repository;
use crate::walk::{EntryKind, Walk};

/// Files larger than this are lists of nothing that a person did.
const TEXT_MAX: usize = 1 << 20;

/// Finds everything in the files of a git directory that looks like the name of an object.
pub(crate) fn mentioned(git_dir: &Path, walk: &Walk) -> Result<BTreeSet<Oid>, Error> {
    let mut found = BTreeSet::new();
    for entry in &walk.entries {
        // Submodules have stores of their own, which are captured whole.
        if entry.kind != EntryKind::File || entry.path.starts_with("modules") || entry.path.starts_with("index") {
            continue;
        }
        let bytes = disk::read(&git_dir.join(&entry.path))?;
        if bytes.len() <= TEXT_MAX {
            let words = bytes.split(|byte| !byte.is_ascii_hexdigit());
            found.extend(words.filter_map(Oid::from_bytes));
        }
    }
    Ok(found)
}

impl Repository {
    /// Returns those of `names` that are commits and that HEAD does not lead to.
    pub(crate) async fn only_here(&self, names: BTreeSet<Oid>, head: Option<&Oid>) -> Result<Vec<Oid>, Error> {
        let commits = self.commits_among(&names).await?;
        if commits.is_empty() {
            return Ok(commits);
        }
        let mut input: Vec<u8> = commits.iter().flat_map(|id| format!("{id}\n").into_bytes()).collect();
        if let Some(head) = head {
            input.extend(format!("^{head}\n").as_bytes());
        }
        let printed = self.apart(["rev-list", "--ignore-missing", "--stdin"]).input(input).run().await?;
        let beyond: BTreeSet<Oid> = printed.split(|byte| *byte == b'\n').filter_map(Oid::from_bytes).collect();
        Ok(commits.into_iter().filter(|id| beyond.contains(id)).collect())
    }

    async fn commits_among(&self, names: &BTreeSet<Oid>) -> Result<Vec<Oid>, Error> {
        let input: Vec<u8> = names.iter().flat_map(|id| format!("{id}\n").into_bytes()).collect();
        let check = self.apart(["cat-file", "--batch-check=%(objecttype) %(objectname)"]).input(input);
        let printed = check.run().await?;
        let lines = printed.split(|byte| *byte == b'\n');
        Ok(lines.filter_map(|line| line.strip_prefix(b"commit ")).filter_map(Oid::from_bytes).collect())
    }
}
