//! Whose file it is, who may open it, and what is left when it closes.

use std::path::Path;

use fleet_kv_sqlite::{OpenError, SqliteEngine};
use kv::{Engine, Expect, Key, Operation};
use rusqlite::Connection;

use crate::{Folder, all, apply};

fn refusal(path: &Path) -> OpenError {
    SqliteEngine::open(path).expect_err("the file had to be refused")
}

/// Sets up a database as some other program would.
fn foreign(path: &Path, statements: &str) -> Vec<u8> {
    Connection::open(path).unwrap().execute_batch(statements).unwrap();
    bytes(path)
}

#[expect(clippy::disallowed_methods, reason = "the test looks at the file behind the engine's back")]
fn bytes(path: &Path) -> Vec<u8> {
    std::fs::read(path).unwrap()
}

#[expect(clippy::disallowed_methods, reason = "the test puts a file in the engine's way")]
fn write(path: &Path, text: &str) {
    std::fs::write(path, text).unwrap();
}

#[tokio::test]
async fn a_file_in_use_is_refused_by_name_until_it_is_closed() {
    let folder = Folder::new();
    let engine = folder.open();
    let refused = refusal(&folder.database());
    let path = folder.database().canonicalize().unwrap();
    let pid = std::process::id();
    let said = format!("cannot open {}: it is in use by another fleet process (pid {pid})", path.display());
    assert_eq!(refused.to_string(), said);
    apply(&engine, Operation::put(&Key::new("p", "k"), Expect::Absent, "x")).await;
    drop(engine);
    assert_eq!(all(&folder.open(), "p").await.len(), 1);
}

/// A lock outlives its holder for as long as a child of it that was just forked has not replaced itself.
#[test]
fn a_lock_that_a_dead_process_left_to_a_child_is_waited_for() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("fleet.db");
    drop(SqliteEngine::open(&path).unwrap());
    let lock = std::fs::OpenOptions::new().write(true).open(folder.path().join("fleet.db.lock")).unwrap();
    lock.lock().unwrap();
    // No process has this number: it is beyond what the kernel gives out.
    write(&folder.path().join("fleet.db.lock"), "4194999\n");
    let opened = std::thread::scope(|scope| {
        let opening = scope.spawn(|| SqliteEngine::open(&path));
        assert!(!opening.is_finished());
        drop(lock);
        opening.join().unwrap()
    });
    assert!(opened.is_ok(), "{opened:?}");
}

#[cfg(unix)]
#[test]
fn a_second_name_of_a_file_in_use_is_refused_too() {
    let folder = Folder::new();
    let _engine = folder.open();
    let alias = folder.0.path().join("alias.db");
    std::os::unix::fs::symlink(folder.database(), &alias).unwrap();
    assert!(matches!(refusal(&alias), OpenError::InUse { .. }));
}

#[test]
fn the_database_of_another_program_is_refused_and_left_alone() {
    let cases = [
        "CREATE TABLE notes (body TEXT)",
        "PRAGMA application_id = 252006673; CREATE TABLE checkins (id INTEGER)",
        "PRAGMA user_version = 1",
    ];
    for statements in cases {
        let folder = Folder::new();
        let before = foreign(&folder.database(), statements);
        assert!(matches!(refusal(&folder.database()), OpenError::Foreign { .. }), "{statements}");
        assert_eq!(bytes(&folder.database()), before, "{statements}");
    }
}

#[test]
fn a_file_that_is_no_database_is_refused_and_left_alone() {
    let folder = Folder::new();
    let letter = "Dear diary, this is not a database at all. ".repeat(100);
    write(&folder.database(), &letter);
    let refused = refusal(&folder.database());
    assert!(refused.to_string().ends_with("it is not a fleet database"), "{refused}");
    assert_eq!(bytes(&folder.database()), letter.as_bytes());
}

#[test]
fn a_file_of_a_newer_version_is_refused_and_left_alone() {
    let folder = Folder::new();
    drop(folder.open());
    let before = foreign(&folder.database(), "PRAGMA user_version = 99");
    let refused = refusal(&folder.database());
    assert!(matches!(refused, OpenError::Newer { found: 99, supported: 1, .. }), "{refused:?}");
    assert!(refused.to_string().ends_with("it has format 99, this version of fleet reads up to 1; use a newer fleet"));
    assert_eq!(bytes(&folder.database()), before);
}

#[test]
fn a_missing_folder_is_named() {
    let folder = Folder::new();
    let path = folder.0.path().join("missing").join("fleet.db");
    let refused = refusal(&path);
    assert!(matches!(refused, OpenError::File { .. }), "{refused:?}");
    assert_eq!(refused.to_string(), format!("cannot open {}", path.display()));
}

#[cfg(unix)]
#[test]
fn what_is_created_belongs_to_its_owner_alone() {
    use std::os::unix::fs::PermissionsExt;
    let folder = Folder::new();
    let _engine = folder.open();
    for entry in folder.0.path().read_dir().unwrap() {
        let entry = entry.unwrap();
        assert_eq!(entry.metadata().unwrap().permissions().mode() & 0o777, 0o600, "{:?}", entry.file_name());
    }
}

#[tokio::test]
async fn dropping_the_engine_finishes_what_is_queued_and_folds_the_log() {
    let folder = Folder::new();
    let engine = folder.open();
    // Polled once, each of these is in the queue; then it is abandoned.
    for number in 0..100 {
        let put = Operation::put(&Key::new("p", format!("{number:03}")), Expect::Absent, "x");
        let mut queued = engine.commit(put.into());
        let _pending = std::future::poll_fn(|context| std::task::Poll::Ready(queued.as_mut().poll(context))).await;
    }
    drop(engine);
    let log = folder.0.path().join("fleet.db-wal");
    assert!(log.metadata().map_or(0, |file| file.len()) == 0, "the log was left behind");
    assert_eq!(all(&folder.open(), "p").await.len(), 100);
}
