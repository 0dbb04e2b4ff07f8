//! [`SqliteEngine`] itself: refuses what cannot fit, then hands commits to the writer and reads to the readers.

use std::path::Path;
use std::sync::Arc;

use async_trait::async_trait;
use kv::{Commit, Engine, Error, Key, Limits, Outcome, Row, Scan};

use crate::lock::Lock;
use crate::open::{self, OpenError, Options};
use crate::reader::Readers;
use crate::row;
use crate::writer::WriterHandle;

/// An [`Engine`] on one SQLite file, which no other process can open meanwhile.
///
/// Dropping it makes what is queued durable, folds the write-ahead log into the file and lets go of it; that blocks
/// for as long as the disk takes. Its futures need a tokio runtime.
#[derive(Debug)]
pub struct SqliteEngine {
    // Fields drop in this order: the writer drains and closes, then the file is free for others.
    writer: WriterHandle,
    readers: Arc<Readers>,
    _lock: Lock,
}

impl SqliteEngine {
    /// Opens the file, or creates it if there is none; the folder must exist.
    ///
    /// It blocks for a few milliseconds, longer if a crashed process left a long write-ahead log.
    ///
    /// # Errors
    /// [`OpenError`] says who holds the file, or what is wrong with it.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, OpenError> {
        Self::open_with(path, Options::default())
    }

    /// Opens the file with settings other than the usual ones.
    ///
    /// # Errors
    /// As [`SqliteEngine::open`].
    pub fn open_with(path: impl AsRef<Path>, options: Options) -> Result<Self, OpenError> {
        let opened = open::open(path.as_ref(), options)?;
        let readers = Arc::new(Readers::new(opened.path.clone()));
        let writer = WriterHandle::start(opened.connection, opened.revision)
            .map_err(|source| OpenError::Thread { path: opened.path, source })?;
        Ok(Self { writer, readers, _lock: opened.lock })
    }
}

#[async_trait]
impl Engine for SqliteEngine {
    // SQLite itself could take more; what fits here must fit in every engine, so that a fleet can move.
    fn limits(&self) -> Limits {
        Limits::NARROWEST
    }

    // The lock keeps every other process out.
    fn sole_writer(&self) -> bool {
        true
    }

    async fn get(&self, key: &Key) -> Result<Option<Row>, Error> {
        let key = key.clone();
        self.readers.glance(move |connection| row::get(connection, &key)).await
    }

    async fn get_many(&self, keys: Vec<Key>) -> Result<Vec<Option<Row>>, Error> {
        // One transaction: its locks cost more than a read.
        self.readers
            .read(move |connection| {
                let transaction = connection.unchecked_transaction()?;
                keys.iter().map(|key| row::get(&transaction, key)).collect()
            })
            .await
    }

    async fn scan(&self, scan: Scan) -> Result<Vec<Row>, Error> {
        let Some(span) = scan.span() else { return Ok(Vec::new()) };
        self.readers.read(move |connection| row::scan(connection, &scan, &span)).await
    }

    async fn commit(&self, commit: Commit) -> Result<Outcome, Error> {
        commit.check(self.limits())?;
        self.writer.commit(commit).await
    }
}
