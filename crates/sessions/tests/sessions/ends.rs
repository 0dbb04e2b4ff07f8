//! Ends: how a process that is gone is judged, and who may end it.

use std::sync::atomic::Ordering;

use agents::Ending;
use fleet_sessions::Asked;
use supervisor::Loss;
use types::{FailureClass, Handle, LandingStateName, Mission, Place, SessionEnding, SessionState, StateName};

use crate::world::{Says as _, World};

#[tokio::test(start_paused = true)]
async fn an_agent_that_is_done_is_told_so_by_the_end_of_its_input_and_its_session_is_completed() {
    let mut world = World::new().await;
    let session = world.begin().await;
    let agent = world.agent().await;
    agent.greet();
    agent.turn();
    agent.result(Ending::Completed);
    agent.input_closed().await;
    agent.exit_with(0);
    let over = world.until_over(&session.id).await;
    assert!(matches!(over.state, SessionState::Ended { ending: SessionEnding::Completed { .. }, .. }), "{over:?}");
    assert_eq!(over.conversation.as_deref(), Some("conversation-1"));
    assert_eq!(over.exit, Some(0));
    assert_eq!(over.booked.turns, 1);
    world.settle().await;
    assert!(world.sessions.live(&session.id).is_none(), "its task is gone");
}

#[tokio::test(start_paused = true)]
async fn an_agent_that_stays_though_it_is_done_is_stopped_and_counts_as_done() {
    let mut world = World::new().await;
    let session = world.begin().await;
    let agent = world.agent().await;
    agent.greet();
    agent.turn();
    agent.result(Ending::Completed);
    agent.input_closed().await;
    world.pass(21).await;
    assert!(agent.is_stopped());
    agent.terminate();
    let over = world.until_over(&session.id).await;
    assert!(matches!(over.state, SessionState::Ended { ending: SessionEnding::Completed { .. }, .. }), "{over:?}");
}

#[tokio::test(start_paused = true)]
async fn an_agent_that_breaks_off_goes_on_with_its_conversation_in_another_process() {
    let mut world = World::new().await;
    let session = world.begin().await;
    let agent = world.agent().await;
    agent.greet();
    agent.turn();
    agent.exit_with(1);
    let second = world.agent().await;
    assert_eq!(second.id(), format!("{}/2", session.id));
    let opening = second.input().first().unwrap().clone();
    assert!(opening.contains("You were interrupted") && opening.contains("conversation-1"), "{opening}");
    assert_eq!(world.sessions.restarts().total, 1);
}

#[tokio::test(start_paused = true)]
async fn an_agent_that_breaks_off_again_and_again_without_a_turn_fails() {
    let mut world = World::new().await;
    let session = world.begin().await;
    for _ in 0..10 {
        let agent = tokio::select! {
            agent = world.agent() => agent,
        };
        agent.greet();
        agent.exit_with(1);
        world.pass(120).await;
        if world.sessions.live(&session.id).is_none() {
            break;
        }
    }
    let over = world.sessions.get(&session.id).await.unwrap();
    let SessionState::Ended { ending: SessionEnding::Failed { class, .. }, .. } = over.state else {
        panic!("{over:?}")
    };
    assert_eq!(class, FailureClass::Crash);
    assert!(over.runs > 1, "it was tried again");
}

#[tokio::test(start_paused = true)]
async fn an_agent_that_nobody_saw_end_is_started_again() {
    let mut world = World::new().await;
    let session = world.begin().await;
    let agent = world.agent().await;
    agent.greet();
    agent.turn();
    world.settle().await;
    agent.lose(Loss::ShimDied);
    let second = world.agent().await;
    assert_eq!(second.id(), format!("{}/2", session.id));
}

#[tokio::test(start_paused = true)]
async fn a_stop_ends_the_agent_and_names_who_asked() {
    let mut world = World::new().await;
    let session = world.begin().await;
    let agent = world.agent().await;
    world.until_running(&session.id).await;
    let who: Handle = "bob".parse().unwrap();
    let stopping = world.sessions.stop(&session.id, &who);
    let end = async {
        agent.stopped().await;
        let now = world.sessions.live(&session.id).unwrap().session;
        assert!(matches!(now.state, SessionState::Stopping { .. }), "it is written down before the agent is stopped");
        agent.terminate();
    };
    let (stopped, ()) = tokio::join!(stopping, end);
    let SessionState::Ended { ending: SessionEnding::Cancelled { by }, .. } = stopped.unwrap().state else {
        panic!("it was cancelled")
    };
    assert_eq!(by, who);
    assert!(world.no_other_process());
}

#[tokio::test(start_paused = true)]
async fn work_that_an_agent_claims_and_git_does_not_show_is_not_done() {
    let mut world = World::new().await;
    let mission = world.mission(|_| {}).await;
    let session = world.begin_with(on_mission).await;
    finish(&mut world).await;
    let over = world.until_over(&session.id).await;
    let SessionState::Ended { ending: SessionEnding::Failed { class, .. }, .. } = over.state else {
        panic!("{over:?}")
    };
    assert_eq!(class, FailureClass::NotDone);
    let mission = world.store.get::<Mission>(&mission.id).await.unwrap().unwrap();
    assert_eq!(mission.state.name(), StateName::Failed);
}

#[tokio::test(start_paused = true)]
async fn work_that_git_shows_goes_to_the_queue_of_its_target_branch_in_the_commit_that_ends_the_session() {
    let mut world = World::new().await;
    let mission = world.mission(|_| {}).await;
    world.folders.commits.store(2, Ordering::SeqCst);
    let session = world.begin_with(on_mission).await;
    finish(&mut world).await;
    let over = world.until_over(&session.id).await;
    assert!(matches!(over.state, SessionState::Ended { ending: SessionEnding::Completed { .. }, .. }), "{over:?}");
    let mission = world.store.get::<Mission>(&mission.id).await.unwrap().unwrap();
    let types::MissionState::Landing { landing, .. } = mission.state else { panic!("{:?}", mission.state) };
    let landing = world.store.get::<types::Landing>(&landing).await.unwrap().unwrap();
    assert_eq!((landing.state.name(), landing.session), (LandingStateName::Queued, session.id));
    assert_eq!(landing.rules.checks, ["make test"]);
}

#[tokio::test(start_paused = true)]
async fn a_session_that_is_taken_up_again_at_once_stays_in_reach() {
    let mut world = World::new().await;
    let session = world.begin().await;
    finish(&mut world).await;
    world.until(&session.id, |live| !live.session.state.is_live()).await;
    // Its task is still on its way out.
    let asked = Asked { prompt: Some("And a till.".to_owned()), ..Asked::default() };
    world.sessions.resume(&session.id, asked, &world.stamp()).await.unwrap();
    let second = world.agent().await;
    assert!(second.input().first().unwrap().contains("And a till."));
    world.settle().await;
    let live = world.sessions.live(&session.id).expect("the end of its earlier task does not hide it");
    assert!(live.takes_slot() && world.sessions.running() == 1);
}

fn on_mission(new: &mut fleet_sessions::NewSession) {
    new.mission = Some("m-x7k2m".parse().unwrap());
    new.order.place = Place::Worktree { folder: "/shop".to_owned(), base: None };
}

async fn finish(world: &mut World) {
    let agent = world.agent().await;
    agent.greet();
    agent.turn();
    agent.result(Ending::Completed);
    agent.input_closed().await;
    agent.exit_with(0);
}
