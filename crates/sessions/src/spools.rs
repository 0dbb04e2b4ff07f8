//! Where the files of a session lie: `tasks/<mission or session>/<session>/<run>/`, each folder for its owner alone.

use std::path::{Path, PathBuf};

use supervisor::Spool;
use types::Session;

/// Finds the folders of sessions.
#[derive(Debug, Clone)]
pub(crate) struct Spools(PathBuf);

impl Spools {
    pub(crate) fn below(tasks: &Path) -> Self {
        Self(tasks.to_owned())
    }

    /// Returns the folder of a session.
    pub(crate) fn session(&self, session: &Session) -> PathBuf {
        let task = session.mission.as_ref().map_or(session.id.as_str(), |assignment| assignment.mission.as_str());
        self.0.join(task).join(session.id.as_str())
    }

    /// Returns the file in which stands what one of a session's processes is told; it is there before its spool is.
    pub(crate) fn outbox(&self, session: &Session, run: u32) -> PathBuf {
        self.session(session).join(format!("outbox-{run}.jsonl"))
    }

    /// Returns the folder for what only one of a session's processes may read.
    pub(crate) fn private(&self, session: &Session, run: u32) -> PathBuf {
        self.session(session).join(format!("private-{run}"))
    }

    /// Returns the spool of one of a session's processes, counted from one.
    pub(crate) fn run(&self, session: &Session, run: u32) -> Spool {
        Spool::at(self.session(session).join(run.to_string()))
    }
}
