//! What following costs: reads of the store and decisions, counted.

use schedule::Why;
use types::{MissionState, Start};

use crate::scene::{Scene, nth};

const MANY: usize = 600;

#[tokio::test]
async fn many_changes_at_once_cost_a_few_decisions_and_a_read_for_each_mission() {
    let mut scene = Scene::new().await;
    scene.crew.state().slots = 0;
    for number in 0..MANY {
        scene.state_as(nth(number), |_| {}).await;
    }
    for number in 0..MANY {
        scene.crew.put(&nth(number), &MissionState::Draft).await;
        scene.reopen(&nth(number)).await;
    }
    let (reads, asked) = (scene.engine.reads(), scene.crew.state().asked);
    scene.settle().await;
    let (reads, asked) = (scene.engine.reads() - reads, scene.crew.state().asked - asked);
    // Three changes each, so a batch may meet the same mission once more; and a few ranges of the feed.
    assert!(reads <= 3 * MANY as u64 + 20, "{reads} reads");
    assert!(asked <= 3 * MANY / 100 + 5, "{asked} decisions");
    scene.crew.state().slots = MANY as u32;
    scene.crew.ease();
    scene.settle().await;
    assert_eq!(scene.begun().len(), MANY);
}

#[tokio::test]
async fn what_many_wait_for_is_read_once() {
    let mut scene = Scene::idle().await;
    let first = scene.state_as(nth(0), |said| said.start = Start::ByHand).await;
    for number in 1..MANY {
        scene.state_as(nth(number), |said| said.depends_on = vec![first.clone()]).await;
    }
    let before = scene.engine.reads();
    scene.begin();
    scene.settle().await;
    let made = scene.engine.reads() - before;
    assert!(made <= MANY as u64 + 20, "{made} reads to make the line");
    let before = scene.engine.reads();
    scene.crew.put(&first, &MissionState::Cancelled { at: scene.clock.now(), by: types::Handle::owner() }).await;
    scene.settle().await;
    let heard = scene.engine.reads() - before;
    assert!(heard <= 5, "{heard} reads to hear that it was called off");
}

#[tokio::test]
async fn a_long_list_of_links_is_not_read_again_with_every_change_of_the_mission() {
    let mut scene = Scene::new().await;
    let links: Vec<_> = (1..30).map(nth).collect();
    for link in &links {
        scene.state_as(link.clone(), |said| said.start = Start::ByHand).await;
    }
    scene.state_as(nth(0), |said| said.depends_on = links.clone()).await;
    scene.settle().await;
    let before = scene.engine.reads();
    for number in 0..20 {
        scene.edit(&nth(0), missions::Edit { priority: Some(number), ..missions::Edit::default() }).await;
        scene.settle().await;
    }
    let heard = scene.engine.reads() - before;
    assert!(heard <= 20 * 5, "{heard} reads");
}

#[tokio::test]
async fn nothing_is_asked_of_the_crew_while_everybody_waits_for_others() {
    let mut scene = Scene::new().await;
    let first = scene.state_as(nth(0), |said| said.start = Start::ByHand).await;
    scene.state_as(nth(1), |said| said.depends_on = vec![first]).await;
    scene.pass(300).await;
    assert_eq!(scene.crew.state().asked, 0);
}

#[tokio::test]
async fn a_change_costs_as_few_reads_with_many_in_the_line_as_with_none() {
    let mut scene = Scene::new().await;
    scene.crew.state().slots = 0;
    let never = scene.state_as(nth(0), |said| said.start = Start::ByHand).await;
    for number in 1..MANY {
        // Half of them wait for a slot and half for a mission.
        let on = if number % 2 == 0 { vec![never.clone()] } else { Vec::new() };
        scene.state_as(nth(number), |said| said.depends_on = on).await;
    }
    scene.settle().await;
    let before = scene.engine.reads();
    scene.state_as(nth(MANY), |_| {}).await;
    scene.settle().await;
    let heard = scene.engine.reads() - before;
    assert!(heard <= 5, "{heard} reads for one more mission");
    let before = scene.engine.reads();
    scene.crew.state().slots = 1;
    scene.crew.ease();
    scene.settle().await;
    assert_eq!(scene.begun().len(), 1);
    let started = scene.engine.reads() - before;
    assert!(started <= 10, "{started} reads to start one");
}

#[tokio::test]
async fn what_is_in_the_way_of_a_mission_itself_is_told_without_reading_the_others() {
    let scene = Scene::idle().await;
    let never = scene.state_as(nth(0), |said| said.start = Start::ByHand).await;
    for number in 1..MANY {
        scene.state_as(nth(number), |_| {}).await;
    }
    scene.state_as(nth(MANY), |said| said.depends_on = vec![never.clone()]).await;
    let (waits, last) = (nth(MANY), nth(MANY - 1));
    let asked = |mission| fleet_dispatcher::why(&scene.store, &scene.clock, scene.crew.as_ref(), mission);
    let before = scene.engine.reads();
    assert!(matches!(asked(&waits).await.unwrap(), Why::Dependency { dependency, .. } if dependency.on == never));
    let reads = scene.engine.reads() - before;
    assert!(reads <= 10, "{reads} reads");
    scene.crew.state().slots = 0;
    assert!(matches!(asked(&last).await.unwrap(), Why::Full { ahead, .. } if ahead as usize == MANY - 2));
}
