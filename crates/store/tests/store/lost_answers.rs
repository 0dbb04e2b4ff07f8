//! Commits whose answers are lost: an error says that they may have been applied, unless that is certain.

use fleet_store::Error;
use types::Mission;

use crate::engines::Probe;
use crate::support::{about, assert_counted, id, insert, mission, open, whole_feed};

/// More than a commit is ever sent, and more than a place is ever tried to be closed.
const ALL: u64 = 100;

#[tokio::test(start_paused = true)]
async fn a_commit_that_was_applied_without_an_answer_is_reported_as_doubtful_and_shown_later() {
    let probe = Probe::default();
    let store = open(probe.clone(), 1).await;
    probe.mute(true);
    let told = insert(&store, &mission(1)).await;
    assert!(matches!(told, Err(Error::Engine(kv::Error::Unknown(_)))), "{told:?}");
    probe.mute(false);
    insert(&store, &mission(2)).await.unwrap();
    let shown: Vec<_> = whole_feed(&store).await.iter().flat_map(|entry| about(entry)).collect();
    assert_eq!(shown, [id(1), id(2)]);
    assert_counted(&store, &[mission(1), mission(2)]);
}

#[tokio::test(start_paused = true)]
async fn a_commit_that_was_never_applied_is_reported_as_doubtful_while_that_is_not_certain() {
    let probe = Probe::default();
    let store = open(probe.clone(), 1).await;
    probe.lose_next(ALL);
    let told = insert(&store, &mission(1)).await;
    assert!(matches!(told, Err(Error::Engine(kv::Error::Unknown(_)))), "{told:?}");
    probe.lose_next(0);
    assert_eq!(store.get::<Mission>(&id(1)).await.unwrap(), None);
    insert(&store, &mission(1)).await.unwrap();
    assert_counted(&store, &[mission(1)]);
    assert_eq!(whole_feed(&store).await.len(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_commit_that_got_lost_any_number_of_times_is_applied_once_as_soon_as_the_engine_answers() {
    for lost in 1..10 {
        let probe = Probe::default();
        let store = open(probe.clone(), 1).await;
        probe.lose_next(lost);
        insert(&store, &mission(1)).await.unwrap();
        assert_eq!(whole_feed(&store).await.len(), 1, "{lost} lost");
        assert_counted(&store, &[mission(1)]);
        assert_counted(&open(probe, 2).await, &[mission(1)]);
    }
}
