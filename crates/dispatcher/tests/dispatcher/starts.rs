//! What starts, in which order, and when.

use schedule::{Budget, Scope};
use types::{FailureClass, Limits, ParkedAccount, Spent};

use crate::scene::{Scene, at, id};

#[tokio::test]
async fn a_mission_starts_the_moment_the_last_mission_it_waits_for_is_done() {
    let mut scene = Scene::new().await;
    scene.state("aaaaa", &[]).await;
    scene.state("bbbbb", &[]).await;
    let last = scene.state("ccccc", &["aaaaa", "bbbbb"]).await;
    scene.settle().await;
    assert_eq!(scene.begun(), [id("aaaaa"), id("bbbbb")]);
    scene.crew.finish(&id("bbbbb")).await;
    scene.settle().await;
    assert_eq!(scene.begun().len(), 2);
    scene.crew.finish(&id("aaaaa")).await;
    scene.settle().await;
    assert_eq!(scene.crew.state().begun.last(), Some(&(last, Some(id("aaaaa")))));
    assert_eq!(scene.clock.now(), at(0), "no time passed");
}

#[tokio::test]
async fn the_most_urgent_goes_first_and_waiting_makes_up_for_it() {
    let mut scene = Scene::new().await;
    scene.crew.state().slots = 0;
    scene.state_as(id("aaaaa"), |said| said.priority = 0).await;
    scene.pass(1_201).await;
    scene.state_as(id("bbbbb"), |said| said.priority = 2).await;
    scene.state_as(id("ccccc"), |said| said.priority = 3).await;
    scene.settle().await;
    assert!(scene.begun().is_empty());
    for _ in 0..3 {
        scene.crew.state().slots += 1;
        scene.crew.ease();
        scene.settle().await;
    }
    assert_eq!(scene.begun(), [id("ccccc"), id("aaaaa"), id("bbbbb")]);
}

#[tokio::test]
async fn a_full_crew_starts_nothing_and_a_freed_slot_starts_the_next() {
    let mut scene = Scene::new().await;
    scene.crew.state().slots = 1;
    for code in ["aaaaa", "bbbbb", "ccccc"] {
        scene.state(code, &[]).await;
    }
    scene.settle().await;
    assert_eq!(scene.begun(), [id("aaaaa")]);
    scene.pass(600).await;
    assert_eq!(scene.begun(), [id("aaaaa")]);
    scene.crew.finish(&id("aaaaa")).await;
    scene.settle().await;
    assert_eq!(scene.begun(), [id("aaaaa"), id("bbbbb")]);
}

#[tokio::test]
async fn a_slot_that_is_not_there_after_all_is_waited_for() {
    let mut scene = Scene::new().await;
    scene.crew.state().slots_after_all = Some(0);
    scene.state("aaaaa", &[]).await;
    scene.settle().await;
    assert_eq!(scene.crew.state().tried.len(), 1);
    scene.crew.state().slots_after_all = None;
    scene.crew.ease();
    scene.settle().await;
    assert_eq!(scene.begun(), [id("aaaaa")]);
}

#[tokio::test]
async fn one_that_cannot_be_started_is_tried_again_at_its_time_and_not_before() {
    let mut scene = Scene::new().await;
    let mission = scene.state("aaaaa", &[]).await;
    scene.crew.state().refused.insert(mission.clone(), 20);
    scene.settle().await;
    for _ in 0..3 {
        // Others come and go meanwhile.
        scene.state("bbbbb", &[]).await;
        scene.pass(19).await;
        scene.delete(&id("bbbbb")).await;
        scene.pass(1).await;
    }
    let mine: Vec<_> =
        scene.crew.state().tried.iter().filter(|tried| tried.0 == mission).map(|tried| tried.1).collect();
    assert_eq!(mine, [at(0), at(20), at(40), at(60)]);
}

#[tokio::test]
async fn one_that_cannot_be_started_leaves_its_slot_to_the_next() {
    let mut scene = Scene::new().await;
    scene.crew.state().slots = 1;
    scene.crew.state().refused.insert(id("aaaaa"), 20);
    scene.state_as(id("aaaaa"), |said| said.priority = 5).await;
    scene.state("bbbbb", &[]).await;
    scene.settle().await;
    assert_eq!(scene.begun(), [id("bbbbb")]);
}

#[tokio::test]
async fn a_mission_on_a_parked_account_waits_and_wakes_by_itself() {
    let mut scene = Scene::new().await;
    let (class, text) = (FailureClass::Quota { resets_at: Some(at(50)) }, "used up".to_owned());
    let parked = ParkedAccount { account: "claude".to_owned(), class, text, until: Some(at(50)), since: at(0) };
    scene.crew.state().parked = vec![parked];
    scene.state("aaaaa", &[]).await;
    scene.state_as(id("bbbbb"), |said| said.agent = Some("codex".to_owned())).await;
    scene.pass(49).await;
    assert_eq!(scene.begun(), [id("bbbbb")]);
    scene.pass(1).await;
    assert_eq!(scene.begun(), [id("bbbbb"), id("aaaaa")]);
}

#[tokio::test]
async fn a_mission_whose_budget_is_used_up_starts_when_it_begins_anew() {
    let mut scene = Scene::new().await;
    let ceiling = Limits { dollars_max: Some(1.0), ..Limits::default() };
    let spent = Spent { cost: 1.5.into(), ..Spent::default() };
    scene.crew.state().budgets = vec![Budget { scope: Scope::Fleet, ceiling, spent, resets_at: Some(at(45)) }];
    scene.state("aaaaa", &[]).await;
    scene.pass(44).await;
    assert!(scene.begun().is_empty());
    scene.pass(1).await;
    assert_eq!(scene.begun(), [id("aaaaa")]);
}
