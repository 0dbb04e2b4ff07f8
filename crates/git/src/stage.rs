//! Staging everything, as `git add --all` does, but for looking into the repositories inside of the worktree.
//!
//! `git add` runs git in each of them, and that runs the filters of their settings, which the agent may have written.
//! What is staged of such a repository is only the commit that it is at, and the index is told so without that.

use std::os::unix::ffi::OsStrExt as _;
use std::path::PathBuf;

use crate::command::LONG;
use crate::error::Error;
use crate::locks::patiently;
use crate::repository::{Repository, path_from};

/// Makes git skip repositories inside of a worktree: that they are at another commit is seen all the same.
pub(crate) const DIRTY: &str = "--ignore-submodules=dirty";

/// A file that is not as the last commit has it.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Found {
    /// Where, relative to the top.
    pub(crate) path: PathBuf,
    /// Whether the index has it otherwise than the last commit.
    pub(crate) staged: bool,
    /// Whether it is on the disk otherwise than in the index.
    pub(crate) changed: bool,
    /// Whether a merge is not settled in it.
    pub(crate) unsettled: bool,
}

impl Found {
    pub(crate) fn lies_in(&self, places: &[PathBuf]) -> bool {
        places.iter().any(|place| self.path.starts_with(place))
    }
}

impl Repository {
    /// Finds everything but ignored files that is not as the last commit has it.
    pub(crate) async fn found(&self) -> Result<Vec<Found>, Error> {
        let args = ["status", "--porcelain=v2", "-z", "--untracked-files=all", "--no-renames", DIRTY];
        Ok(found(&self.look(args).limit(LONG).run().await?).collect())
    }

    /// Stages what was found but what lies at or below these paths, relative to the top.
    pub(crate) async fn stage(&self, found: Vec<Found>, left_alone: &[PathBuf]) -> Result<(), Error> {
        let mut input = Vec::new();
        for found in found.iter().filter(|found| found.changed && !found.lies_in(left_alone)) {
            input.extend_from_slice(found.path.as_os_str().as_bytes());
            input.push(0);
        }
        if input.is_empty() {
            return Ok(());
        }
        let args = ["update-index", "--add", "--remove", "--replace", "-z", "--stdin"];
        let stage = || self.command(args).input(input.clone()).limit(LONG).run();
        patiently(self.git.clock(), stage).await.map(drop)
    }
}

/// Reads `git status --porcelain=v2 -z`.
fn found(printed: &[u8]) -> impl Iterator<Item = Found> + '_ {
    printed.split(|byte| *byte == 0).filter_map(|entry| {
        // The path is the last field, behind a number of others that its kind has.
        let (fields, staged, changed, unsettled) = match entry {
            // What is only staged is the same on the disk, or is ignored since.
            [b'1', b' ', index, disk, ..] => (9, *index != b'.', *disk != b'.', false),
            [b'u', ..] => (11, true, true, true),
            [b'?', ..] => (2, false, true, false),
            _ => return None,
        };
        let path = entry.splitn(fields, |byte| *byte == b' ').nth(fields - 1)?;
        // A repository inside of this one is shown as a folder.
        let path = path_from(path.strip_suffix(b"/").unwrap_or(path));
        Some(Found { path, staged, changed, unsettled })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_of_change_is_read_with_the_spaces_of_its_path() {
        let id = "1".repeat(40);
        let printed = format!(
            "# branch.oid x\x001 D. N... 100644 000000 000000 {id} {id} gone\x001 .M N... 100644 100644 100644 {id} {id} a b\x00\
             ? new file\x00? inner/\x00! ignored\x00u UU N... 100644 100644 100644 100644 {id} {id} {id} both sides\x00"
        );
        let read: Vec<Found> = found(printed.as_bytes()).collect();
        let is = |path: &str, staged, changed, unsettled| Found { path: path.into(), staged, changed, unsettled };
        let expected = [
            is("gone", true, false, false),
            is("a b", false, true, false),
            is("new file", false, true, false),
            is("inner", false, true, false),
            is("both sides", true, true, true),
        ];
        assert_eq!(read, expected);
    }
}
