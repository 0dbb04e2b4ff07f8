//! The journal of calls, which the agent can write to: it can ask, and get nothing else; and it ends.

use std::path::{Path, PathBuf};
use std::time::Duration;

use agents::{Protocol, Setup};
use fleet_sessions::Answer;
use fleet_sessions::memory::MemoryAgent;
use policy::{By, Call, Dialect, JOURNAL_FILE, Judged, PERMISSIONS_FILE, Verdict, decide};
use serde_json::json;
use store::{Query, by};
use types::{
    About, Approval, Decision, Handle, Rule, Session, SessionEnding, SessionId, SessionState, TeamName, Timestamp,
    Violation,
};

use crate::world::{Says as _, World};

fn rule() -> Rule {
    Rule {
        id: "g-x7k2m".parse().unwrap(),
        team: TeamName::default_team(),
        project: None,
        name: "Ask about pushes".to_owned(),
        decision: Decision::Ask,
        about: About { command: Some("git push *".parse().unwrap()), ..About::default() },
        why: None,
        priority: 0,
        enabled: true,
        created_by: Handle::owner(),
        created_at: Timestamp::UNIX_EPOCH,
        updated_at: Timestamp::UNIX_EPOCH,
    }
}

fn private(session: &Session) -> PathBuf {
    let id = session.id.as_str();
    Path::new("/nowhere/tasks").join(id).join(id).join("private-1")
}

fn bash(command: &str) -> Call {
    Call::of(Dialect::Codex, "Bash", &json!({"command": command}))
}

fn asks(call: &Call) -> Judged {
    let verdict = Verdict::Ask { by: By::Preset, why: "may it?".to_owned() };
    Judged::new(Timestamp::UNIX_EPOCH, Some("call-1".to_owned()), call, verdict)
}

/// Starts an agent whose own hook judges its calls, and which cannot wait for an answer.
async fn hooked(world: &mut World) -> (Session, MemoryAgent) {
    world.set(|settings| {
        std::sync::Arc::make_mut(&mut settings.agents)
            .insert("codex".to_owned(), Setup { protocol: Some(Protocol::Exec), ..Setup::default() });
    });
    let session = world.begin_with(|new| new.order.agent = "codex".to_owned()).await;
    let agent = world.agent().await;
    agent.say(&json!({"type": "thread.started", "thread_id": "t-1"}).to_string());
    world.until_running(&session.id).await;
    world.store.transact(&world.stamp(), |tx| async move { tx.insert(&rule()) }).await.unwrap();
    world.sessions.rules_changed(&TeamName::default_team());
    world.settle().await;
    (session, agent)
}

/// Lets the agent end a call, which is when its journal is looked at.
async fn end_call(world: &World, agent: &MemoryAgent) {
    world.clock.advance(Duration::from_secs(1));
    let item = json!({"id": "item_1", "type": "command_execution", "command": "x", "aggregated_output": "",
        "exit_code": 0, "status": "completed"});
    agent.say(&json!({"type": "item.completed", "item": item}).to_string());
    world.settle().await;
}

async fn approvals(world: &World, session: &SessionId) -> Vec<Approval> {
    let query = Query::earliest(by::approval::session(session), 500);
    world.store.list::<Approval>(query).await.unwrap().records
}

async fn violations(world: &World, session: &SessionId) -> Vec<Violation> {
    let query = Query::earliest(by::violation::session(session), 500);
    world.store.list::<Violation>(query).await.unwrap().records
}

#[tokio::test(start_paused = true)]
async fn an_answer_to_a_forged_line_allows_what_was_shown_and_no_other_call() {
    let mut world = World::new().await;
    let (session, agent) = hooked(&mut world).await;
    let (harmless, harmful) = (bash("git push --dry-run"), bash("git push --force"));
    // It shows one call and names another.
    let forged = Judged { key: harmful.key(), ..asks(&harmless) };
    world.files.judge(&private(&session).join(JOURNAL_FILE), forged);
    // And it says of a harmful call that it is a harmless one.
    let mut disguised = asks(&bash("git push --force origin main"));
    disguised.call.command = Some("git status".to_owned());
    disguised.call.paths = vec!["README.md".to_owned()];
    world.files.judge(&private(&session).join(JOURNAL_FILE), disguised);
    end_call(&world, &agent).await;

    let asked = approvals(&world, &session.id).await;
    let shown: Vec<_> = asked.iter().map(|approval| approval.wanted.command.clone().unwrap()).collect();
    assert_eq!(shown, ["git push --dry-run", "git push --force origin main"]);
    assert_eq!(asked[0].key, harmless.key(), "an answer names what is shown");
    let refused = world.sessions.answer(&asked[0].id, &Answer::Allow, &world.stamp()).await.unwrap_err();
    assert!(refused.to_string().contains("not the call that would be made"), "{refused}");

    // An honest line about a call can be allowed: then that call may run, and no other.
    world.files.judge(&private(&session).join(JOURNAL_FILE), asks(&bash("git push origin fix")));
    end_call(&world, &agent).await;
    let honest = approvals(&world, &session.id).await.pop().unwrap();
    world.sessions.answer(&honest.id, &Answer::Allow, &world.stamp()).await.unwrap();
    world.settle().await;
    let permissions = world.files.permissions(&private(&session).join(PERMISSIONS_FILE)).unwrap();
    assert_eq!(decide(&permissions, &bash("git push origin fix")), Verdict::Allow);
    for other in [&harmless, &harmful, &bash("git push --force origin main"), &bash("git push origin fix --force")] {
        assert!(matches!(decide(&permissions, other), Verdict::Ask { .. }), "{other:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_line_about_a_call_that_needs_nobody_asks_nobody() {
    let mut world = World::new().await;
    let (session, agent) = hooked(&mut world).await;
    world.files.judge(&private(&session).join(JOURNAL_FILE), asks(&bash("git status")));
    end_call(&world, &agent).await;
    assert_eq!(approvals(&world, &session.id).await, []);
}

#[tokio::test(start_paused = true)]
async fn a_flood_of_questions_asks_few_and_the_session_says_so() {
    let mut world = World::new().await;
    let (session, agent) = hooked(&mut world).await;
    for number in 0..5_000 {
        world.files.judge(&private(&session).join(JOURNAL_FILE), asks(&bash(&format!("git push origin {number}"))));
    }
    end_call(&world, &agent).await;
    world.pass(60).await;
    let (asked, told) = (approvals(&world, &session.id).await, violations(&world, &session.id).await);
    assert_eq!((asked.len(), told.len()), (20, 1), "{told:?}");
    assert_eq!(told[0].tool, "journal");
}

#[tokio::test(start_paused = true)]
async fn a_flood_of_lines_makes_few_records_and_delays_neither_a_stop_nor_the_time_limit() {
    for by_hand in [true, false] {
        let mut world = World::new().await;
        let session = world.begin_with(|new| new.order.limits.secs_max = Some(60)).await;
        let agent = world.agent().await;
        agent.greet();
        world.until_running(&session.id).await;
        let verdict = Verdict::Block { by: By::Preset, why: "no".to_owned() };
        let line = Judged::new(Timestamp::UNIX_EPOCH, None, &bash("rm -rf /"), verdict);
        for _ in 0..50_000 {
            world.files.judge(&private(&session).join(JOURNAL_FILE), line.clone());
        }
        agent.tell(&agents::Event::ToolResult {
            id: "c".to_owned(),
            end: agents::CallEnd::Ok,
            text: String::new(),
            within: None,
        });
        let end = async {
            agent.stopped().await;
            agent.terminate();
        };
        if by_hand {
            let owner = Handle::owner();
            let (stopped, ()) = tokio::join!(world.sessions.stop(&session.id, &owner), end);
            stopped.unwrap();
        } else {
            world.pass(61).await;
            end.await;
        }
        let ended = world.until_over(&session.id).await;
        let SessionState::Ended { ending, .. } = &ended.state else { panic!("{ended:?}") };
        assert_eq!(matches!(ending, SessionEnding::Cancelled { .. }), by_hand, "{ending:?}");
        let stored = violations(&world, &session.id).await;
        assert_eq!(stored.len(), 201, "the rest is counted in one of them");
        let told = stored.iter().find(|violation| violation.tool == "journal").unwrap();
        assert!(told.what.contains("not stored"), "{told:?}");
    }
}
