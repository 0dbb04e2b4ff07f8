//! Where the files of a session lie: `tasks/<mission or session>/<session>/<run>/`, each folder for its owner alone.

use std::path::{Path, PathBuf};

use supervisor::{Kept, Spool, Stream};
use types::{Session, Timestamp};

use crate::trim::Found;

/// Finds the folders of sessions.
#[derive(Debug, Clone)]
pub(crate) struct Spools {
    tasks: PathBuf,
}

impl Spools {
    pub(crate) fn below(tasks: &Path) -> Self {
        Self { tasks: tasks.to_owned() }
    }

    /// Returns the folder of a session.
    pub(crate) fn session(&self, session: &Session) -> PathBuf {
        let task = session.mission.as_ref().map_or(session.id.as_str(), |assignment| assignment.mission.as_str());
        self.tasks.join(task).join(session.id.as_str())
    }

    /// Returns the file with the input of one of a session's processes; it is there before its spool is.
    pub(crate) fn outbox(&self, session: &Session, run: u32) -> PathBuf {
        self.session(session).join(outbox(run))
    }

    /// Returns the file with what Fleet says of a session.
    pub(crate) fn notices(&self, session: &Session) -> PathBuf {
        self.session(session).join("notices.jsonl")
    }

    /// Returns the file with the key that answers to one of a session's processes are proved by.
    pub(crate) fn answer_key(&self, session: &Session, run: u32) -> PathBuf {
        self.session(session).join(answer_key(run))
    }

    /// Returns the folder for what only one of a session's processes may read.
    pub(crate) fn private(&self, session: &Session, run: u32) -> PathBuf {
        self.session(session).join(private(run))
    }

    /// Returns the spool of one of a session's processes, counted from one.
    pub(crate) fn run(&self, session: &Session, run: u32) -> Spool {
        Spool::at(self.session(session).join(run.to_string()))
    }

    /// Finds what the output of every session takes, by its folders; blocks.
    pub(crate) fn found(&self, kept: Kept) -> Vec<Found> {
        below(&self.tasks).flat_map(|task| below(&task)).filter_map(|session| found(&session, kept)).collect()
    }
}

pub(crate) fn outbox(run: u32) -> String {
    format!("outbox-{run}.jsonl")
}

pub(crate) fn answer_key(run: u32) -> String {
    format!("answer-key-{run}")
}

pub(crate) fn private(run: u32) -> String {
    format!("private-{run}")
}

fn found(session: &Path, kept: Kept) -> Option<Found> {
    let is_run = |path: &PathBuf| path.file_name().and_then(|name| name.to_str()?.parse::<u32>().ok()).is_some();
    let spools: Vec<Spool> = below(session).filter(is_run).map(Spool::at).collect();
    let logs = spools.iter().flat_map(|spool| [Stream::Output, Stream::Errors].map(|stream| spool.log(stream)));
    let written = logs.filter_map(|log| Timestamp::try_from(std::fs::metadata(log).ok()?.modified().ok()?).ok());
    let last = written.max()?;
    let (bytes, removable) =
        spools.iter().map(|spool| spool.bytes(kept)).fold((0, 0), |(all, of), (bytes, some)| (all + bytes, of + some));
    let session = session.file_name()?.to_str()?.to_owned();
    Some(Found { session, spools, last, bytes, removable, live: false })
}

/// Lists what is in a folder; nothing if it is none, or has gone meanwhile.
fn below(folder: &Path) -> impl Iterator<Item = PathBuf> + use<> {
    std::fs::read_dir(folder).into_iter().flatten().filter_map(|entry| Some(entry.ok()?.path()))
}
