//! Checks about several keys in one commit: all or nothing, and guards on keys that are not written.

use crate::conformance::Place;
use crate::conformance::steps::{all, apply, conflict, fresh, key, read, text};
use crate::engine::{Commit, Engine, Expect, Operation, Outcome};
use crate::key::Key;

pub async fn a_commit_spans_keys_and_partitions<P: Place>() {
    let (_place, engine) = fresh::<P>().await;
    let old = apply(&engine, Operation::put(&key("old"), Expect::Absent, "x")).await;
    let elsewhere = Key::new("q", "a");
    apply(
        &engine,
        [
            Operation::put(&key("a"), Expect::Absent, "one"),
            Operation::put(&elsewhere, Expect::Anything, "two"),
            Operation::delete(&key("old"), Expect::At(old)),
        ],
    )
    .await;
    assert_eq!(text(&engine, &key("a")).await.as_deref(), Some("one"));
    assert_eq!(text(&engine, &elsewhere).await.as_deref(), Some("two"));
    assert_eq!(read(&engine, &key("old")).await, None);
}

pub async fn every_key_of_a_commit_gets_its_revision<P: Place>() {
    let (_place, engine) = fresh::<P>().await;
    let keys = [key("a"), key("b"), Key::new("q", "a")];
    let revision = apply(&engine, keys.clone().map(|key| Operation::put(&key, Expect::Absent, "x"))).await;
    for key in keys {
        assert_eq!(read(&engine, &key).await.unwrap().revision, revision);
    }
}

pub async fn a_conflicting_commit_writes_nothing<P: Place>() {
    let (_place, engine) = fresh::<P>().await;
    apply(
        &engine,
        [Operation::put(&key("kept"), Expect::Absent, "one"), Operation::put(&key("taken"), Expect::Absent, "one")],
    )
    .await;
    let before = all(&engine, "p").await;
    let mut operations = vec![
        Operation::put(&key("new"), Expect::Absent, "two"),
        Operation::delete(&key("kept"), Expect::Anything),
        Operation::put(&Key::new("q", "new"), Expect::Anything, "two"),
        Operation::put(&key("taken"), Expect::Absent, "two"),
    ];
    // The broken expectation is last, first and in the middle: no order of checking may let a write through.
    for _ in 0..operations.len() {
        operations.rotate_left(1);
        conflict(&engine, operations.clone()).await;
        assert_eq!(all(&engine, "p").await, before);
        assert_eq!(all(&engine, "q").await, []);
    }
}

pub async fn a_guard_on_a_present_key_is_honoured<P: Place>() {
    let (_place, engine) = fresh::<P>().await;
    let first = apply(&engine, Operation::put(&key("lease"), Expect::Absent, "mine")).await;
    let guarded = |revision, sort: &str| {
        [Operation::check(&key("lease"), Expect::At(revision)), Operation::put(&key(sort), Expect::Absent, "x")]
    };
    apply(&engine, guarded(first, "a")).await;
    let second = apply(&engine, Operation::put(&key("lease"), Expect::At(first), "theirs")).await;
    conflict(&engine, guarded(first, "b")).await;
    assert_eq!(read(&engine, &key("b")).await, None);
    apply(&engine, guarded(second, "b")).await;
    apply(&engine, Operation::delete(&key("lease"), Expect::At(second))).await;
    conflict(&engine, guarded(second, "c")).await;
    assert_eq!(read(&engine, &key("c")).await, None);
}

pub async fn a_guard_on_an_absent_key_is_honoured<P: Place>() {
    let (_place, engine) = fresh::<P>().await;
    let guarded =
        |sort: &str| [Operation::check(&key("stop"), Expect::Absent), Operation::put(&key(sort), Expect::Absent, "x")];
    apply(&engine, guarded("a")).await;
    assert_eq!(read(&engine, &key("stop")).await, None);
    apply(&engine, Operation::put(&key("stop"), Expect::Absent, "")).await;
    conflict(&engine, guarded("b")).await;
    assert_eq!(read(&engine, &key("b")).await, None);
    apply(&engine, Operation::delete(&key("stop"), Expect::Anything)).await;
    apply(&engine, guarded("b")).await;
}

pub async fn a_guard_leaves_its_row_untouched<P: Place>() {
    let (_place, engine) = fresh::<P>().await;
    let revision = apply(&engine, Operation::put(&key("k"), Expect::Absent, "x")).await;
    let before = read(&engine, &key("k")).await;
    apply(&engine, Operation::check(&key("k"), Expect::At(revision))).await;
    apply(&engine, Operation::check(&key("k"), Expect::Anything)).await;
    conflict(&engine, Operation::check(&key("k"), Expect::Absent)).await;
    assert_eq!(read(&engine, &key("k")).await, before);
    apply(&engine, Operation::put(&key("k"), Expect::At(revision), "y")).await;
}

pub async fn a_conflict_names_no_key_that_held<P: Place>() {
    let (_place, engine) = fresh::<P>().await;
    apply(&engine, Operation::put(&key("taken"), Expect::Absent, "x")).await;
    let commit = [
        Operation::put(&key("a"), Expect::Absent, "x"),
        Operation::check(&key("taken"), Expect::Absent),
        Operation::put(&key("b"), Expect::Anything, "x"),
    ];
    let Outcome::Conflict { key: named } = engine.commit(commit.into()).await.unwrap() else {
        panic!("the commit had to conflict");
    };
    assert!(named.is_none_or(|named| named == key("taken")));
}

pub async fn an_empty_commit_applies_and_changes_nothing<P: Place>() {
    let (_place, engine) = fresh::<P>().await;
    apply(&engine, Operation::put(&key("k"), Expect::Absent, "x")).await;
    let before = all(&engine, "p").await;
    apply(&engine, Commit::default()).await;
    assert_eq!(all(&engine, "p").await, before);
}
