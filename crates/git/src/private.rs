//! The git directory of a session: its HEAD, references, index and new objects, which its agent writes as it likes.
//!
//! It borrows the objects of the repository and gives it nothing. Fleet's own git never runs in it: it runs in the
//! registration of the worktree, which the agent cannot write, and takes work over by [`Repository::take_over`]. What
//! is read here is read as data: regular files, bounded, through no link. Start reading at [`Repository::give_private`].

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::beneath::Beneath;
use crate::branch::BranchName;
use crate::disk;
use crate::error::Error;
use crate::oid::Oid;
use crate::repository::Repository;

/// Says in a registration where the session's own git directory is, and what was taken over from there.
const RECORD: &str = "fleet.git";

/// The longest file that holds one reference or one message.
pub(crate) const TEXT_MAX: u64 = 1 << 20;

/// The longest file of packed references, and the longest index.
pub(crate) const LIST_MAX: u64 = 1 << 29;

/// What git leaves in its directory while it merges; a commit ends it.
pub(crate) const MERGING: [&str; 6] =
    ["MERGE_HEAD", "MERGE_MSG", "MERGE_MODE", "CHERRY_PICK_HEAD", "REVERT_HEAD", "SQUASH_MSG"];

/// What is written down about a session's own git directory.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Private {
    /// Where it is.
    pub(crate) path: PathBuf,
    /// The one branch of the repository that follows it.
    pub(crate) branch: Option<String>,
    /// Where that branch was put last.
    pub(crate) tip: Option<String>,
    /// Where it was before: a server that is killed in between finds it at one of the two.
    pub(crate) before: Option<String>,
    /// Whether Fleet commits on that branch right now: after a kill it may have, and not given it back.
    #[serde(default)]
    pub(crate) committing: bool,
}

/// What a session's own git directory says.
#[derive(Debug)]
pub(crate) struct Found {
    pub(crate) head: FoundHead,
    /// The commit that HEAD is at.
    pub(crate) commit: Option<Oid>,
    /// Where the session's branch is.
    pub(crate) tip: Option<Oid>,
    /// The files of a merge, with those that are missing.
    pub(crate) merging: Vec<(&'static str, Option<Vec<u8>>)>,
    pub(crate) index: Option<Vec<u8>>,
}

/// What its HEAD says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum FoundHead {
    Branch(BranchName),
    Detached(Oid),
}

impl Private {
    pub(crate) fn branch(&self) -> Option<BranchName> {
        self.branch.as_deref().and_then(|name| name.parse().ok())
    }

    pub(crate) fn open(&self) -> Result<Beneath, Error> {
        Beneath::open(&self.path)
    }

    /// Reads what the agent has made of it.
    pub(crate) fn look(&self) -> Result<Found, Error> {
        let own = self.open()?;
        let head = head(&own)?.ok_or_else(|| self.refused("its HEAD names neither a branch nor a commit"))?;
        let commit = match &head {
            FoundHead::Branch(branch) => reference(&own, &branch.reference())?,
            FoundHead::Detached(commit) => Some(commit.clone()),
        };
        let tip = match self.branch() {
            Some(branch) if FoundHead::Branch(branch.clone()) == head => commit.clone(),
            Some(branch) => reference(&own, &branch.reference())?,
            None => None,
        };
        let merging = MERGING.iter().map(|name| Ok((*name, own.read(Path::new(name), TEXT_MAX)?)));
        let merging = merging.collect::<Result<_, Error>>()?;
        Ok(Found { head, commit, tip, merging, index: own.read(Path::new("index"), LIST_MAX)? })
    }

    pub(crate) fn refused(&self, reason: impl Into<String>) -> Error {
        Error::PrivateGit { path: self.path.clone(), reason: reason.into() }
    }
}

impl Found {
    /// Returns the commits that are being merged.
    pub(crate) fn merged(&self) -> impl Iterator<Item = Oid> + '_ {
        let files = self.merging.iter().filter(|(name, _)| name.ends_with("_HEAD"));
        let lines = files.flat_map(|(_, bytes)| bytes.iter().flat_map(|bytes| bytes.split(|byte| *byte == b'\n')));
        lines.filter_map(Oid::from_bytes)
    }
}

/// Reads HEAD; none if it is nothing that a branch or commit could be named by.
pub(crate) fn head(own: &Beneath) -> Result<Option<FoundHead>, Error> {
    let said = own.read(Path::new("HEAD"), TEXT_MAX)?.unwrap_or_default();
    let Some(name) = said.strip_prefix(b"ref: ") else {
        return Ok(Oid::from_bytes(&said).map(FoundHead::Detached));
    };
    let name = std::str::from_utf8(name).ok().map(str::trim_ascii_end);
    let branch = name.and_then(|name| name.strip_prefix("refs/heads/")?.parse().ok());
    Ok(branch.map(FoundHead::Branch))
}

/// Reads where a reference is, whose name was checked; none if there is none, or it is not an object's name.
pub(crate) fn reference(own: &Beneath, name: &str) -> Result<Option<Oid>, Error> {
    if let Some(said) = own.read(Path::new(name), TEXT_MAX)? {
        return Ok(Oid::from_bytes(&said));
    }
    Ok(packed(own)?.into_iter().find_map(|(found, oid)| (found == name).then_some(oid)))
}

/// Reads the packed references.
pub(crate) fn packed(own: &Beneath) -> Result<Vec<(String, Oid)>, Error> {
    let bytes = own.read(Path::new("packed-refs"), LIST_MAX)?.unwrap_or_default();
    let lines = bytes.split(|byte| *byte == b'\n').filter_map(|line| std::str::from_utf8(line).ok());
    let entries = lines.filter_map(|line| line.split_once(' '));
    Ok(entries.filter_map(|(oid, name)| Some((name.to_owned(), oid.parse().ok()?))).collect())
}

impl Repository {
    /// Returns what is written down about the session's own git directory of this worktree, if it has one.
    pub(crate) fn private(&self) -> Result<Option<Private>, Error> {
        private_of(&self.git_dir)
    }

    pub(crate) fn write_private(&self, private: &Private) -> Result<(), Error> {
        let path = self.git_dir.join(RECORD);
        let bytes = serde_json::to_vec(private).map_err(|error| disk::failed("write", &path)(error.into()))?;
        Beneath::open(&self.git_dir)?.write(Path::new(RECORD), &bytes)
    }

    pub(crate) fn forget_private(&self) -> Result<(), Error> {
        disk::remove_file(&self.git_dir.join(RECORD))
    }

    /// Returns the session's own git directory of this worktree, if it has one.
    ///
    /// # Errors
    /// When that cannot be read.
    pub fn private_dir(&self) -> Result<Option<PathBuf>, Error> {
        Ok(self.private()?.map(|private| private.path))
    }
}

/// Reads the record in a registration.
pub(crate) fn private_of(git_dir: &Path) -> Result<Option<Private>, Error> {
    let path = git_dir.join(RECORD);
    if path.symlink_metadata().is_err() {
        return Ok(None);
    }
    serde_json::from_slice(&disk::read(&path)?).map(Some).map_err(|error| disk::failed("read", &path)(error.into()))
}
