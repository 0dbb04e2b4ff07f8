//! What is written down about a workspace: its record before it is made, its marker when it is ready.
//!
//! The record lies beside the worktrees and says which folder and branch a session was given, so that a server that
//! finds it after a crash makes the same ones and no others. The marker lies in the worktree's git directory, where
//! neither the agent nor a status sees it, and is written last: a tree without one was never handed out. Both die with
//! the workspace; a snapshot keeps the marker.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use types::{Tree, Workspace};

use crate::error::Error;
use crate::files;
use crate::recipe::Recipe;

/// The folder of records, beside the worktrees of a repository; no session's folder starts with a dot.
const RECORDS: &str = ".sessions";

/// The folder of what removed workspaces were, so that their sessions can come back.
const REMOVED: &str = ".removed";

/// The marker, in a worktree's git directory.
const MARKER: &str = "fleet.json";

/// What a session was given.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Record {
    pub(crate) session: String,
    /// The folder of its worktree.
    pub(crate) path: PathBuf,
    pub(crate) branch: String,
    /// The commit that the branch starts from.
    pub(crate) base: String,
    /// Whether the branch was made, and so belongs to the session wherever it points now.
    pub(crate) named: bool,
    /// Whether the folder was taken from the pool.
    pub(crate) pooled: bool,
}

/// What a session had, and the snapshot that has it now.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Gone {
    pub(crate) record: Record,
    pub(crate) snapshot: String,
    /// The commit of the snapshot: its name is a reference, which agents may move.
    #[serde(default)]
    pub(crate) commit: Option<String>,
}

/// A worktree that is ready.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Marker {
    pub(crate) role: Role,
    /// The repository it belongs to.
    pub(crate) repository: String,
    /// What the recipe sets, the port included.
    pub(crate) env: BTreeMap<String, String>,
    pub(crate) port: Option<u16>,
    /// What was copied or linked, relative to the top; never part of a commit that Fleet makes.
    pub(crate) brought: Vec<PathBuf>,
    /// What was skipped, in words.
    pub(crate) notes: Vec<String>,
}

/// What a worktree is for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub(crate) enum Role {
    /// It waits for a session.
    Pool {
        /// The commit it is at.
        commit: String,
        /// Whether commands were run in it, whose outcome may depend on the commit.
        set_up: bool,
        /// Whether they changed what git sees; if not, a change is an agent's.
        changed: bool,
        /// The recipe that it was made by.
        #[serde(default)]
        recipe: String,
    },
    /// A session works in it, or did.
    Session {
        /// Which.
        session: String,
        branch: String,
        base: String,
    },
}

impl Record {
    /// Where the records of a repository's folder are.
    pub(crate) fn folder(home: &Path) -> PathBuf {
        home.join(RECORDS)
    }

    /// Where the record of a session is.
    pub(crate) fn at(home: &Path, slug: &str) -> PathBuf {
        Self::folder(home).join(format!("{slug}.json"))
    }

    /// Where it is said what the removed workspace of a session was.
    pub(crate) fn removed_at(home: &Path, slug: &str) -> PathBuf {
        home.join(REMOVED).join(format!("{slug}.json"))
    }

    /// Finds what the removed workspace was that a snapshot has.
    pub(crate) fn removed_as(home: &Path, snapshot: &str) -> Result<Option<Gone>, Error> {
        let entries = std::fs::read_dir(home.join(REMOVED)).into_iter().flatten().flatten();
        for path in entries.map(|entry| entry.path()).filter(|path| path.extension().is_some_and(|end| end == "json")) {
            if let Some(gone) = files::json::<Gone>(&path)?.filter(|gone| gone.snapshot == snapshot) {
                return Ok(Some(gone));
            }
        }
        Ok(None)
    }

    /// Returns the session of each snapshot that a removed workspace left.
    pub(crate) fn removed(home: &Path) -> Result<BTreeMap<String, String>, Error> {
        let entries = std::fs::read_dir(home.join(REMOVED)).into_iter().flatten().flatten();
        let paths = entries.map(|entry| entry.path()).filter(|path| path.extension().is_some_and(|end| end == "json"));
        let gone = paths.filter_map(|path| files::json::<Gone>(&path).transpose());
        gone.map(|gone| gone.map(|gone| (gone.snapshot, gone.record.session))).collect()
    }

    /// The lock that is held while a session's workspace is made or removed.
    pub(crate) fn lock(home: &Path, slug: &str) -> PathBuf {
        Self::folder(home).join(format!("{slug}.lock"))
    }

    /// Reads all records of a repository's folder.
    pub(crate) fn all(home: &Path) -> Result<Vec<Self>, Error> {
        let entries = std::fs::read_dir(Self::folder(home)).into_iter().flatten().flatten();
        let paths = entries.map(|entry| entry.path()).filter(|path| path.extension().is_some_and(|end| end == "json"));
        paths.filter_map(|path| files::json(&path).transpose()).collect()
    }
}

impl Marker {
    /// Starts a marker with what a recipe says.
    pub(crate) fn new(role: Role, repository: String, recipe: &Recipe) -> Self {
        Self { role, repository, env: recipe.env.clone(), port: None, brought: vec![], notes: vec![] }
    }

    pub(crate) fn read(git_dir: &Path) -> Result<Option<Self>, Error> {
        files::json(&git_dir.join(MARKER))
    }

    /// When a session was last given the worktree.
    pub(crate) fn given(git_dir: &Path) -> Option<Timestamp> {
        Timestamp::try_from(git_dir.join(MARKER).symlink_metadata().ok()?.modified().ok()?).ok()
    }

    pub(crate) fn write(&self, git_dir: &Path) -> Result<(), Error> {
        files::write(&git_dir.join(MARKER), self)
    }

    /// The workspace of a session's worktree at `path`; none for one of the pool.
    pub(crate) fn workspace(&self, path: &Path) -> Option<Workspace> {
        match &self.role {
            Role::Pool { .. } => None,
            Role::Session { branch, base, .. } => Some(Workspace {
                path: path.to_string_lossy().into_owned(),
                worktree: Some(Tree {
                    repository: self.repository.clone(),
                    branch: branch.clone(),
                    base: base.clone(),
                }),
                env: self.env.clone(),
            }),
        }
    }
}
