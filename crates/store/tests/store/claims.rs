//! Idempotency keys: taken by the first commit of a call, with its effect or not at all.

use fleet_store::{Claim, Error};
use types::KeyedCall;

use crate::engines::Probe;
use crate::support::{at, insert, mission, open, stamp};

fn call() -> KeyedCall {
    KeyedCall {
        id: "k".to_owned(),
        team: "alpha".parse().unwrap(),
        input: "i".to_owned(),
        answer: None,
        created_at: at(1),
    }
}

#[tokio::test]
async fn the_first_commit_of_a_call_takes_its_key_and_no_other_call_with_it_changes_anything() {
    let store = &open(Probe::default(), 1).await;
    let claim = Claim::new(call());
    let work = async {
        insert(store, &mission(1)).await.unwrap();
        // The next server, after a crash at this point, finds the key taken.
        assert_eq!(store.get::<KeyedCall>(&call().id).await.unwrap(), Some(call()));
        insert(store, &mission(2)).await.unwrap();
    };
    claim.during(work).await;
    assert!(claim.is_made());
    let place = store.position();
    let other = Claim::new(call()).during(insert(store, &mission(3))).await;
    assert!(matches!(other, Err(Error::KeyTaken)), "{other:?}");
    assert_eq!(store.position(), place);
}

#[tokio::test]
async fn a_call_that_changes_nothing_takes_no_key() {
    let store = &open(Probe::default(), 1).await;
    let claim = Claim::new(call());
    let refused = store.transact(stamp(), |tx| async move {
        tx.insert(&mission(1))?;
        Err::<(), _>(Error::Contention { tries: 0 })
    });
    claim.during(refused).await.unwrap_err();
    assert!(!claim.is_made());
    assert_eq!(store.get::<KeyedCall>(&call().id).await.unwrap(), None);
}
