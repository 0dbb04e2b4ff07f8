//! Questions: an agent that waits for a person has no process and no slot, and hears each answer once.

use std::time::Duration;

use agents::{Ending, Event, Stage};
use fleet_sessions::Asking;
use fleet_sessions::memory::MemoryAgent;
use types::{Hearing, Question, QuestionState, SessionEnding, SessionId, SessionState, Wait};

use crate::world::{Says as _, World};

fn asking(text: &str) -> Asking {
    Asking { text: text.to_owned(), choices: Vec::new(), free_text: true }
}

async fn ask(world: &World, session: &SessionId, text: &str) -> Question {
    world.sessions.ask_person(session, &asking(text), &world.stamp()).await.unwrap()
}

async fn answer(world: &World, question: &Question) {
    world.sessions.answer_question(&question.id, "8080", &world.stamp()).await.unwrap();
}

async fn stored(world: &World, question: &Question) -> Question {
    world.store.get::<Question>(&question.id).await.unwrap().unwrap()
}

/// An agent in the middle of its turn, and its session.
async fn at_work(world: &mut World) -> (SessionId, MemoryAgent) {
    let session = world.begin().await;
    let agent = world.agent().await;
    agent.greet();
    agent.turn();
    world.until_running(&session.id).await;
    (session.id, agent)
}

/// Ends the turn, and the process after it.
async fn ends(agent: &MemoryAgent) {
    agent.result(Ending::Completed);
    agent.input_closed().await;
    agent.exit_with(0);
}

/// A call that waits for the answer in a task of its own.
#[expect(clippy::disallowed_methods, reason = "the test lets go of the call as a server does whose client is gone")]
fn call(world: &World, question: &Question) -> tokio::task::JoinHandle<Question> {
    let (sessions, asked) = (world.sessions.clone(), question.clone());
    tokio::spawn(async move { sessions.await_answer(asked, Duration::from_secs(45)).await.unwrap() })
}

fn opening(agent: &MemoryAgent) -> String {
    agent.input().concat()
}

#[tokio::test(start_paused = true)]
async fn an_agent_that_ends_its_turn_to_wait_is_resumed_with_the_answer_by_the_server_there_is_then() {
    for kill in [false, true] {
        let mut world = World::new().await;
        let (session, agent) = at_work(&mut world).await;
        let question = ask(&world, &session, "Which port?").await;
        ends(&agent).await;
        let waiting = world.until_waiting(&session).await;
        let wait = Wait::Question { question: question.id.clone() };
        assert_eq!(waiting.state, SessionState::Waiting { wait, until: None });
        world.settle().await;
        assert_eq!(world.sessions.running(), 0, "it keeps no slot");
        world.pass(1_000_000).await;
        assert!(world.no_other_process());
        if kill {
            world.restart().await;
            world.settle().await;
        }
        answer(&world, &question).await;
        let second = world.agent().await;
        assert_eq!(second.id(), format!("{session}/2"));
        let told = opening(&second);
        assert!(told.contains("8080") && told.contains("Which port?"), "{told}");
        assert_eq!(stored(&world, &question).await.heard, Some(Hearing::Prompt));
        second.greet();
        second.turn();
        ends(&second).await;
        let over = world.until_over(&session).await;
        assert!(matches!(over.state, SessionState::Ended { ending: SessionEnding::Completed { .. }, .. }), "{over:?}");
        assert!(world.no_other_process());
    }
}

#[tokio::test(start_paused = true)]
async fn an_answer_that_came_while_no_server_ran_is_found_by_the_next_one() {
    let mut world = World::new().await;
    let (session, agent) = at_work(&mut world).await;
    let question = ask(&world, &session, "Which port?").await;
    ends(&agent).await;
    world.until_waiting(&session).await;
    // Killed right after the answer was stored, before the session took it up.
    answer(&world, &question).await;
    world.kill();
    world.restart().await;
    let second = world.agent().await;
    assert!(opening(&second).contains("8080"), "{}", opening(&second));
    world.settle().await;
    assert!(world.no_other_process());
}

#[tokio::test(start_paused = true)]
async fn an_answer_in_the_middle_of_a_turn_is_a_message_at_its_end_and_only_one() {
    let mut world = World::new().await;
    let (session, agent) = at_work(&mut world).await;
    let question = ask(&world, &session, "Which port?").await;
    answer(&world, &question).await;
    world.settle().await;
    assert_eq!(agent.input().len(), 1, "it may ask again in this turn");
    agent.result(Ending::Completed);
    let lines = agent.input_of(2).await;
    assert!(lines[1].contains("8080"), "{lines:?}");
    world.settle().await;
    assert_eq!(stored(&world, &question).await.heard, Some(Hearing::Message));
    let id = serde_json::from_str::<serde_json::Value>(&lines[1]).unwrap()["id"].as_str().unwrap().to_owned();
    agent.tell(&Event::Acknowledged { id, stage: Stage::Finished });
    ends(&agent).await;
    world.until_over(&session).await;
    assert_eq!(agent.input().len(), 2, "it is told once");
}

#[tokio::test(start_paused = true)]
async fn an_answer_that_a_call_waits_for_is_its_result_and_no_message() {
    let mut world = World::new().await;
    let (session, agent) = at_work(&mut world).await;
    let question = ask(&world, &session, "Which port?").await;
    let call = call(&world, &question);
    world.settle().await;
    answer(&world, &question).await;
    let got = call.await.unwrap();
    assert!(matches!(got.state, QuestionState::Answered { .. }), "{got:?}");
    assert_eq!(stored(&world, &question).await.heard, Some(Hearing::Call));
    ends(&agent).await;
    world.until_over(&session).await;
    assert_eq!(agent.input().len(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_call_that_broke_off_takes_no_answer_with_it() {
    let mut world = World::new().await;
    let (session, agent) = at_work(&mut world).await;
    let question = ask(&world, &session, "Which port?").await;
    let call = call(&world, &question);
    world.settle().await;
    call.abort();
    assert!(call.await.unwrap_err().is_cancelled());
    answer(&world, &question).await;
    // Asked again in the same words: the same question, with its answer.
    let again = ask(&world, &session, "Which  port?").await;
    assert_eq!(again.id, question.id);
    let got = world.sessions.await_answer(again, Duration::ZERO).await.unwrap();
    assert!(matches!(got.state, QuestionState::Answered { .. }), "{got:?}");
    ends(&agent).await;
    world.until_over(&session).await;
    assert_eq!(agent.input().len(), 1, "no message says it again");
}

#[tokio::test(start_paused = true)]
async fn a_call_that_nobody_answers_in_time_says_so_and_leaves_the_question_open() {
    let mut world = World::new().await;
    let (session, _agent) = at_work(&mut world).await;
    let question = ask(&world, &session, "Which port?").await;
    let call = call(&world, &question);
    world.settle().await;
    world.pass(46).await;
    assert_eq!(call.await.unwrap().state, QuestionState::Waiting);
    assert_eq!(world.sessions.open_question(&session).await.unwrap().map(|open| open.id), Some(question.id));
}

#[tokio::test(start_paused = true)]
async fn a_session_that_is_cancelled_while_it_waits_leaves_no_question_open() {
    let mut world = World::new().await;
    let (session, agent) = at_work(&mut world).await;
    let question = ask(&world, &session, "Which port?").await;
    ends(&agent).await;
    world.until_waiting(&session).await;
    world.sessions.stop(&session, &world.stamp().handle).await.unwrap();
    world.until_over(&session).await;
    world.settle().await;
    assert!(matches!(stored(&world, &question).await.state, QuestionState::Withdrawn { .. }));
    let late = world.sessions.answer_question(&question.id, "80", &world.stamp()).await;
    assert!(late.is_err(), "nobody waits for it");
}

#[tokio::test(start_paused = true)]
async fn a_withdrawn_question_lets_its_agent_go_on_and_tells_it_to_decide() {
    let mut world = World::new().await;
    let (session, agent) = at_work(&mut world).await;
    let question = ask(&world, &session, "Which port?").await;
    ends(&agent).await;
    world.until_waiting(&session).await;
    world.sessions.withdraw_question(&question.id, "it does not matter", &world.stamp()).await.unwrap();
    let second = world.agent().await;
    let told = opening(&second);
    assert!(told.contains("it does not matter") && told.contains("Decide yourself"), "{told}");
}
