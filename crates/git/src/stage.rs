//! Staging everything, as `git add --all` does, but for looking into the repositories inside of the worktree.
//!
//! `git add` runs git in each of them, and that runs the filters of their settings, which whoever worked there wrote.
//! What is staged of such a repository is only the commit that it is at, and the index is told so without that.

use std::os::unix::ffi::OsStrExt as _;
use std::path::PathBuf;

use crate::command::LONG;
use crate::error::Error;
use crate::locks::patiently;
use crate::repository::{Repository, path_from};

/// Tells git not to look into repositories inside of a worktree: that they are at another commit is seen all the same.
pub(crate) const DIRTY: &str = "--ignore-submodules=dirty";

impl Repository {
    /// Stages everything but ignored files and what lies at or below these paths, relative to the top.
    pub(crate) async fn stage_all_but(&self, left_alone: &[PathBuf]) -> Result<(), Error> {
        let args = ["status", "--porcelain=v2", "-z", "--untracked-files=all", "--no-renames", DIRTY];
        let printed = self.look(args).limit(LONG).run().await?;
        let mut input = Vec::new();
        for path in changed(&printed).filter(|path| !left_alone.iter().any(|left| path.starts_with(left))) {
            input.extend_from_slice(path.as_os_str().as_bytes());
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

/// Reads which paths differ from what is staged, from `git status --porcelain=v2 -z`.
fn changed(printed: &[u8]) -> impl Iterator<Item = PathBuf> + '_ {
    printed.split(|byte| *byte == 0).filter_map(|entry| {
        // The path is the last field, behind a number of others that its kind has.
        let fields = match entry {
            // Only staged: what is on the disk is the same, or is ignored since.
            [b'1', b' ', _, b'.', ..] => return None,
            [b'1', ..] => 9,
            [b'u', ..] => 11,
            [b'?', ..] => 2,
            _ => return None,
        };
        let path = entry.splitn(fields, |byte| *byte == b' ').nth(fields - 1)?;
        // A repository inside of this one is shown as a folder.
        Some(path_from(path.strip_suffix(b"/").unwrap_or(path)))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_path_of_every_kind_of_change_is_read_with_its_spaces() {
        let id = "1".repeat(40);
        let printed = format!(
            "# branch.oid x\x001 D. N... 100644 000000 000000 {id} {id} gone\x001 .M N... 100644 100644 100644 {id} {id} a b\x00\
             ? new file\x00? inner/\x00! ignored\x00u UU N... 100644 100644 100644 100644 {id} {id} {id} both sides\x00"
        );
        let paths: Vec<PathBuf> = changed(printed.as_bytes()).collect();
        assert_eq!(paths, ["a b", "new file", "inner", "both sides"].map(PathBuf::from));
    }
}
