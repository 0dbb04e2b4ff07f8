//! Writes: one thread that makes many commits durable with one fsync.
//!
//! Commits that arrive while the disk is busy wait in a bounded queue; the thread takes what is there, applies each
//! in turn within one transaction, and answers all of them once it is on disk. A commit that conflicts writes nothing
//! and delays no other; one that cannot be written does not fail its neighbours, since each is then tried alone.

use std::sync::Arc;
use std::thread::JoinHandle;

use kv::{Commit, Error, Outcome, Revision};
use rusqlite::{Connection, ErrorCode, TransactionBehavior};
use tokio::sync::{mpsc, oneshot};

use crate::{row, schema};

/// Commits that may wait; more callers than this wait for a place.
const QUEUE_MAX: usize = 1_024;

/// Commits in one transaction: far past the point where the fsync is cheap per commit, and short enough to answer.
const BATCH_MAX: usize = 256;

/// Bytes in one transaction, at which no more commits join it.
const BATCH_BYTES_MAX: usize = 4 * 1_024 * 1_024;

/// Revisions set aside at once, so that few commits write the mark; what is left of them at a restart is skipped.
const REVISIONS_RESERVED: u64 = 4_096;

/// The way to the writer thread.
#[derive(Debug)]
pub(crate) struct WriterHandle {
    /// Taken when dropped: a closed queue is what ends the thread.
    queue: Option<mpsc::Sender<Request>>,
    thread: Option<JoinHandle<()>>,
}

/// The writer thread is gone; it ends only when the engine is dropped or the thread panicked.
#[derive(Debug, thiserror::Error)]
#[error("the writer of the database has stopped")]
struct Stopped;

#[derive(Debug)]
struct Request {
    commit: Commit,
    reply: oneshot::Sender<Result<Outcome, Error>>,
}

impl WriterHandle {
    /// Starts the thread; `revision` is the first that was never given out.
    pub(crate) fn start(connection: Connection, revision: u64) -> std::io::Result<Self> {
        let (queue, requests) = mpsc::channel(QUEUE_MAX);
        let writer = Writer { connection, requests, next: revision, reserved: revision };
        let thread = std::thread::Builder::new().name("kv-sqlite-writer".to_owned()).spawn(|| writer.run())?;
        Ok(Self { queue: Some(queue), thread: Some(thread) })
    }

    /// Queues a commit and waits until it is durable or refused.
    pub(crate) async fn commit(&self, commit: Commit) -> Result<Outcome, Error> {
        let (reply, answer) = oneshot::channel();
        let queue = self.queue.as_ref().ok_or_else(|| Error::Unavailable(Stopped.into()))?;
        queue.send(Request { commit, reply }).await.map_err(|_| Error::Unavailable(Stopped.into()))?;
        answer.await.map_err(|_| Error::Unknown(Stopped.into()))?
    }
}

impl Drop for WriterHandle {
    fn drop(&mut self) {
        drop(self.queue.take());
        if self.thread.take().is_some_and(|thread| thread.join().is_err()) {
            tracing::error!("the writer of the database panicked");
        }
    }
}

/// What the thread owns.
struct Writer {
    connection: Connection,
    requests: mpsc::Receiver<Request>,
    /// The next revision to give out; never goes back, not even for a commit that was rolled back.
    next: u64,
    /// What the file says: no revision at or above this has been used by a durable row.
    reserved: u64,
}

/// Why a transaction ended without an outcome, and whether it may have been applied all the same.
struct Failure {
    error: Arc<rusqlite::Error>,
    applied: Applied,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Applied {
    Never,
    Perhaps,
}

impl Writer {
    fn run(mut self) {
        while let Some(first) = self.requests.blocking_recv() {
            let batch = self.gather(first);
            self.settle(batch);
        }
        // Closing would do the same, but silently; a log that stays behind is only read again at the next start.
        if let Err(error) = self.connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", (), |_| Ok(())) {
            tracing::warn!(%error, "the write-ahead log was not folded into the database");
        }
    }

    /// Takes what else is waiting, up to the bounds of one transaction.
    fn gather(&mut self, first: Request) -> Vec<Request> {
        let mut bytes = bytes(&first.commit);
        let mut batch = vec![first];
        while batch.len() < BATCH_MAX && bytes < BATCH_BYTES_MAX {
            let Ok(request) = self.requests.try_recv() else { break };
            bytes += self::bytes(&request.commit);
            batch.push(request);
        }
        batch
    }

    /// Commits a batch and answers everyone in it.
    fn settle(&mut self, batch: Vec<Request>) {
        match self.transact(&batch) {
            Ok(outcomes) => {
                for (request, outcome) in batch.into_iter().zip(outcomes) {
                    request.answer(Ok(outcome));
                }
            }
            // Nothing was written, and one commit may be to blame for all: let each speak for itself.
            Err(failure) if failure.applied == Applied::Never && batch.len() > 1 => {
                for request in batch {
                    self.settle(vec![request]);
                }
            }
            Err(failure) => {
                tracing::warn!(error = %failure.error, commits = batch.len(), "commit failed");
                for request in batch {
                    request.answer(Err(failure.error()));
                }
            }
        }
    }

    fn transact(&mut self, batch: &[Request]) -> Result<Vec<Outcome>, Failure> {
        let transaction = self
            .connection
            .transaction_with_behavior(TransactionBehavior::Immediate)
            .map_err(Failure::before_commit)?;
        let mut outcomes = Vec::with_capacity(batch.len());
        for request in batch {
            let outcome = row::apply(&transaction, &request.commit, Revision(self.next));
            outcomes.push(outcome.map_err(Failure::before_commit)?);
            self.next += 1;
        }
        let mut reserved = self.reserved;
        if self.next > reserved {
            reserved = self.next + REVISIONS_RESERVED;
            schema::reserve(&transaction, reserved).map_err(Failure::before_commit)?;
        }
        transaction.commit().map_err(Failure::at_commit)?;
        self.reserved = reserved;
        Ok(outcomes)
    }
}

impl Request {
    fn answer(self, answer: Result<Outcome, Error>) {
        // The caller may have stopped waiting; the commit is valid all the same.
        drop(self.reply.send(answer));
    }
}

impl Failure {
    /// The transaction was not committed and is rolled back as it goes out of scope.
    fn before_commit(error: rusqlite::Error) -> Self {
        Self { error: Arc::new(error), applied: Applied::Never }
    }

    /// The COMMIT itself failed.
    fn at_commit(error: rusqlite::Error) -> Self {
        // The frame that makes a transaction valid is written last: if there was no room for it or no lock to write
        // it under, it is not there. After any other error it may be, should the machine stop now.
        let applied = match error.sqlite_error_code() {
            Some(ErrorCode::DiskFull | ErrorCode::DatabaseBusy) => Applied::Never,
            _ => Applied::Perhaps,
        };
        Self { error: Arc::new(error), applied }
    }

    fn error(&self) -> Error {
        let source = Box::new(Arc::clone(&self.error));
        match (self.applied, self.error.sqlite_error_code()) {
            (Applied::Perhaps, _) => Error::Unknown(source),
            (Applied::Never, Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase)) => Error::Corrupt(source),
            (Applied::Never, _) => Error::Unavailable(source),
        }
    }
}

fn bytes(commit: &Commit) -> usize {
    commit.operations.iter().map(|operation| operation.key.sort.len() + operation.action.bytes()).sum()
}
