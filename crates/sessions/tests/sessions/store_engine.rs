//! An engine in memory whose answers can be lost: what it is asked to commit is applied, and no answer comes.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use async_trait::async_trait;
use kv::{Commit, Engine, Error, Key, Limits, MemEngine, Outcome, Row, Scan};

#[derive(Debug, Clone, Default)]
pub(crate) struct Mute {
    rows: Arc<MemEngine>,
    mute: Arc<AtomicBool>,
}

impl Mute {
    /// From now on no call is answered, though every commit is applied; or all are answered again.
    pub(crate) fn set(&self, mute: bool) {
        self.mute.store(mute, Ordering::SeqCst);
    }

    fn heard(&self) -> Result<(), Error> {
        if self.mute.load(Ordering::SeqCst) { Err(Error::Unavailable("the store is out".into())) } else { Ok(()) }
    }
}

#[async_trait]
impl Engine for Mute {
    fn limits(&self) -> Limits {
        self.rows.limits()
    }

    async fn get(&self, key: &Key) -> Result<Option<Row>, Error> {
        self.heard()?;
        self.rows.get(key).await
    }

    async fn scan(&self, scan: Scan) -> Result<Vec<Row>, Error> {
        self.heard()?;
        self.rows.scan(scan).await
    }

    async fn commit(&self, commit: Commit) -> Result<Outcome, Error> {
        let outcome = self.rows.commit(commit).await;
        if self.heard().is_err() { Err(Error::Unknown("the answer is lost".into())) } else { outcome }
    }
}
