//! Lists: records of one or more index groups, in one order, page by page.

use futures::future::try_join_all;
use kv::{Key, Order, Partition, Row, Scan};

use crate::record::decode;
use crate::{Error, Record, Store, key};

/// Ids looked at for one prefix.
const IDS_LOOKED_AT_MAX: usize = 64;

/// What to list.
#[derive(Debug, Clone)]
pub struct Query {
    /// Index groups, made by the functions in [`crate::by`]; their records are merged into one order, each shown once.
    /// Groups whose places are unique are asked for one at a time, since their places say nothing about each other.
    pub groups: Vec<String>,
    /// Ascending or descending by the index's order.
    pub order: Order,
    /// Begin behind this place, as given by [`Page::next`].
    pub after: Option<String>,
    /// Most records in the page.
    pub limit: usize,
}

/// Some of the records asked for.
#[derive(Debug, Clone)]
pub struct Page<R> {
    /// The records, in order.
    pub records: Vec<R>,
    /// Where the next page begins; nothing, at the end.
    pub next: Option<String>,
}

impl Query {
    /// Lists one group, last first.
    #[must_use]
    pub fn latest(group: String, limit: usize) -> Self {
        Self { groups: vec![group], order: Order::Descending, after: None, limit }
    }

    /// Lists one group, first first.
    #[must_use]
    pub fn earliest(group: String, limit: usize) -> Self {
        Self { order: Order::Ascending, ..Self::latest(group, limit) }
    }
}

impl Store {
    /// Lists records.
    ///
    /// The page is consistent row by row, not as a whole: a record that moves while it is read may be missing from it,
    /// and one that has left the groups meanwhile is.
    ///
    /// # Errors
    /// Fails when the engine does, or when a document cannot be read.
    pub async fn list<R: Record>(&self, query: Query) -> Result<Page<R>, Error> {
        let Query { groups, order, after, limit } = query;
        let scans = groups.iter().map(|group| {
            let (partition, prefix) = (Partition::new(group), String::new());
            // One more than asked for shows whether there is a next page.
            self.engine().scan(Scan { partition, prefix, after: after.clone(), limit: limit.saturating_add(1), order })
        });
        let mut found: Vec<Row> = try_join_all(scans).await?.into_iter().flatten().collect();
        found.sort_by(|a, b| match order {
            Order::Ascending => a.key.sort.cmp(&b.key.sort),
            Order::Descending => b.key.sort.cmp(&a.key.sort),
        });
        found.dedup_by(|a, b| a.key.sort == b.key.sort && a.value == b.value);
        let more = found.len() > limit;
        found.truncate(limit);
        let next = found.last().filter(|_| more).map(|row| row.key.sort.clone());
        let mut records: Vec<R> = self.fetch(found).await?;
        records.retain(|record| groups.iter().any(|group| record.stands_in(group)));
        Ok(Page { records, next })
    }

    /// Returns up to `limit` records whose ids begin with a prefix, by id.
    ///
    /// # Errors
    /// Fails when the engine does.
    pub async fn ids<R: Record>(&self, prefix: &str, limit: usize) -> Result<Vec<R>, Error> {
        let mut found = Vec::new();
        let mut after = None;
        // Rows that follow a record are skipped by looking for the next id; a bound keeps a vague prefix cheap.
        for _ in 0..IDS_LOOKED_AT_MAX {
            let partition = key::table(R::TABLE);
            let scan = Scan { partition, prefix: prefix.to_owned(), after, limit: 1, order: Order::Ascending };
            let Some(row) = self.engine().scan(scan).await?.pop() else { break };
            let id = key::id_of(&row.key.sort);
            if id == row.key.sort {
                found.push(decode(id, &row.value)?);
            }
            if found.len() == limit {
                break;
            }
            after = Some(format!("{}\u{10FFFF}", key::behind(id)));
        }
        Ok(found)
    }

    async fn fetch<R: Record>(&self, found: Vec<Row>) -> Result<Vec<R>, Error> {
        let id = |row: &Row| String::from_utf8_lossy(&row.value).into_owned();
        let keys = found.iter().map(|row| Key::new(R::TABLE.as_str(), id(row))).collect();
        let rows = self.engine().get_many(keys).await?;
        // A record deleted between the two reads is simply not there.
        rows.iter().flatten().map(|row| decode(&row.key.sort, &row.value)).collect()
    }
}
