//! Missions that people change while the dispatcher runs.

use missions::Edit;
use types::{Handle, MissionState, Start};

use crate::scene::{Scene, at, id};

#[tokio::test]
async fn a_draft_starts_when_it_is_opened_and_not_before() {
    let mut scene = Scene::new().await;
    let draft = scene.state_as(id("aaaaa"), |said| said.start = Start::ByHand).await;
    scene.pass(100).await;
    scene.edit(&draft, Edit { start: Some(Start::WhenReady), ..Edit::default() }).await;
    scene.pass(100).await;
    assert!(scene.begun().is_empty());
    scene.reopen(&draft).await;
    scene.settle().await;
    assert_eq!(scene.begun(), [draft]);
}

#[tokio::test]
async fn what_is_redrafted_deleted_or_called_off_while_it_waits_does_not_start() {
    let mut scene = Scene::new().await;
    scene.crew.state().slots = 0;
    for code in ["aaaaa", "bbbbb", "ccccc", "ddddd"] {
        scene.state(code, &[]).await;
    }
    scene.settle().await;
    scene.crew.put(&id("aaaaa"), &MissionState::Draft).await;
    scene.delete(&id("bbbbb")).await;
    scene.crew.put(&id("ccccc"), &MissionState::Cancelled { at: at(0), by: Handle::owner() }).await;
    scene.crew.state().slots = 9;
    scene.settle().await;
    assert_eq!(scene.begun(), [id("ddddd")]);
    scene.reopen(&id("ccccc")).await;
    scene.settle().await;
    assert_eq!(scene.begun(), [id("ddddd"), id("ccccc")]);
}

#[tokio::test]
async fn links_that_are_made_and_cut_are_followed() {
    let mut scene = Scene::new().await;
    scene.crew.state().slots = 0;
    scene.state("aaaaa", &[]).await;
    let waits = scene.state("bbbbb", &[]).await;
    scene.settle().await;
    let link = |on: &[&str]| Edit { depends_on: Some(on.iter().map(|code| id(code)).collect()), ..Edit::default() };
    scene.edit(&waits, link(&["aaaaa"])).await;
    scene.crew.state().slots = 9;
    scene.settle().await;
    assert_eq!(scene.begun(), [id("aaaaa")]);
    scene.edit(&waits, link(&[])).await;
    scene.settle().await;
    assert_eq!(scene.crew.state().begun, [(id("aaaaa"), None), (waits, None)]);
}

#[tokio::test]
async fn a_mission_whose_dependency_is_gone_waits_until_the_link_is_cut() {
    let mut scene = Scene::new().await;
    scene.state_as(id("aaaaa"), |said| said.start = Start::ByHand).await;
    let waits = scene.state("bbbbb", &["aaaaa"]).await;
    scene.settle().await;
    scene.delete(&id("aaaaa")).await;
    scene.pass(200).await;
    assert!(scene.begun().is_empty());
    scene.edit(&waits, Edit { depends_on: Some(Vec::new()), ..Edit::default() }).await;
    scene.settle().await;
    assert_eq!(scene.begun(), [waits]);
}

#[tokio::test]
async fn a_mission_that_failed_to_start_is_tried_at_once_when_somebody_has_changed_it() {
    let mut scene = Scene::new().await;
    let mission = scene.state("aaaaa", &[]).await;
    scene.crew.state().refused.insert(mission.clone(), 3_600);
    scene.pass(5).await;
    scene.crew.state().refused.clear();
    scene.edit(&mission, Edit { agent: Some("codex".to_owned()), ..Edit::default() }).await;
    scene.settle().await;
    assert_eq!(scene.begun(), [mission]);
}

#[tokio::test]
async fn a_mission_whose_dependency_is_opened_again_as_it_starts_is_not_forgotten() {
    let mut scene = Scene::new().await;
    scene.state("aaaaa", &[]).await;
    scene.crew.state().slots = 1;
    let waits = scene.state("bbbbb", &["aaaaa"]).await;
    scene.settle().await;
    // It is draft again in the very moment in which the one that waits for it is started.
    scene.crew.state().meanwhile = Some((id("aaaaa"), MissionState::Draft));
    scene.crew.finish(&id("aaaaa")).await;
    scene.settle().await;
    assert_eq!(scene.begun(), [id("aaaaa")]);
    scene.reopen(&id("aaaaa")).await;
    scene.settle().await;
    scene.crew.finish(&id("aaaaa")).await;
    scene.settle().await;
    assert_eq!(scene.begun(), [id("aaaaa"), id("aaaaa"), waits]);
}

#[tokio::test]
async fn a_mission_that_somebody_was_quicker_to_take_is_theirs() {
    let mut scene = Scene::new().await;
    let holder = types::Holder::Agent { handle: Handle::owner() };
    let held = MissionState::Held { holder, generation: 1, since: at(0) };
    scene.crew.state().meanwhile = Some((id("aaaaa"), held));
    scene.state("aaaaa", &[]).await;
    scene.pass(300).await;
    assert!(scene.begun().is_empty());
    assert_eq!(scene.crew.state().tried.len(), 1);
}
