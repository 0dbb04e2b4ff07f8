//! Where references stand, read from the files in which git mostly keeps them, which takes no process; and whether it is
//! elsewhere, so that git has to be asked.
//!
//! A file of a reference counts before everything else that git knows of it, and one that is replaced is whole.

use std::path::Path;

use crate::branch::BranchName;
use crate::disk;
use crate::oid::Oid;
use crate::repository::Repository;

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
        let said = own_file(&self.git_dir.join("HEAD"))?;
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

    /// Reads where a branch stands; none if it is not there, or packed away with others.
    pub(crate) fn plain_branch(&self, branch: &BranchName) -> Option<Oid> {
        Oid::from_bytes(&own_file(&self.common_dir.join(branch.reference()))?)
    }

    /// Tells whether a merge was begun and not finished; git keeps that in a file wherever it keeps references.
    pub(crate) fn is_merging(&self) -> bool {
        self.git_dir.join("MERGE_HEAD").symlink_metadata().is_ok()
    }
}

/// Reads a file; none if it is a link: git kept references as links once, and those say something else than they hold.
fn own_file(path: &Path) -> Option<Vec<u8>> {
    path.symlink_metadata().ok().filter(std::fs::Metadata::is_file)?;
    disk::read(path).ok()
}
