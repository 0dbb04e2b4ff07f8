//! Waiting: for a provider, an account, a slot; and agents that keep others waiting.

use std::time::Duration;

use types::{FailureClass, Handle, Mission, SessionEnding, SessionState, StateName, Wait};

use crate::world::{Says as _, World};

#[tokio::test(start_paused = true)]
async fn a_provider_that_slows_down_is_given_time_and_the_slot_is_kept() {
    let mut world = World::new().await;
    let session = world.begin().await;
    let agent = world.agent().await;
    agent.greet();
    agent.fail(FailureClass::RateLimit);
    agent.exit_with(1);
    let waiting = world.until_waiting(&session.id).await;
    assert!(matches!(waiting.state, SessionState::Waiting { wait: Wait::BackOff { .. }, until: Some(_) }));
    assert_eq!(world.sessions.running(), 1);
    world.settle().await;
    assert!(world.no_other_process(), "not before its time");
    world.pass(60).await;
    assert_eq!(world.agent().await.id(), format!("{}/2", session.id));
}

#[tokio::test(start_paused = true)]
async fn a_used_up_account_parks_its_sessions_and_missions_until_its_time_and_frees_the_slot() {
    let mut world = World::new().await;
    let mission = world.mission(|_| {}).await;
    let session = world.begin_with(|new| new.mission = Some(mission.id.clone())).await;
    let agent = world.agent().await;
    agent.greet();
    let resets_at = Some(world.clock.now() + Duration::from_secs(600));
    agent.fail(FailureClass::Quota { resets_at });
    agent.exit_with(1);
    let waiting = world.until_waiting(&session.id).await;
    assert!(
        matches!(&waiting.state, SessionState::Waiting { wait: Wait::Parked { .. }, until } if *until == resets_at)
    );
    world.settle().await;
    assert_eq!(world.sessions.running(), 0);
    let parked = world.store.get::<Mission>(&mission.id).await.unwrap().unwrap();
    assert_eq!(parked.state.name(), StateName::Parked);
    // Another session of the account waits before it starts anything.
    let other = world.begin().await;
    world.until_waiting(&other.id).await;
    assert!(world.no_other_process());
    world.pass(600).await;
    let (first, second) = (world.agent().await, world.agent().await);
    let mut started = [first.id().to_owned(), second.id().to_owned()];
    started.sort();
    let mut expected = [format!("{}/2", session.id), format!("{}/1", other.id)];
    expected.sort();
    assert_eq!(started, expected);
    let held = world.store.get::<Mission>(&mission.id).await.unwrap().unwrap();
    assert_eq!(held.state.name(), StateName::Held);
    assert!(held.holders > parked.holders, "it is taken again under a new generation");
}

#[tokio::test(start_paused = true)]
async fn an_account_without_a_key_waits_for_a_person() {
    let mut world = World::new().await;
    let session = world.begin().await;
    let agent = world.agent().await;
    agent.greet();
    agent.fail(FailureClass::Auth);
    agent.exit_with(1);
    world.until_waiting(&session.id).await;
    world.pass(1_000_000).await;
    assert!(world.no_other_process());
    assert_eq!(world.sessions.parked().await.unwrap().len(), 1);
    assert!(world.sessions.unpark("sim", &world.stamp()).await.unwrap());
    assert_eq!(world.agent().await.id(), format!("{}/2", session.id));
}

#[tokio::test(start_paused = true)]
async fn a_session_that_waits_is_over_as_soon_as_it_is_stopped() {
    let mut world = World::new().await;
    let session = world.begin().await;
    let agent = world.agent().await;
    agent.greet();
    agent.fail(FailureClass::Auth);
    agent.exit_with(1);
    world.until_waiting(&session.id).await;
    let stopped = world.sessions.stop(&session.id, &Handle::owner()).await.unwrap();
    assert!(matches!(stopped.state, SessionState::Ended { ending: SessionEnding::Cancelled { .. }, .. }));
    assert!(world.no_other_process());
}

#[tokio::test(start_paused = true)]
async fn a_parked_session_whose_mission_went_another_way_ends() {
    let mut world = World::new().await;
    let mission = world.mission(|_| {}).await;
    let session = world.begin_with(|new| new.mission = Some(mission.id.clone())).await;
    let agent = world.agent().await;
    agent.greet();
    agent.fail(FailureClass::Auth);
    agent.exit_with(1);
    world.until_waiting(&session.id).await;
    let id = &mission.id;
    let stamp = world.stamp();
    let deleted = world.store.transact(&stamp, |tx| async move {
        let held = tx.get::<Mission>(id).await?.unwrap();
        tx.delete(&held);
        tx.append(types::Event::MissionDeleted { mission: id.clone() });
        Ok::<_, store::Error>(())
    });
    deleted.await.unwrap();
    let over = world.until_over(&session.id).await;
    let SessionState::Ended { ending: SessionEnding::Failed { class, text }, .. } = over.state else {
        panic!("{over:?}")
    };
    assert_eq!(class, FailureClass::Interrupted);
    assert!(text.contains(id.as_str()), "{text}");
}

#[tokio::test(start_paused = true)]
async fn a_silent_agent_is_stopped_and_started_again_as_often_as_the_settings_say() {
    let mut world = World::with(|settings| settings.stale_restarts_max = 1).await;
    let session = world.begin().await;
    for run in 1..=2 {
        let agent = world.agent().await;
        assert_eq!(agent.id(), format!("{}/{run}", session.id));
        agent.greet();
        world.pass(179).await;
        assert!(!agent.is_stopped(), "it has until its time");
        world.pass(2).await;
        assert!(agent.is_stopped());
        agent.terminate();
        world.settle().await;
    }
    let over = world.until_over(&session.id).await;
    let SessionState::Ended { ending: SessionEnding::Failed { class, .. }, .. } = over.state else {
        panic!("{over:?}")
    };
    assert_eq!(class, FailureClass::Stale);
}

#[tokio::test(start_paused = true)]
async fn a_session_is_stopped_when_the_time_of_the_settings_is_over_and_is_not_tried_again() {
    let mut world = World::with(|settings| settings.session_timeout_secs = 100).await;
    let session = world.begin().await;
    let agent = world.agent().await;
    agent.greet();
    agent.turn();
    world.pass(101).await;
    assert!(agent.is_stopped());
    agent.terminate();
    let over = world.until_over(&session.id).await;
    let SessionState::Ended { ending: SessionEnding::Failed { class, .. }, .. } = over.state else {
        panic!("{over:?}")
    };
    assert_eq!(class, FailureClass::Timeout);
    assert_eq!(over.booked.secs, 101);
}
