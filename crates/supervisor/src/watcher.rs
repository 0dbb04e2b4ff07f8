//! One watch for all spools: rings when a file of a session has grown, or its agent has ended.
//!
//! A bell says only that something happened; what, the reader sees in the file. So nothing depends on how many events
//! the kernel makes of a burst, or on their order. The machine has few such watches to give, hence one for all.

use std::collections::HashMap;
use std::io;
use std::mem::MaybeUninit;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use runtime::{Kind, Stop, Tree};
use rustix::fs::inotify::{self, CreateFlags, ReadFlags, Reader, WatchFlags};
use rustix::io::Errno;
use tokio::io::unix::AsyncFd;
use tokio::sync::Notify;

use crate::descriptor;
use crate::follower::Follower;
use crate::spool::{EXIT, Spool, Stream};
use crate::tail::Tail;

/// Follows the spools of any number of sessions.
#[derive(Debug, Clone)]
pub struct Watcher(Arc<Shared>);

#[derive(Debug)]
pub(crate) struct Shared {
    events: AsyncFd<OwnedFd>,
    sessions: Mutex<HashMap<i32, Weak<Session>>>,
}

/// A spool that is followed.
#[derive(Debug)]
pub(crate) struct Session {
    folder: PathBuf,
    watch: i32,
    ended: AtomicBool,
    bells: Mutex<Vec<(Stream, Weak<Bell>)>>,
    /// There as long as the shim relies on this watch.
    follower: Mutex<Option<Follower>>,
    shared: Weak<Shared>,
}

/// Wakes one reader; a wake-up without a waiting reader is kept.
#[derive(Debug, Default)]
pub(crate) struct Bell(Notify);

impl Bell {
    pub(crate) async fn rung(&self) {
        self.0.notified().await;
    }
}

impl Watcher {
    /// Begins to watch, in a task of `tree`.
    ///
    /// # Errors
    /// When the system has no more watches to give.
    pub fn new(tree: &Tree) -> io::Result<Self> {
        let events = descriptor::readable(inotify::init(CreateFlags::NONBLOCK | CreateFlags::CLOEXEC)?)?;
        let shared = Arc::new(Shared { events, sessions: Mutex::default() });
        let watched = Arc::clone(&shared);
        tree.spawn(Kind::Feed, "spool watch", move |stop| async move { watch(&watched, &stop).await });
        Ok(Self(shared))
    }

    /// Follows what an agent writes, from a line on that begins at `from`.
    ///
    /// # Errors
    /// When no agent was started in this spool, or the system has no more watches to give.
    pub fn tail(&self, spool: &Spool, stream: Stream, from: u64) -> io::Result<Tail> {
        let session = self.session(spool.path())?;
        // Looked for after the watch began, so that an end in between is not missed.
        session.look();
        let bell = Arc::new(Bell::default());
        lock(&session.bells).push((stream, Arc::downgrade(&bell)));
        Tail::open(spool, stream, from, bell, session)
    }

    /// Says that nothing more will be written to a spool whose shim left no word, so that its tails come to an end.
    ///
    /// # Errors
    /// When the spool is gone.
    pub fn give_up(&self, spool: &Spool) -> io::Result<()> {
        self.session(spool.path())?.end();
        Ok(())
    }

    /// Finds the session of a folder, or makes it.
    fn session(&self, folder: &Path) -> io::Result<Arc<Session>> {
        let mut sessions = lock(&self.0.sessions);
        let watch = inotify::add_watch(self.0.events.get_ref(), folder, WatchFlags::MODIFY | WatchFlags::MOVED_TO)?;
        if let Some(session) = sessions.get(&watch).and_then(Weak::upgrade) {
            return Ok(session);
        }
        let shared = Arc::downgrade(&self.0);
        let (ended, bells) = (AtomicBool::new(false), Mutex::default());
        // A spool that has ended, or whose shim was killed, is not watched.
        let follower = Mutex::new(Follower::new(&Spool::at(folder)).ok());
        let session = Arc::new(Session { folder: folder.to_owned(), watch, ended, bells, follower, shared });
        sessions.insert(watch, Arc::downgrade(&session));
        Ok(session)
    }
}

impl Session {
    pub(crate) fn has_ended(&self) -> bool {
        self.ended.load(Ordering::Acquire)
    }

    /// Looks for what events would have reported, and wakes all other readers too.
    fn look(&self) {
        if self.folder.join(EXIT).exists() {
            self.ended.store(true, Ordering::Release);
        }
        self.follow(Follower::full);
        self.ring(|_| true);
    }

    /// Lets the shim look at its logs if there is something to see.
    fn follow(&self, is_time: impl FnOnce(&mut Follower) -> bool) {
        let mut follower = lock(&self.follower);
        if follower.as_mut().is_some_and(is_time) {
            *follower = None;
        }
    }

    fn end(&self) {
        self.ended.store(true, Ordering::Release);
        self.ring(|_| true);
    }

    fn ring(&self, concerns: impl Fn(Stream) -> bool) {
        lock(&self.bells).retain(|(stream, bell)| {
            let Some(bell) = bell.upgrade() else { return false };
            if concerns(*stream) {
                bell.0.notify_one();
            }
            true
        });
    }

    /// Something happened to a file of this spool.
    fn changed(&self, name: &[u8]) {
        if name == EXIT.as_bytes() {
            self.end();
        } else {
            self.ring(|stream| stream.file_name().as_bytes() == name);
            self.follow(Follower::grown);
        }
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        let Some(shared) = self.shared.upgrade() else { return };
        let mut sessions = lock(&shared.sessions);
        // Another session of the same folder may have begun meanwhile, under the same number.
        if sessions.get(&self.watch).is_some_and(|session| std::ptr::eq(session.as_ptr(), self)) {
            sessions.remove(&self.watch);
            // A folder that is gone has taken its watch with it.
            let _ = inotify::remove_watch(shared.events.get_ref(), self.watch);
        }
    }
}

/// Rings for every event until asked to end.
async fn watch(shared: &Shared, stop: &Stop) -> io::Result<()> {
    loop {
        let mut ready = tokio::select! {
            ready = shared.events.readable() => ready?,
            () = stop.asked() => return Ok(()),
        };
        match read_events(shared) {
            Err(Errno::AGAIN) => ready.clear_ready(),
            Ok(()) | Err(Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
    }
}

/// Reads until there is no event left, which the error says.
fn read_events(shared: &Shared) -> Result<(), Errno> {
    let mut buffer = [MaybeUninit::uninit(); 8 << 10];
    let mut events = Reader::new(shared.events.get_ref(), &mut buffer);
    loop {
        let event = events.next()?;
        if event.events().contains(ReadFlags::QUEUE_OVERFLOW) {
            // Events were lost, so anything may have happened anywhere.
            let all: Vec<_> = lock(&shared.sessions).values().filter_map(Weak::upgrade).collect();
            all.iter().for_each(|session| session.look());
            continue;
        }
        // Upgraded outside of the lock, for the last holder of a session takes that lock.
        let session = lock(&shared.sessions).get(&event.wd()).cloned();
        if let (Some(session), Some(name)) = (session.and_then(|session| session.upgrade()), event.file_name()) {
            session.changed(name.to_bytes());
        }
    }
}

/// What is locked here is whole between any two statements, so the panic of a holder does no harm.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
