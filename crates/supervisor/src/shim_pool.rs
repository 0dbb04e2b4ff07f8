//! Spools made in advance, and shims that wait in them: both can take longer than all the rest of a start.
//!
//! A file system may walk past everything that was deleted lately to find a place for a new file (ext4 takes about a
//! millisecond for it after a build or a test run), while to rename one costs next to nothing. To execute a program as
//! large as this one takes several. A stock never holds a spool in which something was started, and nothing depends on
//! it: what it cannot give is made as if it were not there. A shim that waits is gone when this process is.

use std::collections::VecDeque;
use std::io;
use std::os::unix::fs::DirBuilderExt as _;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use runtime::{Kind, Stop, Tree};
use tokio::process::Child;
use tokio::sync::Notify;

use crate::execute::execute;
use crate::files;
use crate::spool::Spool;

/// In how many of its spools a shim waits; each holds a megabyte.
const SHIMS: usize = 4;

/// Some spools that wait for their agents.
#[derive(Debug, Clone)]
pub struct ShimPool(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    folder: PathBuf,
    size: usize,
    ready: Mutex<VecDeque<Made>>,
    /// The name of the next one.
    next: AtomicU64,
    /// The program to execute as a shim, once agents are started from here.
    program: OnceLock<PathBuf>,
    /// Whether an agent was started: before that no waiting shim is needed.
    used: AtomicBool,
    taken: Notify,
    filled: Notify,
}

/// A spool that was made.
#[derive(Debug)]
struct Made {
    path: PathBuf,
    /// Who waits in it to be told what to start.
    shim: Option<Child>,
}

/// A spool in its place.
#[derive(Debug)]
pub(crate) struct Put {
    /// Who waits in it to be told what to start.
    pub(crate) shim: Option<Child>,
}

impl ShimPool {
    /// Keeps `size` spools in a folder of its own, in a task of `tree`. What an earlier stock left there is used.
    ///
    /// The folder is to be on the file system of the spools that are started; on another one it is of no use.
    #[must_use]
    pub fn open(tree: &Tree, folder: impl Into<PathBuf>, size: usize) -> Self {
        let (ready, next, program, used) = Default::default();
        let (taken, filled) = (Notify::new(), Notify::new());
        let shared = Arc::new(Shared { folder: folder.into(), size, ready, next, program, used, taken, filled });
        let kept = Arc::clone(&shared);
        tree.spawn(Kind::Chore, "spool stock", move |stop| async move { keep(&kept, &stop).await });
        Self(shared)
    }

    /// Waits until the stock is full, with its shims once an agent was started; for ever if the folder cannot be
    /// written to.
    pub async fn filled(&self) {
        loop {
            // Listened to before the look, so that what happens in between is heard.
            let filled = self.0.filled.notified();
            if self.0.is_full() {
                return;
            }
            filled.await;
        }
    }

    /// Lets shims of this program wait for what to start.
    pub(crate) fn employ(&self, program: &Path) {
        self.0.program.get_or_init(|| program.to_owned());
    }

    /// Puts a spool of the stock in a place that was free; none if it has none, or the place is wrong.
    pub(crate) fn put(&self, spool: &Spool) -> Option<Put> {
        // Nothing is taken out only to be put back: meanwhile another would be made in its place.
        if spool.path().exists() {
            return None;
        }
        loop {
            let made = self.0.take()?;
            if files::rename_to_free(&made.path, spool.path()).is_ok() {
                return Some(Put { shim: made.shim });
            }
            if made.path.exists() {
                // It waits for another place.
                self.0.ready().push_front(made);
                return None;
            }
        }
    }

    /// Lets what was taken be made again. Called when a start is over, so that it does not compete with that.
    pub(crate) fn refill(&self) {
        self.0.used.store(true, Ordering::Relaxed);
        self.0.taken.notify_one();
    }
}

impl Shared {
    /// Takes up what an earlier stock left; blocks.
    fn find(&self) -> io::Result<()> {
        let found = std::fs::read_dir(&self.folder)?.filter_map(|entry| Some(entry.ok()?.path()));
        let found: Vec<_> = found.take(self.size).map(|path| Made { path, shim: None }).collect();
        self.ready().extend(found);
        Ok(())
    }

    /// Makes what is missing; blocks.
    fn fill(&self) -> io::Result<()> {
        std::fs::DirBuilder::new().recursive(true).mode(0o700).create(&self.folder)?;
        while self.ready().len() < self.size {
            let path = self.make()?;
            self.ready().push_back(Made { path, shim: None });
        }
        while let Some((program, mut made)) = self.unmanned() {
            let manned = made.path.canonicalize().and_then(|folder| execute(program, &folder));
            let failed = manned.map(|shim| made.shim = Some(shim));
            self.ready().push_back(made);
            failed?;
        }
        self.filled.notify_waiters();
        Ok(())
    }

    /// Takes a spool out, if it can be one in which a shim waits.
    fn take(&self) -> Option<Made> {
        let mut ready = self.ready();
        let manned = ready.iter().position(|made| made.shim.is_some());
        ready.remove(manned.unwrap_or_default())
    }

    /// Takes a spool out in which a shim is to wait, if there are too few.
    fn unmanned(&self) -> Option<(&Path, Made)> {
        let program = self.program.get().filter(|_| self.used.load(Ordering::Relaxed))?;
        let mut ready = self.ready();
        let manned = ready.iter().filter(|made| made.shim.is_some()).count();
        let at = ready.iter().position(|made| made.shim.is_none()).filter(|_| manned < SHIMS)?;
        Some((program, ready.remove(at)?))
    }

    fn is_full(&self) -> bool {
        let ready = self.ready();
        let shims = if self.used.load(Ordering::Relaxed) && self.program.get().is_some() { SHIMS } else { 0 };
        let manned = ready.iter().filter(|made| made.shim.is_some()).count();
        ready.len() >= self.size && manned >= shims.min(self.size)
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

    /// Lets the shims that wait go, and waits until they have.
    async fn dismiss(&self) {
        let ready = std::mem::take(&mut *self.ready());
        for mut shim in ready.into_iter().filter_map(|made| made.shim) {
            // Closing its input makes it exit.
            let _ = shim.wait().await;
        }
    }

    fn ready(&self) -> MutexGuard<'_, VecDeque<Made>> {
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
            () = stop.asked() => return shared.dismiss().await,
        }
    }
}
