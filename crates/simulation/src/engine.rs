//! The engine under the store: in memory, with faults, giving way at every call, and watched.

use std::sync::{Arc, Mutex, PoisonError};
use std::task::Poll;

use async_trait::async_trait;
use kv::{Commit, Engine, Error, Faulty, Key, Limits, MemEngine, Outcome, Row, Scan};
use runtime::Rng;

use crate::auditor::Auditor;
use crate::tampering::Tampering;

/// What the store is opened on; it outlives the server, as a disk does.
#[derive(Debug, Clone)]
pub(crate) struct Paced(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    engine: Faulty<Watched>,
    rng: Rng,
    weather: Mutex<Weather>,
    tampering: Tampering,
}

/// How the engine is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Weather {
    /// Every call is answered.
    Fair,
    /// Some calls are refused, some answers are lost.
    Rough,
    /// No call is answered; commits may be applied all the same.
    Outage,
}

/// Shows every commit that is applied to the auditor, however it is reported.
#[derive(Debug)]
struct Watched {
    rows: MemEngine,
    auditor: Auditor,
}

impl Paced {
    pub(crate) fn new(seed: u64, rng: Rng, auditor: Auditor, tampering: Tampering) -> Self {
        let engine = Faulty::new(Watched { rows: MemEngine::new(), auditor }, seed);
        engine.calm();
        Self(Arc::new(Inner { engine, rng, weather: Mutex::new(Weather::Fair), tampering }))
    }

    pub(crate) fn turn(&self, weather: Weather) {
        match weather {
            Weather::Rough => self.0.engine.disturb(),
            Weather::Fair | Weather::Outage => self.0.engine.calm(),
        }
        *self.0.weather.lock().unwrap_or_else(PoisonError::into_inner) = weather;
    }

    fn is_out(&self) -> bool {
        *self.0.weather.lock().unwrap_or_else(PoisonError::into_inner) == Weather::Outage
    }

    async fn read(&self) -> Result<(), Error> {
        give_way().await;
        if self.is_out() { Err(Error::Unavailable("there is an outage".into())) } else { Ok(()) }
    }
}

/// Lets others go on, or the server die, between two steps.
pub(crate) async fn give_way() {
    let mut given = false;
    std::future::poll_fn(|context| {
        context.waker().wake_by_ref();
        if std::mem::replace(&mut given, true) { Poll::Ready(()) } else { Poll::Pending }
    })
    .await;
}

#[async_trait]
impl Engine for Paced {
    fn limits(&self) -> Limits {
        self.0.engine.limits()
    }

    async fn get(&self, key: &Key) -> Result<Option<Row>, Error> {
        self.read().await?;
        Ok(self.0.engine.get(key).await?.map(|row| self.0.tampering.read(row)))
    }

    async fn scan(&self, scan: Scan) -> Result<Vec<Row>, Error> {
        self.read().await?;
        Ok(self.0.engine.scan(scan).await?.into_iter().map(|row| self.0.tampering.read(row)).collect())
    }

    async fn commit(&self, commit: Commit) -> Result<Outcome, Error> {
        give_way().await;
        // Before the call, since an outage may end while it is under way.
        let lost = self.is_out();
        if lost && self.0.rng.below(2) == 0 {
            return Err(Error::Unknown("there is an outage".into()));
        }
        let outcome = self.0.engine.commit(self.0.tampering.write(commit)).await;
        give_way().await;
        if lost { Err(Error::Unknown("there is an outage".into())) } else { outcome }
    }
}

#[async_trait]
impl Engine for Watched {
    fn limits(&self) -> Limits {
        self.rows.limits()
    }

    async fn get(&self, key: &Key) -> Result<Option<Row>, Error> {
        self.rows.get(key).await
    }

    async fn scan(&self, scan: Scan) -> Result<Vec<Row>, Error> {
        self.rows.scan(scan).await
    }

    async fn commit(&self, commit: Commit) -> Result<Outcome, Error> {
        let outcome = self.rows.commit(commit.clone()).await?;
        if let Outcome::Committed(_) = outcome {
            self.auditor.committed(&commit);
        }
        Ok(outcome)
    }
}
