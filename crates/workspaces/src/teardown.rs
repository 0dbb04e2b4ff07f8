//! How a worktree is torn down: as the recipe had it when the tree was made.
//!
//! It lies beside the records, where no agent writes. The marker does not: it is in the git directory of the worktree,
//! to which the agent writes.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use sandbox::CommandRules;
use serde::{Deserialize, Serialize};

use crate::error::Error;
use crate::files;
use crate::record::Record;

/// The commands of a teardown, and what they need.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Teardown {
    pub(crate) commands: Vec<String>,
    pub(crate) timeout: Duration,
    /// What the recipe sets, the port included.
    pub(crate) env: BTreeMap<String, String>,
    /// What they may reach, as it was said when the worktree was made.
    #[serde(default)]
    pub(crate) sandbox: CommandRules,
    /// What they read beside the worktree.
    #[serde(default)]
    pub(crate) read: Vec<PathBuf>,
}

impl Teardown {
    /// Keeps what is to be done when the worktree at `path` goes; a tree that was there before it is forgotten.
    pub(crate) fn keep(&self, home: &Path, path: &Path) -> Result<(), Error> {
        let file = file(home, path);
        if self.commands.is_empty() { files::remove(&file) } else { files::write(&file, self) }
    }

    /// Reads what is to be done when the worktree at `path` goes; none if nothing is.
    pub(crate) fn of(home: &Path, path: &Path) -> Result<Option<Self>, Error> {
        files::json(&file(home, path))
    }
}

fn file(home: &Path, path: &Path) -> PathBuf {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    Record::folder(home).join(format!("{name}.teardown"))
}
