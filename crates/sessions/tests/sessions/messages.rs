//! Messages: each is handed to the agent once and in order.

use agents::{Ending, Event, Stage};
use fleet_sessions::{Error, Refusal};
use types::Delivery;

use crate::world::{Says as _, World};

#[tokio::test(start_paused = true)]
async fn messages_are_handed_over_in_order_and_an_agent_that_has_some_is_not_done() {
    let mut world = World::new().await;
    let session = world.begin().await;
    let agent = world.agent().await;
    agent.greet();
    world.until_running(&session.id).await;
    let first = world.sessions.write(&session.id, "one", &world.stamp()).await.unwrap();
    world.sessions.write(&session.id, "two", &world.stamp()).await.unwrap();
    let lines = agent.input_of(3).await;
    assert!(lines[1].contains("one") && lines[2].contains("two"), "{lines:?}");
    world.settle().await;
    let delivery = world.sessions.letter(&first.id).await.unwrap().unwrap().delivery;
    assert!(matches!(delivery, Delivery::Delivered { .. }), "{delivery:?}");
    agent.result(Ending::Completed);
    world.settle().await;
    assert!(!agent.is_stopped(), "it has messages to take up");
    for line in &lines[1..] {
        let id = serde_json::from_str::<serde_json::Value>(line).unwrap()["id"].as_str().unwrap().to_owned();
        agent.tell(&Event::Acknowledged { id, stage: Stage::Finished });
    }
    agent.result(Ending::Completed);
    agent.input_closed().await;
    agent.exit_with(0);
    world.until_over(&session.id).await;
    let delivery = world.sessions.letter(&first.id).await.unwrap().unwrap().delivery;
    assert!(matches!(delivery, Delivery::Acknowledged { .. }), "{delivery:?}");
}

#[tokio::test(start_paused = true)]
async fn a_message_that_a_process_did_not_take_up_is_for_the_next_one() {
    let mut world = World::new().await;
    let session = world.begin().await;
    let agent = world.agent().await;
    agent.greet();
    agent.turn();
    world.until_running(&session.id).await;
    world.sessions.write(&session.id, "one", &world.stamp()).await.unwrap();
    agent.input_of(2).await;
    world.settle().await;
    agent.exit_with(1);
    let second = world.agent().await;
    let lines = second.input_of(2).await;
    assert!(lines[1].contains("one"), "{lines:?}");
}

#[tokio::test(start_paused = true)]
async fn a_message_to_a_session_that_is_over_is_refused() {
    let mut world = World::new().await;
    let session = world.begin().await;
    let agent = world.agent().await;
    agent.fail(types::FailureClass::Invalid);
    agent.exit_with(1);
    world.until_over(&session.id).await;
    let refused = world.sessions.write(&session.id, "one", &world.stamp()).await.unwrap_err();
    assert!(matches!(refused, Error::Refused(Refusal::WrongState { .. })), "{refused:?}");
}

#[tokio::test(start_paused = true)]
async fn a_message_is_not_handed_over_again_by_the_next_server() {
    let mut world = World::new().await;
    let session = world.begin().await;
    let agent = world.agent().await;
    agent.greet();
    world.until_running(&session.id).await;
    world.sessions.write(&session.id, "one", &world.stamp()).await.unwrap();
    agent.input_of(2).await;
    world.restart().await;
    world.settle().await;
    world.sessions.write(&session.id, "two", &world.stamp()).await.unwrap();
    let lines = agent.input_of(3).await;
    world.settle().await;
    assert_eq!(agent.input().len(), 3, "{lines:?}");
    assert!(lines[2].contains("two"), "{lines:?}");
}
