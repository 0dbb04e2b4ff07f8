//! The statements on rows: read one, read a span, apply one commit. They neither open nor end transactions.

use kv::{Action, Commit, Expect, Key, Operation, Order, Outcome, Revision, Row, Scan, Span};
use rusqlite::{Connection, OptionalExtension, params};

const GET: &str = "SELECT revision, value FROM rows WHERE partition = ?1 AND sort = ?2";
const REVISION: &str = "SELECT revision FROM rows WHERE partition = ?1 AND sort = ?2";
const PUT: &str = "INSERT INTO rows (partition, sort, revision, value) VALUES (?1, ?2, ?3, ?4)
    ON CONFLICT DO UPDATE SET revision = excluded.revision, value = excluded.value";
const DELETE: &str = "DELETE FROM rows WHERE partition = ?1 AND sort = ?2";

/// Makes a statement that reads a span of a partition, with or without an end.
macro_rules! select {
    ($end:literal, $order:literal) => {
        concat!(
            "SELECT sort, revision, value FROM rows WHERE partition = ?1 AND sort >= ?2 AND ",
            $end,
            " ORDER BY sort ",
            $order,
            " LIMIT ?4"
        )
    };
}

/// Reads one row.
pub(crate) fn get(connection: &Connection, key: &Key) -> rusqlite::Result<Option<Row>> {
    let mut select = connection.prepare_cached(GET)?;
    let found = select.query_row((key.partition.as_str(), &key.sort), |row| Ok((revision(row, 0)?, value(row, 1)?)));
    Ok(found.optional()?.map(|(revision, value)| Row { key: key.clone(), revision, value }))
}

/// Reads the rows of a span in the order of the scan.
pub(crate) fn scan(connection: &Connection, scan: &Scan, span: &Span) -> rusqlite::Result<Vec<Row>> {
    // One statement per shape: an `OR` for the open end would cost the seek.
    let statement = match (scan.order, &span.to) {
        (Order::Ascending, Some(_)) => select!("sort < ?3", "ASC"),
        (Order::Ascending, None) => select!("?3 IS NULL", "ASC"),
        (Order::Descending, Some(_)) => select!("sort < ?3", "DESC"),
        (Order::Descending, None) => select!("?3 IS NULL", "DESC"),
    };
    let limit = i64::try_from(scan.limit).unwrap_or(i64::MAX);
    let mut select = connection.prepare_cached(statement)?;
    let rows = select.query_map(params![scan.partition.as_str(), span.from, span.to, limit], |row| {
        let key = Key { partition: scan.partition.clone(), sort: row.get(0)? };
        Ok(Row { key, revision: revision(row, 1)?, value: value(row, 2)? })
    })?;
    rows.collect()
}

/// SQLite's integers are signed; the bits are what counts.
fn revision(row: &rusqlite::Row<'_>, column: usize) -> rusqlite::Result<Revision> {
    row.get(column).map(|number: i64| Revision(number.cast_unsigned()))
}

fn value(row: &rusqlite::Row<'_>, column: usize) -> rusqlite::Result<bytes::Bytes> {
    row.get::<_, Vec<u8>>(column).map(bytes::Bytes::from)
}

/// Applies one commit within the open transaction, or finds the conflict and writes nothing.
///
/// Every expectation is checked before the first write; keys occur once, so no write can break a later check, and a
/// conflict needs no savepoint to go back to.
pub(crate) fn apply(connection: &Connection, commit: &Commit, revision: Revision) -> rusqlite::Result<Outcome> {
    for operation in &commit.operations {
        if !holds(connection, operation)? {
            return Ok(Outcome::Conflict { key: Some(operation.key.clone()) });
        }
    }
    for Operation { key, action, .. } in &commit.operations {
        let (partition, sort) = (key.partition.as_str(), &key.sort);
        match action {
            Action::Put(value) => {
                connection.prepare_cached(PUT)?.execute(params![
                    partition,
                    sort,
                    revision.0.cast_signed(),
                    &value[..]
                ])?;
            }
            Action::Delete => {
                connection.prepare_cached(DELETE)?.execute((partition, sort))?;
            }
            Action::Check => {}
        }
    }
    Ok(Outcome::Committed(revision))
}

fn holds(connection: &Connection, operation: &Operation) -> rusqlite::Result<bool> {
    if operation.expect == Expect::Anything {
        return Ok(true);
    }
    let mut select = connection.prepare_cached(REVISION)?;
    let key = (operation.key.partition.as_str(), &operation.key.sort);
    let stored = select.query_row(key, |row| revision(row, 0)).optional()?;
    Ok(operation.expect.holds(stored))
}
