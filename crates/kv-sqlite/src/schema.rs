//! What the file holds and how connections to it are set: one table of rows, one of marks, and the pragmas.

use std::time::Duration;

use rusqlite::{Connection, TransactionBehavior};

/// The format this version writes; a file with a larger one is refused.
pub(crate) const VERSION: i32 = 1;

/// Marks a file as ours, for us and for the `file` command: "FLKV".
const APPLICATION_ID: i32 = 0x464c_4b56;

/// Memory for pages, in KiB; the working set of a fleet is small, and the system's own page cache helps.
const WRITER_CACHE_KIB: i64 = 4_096;
const READER_CACHE_KIB: i64 = 2_048;

/// Pages in the write-ahead log at which it is folded into the file: more would be cheaper, but commits wait for it.
const CHECKPOINT_PAGES: i64 = 2_000;

/// What is left of the write-ahead log on disk after it was folded; a burst does not keep its space for ever.
const LOG_BYTES_KEPT: i64 = 16 * 1_024 * 1_024;

/// How long to wait for an operator's own tool to let go of the file.
const BUSY_TIMEOUT: Duration = Duration::from_secs(5);

/// Keys are TEXT, which SQLite compares as bytes; `marks` holds numbers that must outlive every row.
const CREATE: &str = "
    CREATE TABLE rows (
        partition TEXT NOT NULL,
        sort TEXT NOT NULL,
        revision INTEGER NOT NULL,
        value BLOB NOT NULL,
        PRIMARY KEY (partition, sort)
    ) WITHOUT ROWID;
    CREATE TABLE marks (name TEXT PRIMARY KEY, number INTEGER NOT NULL) WITHOUT ROWID;
    INSERT INTO marks VALUES ('revision', 1);
";

/// Whose file it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Origin {
    /// Empty.
    Empty,
    /// Ours, in this format.
    Version(i32),
    /// Another program's.
    Foreign,
}

/// Finds out whose file it is without changing it.
pub(crate) fn origin(connection: &Connection) -> rusqlite::Result<Origin> {
    let application: i32 = connection.pragma_query_one(None, "application_id")?;
    let version: i32 = connection.pragma_query_one(None, "user_version")?;
    let objects: i64 = connection.query_row("SELECT count(*) FROM sqlite_schema", (), |row| row.get(0))?;
    Ok(match (application, version, objects) {
        (APPLICATION_ID, version, _) => Origin::Version(version),
        (0, 0, 0) => Origin::Empty,
        _ => Origin::Foreign,
    })
}

/// Sets up the connection that writes, and returns the journal mode that SQLite settled on.
pub(crate) fn configure_writer(connection: &Connection, pages_max: Option<u32>) -> rusqlite::Result<String> {
    connection.busy_timeout(BUSY_TIMEOUT)?;
    let mode = connection.pragma_update_and_check(None, "journal_mode", "wal", |row| row.get(0))?;
    // FULL syncs the log at every commit: an acknowledged commit survives a power cut, not only a crash.
    connection.pragma_update(None, "synchronous", "full")?;
    connection.pragma_update(None, "cache_size", -WRITER_CACHE_KIB)?;
    connection.pragma_update(None, "wal_autocheckpoint", CHECKPOINT_PAGES)?;
    connection.pragma_update(None, "journal_size_limit", LOG_BYTES_KEPT)?;
    if let Some(pages) = pages_max {
        connection.pragma_update(None, "max_page_count", pages)?;
    }
    Ok(mode)
}

/// Sets up a connection that only reads.
///
/// It has no busy timeout, since nothing in this process can lock a reader out and a runtime thread must not sleep.
pub(crate) fn configure_reader(connection: &Connection) -> rusqlite::Result<()> {
    connection.busy_timeout(Duration::ZERO)?;
    connection.pragma_update(None, "cache_size", -READER_CACHE_KIB)
}

/// Makes an empty file ours, all at once.
pub(crate) fn create(connection: &mut Connection) -> rusqlite::Result<()> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    transaction.execute_batch(CREATE)?;
    transaction.pragma_update(None, "application_id", APPLICATION_ID)?;
    transaction.pragma_update(None, "user_version", VERSION)?;
    transaction.commit()
}

/// Reads the first revision that was never given out.
pub(crate) fn revision(connection: &Connection) -> rusqlite::Result<u64> {
    let number = |row: &rusqlite::Row<'_>| row.get(0).map(i64::cast_unsigned);
    connection.query_row("SELECT number FROM marks WHERE name = 'revision'", (), number)
}

/// Keeps every revision below `revision` from being given out again, once the transaction commits.
pub(crate) fn reserve(connection: &Connection, revision: u64) -> rusqlite::Result<()> {
    let mut update = connection.prepare_cached("UPDATE marks SET number = ?1 WHERE name = 'revision'")?;
    update.execute((revision.cast_signed(),)).map(|_| ())
}
