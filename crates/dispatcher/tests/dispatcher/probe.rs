//! An engine in memory that counts what is asked of it, can fail, and can give way to others at every call.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::task::Poll;

use async_trait::async_trait;
use kv::{Commit, Engine, Error, Key, Limits, MemEngine, Outcome, Row, Scan};

#[derive(Debug, Clone, Default)]
pub(crate) struct Probe {
    rows: MemEngine,
    shared: Arc<Shared>,
}

#[derive(Debug, Default)]
struct Shared {
    reads: AtomicU64,
    broken: AtomicBool,
    yields: AtomicBool,
}

impl Probe {
    /// How many rows and ranges were read.
    pub(crate) fn reads(&self) -> u64 {
        self.shared.reads.load(Ordering::Relaxed)
    }

    /// Lets every call fail, or none.
    pub(crate) fn break_down(&self, broken: bool) {
        self.shared.broken.store(broken, Ordering::Relaxed);
    }

    /// Lets every call give way once before it is carried out, and once before it is answered.
    pub(crate) fn give_way(&self) {
        self.shared.yields.store(true, Ordering::Relaxed);
    }

    async fn pass(&self) -> Result<(), Error> {
        if self.shared.yields.load(Ordering::Relaxed) {
            give_way().await;
        }
        let broken = self.shared.broken.load(Ordering::Relaxed);
        if broken { Err(Error::Unavailable("it is broken".into())) } else { Ok(()) }
    }

    async fn read(&self) -> Result<(), Error> {
        self.shared.reads.fetch_add(1, Ordering::Relaxed);
        self.pass().await
    }
}

/// Is not ready once, and can be polled again at once.
async fn give_way() {
    let mut given = false;
    std::future::poll_fn(|context| {
        context.waker().wake_by_ref();
        if std::mem::replace(&mut given, true) { Poll::Ready(()) } else { Poll::Pending }
    })
    .await;
}

#[async_trait]
impl Engine for Probe {
    fn limits(&self) -> Limits {
        self.rows.limits()
    }

    async fn get(&self, key: &Key) -> Result<Option<Row>, Error> {
        self.read().await?;
        self.rows.get(key).await
    }

    async fn scan(&self, scan: Scan) -> Result<Vec<Row>, Error> {
        self.read().await?;
        self.rows.scan(scan).await
    }

    async fn commit(&self, commit: Commit) -> Result<Outcome, Error> {
        self.pass().await?;
        let outcome = self.rows.commit(commit).await;
        self.pass().await?;
        outcome
    }
}
