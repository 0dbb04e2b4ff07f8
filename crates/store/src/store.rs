//! The store: opens an engine, reads records, runs transactions.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use kv::{Engine, Expect, Order, Partition, Scan};
use types::{Event, MissionId, Timestamp};

use crate::claim::Claim;
use crate::counts::Counts;
use crate::feed::{Feed, Position};
use crate::record::decode;
use crate::sequence::Sequences;
use crate::versions::Versions;
use crate::{Error, Held, Record, Stamp, Table, Tail, Transaction, Version, key, retention, tail};

/// How often a transaction is decided anew after losing a race.
const TRIES_MAX: u32 = 24;

/// Tries before the first pause: within one process a second try mostly succeeds at once.
const TRIES_AT_ONCE: u32 = 3;

/// Changes between two snapshots of the counters, which bounds what opening has to read.
const SNAPSHOT_EVERY: u64 = 1000;

/// Room for the events of one change among the ids of a mission's events.
const EVENTS_PER_CHANGE: u64 = 1000;

/// What opening a store needs besides an engine.
#[derive(Debug, Clone)]
pub struct Options {
    /// Names this process in the feed; two live processes never share a name.
    pub writer: String,
    /// Makes the numbers that tell one commit from another; another one at every opening.
    pub seed: u64,
}

/// Typed access to an engine. Clones share one store.
#[derive(Debug, Clone)]
pub struct Store(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    engine: Arc<dyn Engine>,
    writer: String,
    feed: Feed,
    counts: Counts,
    sequences: Sequences,
    versions: Versions,
    nonce: Mutex<u64>,
}

impl Store {
    /// Opens the store: finds the end of the feed and brings the counters up to it.
    ///
    /// # Errors
    /// Fails when the engine does, or when what is stored cannot be read.
    pub async fn open(engine: Arc<dyn Engine>, options: Options) -> Result<Self, Error> {
        let oldest = retention::oldest(engine.as_ref(), &options.writer).await?;
        let last = last_position(engine.as_ref(), &options.writer).await?;
        let snapshot = Counts::load(engine.as_ref(), &options.writer).await?;
        let store = Self(Arc::new(Inner {
            engine,
            writer: options.writer,
            feed: Feed::behind(last.0, oldest),
            counts: Counts::starting(snapshot),
            sequences: Sequences::default(),
            versions: Versions::default(),
            nonce: Mutex::new(options.seed),
        }));
        store.catch_up(last).await?;
        Ok(store)
    }

    /// Reads a record.
    ///
    /// # Errors
    /// Fails when the engine does, or when the document cannot be read.
    pub async fn get<R: Record>(&self, id: &R::Id) -> Result<Option<R>, Error> {
        let row = self.engine().get(&key::record::<R>(id)).await?;
        row.map(|row| decode(&id.to_string(), &row.value)).transpose()
    }

    /// Reads a record together with the revision that a later write of it must meet.
    ///
    /// # Errors
    /// Fails when the engine does, or when the document cannot be read.
    pub async fn hold<R: Record>(&self, id: &R::Id) -> Result<Option<Held<R>>, Error> {
        let row = self.engine().get(&key::record::<R>(id)).await?;
        let held = |row: kv::Row| Ok(Held::new(decode(&id.to_string(), &row.value)?, Expect::At(row.revision)));
        row.map(held).transpose()
    }

    /// Finds out whether the engine answers.
    ///
    /// # Errors
    /// Fails when it does not.
    pub async fn ping(&self) -> Result<(), Error> {
        self.engine().get(&key::counts_head(&self.0.writer)).await?;
        Ok(())
    }

    /// Decides and commits; on a lost race decides anew, a bounded number of times.
    ///
    /// `decide` may run more than once, so it has no effects but those it puts in the transaction. Once this returns
    /// `Ok`, the effect is durable and counted. A future that is dropped half-way leaves open whether its effect comes
    /// about, all of it or nothing; if it does, it is counted and shown in the feed like any other.
    ///
    /// # Errors
    /// Returns what `decide` refuses with, or the store's own failure. Only [`kv::Error::Unknown`] leaves open whether
    /// the effect comes about.
    pub async fn transact<T, E, F>(&self, by: &Stamp, decide: impl Fn(Transaction) -> F) -> Result<T, E>
    where
        E: From<Error>,
        F: Future<Output = Result<T, E>>,
    {
        for tries in 1..=TRIES_MAX {
            let transaction = Transaction::new(self.clone());
            let decided = decide(transaction.clone()).await;
            let value = decided.inspect_err(|_| transaction.release())?;
            if !transaction.writes() {
                return Ok(value);
            }
            let claim = Claim::due();
            if let Some(claim) = &claim {
                claim.put(&transaction).await.inspect_err(|_| transaction.release())?;
            }
            if self.commit(&transaction, by).await? {
                if let Some(claim) = claim {
                    claim.made();
                }
                return Ok(value);
            }
            if tries > TRIES_AT_ONCE {
                tokio::time::sleep(self.pause(tries)).await;
            }
        }
        Err(Error::Contention { tries: TRIES_MAX }.into())
    }

    /// Returns the version of some groups: as long as it stays the same, so do the records in them, and a list of them.
    /// A caller that keeps a list asks before it is read.
    ///
    /// There is none while a record in them is being changed, nor where other processes write to the same engine.
    #[must_use]
    pub fn version(&self, groups: &[String]) -> Option<Version> {
        self.engine().sole_writer().then(|| self.0.versions.of(groups.iter().map(String::as_str))).flatten()
    }

    /// Returns how many records carry a label; includes every write that was acknowledged.
    #[must_use]
    pub fn count(&self, label: &str) -> u64 {
        self.0.counts.get(label)
    }

    /// Reads the feed behind a position.
    #[must_use]
    pub fn tail(&self, after: Position) -> Tail {
        Tail::new(self.clone(), after)
    }

    /// Returns the feed's present end: the last change, and good for going on behind it after any restart.
    #[must_use]
    pub fn position(&self) -> Position {
        self.0.feed.settled()
    }

    /// Returns what happened to a mission, newest first, each with an id that only it has and that grows, and its time.
    ///
    /// # Errors
    /// Fails when the engine does, or when a document cannot be read.
    pub async fn mission_events(
        &self,
        mission: &MissionId,
        limit: usize,
    ) -> Result<Vec<(u64, Timestamp, Event)>, Error> {
        let (partition, prefix) = (key::table(Table::Mission), key::behind(mission.as_str()));
        let scan = Scan { partition, prefix, after: None, limit, order: Order::Descending };
        let mut newest_first = Vec::new();
        for row in self.engine().scan(scan).await? {
            let failed = |source| Error::Decode { table: "event", id: row.key.to_string(), source };
            let (at, events): (Timestamp, Vec<Event>) = serde_json::from_slice(&row.value).map_err(failed)?;
            let position: u64 = row.key.sort.rsplit('/').next().and_then(|text| text.parse().ok()).unwrap_or_default();
            let numbered = (position * EVENTS_PER_CHANGE..).zip(events);
            newest_first.extend(numbered.map(|(id, event)| (id, at, event)).collect::<Vec<_>>().into_iter().rev());
        }
        newest_first.truncate(limit);
        Ok(newest_first)
    }

    /// Keeps the counters' snapshot close behind the feed; runs until it is dropped.
    ///
    /// A snapshot that cannot be written only makes the next opening read more, so it is tried again with the next.
    pub async fn keep_snapshots(&self) {
        let mut settled = self.0.feed.watch();
        let mut tried = self.0.counts.position();
        loop {
            let due = |end: &Position| end.0 >= tried.0 + SNAPSHOT_EVERY;
            let Ok(end) = settled.wait_for(due).await.map(|end| *end) else { return };
            if let Err(error) = self.save_counts(end).await {
                tracing::warn!(%error, "counters were not saved");
            }
            tried = end;
        }
    }

    /// Saves what opening would otherwise have to work out again.
    ///
    /// # Errors
    /// Fails when the engine does.
    pub async fn close(&self) -> Result<(), Error> {
        self.resolve().await?;
        let end = self.position();
        if self.0.counts.position() < end { self.save_counts(end).await } else { Ok(()) }
    }

    async fn save_counts(&self, end: Position) -> Result<(), Error> {
        self.follow(end).await?;
        self.0.counts.save(self.engine(), &self.0.writer).await
    }

    /// Folds the feed up to a position into the ordered counters.
    async fn follow(&self, end: Position) -> Result<(), Error> {
        while self.0.counts.position() < end {
            let batch = tail::read(self, self.0.counts.position(), end).await?;
            self.0.counts.follow(&batch.entries, batch.reached);
        }
        Ok(())
    }

    /// Brings a freshly loaded snapshot up to the end of the feed, in both views.
    async fn catch_up(&self, end: Position) -> Result<(), Error> {
        while self.0.counts.position() < end {
            let batch = tail::read(self, self.0.counts.position(), end).await?;
            batch.entries.iter().for_each(|entry| self.0.counts.acknowledge(entry));
            self.0.counts.follow(&batch.entries, batch.reached);
        }
        Ok(())
    }

    pub(crate) fn engine(&self) -> &dyn Engine {
        self.0.engine.as_ref()
    }

    pub(crate) fn feed(&self) -> &Feed {
        &self.0.feed
    }

    pub(crate) fn counts(&self) -> &Counts {
        &self.0.counts
    }

    pub(crate) fn versions(&self) -> &Versions {
        &self.0.versions
    }

    pub(crate) fn sequences(&self) -> &Sequences {
        &self.0.sequences
    }

    pub(crate) fn writer(&self) -> &str {
        &self.0.writer
    }

    /// Steps a full-period generator: distinct numbers from one seed, unrelated ones from two.
    pub(crate) fn next_nonce(&self) -> u64 {
        let mut nonce = self.0.nonce.lock().unwrap_or_else(PoisonError::into_inner);
        *nonce = nonce.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        *nonce
    }

    /// Spreads losers of a race apart, so that they do not meet again.
    fn pause(&self, tries: u32) -> Duration {
        let spread = self.next_nonce() >> 54;
        Duration::from_micros(spread * u64::from(tries.min(10)))
    }
}

async fn last_position(engine: &dyn Engine, writer: &str) -> Result<Position, Error> {
    let partition = Partition::new(format!("feed/{writer}"));
    let scan = Scan { partition, prefix: String::new(), after: None, limit: 1, order: Order::Descending };
    let rows = engine.scan(scan).await?;
    Ok(rows.first().and_then(|row| row.key.sort.parse().ok()).map_or(Position::START, Position))
}
