//! Blobs come back as they were stored, or not at all.

use bytes::Bytes;
use fleet_store::{BlobId, Error, Store};
use futures::poll;
use kv::{Commit, Engine, Expect, Operation, Row};

use crate::engines::{Probe, Stuck};
use crate::support::open;

const PART: usize = 256 * 1024;

/// Bytes without a pattern that parts could share.
fn sample(length: usize) -> Bytes {
    let mut state = 7_u32;
    let mut next = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        state.to_be_bytes()[0]
    };
    (0..length).map(|_| next()).collect()
}

async fn stored(length: usize) -> (Probe, Store, BlobId) {
    let probe = Probe::default();
    let store = open(probe.clone(), 1).await;
    let id = store.put_blob(sample(length)).await.unwrap();
    (probe, store, id)
}

#[tokio::test]
async fn a_blob_of_any_size_comes_back_as_it_was_stored() {
    for (length, parts) in [(0, 0), (1, 1), (PART - 1, 1), (PART, 1), (PART + 1, 2), (3_000_000, 12)] {
        let (probe, store, id) = stored(length).await;
        assert_eq!(id, BlobId::of(&sample(length)));
        assert_eq!(store.get_blob(&id).await.unwrap(), Some(sample(length)), "{length} bytes");
        assert_eq!(probe.rows().await.len(), parts + 1, "{length} bytes");
    }
}

#[tokio::test]
async fn a_blob_is_named_by_the_digest_of_its_bytes() {
    let digest = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
    assert_eq!(BlobId::of(b"abc").as_str(), digest);
    assert_eq!(BlobId::of(b"abc").to_string(), digest);
}

#[tokio::test]
async fn the_same_bytes_are_stored_once() {
    let (probe, store, id) = stored(PART + 1).await;
    let commits = probe.commits();
    assert_eq!(store.put_blob(sample(PART + 1)).await.unwrap(), id);
    assert_eq!(probe.commits(), commits);
}

#[tokio::test]
async fn a_blob_that_was_never_stored_is_absent() {
    let (_, store, _) = stored(1).await;
    assert_eq!(store.get_blob(&BlobId::of(b"other")).await.unwrap(), None);
}

#[tokio::test]
async fn a_blob_cut_off_half_way_is_absent_until_it_is_stored_again() {
    for stuck in [Stuck::OnTheWay, Stuck::OnTheWayBack] {
        let probe = Probe::default();
        let store = open(probe.clone(), 1).await;
        probe.stick_next(stuck);
        assert!(poll!(Box::pin(store.put_blob(sample(PART + 1)))).is_pending());
        let id = BlobId::of(&sample(PART + 1));
        assert_eq!(store.get_blob(&id).await.unwrap(), None);
        assert_eq!(store.put_blob(sample(PART + 1)).await.unwrap(), id);
        assert_eq!(store.get_blob(&id).await.unwrap(), Some(sample(PART + 1)));
    }
}

#[tokio::test]
async fn damage_to_any_row_of_a_blob_is_noticed() {
    let flipped = |row: &Row| {
        let mut value = row.value.to_vec();
        value[0] ^= 1;
        Operation::put(&row.key, Expect::Anything, value)
    };
    let shorter = |row: &Row| Operation::put(&row.key, Expect::Anything, row.value.slice(1..));
    let missing = |row: &Row| Operation::delete(&row.key, Expect::Anything);
    let damages: [&dyn Fn(&Row) -> Operation; 3] = [&flipped, &shorter, &missing];
    for damage in damages {
        let (probe, ..) = stored(2 * PART + 1).await;
        for row in probe.rows().await.iter().filter(|row| row.key.sort != "head") {
            let (probe, store, id) = stored(2 * PART + 1).await;
            probe.commit(Commit::from(damage(row))).await.unwrap();
            let read = store.get_blob(&id).await;
            assert!(matches!(read, Err(Error::DamagedBlob { .. })), "{:?}", row.key);
        }
    }
}

#[tokio::test]
async fn a_head_that_promises_too_much_or_nonsense_is_noticed() {
    for head in [r#"{"bytes":1,"parts":0}"#, r#"{"bytes":18446744073709551615,"parts":18446744073709551615}"#, "{}"] {
        let (probe, store, id) = stored(PART + 1).await;
        let row = probe.rows().await.into_iter().find(|row| row.key.sort == "head").unwrap();
        probe.commit(Operation::put(&row.key, Expect::Anything, head).into()).await.unwrap();
        assert!(store.get_blob(&id).await.is_err(), "{head}");
    }
}
