//! Checks about limits: what is exactly at one fits, what is one over is refused before anything is sent.

use crate::conformance::Place;
use crate::conformance::steps::{all, apply, fresh, key, read};
use crate::engine::{Commit, Engine, Error, Expect, Operation};
use crate::key::Key;
use crate::limits::{Excess, KEY_BYTES_MAX};

/// Commits what must be refused, and returns why; nothing may have been written in the partition of the checks.
async fn refused(engine: &impl Engine, commit: impl Into<Commit> + Send) -> Excess {
    let before = all(engine, "p").await;
    let ended = engine.commit(commit.into()).await;
    assert_eq!(all(engine, "p").await, before, "a refused commit wrote something");
    match ended {
        Err(Error::TooLarge(excess)) => excess,
        Err(Error::Unavailable(_) | Error::Unknown(_) | Error::Corrupt(_)) | Ok(_) => {
            panic!("a commit over the limits ended with {ended:?}")
        }
    }
}

fn put(sort: &str, bytes: usize) -> Operation {
    Operation::put(&key(sort), Expect::Anything, vec![b'x'; bytes])
}

pub async fn as_many_operations_as_allowed_fit_and_one_more_is_refused<P: Place>() {
    let (_place, engine) = fresh::<P>().await;
    let max = engine.limits().operations_max;
    let puts = |count| (0..count).map(|number| put(&format!("{number:04}"), 1)).collect::<Vec<_>>();
    assert_eq!(refused(&engine, puts(max + 1)).await, Excess::Operations { count: max + 1, max });
    apply(&engine, puts(max)).await;
    assert_eq!(all(&engine, "p").await.len(), max);
}

pub async fn a_value_as_large_as_allowed_fits_and_one_byte_more_is_refused<P: Place>() {
    let (_place, engine) = fresh::<P>().await;
    let max = engine.limits().value_bytes_max;
    apply(&engine, put("k", max)).await;
    assert_eq!(read(&engine, &key("k")).await.unwrap().value.len(), max);
    let excess = refused(&engine, [put("small", 1), put("k", max + 1)]).await;
    assert_eq!(excess, Excess::ValueBytes { key: key("k"), bytes: max + 1, max });
}

pub async fn a_commit_as_large_as_allowed_fits_and_one_byte_more_is_refused<P: Place>() {
    let (_place, engine) = fresh::<P>().await;
    let limits = engine.limits();
    let max = limits.commit_bytes_max;
    let filled = |total: usize| {
        let key_bytes = "p".len() + "000".len();
        let mut puts = Vec::new();
        let mut rest = total;
        while rest > 0 {
            let bytes = limits.value_bytes_max.min(rest - key_bytes);
            puts.push(put(&format!("{:03}", puts.len()), bytes));
            rest -= bytes + key_bytes;
        }
        puts
    };
    assert_eq!(refused(&engine, filled(max + 1)).await, Excess::CommitBytes { bytes: max + 1, max });
    apply(&engine, filled(max)).await;
    assert_eq!(all(&engine, "p").await.len(), filled(max).len());
}

pub async fn a_key_as_long_as_allowed_fits_and_one_byte_more_is_refused<P: Place>() {
    let (_place, engine) = fresh::<P>().await;
    // Three bytes a character, none of them plain: an engine that escapes or counts characters is found out.
    let longest = "€".repeat(KEY_BYTES_MAX / "€".len());
    let fits = [Key::new(longest.clone(), longest.clone()), Key::new("p", longest.clone())];
    for key in fits {
        let revision = apply(&engine, Operation::put(&key, Expect::Absent, "x")).await;
        assert_eq!(read(&engine, &key).await.unwrap().revision, revision);
    }
    let over = format!("{longest}x");
    for key in [Key::new("p", over.clone()), Key::new(over, "k")] {
        let excess = refused(&engine, [put("small", 1), Operation::put(&key, Expect::Anything, "x")]).await;
        assert_eq!(excess, Excess::Key { key });
    }
}

pub async fn a_key_with_an_empty_part_is_refused<P: Place>() {
    let (_place, engine) = fresh::<P>().await;
    for key in [Key::new("p", ""), Key::new("", "k"), Key::new("", "")] {
        let deletes = Operation::delete(&key, Expect::Anything);
        for operation in [Operation::put(&key, Expect::Anything, "x"), deletes] {
            let excess = refused(&engine, [put("small", 1), operation]).await;
            assert_eq!(excess, Excess::Key { key: key.clone() });
        }
    }
}

pub async fn a_key_named_twice_is_refused<P: Place>() {
    let (_place, engine) = fresh::<P>().await;
    let seconds =
        [put("k", 2), Operation::delete(&key("k"), Expect::Anything), Operation::check(&key("k"), Expect::Absent)];
    for second in seconds {
        let excess = refused(&engine, [put("k", 1), put("other", 1), second]).await;
        assert_eq!(excess, Excess::Twice { key: key("k") });
    }
    apply(&engine, [put("k", 1), Operation::put(&Key::new("q", "k"), Expect::Absent, "x")]).await;
}

pub async fn a_key_that_cannot_be_stored_reads_as_nothing<P: Place>() {
    let (_place, engine) = fresh::<P>().await;
    apply(&engine, put("k", 1)).await;
    let long = "x".repeat(KEY_BYTES_MAX + 1);
    for key in [Key::new("p", ""), Key::new("", "k"), Key::new("p", long.clone()), Key::new(long, "k")] {
        assert_eq!(read(&engine, &key).await, None);
    }
}
