//! Removing what is too old: changes of the feed, what happened to missions, what was spent on past days.
//!
//! What is removed here is not told in the feed, which would grow by it. A call does a bounded amount of work and can be
//! cut off anywhere: the next one continues. What a reader with a stored place has not read is not removed, however old it is.

use kv::{Commit, Engine, Expect, Operation, Order, Outcome, Partition, Scan};
use types::{Bookmark, Day, MissionId, Timestamp};

use crate::counts::Counts;
use crate::feed::{FeedRow, Position};
use crate::{Error, Stamp, Store, Table, key};

/// Rows that one call removes: what fits in one commit of any engine, with the mark of the feed.
const ROWS_MAX: usize = 99;

/// Counters that one call removes: they stand in one row of the feed.
const COUNTERS_MAX: usize = 400;

/// Readers of the feed that keep a place.
const READERS_MAX: usize = 64;

/// What a call that removes rows has done.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Removed {
    /// Rows that are gone.
    pub rows: usize,
    /// Bytes that they held.
    pub bytes: usize,
    /// Whether there is more to remove.
    pub more: bool,
}

impl Store {
    /// Returns the place behind which the feed is complete; what was before it has been removed.
    #[must_use]
    pub fn oldest(&self) -> Position {
        self.feed().oldest()
    }

    /// Counts the changes of the feed that are older than `before` and may be removed; all of them are looked at.
    ///
    /// # Errors
    /// Fails when the engine does.
    pub async fn expired_changes(&self, before: Timestamp) -> Result<Removed, Error> {
        let read = self.read_by_all().await?;
        let mut all = Removed::default();
        let mut after = None;
        loop {
            let rows = feed_rows(self.engine(), self.writer(), ROWS_MAX, after).await?;
            let mut old = Vec::with_capacity(rows.len());
            for row in &rows {
                let is_read = row.key.sort.parse().is_ok_and(|position: u64| position <= read);
                if is_read && FeedRow::decode(row)?.is_none_or(|found| found.change.at < before) {
                    old.push(row.clone());
                }
            }
            let found = removed(&old);
            all = Removed { rows: all.rows + found.rows, bytes: all.bytes + found.bytes, more: false };
            after = rows.last().map(|row| row.key.sort.clone());
            if old.len() < ROWS_MAX {
                return Ok(all);
            }
        }
    }

    /// Removes changes of the feed that are older than `before`: the oldest first, and none that a reader with a stored
    /// place, or the counters, still need.
    ///
    /// # Errors
    /// Fails when the engine does.
    pub async fn trim_feed(&self, before: Timestamp) -> Result<Removed, Error> {
        let mut old = self.old_changes(before).await?;
        if old.is_empty() && self.is_feed_held_by_counters(before).await? {
            self.close().await?;
            old = self.old_changes(before).await?;
        }
        let Some(last) = old.last().and_then(|row| row.key.sort.parse().ok()) else { return Ok(Removed::default()) };
        // Before the rows go: a reader that meets the gap must know that it is one.
        self.feed().trimmed(Position(last));
        let mark = Operation::put(&key::feed_mark(self.writer()), Expect::Anything, last.to_string());
        let rows = old.iter().map(|row| Operation::delete(&row.key, Expect::Anything)).chain([mark]);
        self.remove(rows.collect()).await?;
        Ok(removed(&old))
    }

    /// Removes what is known of what happened to a mission, the oldest first.
    ///
    /// # Errors
    /// Fails when the engine does.
    pub async fn remove_events(&self, mission: &MissionId) -> Result<Removed, Error> {
        let (partition, prefix) = (key::table(Table::Mission), key::behind(mission.as_str()));
        let scan = Scan { partition, prefix, after: None, limit: ROWS_MAX, order: Order::Ascending };
        let rows = self.engine().scan(scan).await?;
        if !rows.is_empty() {
            self.remove(rows.iter().map(|row| Operation::delete(&row.key, Expect::Anything)).collect()).await?;
        }
        Ok(removed(&rows))
    }

    /// Returns whether something is known of what happened to a mission.
    ///
    /// # Errors
    /// Fails when the engine does.
    pub async fn has_events(&self, mission: &MissionId) -> Result<bool, Error> {
        let (partition, prefix) = (key::table(Table::Mission), key::behind(mission.as_str()));
        let scan = Scan { partition, prefix, after: None, limit: 1, order: Order::Ascending };
        Ok(!self.engine().scan(scan).await?.is_empty())
    }

    /// Counts the amounts that were booked on days before `day`.
    #[must_use]
    pub fn expired_spending(&self, day: Day) -> usize {
        self.counts().matching(usize::MAX, |label| is_before(label, day)).len()
    }

    /// Removes what was spent on days before `day`; sums over all days stay.
    ///
    /// # Errors
    /// Fails when the engine does.
    pub async fn remove_spending(&self, day: Day, by: &Stamp) -> Result<usize, Error> {
        let old = &self.counts().matching(COUNTERS_MAX, |label| is_before(label, day));
        let removed = self.transact(by, |tx| async move {
            old.iter().for_each(|(label, amount)| tx.add(label.clone(), amount.saturating_neg()));
            Ok::<_, Error>(old.len())
        });
        removed.await
    }

    /// Writes a row of no meaning, to find out whether the engine can still commit.
    ///
    /// # Errors
    /// Fails when it cannot.
    pub async fn probe(&self) -> Result<(), Error> {
        self.remove(vec![Operation::put(&key::probe(self.writer()), Expect::Anything, "{}")]).await
    }

    /// The oldest changes that may go; never the last one, by which the end of the feed is found.
    async fn old_changes(&self, before: Timestamp) -> Result<Vec<kv::Row>, Error> {
        let needed = self.needed_from().await?;
        let mut rows = feed_rows(self.engine(), self.writer(), ROWS_MAX, None).await?;
        let mut going = 0;
        for (place, row) in rows.iter().enumerate() {
            let is_read = row.key.sort.parse().is_ok_and(|position: u64| position <= needed);
            match FeedRow::decode(row)? {
                Some(found) if is_read && found.change.at < before => going = place + 1,
                // It keeps a lost commit from being applied late, so it stays until a change behind it is old.
                None => {}
                Some(_) => break,
            }
        }
        rows.truncate(going);
        Ok(rows)
    }

    /// Whether the oldest change would go if the counters were saved.
    async fn is_feed_held_by_counters(&self, before: Timestamp) -> Result<bool, Error> {
        let saved = Counts::saved(self.engine(), self.writer()).await?;
        let Some(row) = feed_rows(self.engine(), self.writer(), 1, None).await?.pop() else { return Ok(false) };
        let is_old = FeedRow::decode(&row)?.is_none_or(|found| found.change.at < before);
        let is_last = row.key.sort.parse() == Ok(self.position().0);
        Ok(is_old && !is_last && row.key.sort.parse().is_ok_and(|position: u64| position > saved))
    }

    /// The last place up to which no reader needs the feed, nor do the counters.
    async fn needed_from(&self) -> Result<u64, Error> {
        Ok(self.read_by_all().await?.min(Counts::saved(self.engine(), self.writer()).await?))
    }

    /// The last place that every reader with a stored place has read, and that is not the end of the feed.
    async fn read_by_all(&self) -> Result<u64, Error> {
        let readers = self.ids::<Bookmark>("", READERS_MAX).await?;
        let read = readers.iter().map(|reader| reader.position).min().unwrap_or(u64::MAX);
        Ok(read.min(self.position().0.saturating_sub(1)))
    }

    async fn remove(&self, operations: Vec<Operation>) -> Result<(), Error> {
        match self.engine().commit(Commit { operations }).await? {
            Outcome::Committed(_) => Ok(()),
            // Nothing was expected of any row.
            Outcome::Conflict { .. } => Err(Error::Contention { tries: 1 }),
        }
    }
}

/// Reads the place up to which the feed was removed.
pub(crate) async fn oldest(engine: &dyn Engine, writer: &str) -> Result<u64, Error> {
    let row = engine.get(&key::feed_mark(writer)).await?;
    Ok(row.and_then(|row| std::str::from_utf8(&row.value).ok()?.parse().ok()).unwrap_or(0))
}

async fn feed_rows(
    engine: &dyn Engine,
    writer: &str,
    limit: usize,
    after: Option<String>,
) -> Result<Vec<kv::Row>, Error> {
    let partition = Partition::new(format!("feed/{writer}"));
    let scan = Scan { partition, prefix: String::new(), after, limit, order: Order::Ascending };
    Ok(engine.scan(scan).await?)
}

fn removed(rows: &[kv::Row]) -> Removed {
    let bytes = rows.iter().map(|row| row.key.sort.len() + row.value.len()).sum();
    Removed { rows: rows.len(), bytes, more: rows.len() == ROWS_MAX }
}

/// Whether a counter has what was spent on a day before `day`: `spent/WHOSE/DAY/MEASURE`.
fn is_before(label: &str, day: Day) -> bool {
    let mut parts = label.split('/');
    let of_spending = parts.next() == Some("spent") && parts.next().is_some();
    let booked = parts.next().and_then(|day| day.parse::<i64>().ok());
    of_spending && parts.next().is_some() && booked.is_some_and(|booked| booked < day.number())
}
