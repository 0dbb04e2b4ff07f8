//! Reads: a few read-only connections beside the writer.
//!
//! Each read is one statement, so it sees one state of the database: the newest that was durable when it began. It
//! never waits for the writer. A scan runs on a blocking thread. A get of a row is a handful of pages, nearly always
//! in memory: it costs less than waking a thread, so it runs where it is called if a connection is idle.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use kv::Error;
use rusqlite::{Connection, ErrorCode, OpenFlags};
use tokio::sync::Semaphore;

use crate::schema;

/// Reads that run at once; more would not be faster on the disks and cores this engine is for.
const READERS_MAX: usize = 4;

/// A pool that opens connections as they are needed, up to its bound.
#[derive(Debug)]
pub(crate) struct Readers {
    path: PathBuf,
    idle: Mutex<Vec<Connection>>,
    permits: Arc<Semaphore>,
}

impl Readers {
    /// Prepares to read the file, which must have been set up.
    pub(crate) fn new(path: PathBuf) -> Self {
        let count = std::thread::available_parallelism().map_or(1, |cores| cores.get().min(READERS_MAX));
        Self { path, idle: Mutex::default(), permits: Arc::new(Semaphore::new(count)) }
    }

    /// Runs a read of a few microseconds right here if it can, else on a blocking thread.
    pub(crate) async fn glance<T: Send + 'static>(
        self: &Arc<Self>,
        job: impl Fn(&Connection) -> rusqlite::Result<T> + Send + 'static,
    ) -> Result<T, Error> {
        let taken = self.idle().pop();
        if let Some(connection) = taken
            && let Ok(answer) = job(&connection)
        {
            self.keep(connection);
            return Ok(answer);
        }
        self.read(job).await
    }

    /// Runs a read on a blocking thread.
    pub(crate) async fn read<T: Send + 'static>(
        self: &Arc<Self>,
        job: impl FnOnce(&Connection) -> rusqlite::Result<T> + Send + 'static,
    ) -> Result<T, Error> {
        let permit =
            Arc::clone(&self.permits).acquire_owned().await.map_err(|error| Error::Unavailable(error.into()))?;
        let readers = Arc::clone(self);
        #[expect(clippy::disallowed_methods, reason = "an engine depends on kv alone; the permit bounds these threads")]
        let read = tokio::task::spawn_blocking(move || {
            // Held until the read ends, even if no caller waits for it any more.
            let _permit = permit;
            readers.run(job)
        });
        read.await.map_err(|error| Error::Unavailable(error.into()))?.map_err(failed)
    }

    fn run<T>(&self, job: impl FnOnce(&Connection) -> rusqlite::Result<T>) -> rusqlite::Result<T> {
        let taken = self.idle().pop();
        let connection = taken.map_or_else(|| self.connect(), Ok)?;
        let answer = job(&connection)?;
        // A connection that failed is dropped with its state, and the next read opens a new one.
        self.keep(connection);
        Ok(answer)
    }

    fn keep(&self, connection: Connection) {
        let mut idle = self.idle();
        if idle.len() < READERS_MAX {
            idle.push(connection);
        }
    }

    fn idle(&self) -> MutexGuard<'_, Vec<Connection>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn connect(&self) -> rusqlite::Result<Connection> {
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let connection = Connection::open_with_flags(&self.path, flags)?;
        schema::configure_reader(&connection)?;
        Ok(connection)
    }
}

fn failed(error: rusqlite::Error) -> Error {
    match error.sqlite_error_code() {
        Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => Error::Corrupt(error.into()),
        Some(_) => Error::Unavailable(error.into()),
        // Not an error of SQLite: the row was there and did not have the shape that was written.
        None => Error::Corrupt(error.into()),
    }
}
