//! Recovery: a server that is killed, and a store whose answers are lost.

use agents::Ending;
use types::{SessionEnding, SessionState};

use crate::world::{Says as _, World, new};

#[tokio::test(start_paused = true)]
async fn the_next_server_finds_the_agent_that_runs_and_reads_all_it_wrote() {
    let mut world = World::new().await;
    let session = world.begin().await;
    let agent = world.agent().await;
    agent.greet();
    agent.turn();
    world.until_running(&session.id).await;
    world.kill();
    agent.turn();
    world.restart().await;
    world.settle().await;
    assert!(world.no_other_process(), "no second process");
    assert_eq!(world.sessions.live(&session.id).unwrap().spending.turns, 2);
    agent.result(Ending::Completed);
    agent.input_closed().await;
    agent.exit_with(0);
    let over = world.until_over(&session.id).await;
    assert!(matches!(over.state, SessionState::Ended { ending: SessionEnding::Completed { .. }, .. }), "{over:?}");
    assert_eq!(over.booked.turns, 2);
}

#[tokio::test(start_paused = true)]
async fn an_agent_that_ended_while_no_server_ran_is_judged_by_what_it_left() {
    let mut world = World::new().await;
    let session = world.begin().await;
    let agent = world.agent().await;
    agent.greet();
    world.until_running(&session.id).await;
    world.kill();
    agent.turn();
    agent.result(Ending::Completed);
    agent.exit_with(0);
    world.restart().await;
    let over = world.until_over(&session.id).await;
    assert!(matches!(over.state, SessionState::Ended { ending: SessionEnding::Completed { .. }, .. }), "{over:?}");
    assert_eq!(over.booked.turns, 1);
    assert!(world.no_other_process());
}

#[tokio::test(start_paused = true)]
async fn a_session_that_was_stored_and_never_started_is_started_by_the_next_server_once() {
    let mut world = World::new().await;
    let session = world.begin().await;
    // Killed before its task had a turn.
    world.restart().await;
    let agent = world.agent().await;
    assert_eq!(agent.id(), format!("{}/1", session.id));
    world.settle().await;
    assert!(world.no_other_process());
}

#[tokio::test(start_paused = true)]
async fn a_session_that_waits_goes_on_waiting_under_the_next_server() {
    let mut world = World::new().await;
    let session = world.begin().await;
    let agent = world.agent().await;
    agent.greet();
    agent.fail(types::FailureClass::RateLimit);
    agent.exit_with(1);
    world.until_waiting(&session.id).await;
    world.restart().await;
    world.settle().await;
    assert!(world.no_other_process());
    assert_eq!(world.sessions.running(), 1, "it has its slot");
    world.pass(60).await;
    assert_eq!(world.agent().await.id(), format!("{}/2", session.id));
}

#[tokio::test(start_paused = true)]
async fn a_start_whose_answer_was_lost_is_attended_once_when_the_store_answers_again() {
    let mut world = World::new().await;
    world.engine.set(true);
    let begun = world.sessions.spawn(new(|_| {}), &world.stamp()).await;
    assert!(begun.is_err(), "whether it was begun is unknown");
    world.engine.set(false);
    // Another one is begun meanwhile, and is not taken for the one that is looked for.
    let other = world.begin().await;
    let first = world.agent().await;
    assert_eq!(first.id(), format!("{}/1", other.id));
    world.pass(2).await;
    world.pass(2).await;
    world.settle().await;
    assert!(world.no_other_process() || world.sessions.everyone().len() == 2);
    assert_eq!(world.sessions.running() as usize, world.sessions.everyone().len());
}

#[tokio::test(start_paused = true)]
async fn an_end_whose_answer_was_lost_happens_once() {
    let mut world = World::new().await;
    let session = world.begin().await;
    let agent = world.agent().await;
    agent.greet();
    agent.turn();
    agent.result(Ending::Completed);
    agent.input_closed().await;
    world.settle().await;
    world.engine.set(true);
    agent.exit_with(0);
    world.pass(5).await;
    world.engine.set(false);
    world.pass(5).await;
    let over = world.until_over(&session.id).await;
    assert!(matches!(over.state, SessionState::Ended { ending: SessionEnding::Completed { .. }, .. }), "{over:?}");
    assert_eq!(world.store.spent(None, None).turns, 1);
    assert!(world.no_other_process());
    world.settle().await;
    assert_eq!(world.sessions.running(), 0);
}

#[tokio::test(start_paused = true)]
async fn a_next_process_whose_commit_was_not_answered_is_started_once() {
    let mut world = World::new().await;
    let session = world.begin().await;
    let agent = world.agent().await;
    agent.greet();
    agent.turn();
    world.until_running(&session.id).await;
    world.settle().await;
    world.engine.set(true);
    agent.exit_with(1);
    world.pass(5).await;
    assert!(world.no_other_process(), "not before it is stored");
    world.engine.set(false);
    world.pass(5).await;
    let second = world.agent().await;
    assert_eq!(second.id(), format!("{}/2", session.id));
    world.settle().await;
    assert!(world.no_other_process());
    assert_eq!(world.store.spent(None, None).turns, 1, "the first process is booked once");
}

#[tokio::test(start_paused = true)]
async fn a_stop_that_could_not_be_stored_is_not_forgotten() {
    let mut world = World::new().await;
    let session = world.begin().await;
    let agent = world.agent().await;
    agent.greet();
    world.until_running(&session.id).await;
    world.settle().await;
    world.engine.set(true);
    let who = "bob".parse().unwrap();
    let stop = world.sessions.stop(&session.id, &who);
    let mended = async {
        world.pass(5).await;
        world.engine.set(false);
        world.pass(5).await;
        agent.stopped().await;
        agent.terminate();
    };
    let (stopped, ()) = tokio::join!(stop, mended);
    let state = stopped.unwrap().state;
    assert!(
        matches!(&state, SessionState::Ended { ending: SessionEnding::Cancelled { by }, .. } if *by == who),
        "{state:?}"
    );
}
