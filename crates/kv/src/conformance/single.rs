//! Checks about one key: what it reads as, which expectations hold, and that its revision never returns.

use crate::conformance::Place;
use crate::conformance::steps::{apply, conflict, fresh, key, read, text};
use crate::engine::{Engine, Expect, Operation, Row};

pub async fn an_absent_key_reads_as_nothing<P: Place>() {
    let (_place, engine) = fresh::<P>().await;
    apply(&engine, Operation::put(&key("neighbour"), Expect::Absent, "x")).await;
    assert_eq!(read(&engine, &key("k")).await, None);
}

pub async fn an_insert_can_be_read_back<P: Place>() {
    let (_place, engine) = fresh::<P>().await;
    let revision = apply(&engine, Operation::put(&key("k"), Expect::Absent, "one")).await;
    let row = Row { key: key("k"), revision, value: "one".into() };
    assert_eq!(read(&engine, &key("k")).await, Some(row));
}

pub async fn a_second_insert_conflicts<P: Place>() {
    let (_place, engine) = fresh::<P>().await;
    apply(&engine, Operation::put(&key("k"), Expect::Absent, "one")).await;
    let before = read(&engine, &key("k")).await;
    conflict(&engine, Operation::put(&key("k"), Expect::Absent, "two")).await;
    conflict(&engine, Operation::put(&key("k"), Expect::Absent, "one")).await;
    assert_eq!(read(&engine, &key("k")).await, before);
}

pub async fn an_update_at_the_stored_revision_applies<P: Place>() {
    let (_place, engine) = fresh::<P>().await;
    let first = apply(&engine, Operation::put(&key("k"), Expect::Absent, "one")).await;
    let second = apply(&engine, Operation::put(&key("k"), Expect::At(first), "two")).await;
    assert_ne!(first, second);
    let row = Row { key: key("k"), revision: second, value: "two".into() };
    assert_eq!(read(&engine, &key("k")).await, Some(row));
}

pub async fn a_stale_update_conflicts<P: Place>() {
    let (_place, engine) = fresh::<P>().await;
    let first = apply(&engine, Operation::put(&key("k"), Expect::Absent, "one")).await;
    apply(&engine, Operation::put(&key("k"), Expect::At(first), "two")).await;
    conflict(&engine, Operation::put(&key("k"), Expect::At(first), "three")).await;
    assert_eq!(text(&engine, &key("k")).await.as_deref(), Some("two"));
}

pub async fn a_stale_update_conflicts_even_after_identical_bytes<P: Place>() {
    let (_place, engine) = fresh::<P>().await;
    let first = apply(&engine, Operation::put(&key("k"), Expect::Absent, "same")).await;
    let second = apply(&engine, Operation::put(&key("k"), Expect::At(first), "same")).await;
    let third = apply(&engine, Operation::put(&key("k"), Expect::Anything, "same")).await;
    assert!(first != second && second != third && first != third, "{first:?} {second:?} {third:?}");
    for stale in [first, second] {
        conflict(&engine, Operation::put(&key("k"), Expect::At(stale), "same")).await;
    }
    assert_eq!(read(&engine, &key("k")).await.map(|row| row.revision), Some(third));
}

pub async fn an_update_of_an_absent_key_conflicts<P: Place>() {
    let (_place, engine) = fresh::<P>().await;
    let first = apply(&engine, Operation::put(&key("k"), Expect::Absent, "one")).await;
    apply(&engine, Operation::delete(&key("k"), Expect::At(first))).await;
    conflict(&engine, Operation::put(&key("k"), Expect::At(first), "two")).await;
    assert_eq!(read(&engine, &key("k")).await, None);
}

pub async fn a_blind_put_always_applies<P: Place>() {
    let (_place, engine) = fresh::<P>().await;
    for value in ["one", "two", "two"] {
        let revision = apply(&engine, Operation::put(&key("k"), Expect::Anything, value)).await;
        let row = Row { key: key("k"), revision, value: value.into() };
        assert_eq!(read(&engine, &key("k")).await, Some(row));
    }
}

pub async fn a_delete_honours_its_expectation<P: Place>() {
    let (_place, engine) = fresh::<P>().await;
    apply(&engine, Operation::delete(&key("k"), Expect::Anything)).await;
    apply(&engine, Operation::delete(&key("k"), Expect::Absent)).await;
    let first = apply(&engine, Operation::put(&key("k"), Expect::Absent, "one")).await;
    let second = apply(&engine, Operation::put(&key("k"), Expect::At(first), "two")).await;
    conflict(&engine, Operation::delete(&key("k"), Expect::At(first))).await;
    conflict(&engine, Operation::delete(&key("k"), Expect::Absent)).await;
    assert_eq!(text(&engine, &key("k")).await.as_deref(), Some("two"));
    apply(&engine, Operation::delete(&key("k"), Expect::At(second))).await;
    assert_eq!(read(&engine, &key("k")).await, None);
    conflict(&engine, Operation::delete(&key("k"), Expect::At(second))).await;
    apply(&engine, Operation::put(&key("k"), Expect::Absent, "three")).await;
    apply(&engine, Operation::delete(&key("k"), Expect::Anything)).await;
    assert_eq!(read(&engine, &key("k")).await, None);
}

pub async fn a_deleted_and_recreated_key_has_a_new_revision<P: Place>() {
    let (_place, engine) = fresh::<P>().await;
    let mut seen = Vec::new();
    for _ in 0..5 {
        let revision = apply(&engine, Operation::put(&key("k"), Expect::Absent, "same")).await;
        assert!(!seen.contains(&revision), "{revision:?} came back: {seen:?}");
        for stale in &seen {
            conflict(&engine, Operation::put(&key("k"), Expect::At(*stale), "other")).await;
            conflict(&engine, Operation::delete(&key("k"), Expect::At(*stale))).await;
        }
        apply(&engine, Operation::delete(&key("k"), Expect::At(revision))).await;
        seen.push(revision);
    }
}

pub async fn an_empty_value_is_a_value<P: Place>() {
    let (_place, engine) = fresh::<P>().await;
    let revision = apply(&engine, Operation::put(&key("k"), Expect::Absent, "")).await;
    let row = Row { key: key("k"), revision, value: "".into() };
    assert_eq!(read(&engine, &key("k")).await, Some(row));
    conflict(&engine, Operation::put(&key("k"), Expect::Absent, "")).await;
}

pub async fn bytes_come_back_as_they_were_put<P: Place>() {
    let (_place, engine) = fresh::<P>().await;
    let every_byte: Vec<u8> = (0..=255).cycle().take(1_000).collect();
    apply(&engine, Operation::put(&key("k"), Expect::Absent, every_byte.clone())).await;
    assert_eq!(read(&engine, &key("k")).await.unwrap().value, every_byte);
}

pub async fn many_keys_read_as_each_alone_in_the_order_asked_for<P: Place>() {
    let (_place, engine) = fresh::<P>().await;
    for name in ["a", "b", "c"] {
        apply(&engine, Operation::put(&key(name), Expect::Absent, name)).await;
    }
    let asked: Vec<_> = ["c", "absent", "a", "c"].map(key).into();
    let rows = loop {
        // Through seeded faults a read may be told to come again.
        if let Ok(rows) = engine.get_many(asked.clone()).await {
            break rows;
        }
    };
    let mut alone = Vec::new();
    for key in &asked {
        alone.push(read(&engine, key).await);
    }
    assert_eq!(rows, alone);
}
