//! Every key that is written, in one place.

use kv::Key;
use types::MissionId;

use crate::{Index, Record, Table};

/// The row of a record.
pub(crate) fn record<R: Record>(id: &R::Id) -> Key {
    Key::new(R::TABLE.as_str(), id.to_string())
}

/// The partition that holds the records of a table, by id.
pub(crate) fn table(table: Table) -> kv::Partition {
    kv::Partition::new(table.as_str())
}

/// The row by which a record is found in an index. A unique place has no id in it, so a second record would meet it.
pub(crate) fn index(index: &Index, id: &str) -> Key {
    let sort = if index.unique { index.order.clone() } else { format!("{}.{id}", index.order) };
    Key::new(index.group.clone(), sort)
}

/// The row of one change in the feed.
pub(crate) fn feed(writer: &str, position: u64) -> Key {
    Key::new(format!("feed/{writer}"), feed_sort(position))
}

/// A position as text whose order is the feed's.
pub(crate) fn feed_sort(position: u64) -> String {
    format!("{position:016}")
}

/// The row that says up to where the feed was removed. In a partition of its own, so that no reader meets it.
pub(crate) fn feed_mark(writer: &str) -> Key {
    Key::new("feed-oldest", writer)
}

/// The row that is written to find out whether writing works.
pub(crate) fn probe(writer: &str) -> Key {
    Key::new("probe", writer)
}

/// The row of what one change did to a mission. It follows the mission's own row, so that both lie on one
/// page of the disk.
pub(crate) fn mission_events(mission: &MissionId, position: u64) -> Key {
    Key::new(Table::Mission.as_str(), format!("{}{position:016}", behind(mission.as_str())))
}

/// The prefix of the sort key of every row that follows a record.
pub(crate) fn behind(id: &str) -> String {
    format!("{id}/")
}

/// The id of the record that a row of a table is, or follows.
pub(crate) fn id_of(sort: &str) -> &str {
    sort.split_once('/').map_or(sort, |(id, _)| id)
}

/// One part of a snapshot of the counters.
pub(crate) fn counts(writer: &str, side: &str, part: usize) -> Key {
    Key::new(format!("counts/{writer}"), format!("{side}.{part:06}"))
}

/// The row that says which snapshot of the counters is whole.
pub(crate) fn counts_head(writer: &str) -> Key {
    Key::new(format!("counts/{writer}"), "head")
}

/// One part of a blob.
pub(crate) fn blob(id: &str, part: usize) -> Key {
    Key::new(format!("blob/{id}"), format!("{part:06}"))
}

/// The row that says a blob is whole.
pub(crate) fn blob_head(id: &str) -> Key {
    Key::new(format!("blob/{id}"), "head")
}
