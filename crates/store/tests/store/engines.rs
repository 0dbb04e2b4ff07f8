//! Engines that make rare things happen: others come in between, rows are looked through, commits get stuck.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use kv::{Action, Commit, Engine, Error, Key, Limits, MemEngine, Outcome, Row, Scan};

/// Gives way to others around every call, by a schedule that the seed decides.
#[derive(Debug)]
pub(crate) struct Yielding<E> {
    engine: E,
    state: AtomicU64,
}

impl<E> Yielding<E> {
    pub(crate) fn new(engine: E, seed: u64) -> Self {
        Self { engine, state: AtomicU64::new(seed) }
    }

    async fn give_way(&self) {
        let step = |state: u64| state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let state = self.state.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |state| Some(step(state))).unwrap();
        for _ in 0..(state >> 62) {
            tokio::task::yield_now().await;
        }
    }
}

#[async_trait]
impl<E: Engine> Engine for Yielding<E> {
    fn limits(&self) -> Limits {
        self.engine.limits()
    }

    fn sole_writer(&self) -> bool {
        self.engine.sole_writer()
    }

    async fn get(&self, key: &Key) -> Result<Option<Row>, Error> {
        self.give_way().await;
        let row = self.engine.get(key).await;
        self.give_way().await;
        row
    }

    async fn scan(&self, scan: Scan) -> Result<Vec<Row>, Error> {
        self.give_way().await;
        let rows = self.engine.scan(scan).await;
        self.give_way().await;
        rows
    }

    async fn commit(&self, commit: Commit) -> Result<Outcome, Error> {
        self.give_way().await;
        let outcome = self.engine.commit(commit).await;
        self.give_way().await;
        outcome
    }
}

/// An engine in memory that remembers every key it was given, counts calls, and can let commits get stuck.
#[derive(Debug, Clone, Default)]
pub(crate) struct Probe(Arc<Inner>);

#[derive(Debug, Default)]
struct Inner {
    engine: MemEngine,
    keys: Mutex<BTreeSet<Key>>,
    commits: AtomicU64,
    scanned: AtomicU64,
    stuck: Mutex<Option<Stuck>>,
    on_the_way: Mutex<Vec<Commit>>,
    /// How many commits are still to be lost, with a doubtful answer.
    lost: AtomicU64,
    /// Applies commits without a certain answer, and answers no read.
    mute: AtomicBool,
}

/// Where the next commit gets stuck for ever.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stuck {
    /// Before it is applied; it can be delivered later.
    OnTheWay,
    /// After it was applied: only the answer is missing.
    OnTheWayBack,
}

impl Probe {
    /// Every row that is stored, in order.
    pub(crate) async fn rows(&self) -> Vec<Row> {
        let keys: Vec<Key> = self.0.keys.lock().unwrap().iter().cloned().collect();
        self.0.engine.get_many(keys).await.unwrap().into_iter().flatten().collect()
    }

    pub(crate) fn commits(&self) -> u64 {
        self.0.commits.load(Ordering::Relaxed)
    }

    /// How many rows scans have returned.
    pub(crate) fn scanned(&self) -> u64 {
        self.0.scanned.load(Ordering::Relaxed)
    }

    pub(crate) fn stick_next(&self, stuck: Stuck) {
        *self.0.stuck.lock().unwrap() = Some(stuck);
    }

    /// Loses the next commits and says that they may have been applied.
    pub(crate) fn lose_next(&self, commits: u64) {
        self.0.lost.store(commits, Ordering::Relaxed);
    }

    /// Goes on applying commits and says of each that it may have been, until it is told to speak again.
    pub(crate) fn mute(&self, mute: bool) {
        self.0.mute.store(mute, Ordering::Relaxed);
    }

    fn is_mute(&self) -> bool {
        self.0.mute.load(Ordering::Relaxed)
    }

    /// Applies the commits that got stuck on their way, late.
    pub(crate) async fn deliver(&self) -> Vec<Outcome> {
        let commits = std::mem::take(&mut *self.0.on_the_way.lock().unwrap());
        let mut outcomes = Vec::new();
        for commit in commits {
            outcomes.push(self.0.engine.commit(commit).await.unwrap());
        }
        outcomes
    }
}

#[async_trait]
impl Engine for Probe {
    fn limits(&self) -> Limits {
        self.0.engine.limits()
    }

    fn sole_writer(&self) -> bool {
        true
    }

    async fn get(&self, key: &Key) -> Result<Option<Row>, Error> {
        if self.is_mute() {
            return Err(Error::Unavailable("mute".into()));
        }
        self.0.engine.get(key).await
    }

    async fn scan(&self, scan: Scan) -> Result<Vec<Row>, Error> {
        let rows = self.0.engine.scan(scan).await?;
        self.0.scanned.fetch_add(rows.len() as u64, Ordering::Relaxed);
        Ok(rows)
    }

    async fn commit(&self, commit: Commit) -> Result<Outcome, Error> {
        self.0.commits.fetch_add(1, Ordering::Relaxed);
        let puts = commit.operations.iter().filter(|operation| matches!(operation.action, Action::Put(_)));
        self.0.keys.lock().unwrap().extend(puts.map(|operation| operation.key.clone()));
        let lost = self.0.lost.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |lost| lost.checked_sub(1));
        if lost.is_ok() {
            return Err(Error::Unknown("lost on the way".into()));
        }
        if self.is_mute() {
            self.0.engine.commit(commit).await?;
            return Err(Error::Unknown("mute".into()));
        }
        let stuck = self.0.stuck.lock().unwrap().take();
        match stuck {
            None => self.0.engine.commit(commit).await,
            Some(Stuck::OnTheWay) => {
                self.0.on_the_way.lock().unwrap().push(commit);
                futures::future::pending().await
            }
            Some(Stuck::OnTheWayBack) => {
                self.0.engine.commit(commit).await?;
                futures::future::pending().await
            }
        }
    }
}
