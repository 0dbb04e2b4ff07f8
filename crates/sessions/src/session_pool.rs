//! Folders of sessions made in advance, with the files that every first process is given, empty.
//!
//! A file system may take about a millisecond for each new file when much was deleted lately, as builds and tests do
//! (see the supervisor's stock); a session needs a dozen. Nothing depends on a session_pool: what it cannot give is made as if
//! it were not there, and what lies on it belongs to nobody.

use std::collections::VecDeque;
use std::fs::{DirBuilder, OpenOptions};
use std::io;
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use runtime::{Kind, Stop, Tree};
use tokio::sync::Notify;

/// How many sessions can begin at once before folders must be made for them.
const SIZE: usize = 8;

/// What a folder on the session_pool is called within that of its task, before it has a session.
const NOBODY: &str = "session";

/// What is in the folder of a session: folders before what is in them.
#[derive(Debug, Clone, Default)]
pub(crate) struct Contents {
    pub(crate) folders: Vec<PathBuf>,
    pub(crate) files: Vec<PathBuf>,
}

/// Some folders that wait for their sessions.
#[derive(Debug, Clone)]
pub(crate) struct SessionPool(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    folder: PathBuf,
    contents: Contents,
    ready: Mutex<VecDeque<PathBuf>>,
    next: AtomicU64,
    taken: Notify,
}

impl SessionPool {
    /// Keeps folders below `tasks`, in a task of `tree`.
    pub(crate) fn open(tree: &Tree, tasks: &Path, contents: Contents) -> Self {
        let (ready, next, taken) = (Mutex::default(), AtomicU64::default(), Notify::new());
        let shared = Arc::new(Shared { folder: tasks.join(".folders"), contents, ready, next, taken });
        let kept = Arc::clone(&shared);
        tree.spawn(Kind::Chore, "session_pool of folders", move |stop| async move { keep(&kept, &stop).await });
        Self(shared)
    }

    /// Puts a folder in the place of a session that has none; does nothing if it has one, or there is none to give.
    pub(crate) fn put(&self, session: &Path) {
        let (Some(task), Some(name)) = (session.parent(), session.file_name()) else { return };
        if session.exists() {
            return;
        }
        let Some(made) = self.0.ready().pop_front() else { return };
        let own = made.join(name);
        let put = rename(&made.join(NOBODY), &own).and_then(|()| {
            // The task may have had a session before; then only that folder moves.
            rename(&made, task).or_else(|_| rename(&own, session))
        });
        if let Err(error) = put {
            tracing::debug!(session = %session.display(), %error, "a folder made in advance is not used");
        }
    }

    /// Lets what was taken be made again. Called when a start is over, so that it does not compete with that.
    pub(crate) fn refill(&self) {
        self.0.taken.notify_one();
    }
}

impl Shared {
    /// Takes up what an earlier server left, and removes what it left half; blocks.
    fn find(&self) -> io::Result<()> {
        for entry in std::fs::read_dir(&self.folder)? {
            let path = entry?.path();
            let whole = |part: &PathBuf| path.join(NOBODY).join(part).exists();
            if self.contents.folders.iter().chain(&self.contents.files).all(whole) && self.ready().len() < SIZE {
                self.ready().push_back(path);
            } else {
                remove(&path)?;
            }
        }
        Ok(())
    }

    /// Makes what is missing; blocks.
    fn fill(&self) -> io::Result<()> {
        folder(&self.folder)?;
        while self.ready().len() < SIZE {
            let path = self.folder.join(self.next.fetch_add(1, Ordering::Relaxed).to_string());
            match DirBuilder::new().mode(0o700).create(&path) {
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => continue,
                made => made?,
            }
            let session = path.join(NOBODY);
            folder(&session)?;
            self.contents.folders.iter().try_for_each(|part| folder(&session.join(part)))?;
            for part in &self.contents.files {
                OpenOptions::new().append(true).create(true).mode(0o600).open(session.join(part))?;
            }
            self.ready().push_back(path);
        }
        Ok(())
    }

    fn ready(&self) -> MutexGuard<'_, VecDeque<PathBuf>> {
        // What is locked here is whole between any two statements, so the panic of a holder does no harm.
        self.ready.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Fills the session_pool now and after every start. One that cannot be filled only makes starts slower.
async fn keep(shared: &Arc<Shared>, stop: &Stop) {
    let first = Arc::clone(shared);
    // There is none the first time.
    let _ = runtime::blocking(move || first.find()).await;
    loop {
        let filled = Arc::clone(shared);
        if let Err(error) = runtime::blocking(move || filled.fill()).await {
            tracing::warn!(folder = %shared.folder.display(), %error, "cannot make folders in advance; starts take longer");
        }
        tokio::select! {
            biased;
            () = shared.taken.notified() => {}
            () = stop.asked() => return,
        }
    }
}

fn folder(path: &Path) -> io::Result<()> {
    DirBuilder::new().recursive(true).mode(0o700).create(path)
}

#[expect(
    clippy::disallowed_methods,
    reason = "a folder in the pool belongs to no session; an empty one may be replaced"
)]
fn rename(from: &Path, to: &Path) -> io::Result<()> {
    std::fs::rename(from, to)
}

#[expect(clippy::disallowed_methods, reason = "a folder in the pool belongs to no session and is empty")]
fn remove(path: &Path) -> io::Result<()> {
    std::fs::remove_dir_all(path)
}

#[cfg(test)]
#[path = "session_pool_tests.rs"]
mod tests;
