//! Where references stand, read from the files in which git mostly keeps them, which takes no process; and whether it
//! is elsewhere, so that git has to be asked.
//!
//! A file of a reference counts before everything else that git knows of it, and one that is replaced is whole. One
//! that is a link, as git made them once, says something else than it holds, and is left to git.

use crate::branch::BranchName;
use crate::disk;
use crate::oid::Oid;
use crate::repository::Repository;

/// The longest file of a reference that is read.
const BYTES_MAX: u64 = 4096;

/// What HEAD says in its file.
pub(crate) enum PlainHead {
    /// The name of a branch, which may have no commit.
    Branch(BranchName),
    /// A commit.
    Detached(Oid),
}

impl Repository {
    /// Reads what HEAD says; none where only git can tell, as for references that are kept in tables.
    pub(crate) fn plain_head(&self) -> Option<PlainHead> {
        let said = disk::read_own(&self.git_dir.join("HEAD"), BYTES_MAX)?;
        let Some(name) = said.strip_prefix(b"ref: ") else { return Oid::from_bytes(&said).map(PlainHead::Detached) };
        let reference = std::str::from_utf8(name).ok()?.trim_ascii_end();
        reference.strip_prefix("refs/heads/")?.parse().ok().map(PlainHead::Branch)
    }

    /// Reads at which commit HEAD is.
    pub(crate) fn plain_head_commit(&self) -> Option<Oid> {
        match self.plain_head()? {
            PlainHead::Branch(branch) => self.plain_branch(&branch),
            PlainHead::Detached(commit) => Some(commit),
        }
    }

    /// Reads the commit of a branch; none if it is missing or packed.
    pub(crate) fn plain_branch(&self, branch: &BranchName) -> Option<Oid> {
        Oid::from_bytes(&disk::read_own(&self.common_dir.join(branch.reference()), BYTES_MAX)?)
    }

    /// Returns whether a merge was begun and not finished; git keeps that in a file wherever it keeps references.
    pub(crate) fn is_merging(&self) -> bool {
        self.git_dir.join("MERGE_HEAD").symlink_metadata().is_ok()
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use rustix::fs::{CWD, FileType, Mode, mknodat};

    use super::*;

    #[test]
    fn a_file_is_read_and_neither_a_link_nor_a_pipe_nor_what_is_too_long() {
        let folder = tempfile::tempdir().unwrap();
        let place = |name: &str| folder.path().join(name);
        disk::write_new(&place("file"), b"said").unwrap();
        disk::write_new(&place("long"), b"said more").unwrap();
        symlink(place("file"), place("link")).unwrap();
        // Opening this as a file would block until another process writes.
        mknodat(CWD, place("pipe"), FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).unwrap();
        assert!(disk::read(&place("pipe")).is_err() && disk::read(&place("link")).is_ok());
        let read = ["file", "long", "link", "pipe", "nothing"].map(|name| disk::read_own(&place(name), 4));
        assert_eq!(read, [Some(b"said".to_vec()), None, None, None, None]);
    }
}
