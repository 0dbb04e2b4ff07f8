//! Spools made in advance: to make a file can take longer than all the rest of a start.
//!
//! A file system may walk past everything that was deleted lately to find a place for a new file (ext4 takes about a
//! millisecond for it after a build or a test run), while to rename one costs next to nothing. A stock never holds a
//! spool in which something was started, and nothing depends on it: what it cannot give is made as if it were not there.

use std::collections::VecDeque;
use std::io;
use std::os::unix::fs::DirBuilderExt as _;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use runtime::{Kind, Stop, Tree};
use tokio::sync::Notify;

use crate::files;
use crate::spool::Spool;

/// Some spools that wait for their agents.
#[derive(Debug, Clone)]
pub struct Stock(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    folder: PathBuf,
    size: usize,
    ready: Mutex<VecDeque<PathBuf>>,
    /// The name of the next one.
    next: AtomicU64,
    taken: Notify,
    filled: Notify,
}

impl Stock {
    /// Keeps `size` spools in a folder of its own, in a task of `tree`. What an earlier stock left there is used.
    ///
    /// The folder is to be on the file system of the spools that are started; on another one it is of no use.
    #[must_use]
    pub fn open(tree: &Tree, folder: impl Into<PathBuf>, size: usize) -> Self {
        let (ready, next) = (Mutex::default(), AtomicU64::new(0));
        let (taken, filled) = (Notify::new(), Notify::new());
        let shared = Arc::new(Shared { folder: folder.into(), size, ready, next, taken, filled });
        let kept = Arc::clone(&shared);
        tree.spawn(Kind::Chore, "spool stock", move |stop| async move { keep(&kept, &stop).await });
        Self(shared)
    }

    /// Waits until the stock is full; for ever if the folder cannot be written to.
    pub async fn filled(&self) {
        loop {
            // Listened to before the look, so that what happens in between is heard.
            let filled = self.0.filled.notified();
            if self.0.ready().len() >= self.0.size {
                return;
            }
            filled.await;
        }
    }

    /// Puts a spool of the stock in a place that was free, and says whether it did.
    pub(crate) fn put(&self, spool: &Spool) -> bool {
        loop {
            let Some(made) = self.0.ready().pop_front() else { return false };
            if files::rename_to_free(&made, spool.path()).is_ok() {
                return true;
            }
            if made.exists() {
                // It is the place that is wrong. It waits for another one.
                self.0.ready().push_front(made);
                return false;
            }
        }
    }

    /// Lets what was taken be made again. Called when a start is over, so that it does not compete with that.
    pub(crate) fn refill(&self) {
        self.0.taken.notify_one();
    }
}

impl Shared {
    /// Takes up what an earlier stock left; blocks.
    fn find(&self) -> io::Result<()> {
        let found = std::fs::read_dir(&self.folder)?.filter_map(|entry| Some(entry.ok()?.path()));
        let found: Vec<_> = found.take(self.size).collect();
        self.ready().extend(found);
        Ok(())
    }

    /// Makes what is missing; blocks.
    fn fill(&self) -> io::Result<()> {
        std::fs::DirBuilder::new().recursive(true).mode(0o700).create(&self.folder)?;
        while self.ready().len() < self.size {
            let made = self.make()?;
            self.ready().push_back(made);
        }
        self.filled.notify_waiters();
        Ok(())
    }

    fn make(&self) -> io::Result<PathBuf> {
        loop {
            let path = self.folder.join(self.next.fetch_add(1, Ordering::Relaxed).to_string());
            match make(&path) {
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                made => return made.map(|()| path),
            }
        }
    }

    fn ready(&self) -> MutexGuard<'_, VecDeque<PathBuf>> {
        // What is locked here is whole between any two statements, so the panic of a holder does no harm.
        self.ready.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn make(path: &Path) -> io::Result<()> {
    std::fs::DirBuilder::new().mode(0o700).create(path)?;
    Spool::at(path).furnish()
}

/// Fills the stock now and after every start. One that cannot be filled only makes starts slower.
async fn keep(shared: &Arc<Shared>, stop: &Stop) {
    let first = Arc::clone(shared);
    // There is none the first time.
    let _ = runtime::blocking(move || first.find()).await;
    loop {
        let filled = Arc::clone(shared);
        if let Err(error) = runtime::blocking(move || filled.fill()).await {
            tracing::warn!(folder = %shared.folder.display(), %error, "cannot make spools in advance; starts take longer");
        }
        tokio::select! {
            () = shared.taken.notified() => {}
            () = stop.asked() => return,
        }
    }
}
