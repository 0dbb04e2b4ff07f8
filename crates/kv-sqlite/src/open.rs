//! From a path to a connection that may write: lock, check whose file it is, set it up.
//!
//! A file that is not ours, or is from a newer version, is refused before a byte of it changes.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use rusqlite::{Connection, ErrorCode, OpenFlags};

use crate::lock::{self, Lock};
use crate::schema::{self, Origin};

/// Settings of an engine.
#[derive(Debug, Clone, Copy, Default)]
pub struct Options {
    /// Refuses commits that would grow the file past this many pages of 4 KiB; none for no limit but the disk.
    pub pages_max: Option<u32>,
}

/// What kept a file from being opened.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// Another engine holds the file.
    #[error("cannot open {}: it is in use by another fleet process ({})", .path.display(), pid_text(*.pid))]
    InUse {
        /// The database.
        path: PathBuf,
        /// The process that holds it, if it has left its id.
        pid: Option<u32>,
    },
    /// The file is not a database, or that of another program.
    #[error("cannot open {}: it is not a fleet database", .path.display())]
    Foreign {
        /// The file, left as it was.
        path: PathBuf,
    },
    /// The file was written by a later version, which may keep things this one would lose.
    #[error(
        "cannot open {}: it has format {found}, this version of fleet reads up to {supported}; use a newer fleet",
        .path.display()
    )]
    Newer {
        /// The file, left as it was.
        path: PathBuf,
        /// The format it has.
        found: i32,
        /// The newest format this version reads.
        supported: i32,
    },
    /// The file system lacks the shared memory that readers beside a writer need; network shares often do.
    #[error("cannot open {}: no write-ahead log there (journal mode {mode}); move it to a local disk", .path.display())]
    NoLog {
        /// The file.
        path: PathBuf,
        /// The journal mode SQLite offered instead.
        mode: String,
    },
    /// The file or its lock could not be created or reached.
    #[error("cannot open {}", .path.display())]
    File {
        /// The file it happened to.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// SQLite could not read or set up the file.
    #[error("cannot open {}", .path.display())]
    Sqlite {
        /// The file.
        path: PathBuf,
        /// Why.
        source: rusqlite::Error,
    },
    /// The writer thread could not be started.
    #[error("cannot start the writer of {}", .path.display())]
    Thread {
        /// The file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
}

fn pid_text(pid: Option<u32>) -> String {
    pid.map_or_else(|| "pid not known".to_owned(), |pid| format!("pid {pid}"))
}

/// A database that is ours to write.
#[derive(Debug)]
pub(crate) struct Opened {
    pub(crate) path: PathBuf,
    pub(crate) lock: Lock,
    pub(crate) connection: Connection,
    /// The first revision that was never given out.
    pub(crate) revision: u64,
}

/// Locks, checks and sets up the file at `path`.
pub(crate) fn open(path: &Path, options: Options) -> Result<Opened, OpenError> {
    let path = resolved(path).map_err(|source| OpenError::File { path: path.to_owned(), source })?;
    let lock = Lock::take(&path)?;
    create(&path).map_err(|source| OpenError::File { path: path.clone(), source })?;
    let prepared = prepare(&path, options);
    let (connection, revision) = prepared.map_err(|refusal| refusal.of(path.clone()))?;
    Ok(Opened { path, lock, connection, revision })
}

/// Why a file was refused, before its path is told.
enum Refusal {
    Foreign,
    Newer(i32),
    NoLog(String),
    Sqlite(rusqlite::Error),
}

impl From<rusqlite::Error> for Refusal {
    fn from(error: rusqlite::Error) -> Self {
        if error.sqlite_error_code() == Some(ErrorCode::NotADatabase) { Self::Foreign } else { Self::Sqlite(error) }
    }
}

impl Refusal {
    fn of(self, path: PathBuf) -> OpenError {
        match self {
            Self::Foreign => OpenError::Foreign { path },
            Self::Newer(found) => OpenError::Newer { path, found, supported: schema::VERSION },
            Self::NoLog(mode) => OpenError::NoLog { path, mode },
            Self::Sqlite(source) => OpenError::Sqlite { path, source },
        }
    }
}

fn prepare(path: &Path, options: Options) -> Result<(Connection, u64), Refusal> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let mut connection = Connection::open_with_flags(path, flags)?;
    let origin = schema::origin(&connection)?;
    match origin {
        Origin::Foreign => return Err(Refusal::Foreign),
        Origin::Version(found) if found > schema::VERSION => return Err(Refusal::Newer(found)),
        Origin::Empty | Origin::Version(_) => {}
    }
    let mode = schema::configure_writer(&connection, options.pages_max)?;
    if mode != "wal" {
        return Err(Refusal::NoLog(mode));
    }
    if origin == Origin::Empty {
        schema::create(&mut connection)?;
    }
    let revision = schema::revision(&connection)?;
    Ok((connection, revision))
}

/// Follows links, so that two names of one file meet at one lock.
fn resolved(path: &Path) -> std::io::Result<PathBuf> {
    match path.canonicalize() {
        Err(error) if error.kind() == ErrorKind::NotFound => {
            let name = path.file_name().ok_or(error)?;
            let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
            Ok(folder.canonicalize()?.join(name))
        }
        resolved => resolved,
    }
}

/// Creates the file if there is none, readable by its owner alone; SQLite gives its log the same mode.
///
/// An existing file is not opened here: closing it again would drop locks that SQLite holds in this process.
fn create(path: &Path) -> std::io::Result<()> {
    match lock::private().create_new(true).open(path) {
        Err(error) if error.kind() != ErrorKind::AlreadyExists => Err(error),
        Ok(_) | Err(_) => Ok(()),
    }
}
