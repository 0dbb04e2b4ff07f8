//! Beginning: what an agent is started with, and what follows when it cannot be.

use fleet_sessions::{Error as SessionError, Refusal};
use supervisor::Error;
use types::{FailureClass, SessionEnding, SessionState};

use crate::world::{Says as _, World, new};

#[tokio::test(start_paused = true)]
async fn an_agent_is_started_once_with_its_prompt_and_the_session_runs() {
    let mut world = World::new().await;
    let session = world.begin().await;
    assert!(matches!(session.state, SessionState::Starting { .. }));
    let agent = world.agent().await;
    let running = world.until_running(&session.id).await;
    assert_eq!(agent.id(), format!("{}/1", session.id));
    assert!(agent.input().first().unwrap().contains("Add a cart."), "{:?}", agent.input());
    assert_eq!(running.workspace.unwrap().path, "/shop");
    world.settle().await;
    assert!(world.sessions.live(&session.id).unwrap().pid.is_some());
    assert!(world.no_other_process());
}

#[tokio::test(start_paused = true)]
async fn an_agent_that_cannot_be_started_ends_its_session_with_the_reason() {
    let mut world = World::new().await;
    world.fail_start(Error::NotStarted("no such program".to_owned()));
    let session = world.begin().await;
    let over = world.until_over(&session.id).await;
    let SessionState::Ended { ending: SessionEnding::Failed { class, text }, .. } = over.state else {
        panic!("{over:?}")
    };
    assert_eq!(class, FailureClass::NotStarted);
    assert!(text.contains("no such program"), "{text}");
    assert!(world.no_other_process());
}

#[tokio::test(start_paused = true)]
async fn an_agent_whose_start_was_not_answered_is_found_and_not_started_again() {
    let mut world = World::new().await;
    world.fail_start(Error::Silent);
    let session = world.begin().await;
    let agent = world.agent().await;
    world.until_running(&session.id).await;
    agent.greet();
    agent.exit_with(0);
    agent.terminate();
    world.settle().await;
    assert!(agent.exit().is_some());
}

#[tokio::test(start_paused = true)]
async fn files_that_cannot_be_written_keep_an_agent_from_starting_and_say_so() {
    let mut world = World::new().await;
    world.files.set_broken(true);
    let session = world.begin().await;
    let over = world.until_over(&session.id).await;
    let SessionState::Ended { ending: SessionEnding::Failed { class, text }, .. } = over.state else {
        panic!("{over:?}")
    };
    assert_eq!(class, FailureClass::NotStarted);
    assert!(text.contains("the disk is full"), "{text}");
    assert!(world.no_other_process());
}

#[tokio::test(start_paused = true)]
async fn no_more_agents_run_than_the_settings_allow_and_a_slot_is_free_when_one_ends() {
    let mut world = World::with(|settings| settings.max_workers = 1).await;
    let first = world.begin().await;
    let agent = world.agent().await;
    let refused = world.sessions.spawn(new(|_| {}), &world.stamp()).await.unwrap_err();
    assert!(matches!(refused, SessionError::Refused(Refusal::Full { max: 1, .. })), "{refused:?}");
    assert_eq!(world.sessions.running(), 1);
    agent.fail(FailureClass::Invalid);
    agent.exit_with(1);
    world.until_over(&first.id).await;
    world.settle().await;
    assert_eq!(world.sessions.running(), 0);
    world.begin().await;
    world.agent().await;
}

#[tokio::test(start_paused = true)]
async fn a_session_of_an_unknown_agent_is_refused() {
    let world = World::new().await;
    let asked = new(|new| new.order.agent = "nobody".to_owned());
    let refused = world.sessions.spawn(asked, &world.stamp()).await.unwrap_err();
    assert!(matches!(refused, SessionError::Refused(Refusal::UnknownAgent { .. })), "{refused:?}");
}

#[tokio::test(start_paused = true)]
async fn two_sessions_cannot_have_one_name() {
    let mut world = World::new().await;
    let named = |new: &mut fleet_sessions::NewSession| new.handle = Some("ann".parse().unwrap());
    world.begin_with(named).await;
    world.agent().await;
    let refused = world.sessions.spawn(new(named), &world.stamp()).await.unwrap_err();
    assert!(matches!(refused, SessionError::Refused(Refusal::HandleTaken { .. })), "{refused:?}");
}

#[tokio::test(start_paused = true)]
async fn a_mission_is_held_by_the_session_that_began_on_it_and_by_no_other() {
    let mut world = World::new().await;
    let mission = world.mission(|_| {}).await;
    let on = |new: &mut fleet_sessions::NewSession| new.mission = Some("m-x7k2m".parse().unwrap());
    let session = world.begin_with(on).await;
    world.agent().await;
    let held = world.store.get::<types::Mission>(&mission.id).await.unwrap().unwrap();
    assert_eq!(held.state.name(), types::StateName::Held);
    assert_eq!(session.mission.unwrap().generation, held.holders);
    let refused = world.sessions.spawn(new(on), &world.stamp()).await.unwrap_err();
    assert!(matches!(refused, SessionError::Refused(Refusal::Mission(_))), "{refused:?}");
}
