//! Everything below the root, whichever repository it belongs to: worktrees, what they hold, and what is left of
//! others.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use git::{Repository, registered, used_bytes};
use jiff::Timestamp;

use crate::Workspaces;
use crate::error::Error;
use crate::files;
use crate::record::{Marker, Record, Role};
use crate::source::{home, remembered};

/// A folder below the root.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Listed {
    /// Where it is.
    pub path: PathBuf,
    /// The repository it belongs to; none if that is gone, so that the folder is all there is.
    pub repository: Option<PathBuf>,
    /// Its branch, if it is on one.
    pub branch: Option<String>,
    /// Whether it has changes that are not committed; none if git cannot tell.
    pub dirty: Option<bool>,
    /// The space it takes.
    pub bytes: u64,
    /// When something in it was last done.
    pub last_used: Timestamp,
    /// What it is for.
    pub purpose: Purpose,
    /// What was left out when it was made, in words.
    pub notes: Vec<String>,
}

/// What a folder below the root is for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Purpose {
    /// A session works in it, or did.
    Session {
        /// Its id.
        session: String,
    },
    /// It waits for a session.
    Pool,
    /// Its making or removal was cut short; the session's next call finishes it.
    Unfinished {
        /// The session, if one is known.
        session: Option<String>,
    },
    /// It was made or restored by another program, or its repository is gone.
    Foreign,
}

/// A removed workspace that can be restored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Kept {
    /// The name of the snapshot.
    pub snapshot: String,
    /// Its commit.
    pub commit: String,
    /// The session that it was taken of, as Fleet's records say; none if they do not.
    pub session: Option<String>,
}

impl Workspaces {
    /// Lists all folders below the root, by path; changes nothing.
    ///
    /// # Errors
    /// When the root cannot be read.
    pub async fn list(&self) -> Result<Vec<Listed>, Error> {
        let mut listed = Vec::new();
        for home in directories(&self.root()?) {
            let records = Record::all(&home)?.into_iter().map(|record| (record.path.clone(), record)).collect();
            for path in directories(&home) {
                listed.push(self.listed(path, &records).await?);
            }
        }
        Ok(listed)
    }

    /// Lists the snapshots of a repository: what was removed and can be restored.
    ///
    /// # Errors
    /// When the folder is in no repository.
    pub async fn snapshots(&self, folder: &Path) -> Result<Vec<Kept>, Error> {
        let source = self.source(folder).await?;
        let mut sessions = Record::removed(&source.home)?;
        let kept = source.repository.snapshots().await?.into_iter().map(|(name, commit)| {
            let (snapshot, commit) = (name.to_string(), commit.to_string());
            Kept { session: sessions.remove(&snapshot), snapshot, commit }
        });
        Ok(kept.collect())
    }

    /// Opens the repository of the worktree at `path`; none if it is not a worktree, or not where its home says.
    pub(crate) async fn repository_of(&self, path: &Path) -> Option<(Repository, Repository)> {
        let common_dir = common_dir_of(path)?;
        let repository = self.source(&common_dir).await.ok()?.repository;
        let beside = home(&repository, &self.root().ok()?).ok()?;
        let worktree = repository.worktree(path).await.ok()?;
        (path.parent() == Some(&beside)).then_some((repository, worktree))
    }

    /// Finds a port that no workspace has, also none of an earlier life of this program.
    pub(crate) fn port(&self) -> Result<u16, Error> {
        let ports = &self.inner().ports;
        if ports.is_new() {
            for path in directories(&self.root()?).iter().flat_map(|home| directories(home)) {
                let marker = git_dir_of(&path).and_then(|git_dir| Marker::read(&git_dir).ok()?);
                marker.and_then(|marker| marker.port).into_iter().for_each(|port| ports.keep(port));
            }
        }
        ports.take()
    }

    async fn listed(&self, path: PathBuf, records: &BTreeMap<PathBuf, Record>) -> Result<Listed, Error> {
        let bytes = used_bytes(&path).await.unwrap_or_default();
        let session = records.get(&path).map(|record| record.session.clone());
        let Some((_, worktree)) = self.repository_of(&path).await else {
            let last_used = latest([path.clone()]);
            let purpose = match session {
                Some(session) => Purpose::Unfinished { session: Some(session) },
                None => Purpose::Foreign,
            };
            let (repository, branch, dirty) = (None, None, None);
            return Ok(Listed { path, repository, branch, dirty, bytes, last_used, purpose, notes: vec![] });
        };
        let marker = Marker::read(worktree.git_dir())?;
        let head = worktree.head().await.ok();
        let notes = marker.as_ref().map(|marker| marker.notes.clone()).unwrap_or_default();
        let repository = marker.as_ref().map(|marker| PathBuf::from(&marker.repository));
        let purpose = match marker.map(|marker| marker.role) {
            Some(Role::Session { session, .. }) => Purpose::Session { session },
            // Given away, and the call that took it was cut short.
            Some(Role::Pool { .. }) if session.is_some() => Purpose::Unfinished { session },
            Some(Role::Pool { .. }) => Purpose::Pool,
            None => Purpose::Unfinished { session },
        };
        let own = worktree.private_dir()?;
        let bytes = match &own {
            Some(own) => bytes + used_bytes(own).await.unwrap_or_default(),
            None => bytes,
        };
        let used = own.iter().map(PathBuf::as_path).chain([worktree.git_dir()]);
        let used = used.flat_map(|git| ["index", "HEAD", "logs/HEAD", "fleet.json"].map(|file| git.join(file)));
        Ok(Listed {
            last_used: latest(used.chain([path.clone()])),
            repository: repository.or_else(|| common_dir_of(&path)),
            branch: head.as_ref().and_then(|head| head.branch()).map(ToString::to_string),
            dirty: worktree.is_changed().await.ok(),
            path,
            bytes,
            purpose,
            notes,
        })
    }
}

/// The directory that all worktrees of a repository share; from the worktree's link where it was not written down.
fn common_dir_of(path: &Path) -> Option<PathBuf> {
    let remembered = path.parent().and_then(remembered);
    remembered.or_else(|| linked_dir(path)?.parent()?.parent()?.canonicalize().ok())
}

/// The registration of a worktree.
pub(crate) fn git_dir_of(path: &Path) -> Option<PathBuf> {
    registered(&common_dir_of(path)?, path)
}

/// The git directory that the link of a worktree leads to.
pub(crate) fn linked_dir(path: &Path) -> Option<PathBuf> {
    let link = files::text(&path.join(".git")).ok()??;
    Some(path.join(link.strip_prefix("gitdir: ")?.trim_end()))
}

/// When the last of some files was changed.
fn latest(paths: impl IntoIterator<Item = PathBuf>) -> Timestamp {
    let times = paths.into_iter().filter_map(|path| path.symlink_metadata().ok()?.modified().ok());
    let last = times.max().unwrap_or(SystemTime::UNIX_EPOCH);
    Timestamp::try_from(last).unwrap_or(Timestamp::UNIX_EPOCH)
}

/// The directories in a directory, by name; links are none, and those that start with a dot are not shown.
pub(crate) fn directories(path: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(path).into_iter().flatten().flatten();
    let shown = entries.filter(|entry| !entry.file_name().as_encoded_bytes().starts_with(b"."));
    let found = shown.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()));
    let mut paths: Vec<PathBuf> = found.map(|entry| entry.path()).collect();
    paths.sort();
    paths
}
