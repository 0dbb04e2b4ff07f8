//! What a dispatcher outlives: its own end at any moment, a store that fails, what it was never told.

use std::sync::Arc;
use std::time::Duration;

use types::{Event, Mission, MissionState, StateName};

use crate::hands::{Hands, stamp};
use crate::scene::{Scene, id, open};

/// Two missions that start at once and one that waits for both; how far one dispatcher came, the next continues.
#[tokio::test]
async fn one_that_is_dropped_at_any_await_and_made_anew_loses_nothing_and_starts_nothing_twice() {
    let mut lasts = 1;
    for polls in 0.. {
        let mut scene = Scene::idle().await;
        scene.engine.give_way();
        let all = [("aaaaa", vec![]), ("bbbbb", vec![]), ("ccccc", vec!["aaaaa", "bbbbb"])];
        for (code, depends_on) in &all {
            scene.state(code, depends_on).await;
        }
        scene.begin();
        let mut used = 0;
        while used < polls && scene.poll().await {
            used += 1;
        }
        scene.begin();
        scene.settle().await;
        for code in ["aaaaa", "bbbbb"] {
            let mission = scene.get(&id(code)).await;
            assert_eq!((mission.state.name(), mission.holders), (StateName::Held, 1), "after {polls} polls");
            scene.crew.finish(&id(code)).await;
        }
        scene.settle().await;
        let last = scene.get(&id("ccccc")).await;
        assert_eq!((last.state.name(), last.holders), (StateName::Held, 1), "after {polls} polls");
        if used < polls {
            break;
        }
        lasts = polls;
    }
    assert!(lasts > 10, "only {lasts} awaits were tried");
}

#[tokio::test(start_paused = true)]
async fn a_store_that_fails_is_asked_again_until_it_answers() {
    let mut scene = Scene::new().await;
    scene.state("aaaaa", &[]).await;
    scene.state("bbbbb", &["aaaaa"]).await;
    scene.engine.break_down(true);
    for _ in 0..10 {
        scene.pass(1).await;
        // The store itself waits between two tries, in time that passes by itself here.
        tokio::time::advance(Duration::from_secs(1)).await;
    }
    assert!(scene.begun().is_empty());
    scene.engine.break_down(false);
    tokio::time::advance(Duration::from_secs(1)).await;
    scene.pass(1).await;
    scene.pass(1).await;
    assert_eq!(scene.begun(), [id("aaaaa")]);
    scene.crew.finish(&id("aaaaa")).await;
    scene.settle().await;
    assert_eq!(scene.begun(), [id("aaaaa"), id("bbbbb")]);
}

#[tokio::test]
async fn what_could_not_be_started_is_remembered_when_the_store_fails() {
    let mut scene = Scene::new().await;
    scene.crew.state().refused.insert(id("aaaaa"), 30);
    scene.state("aaaaa", &[]).await;
    scene.settle().await;
    scene.state("bbbbb", &[]).await;
    scene.engine.break_down(true);
    scene.pass(1).await;
    scene.engine.break_down(false);
    scene.pass(1).await;
    scene.pass(1).await;
    assert_eq!(scene.begun(), [id("bbbbb")]);
    let tries = |scene: &Scene| scene.crew.state().tried.iter().filter(|tried| tried.0 == id("aaaaa")).count();
    assert_eq!(tries(&scene), 1);
    scene.pass(27).await;
    assert_eq!(tries(&scene), 2);
}

/// Another process writes a feed of its own, which nothing here reads.
#[tokio::test]
async fn what_another_process_changed_is_found_within_a_minute() {
    let mut scene = Scene::new().await;
    let other = open(&scene.engine, "other").await;
    let elsewhere = Hands::new(other.clone(), scene.clock.clone());
    let draft = scene.state_as(id("aaaaa"), |said| said.start = types::Start::ByHand).await;
    scene.settle().await;
    let mission = &Mission { start: types::Start::WhenReady, ..scene.get(&draft).await };
    let stamp = stamp(&scene.clock);
    let changed = other.transact(&stamp, |tx| async move {
        let held = tx.get::<Mission>(&mission.id).await?.unwrap();
        tx.update(&held, mission)?;
        tx.append(Event::MissionUpdated { mission: mission.id.clone() });
        Ok::<_, store::Error>(())
    });
    changed.await.unwrap();
    elsewhere.put(&draft, &MissionState::Ready { since: scene.clock.now() }).await;
    scene.settle().await;
    assert!(scene.begun().is_empty());
    scene.pass(60).await;
    assert_eq!(scene.begun(), [draft]);
}

#[tokio::test]
async fn it_ends_when_it_is_asked_to() {
    let scene = Scene::idle().await;
    let tree = runtime::Tree::new(scene.clock.clone());
    let dispatcher =
        fleet_dispatcher::Dispatcher::new(scene.store.clone(), scene.clock.clone(), Arc::clone(&scene.crew));
    let task =
        tree.spawn(runtime::Kind::Listener, "dispatcher", move |stop| async move { dispatcher.run(&stop).await });
    task.cancel();
    tree.shutdown(Duration::from_secs(1)).await;
    assert!(tree.live().is_empty());
}
