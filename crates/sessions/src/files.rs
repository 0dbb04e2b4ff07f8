//! The small files beside an agent that sessions write and read: what it is told, what it may do, how it reaches the
//! server. The server uses [`DiskFiles`]; the simulation and tests use [`crate::memory`].

use std::fmt::Debug;
use std::fs::{DirBuilder, OpenOptions};
use std::io::{self, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};

use egress_proxy::Refused;
use futures::FutureExt as _;
use futures::future::BoxFuture;
use policy::{Judged, SessionPermissions, Slice};
use runtime::Tree;

use crate::actor;
use crate::session_pool::SessionPool;

/// Reads and writes the files of sessions. Whatever is written is for its owner alone.
pub trait Files: Debug + Send + Sync + 'static {
    /// Puts a folder made in advance in the place of a session that has none, if there is one to give.
    fn take_folder(&self, session: &Path);

    /// Lets folders be made again that were taken. Called when a start is over, so that it does not compete with that.
    fn refill_folders(&self);

    /// Writes a file anew, with the folders above it.
    ///
    /// # Errors
    /// When it cannot be written.
    fn write(&self, path: &Path, text: &str) -> io::Result<()>;

    /// Replaces a file whose folder is there, so that a reader sees it whole; does nothing where the folder is not.
    ///
    /// # Errors
    /// When it cannot be written.
    fn replace(&self, path: &Path, text: &str) -> io::Result<()>;

    /// Appends to a file; makes it if it is not there.
    ///
    /// # Errors
    /// When it cannot be written.
    fn append(&self, path: &Path, text: &str) -> io::Result<()>;

    /// Reads a file; nothing if it is not there.
    ///
    /// # Errors
    /// When it cannot be read.
    fn read(&self, path: &Path) -> io::Result<Vec<u8>>;

    /// Cuts a file to so many bytes.
    ///
    /// # Errors
    /// When it cannot be written.
    fn cut(&self, path: &Path, bytes: u64) -> io::Result<()>;

    /// Writes what an agent may do to where its hook reads it.
    ///
    /// # Errors
    /// When it cannot be written.
    fn save_permissions(&self, path: &Path, permissions: &SessionPermissions) -> io::Result<()>;

    /// Reads a slice of what was decided on an agent's calls, from a place on.
    ///
    /// # Errors
    /// When it cannot be read.
    fn read_journal(&self, path: &Path, from: u64) -> io::Result<Slice>;

    /// Reads what the proxy of an agent refused; nothing if it has none.
    ///
    /// # Errors
    /// When it cannot be read.
    fn read_refused(&self, path: &Path) -> io::Result<Vec<Refused>>;

    /// Removes folders for temporary files with all that is in them.
    fn remove_temporary(&self, folders: Vec<PathBuf>) -> BoxFuture<'static, ()>;
}

/// Files of this machine.
#[derive(Debug, Clone)]
pub struct DiskFiles {
    pool: SessionPool,
}

impl DiskFiles {
    /// Keeps the files of sessions below `tasks`, and some folders ready in a task of `tree`.
    #[must_use]
    pub fn open(tree: &Tree, tasks: &Path) -> Self {
        Self { pool: SessionPool::open(tree, tasks, actor::contents()) }
    }
}

impl Files for DiskFiles {
    fn take_folder(&self, session: &Path) {
        self.pool.put(session);
    }

    fn refill_folders(&self) {
        self.pool.refill();
    }

    fn write(&self, path: &Path, text: &str) -> io::Result<()> {
        make_folder_of(path)?;
        let mut options = OpenOptions::new();
        options.write(true).create(true).truncate(true).mode(0o600).open(path)?.write_all(text.as_bytes())
    }

    fn replace(&self, path: &Path, text: &str) -> io::Result<()> {
        if !path.parent().is_some_and(Path::is_dir) {
            return Ok(());
        }
        let staged = path.with_extension("new");
        self.write(&staged, text)?;
        rename(&staged, path)
    }

    fn append(&self, path: &Path, text: &str) -> io::Result<()> {
        OpenOptions::new().append(true).create(true).mode(0o600).open(path)?.write_all(text.as_bytes())
    }

    fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        match OpenOptions::new().read(true).open(path) {
            Ok(mut file) => io::Read::read_to_end(&mut file, &mut bytes).map(|_| bytes),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(bytes),
            Err(error) => Err(error),
        }
    }

    fn cut(&self, path: &Path, bytes: u64) -> io::Result<()> {
        OpenOptions::new().write(true).open(path)?.set_len(bytes)
    }

    fn save_permissions(&self, path: &Path, permissions: &SessionPermissions) -> io::Result<()> {
        make_folder_of(path)?;
        permissions.save(path).map_err(io::Error::other)
    }

    fn read_journal(&self, path: &Path, from: u64) -> io::Result<Slice> {
        Judged::read(path, from)
    }

    fn read_refused(&self, path: &Path) -> io::Result<Vec<Refused>> {
        egress_proxy::refused(path)
    }

    fn remove_temporary(&self, folders: Vec<PathBuf>) -> BoxFuture<'static, ()> {
        runtime::blocking(move || folders.iter().for_each(|folder| remove(folder))).boxed()
    }
}

fn make_folder_of(path: &Path) -> io::Result<()> {
    let Some(folder) = path.parent() else { return Ok(()) };
    DirBuilder::new().recursive(true).mode(0o700).create(folder)
}

#[expect(clippy::disallowed_methods, reason = "the file is the session's own, and a reader must see it whole")]
fn rename(from: &Path, to: &Path) -> io::Result<()> {
    std::fs::rename(from, to)
}

fn remove(folder: &Path) {
    // What cannot be removed goes with the session's own folder.
    let _ = sandbox::remove_private(folder);
}
