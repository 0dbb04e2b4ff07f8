//! Approvals: an agent waits for a person, whose answer is told once, also by the next server.

use agents::{Ask, Event};
use fleet_sessions::Answer;
use fleet_sessions::memory::MemoryAgent;
use types::{About, Approval, Decision, Handle, Rule, TeamName, Timestamp};

use crate::world::{Says as _, World};

fn rule() -> Rule {
    Rule {
        id: "g-x7k2m".parse().unwrap(),
        team: TeamName::default_team(),
        project: None,
        name: "Ask about everything".to_owned(),
        decision: Decision::Ask,
        about: About { tool: Some("Bash".parse().unwrap()), ..About::default() },
        why: None,
        priority: 0,
        enabled: true,
        created_by: Handle::owner(),
        created_at: Timestamp::UNIX_EPOCH,
        updated_at: Timestamp::UNIX_EPOCH,
    }
}

fn ask(agent: &MemoryAgent, request: &str) {
    let input = serde_json::json!({ "command": "make deploy" });
    let ask = Ask::Permission { tool: "Bash".to_owned(), input, call: None };
    agent.tell(&Event::Asking { request: request.to_owned(), ask });
}

pub(crate) async fn waiting(world: &World, session: &types::SessionId) -> Approval {
    world.settle().await;
    world.sessions.asks(session).await.unwrap().expect("a person is asked")
}

pub(crate) async fn asking(world: &mut World) -> (types::SessionId, MemoryAgent) {
    let session = world.begin().await;
    let agent = world.agent().await;
    agent.greet();
    world.until_running(&session.id).await;
    ask_first(world, &agent).await;
    (session.id, agent)
}

/// Makes a rule while an agent runs, which holds from its next call on, and lets it make that.
pub(crate) async fn ask_first(world: &World, agent: &MemoryAgent) {
    world.store.transact(&world.stamp(), |tx| async move { tx.insert(&rule()) }).await.unwrap();
    world.sessions.rules_changed(&TeamName::default_team());
    world.settle().await;
    ask(agent, "call-1");
}

#[tokio::test(start_paused = true)]
async fn a_call_waits_for_a_person_whose_leave_lets_it_run() {
    let mut world = World::new().await;
    let (session, agent) = asking(&mut world).await;
    let approval = waiting(&world, &session).await;
    assert!(approval.wanted.summary.contains("make deploy"), "{approval:?}");
    world.pass(10_000).await;
    assert!(!agent.is_stopped(), "an agent that awaits an approval is not stale");
    world.sessions.answer(&approval.id, &Answer::Allow, &world.stamp()).await.unwrap();
    let lines = agent.input_of(2).await;
    assert!(lines[1].contains("allow") && lines[1].contains("call-1"), "{lines:?}");
    world.settle().await;
    assert_eq!(agent.input().len(), 2, "it is told once");
}

#[tokio::test(start_paused = true)]
async fn a_call_that_a_person_refuses_is_denied_with_the_reason() {
    let mut world = World::new().await;
    let (session, agent) = asking(&mut world).await;
    let approval = waiting(&world, &session).await;
    let deny = Answer::Deny { why: "not on a Friday".to_owned() };
    world.sessions.answer(&approval.id, &deny, &world.stamp()).await.unwrap();
    let lines = agent.input_of(2).await;
    assert!(lines[1].contains("deny") && lines[1].contains("not on a Friday"), "{lines:?}");
    let other = world.sessions.answer(&approval.id, &Answer::Allow, &world.stamp()).await;
    assert!(other.is_err(), "an answer stays");
}

#[tokio::test(start_paused = true)]
async fn an_answer_that_comes_while_no_server_runs_is_told_by_the_next_one() {
    let mut world = World::new().await;
    let (session, agent) = asking(&mut world).await;
    let approval = waiting(&world, &session).await;
    world.kill();
    world.sessions.answer(&approval.id, &Answer::Allow, &world.stamp()).await.unwrap();
    world.restart().await;
    let lines = agent.input_of(2).await;
    assert!(lines[1].contains("allow") && lines[1].contains("call-1"), "{lines:?}");
    world.settle().await;
    assert!(world.sessions.asks(&session).await.unwrap().is_none());
}

#[tokio::test(start_paused = true)]
async fn the_same_call_is_not_asked_about_twice() {
    let mut world = World::new().await;
    let (session, agent) = asking(&mut world).await;
    let first = waiting(&world, &session).await;
    world.sessions.answer(&first.id, &Answer::Allow, &world.stamp()).await.unwrap();
    agent.input_of(2).await;
    ask(&agent, "call-2");
    let lines = agent.input_of(3).await;
    assert!(lines[2].contains("allow") && lines[2].contains("call-2"), "{lines:?}");
}
