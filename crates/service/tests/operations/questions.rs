//! Questions of agents: asked once, answered once, heard of once, and never more of them than may wait.

use api::Code;
use serde_json::{Value, json};
use testkit::{known, owner};
use types::{Role, SessionId, SessionStateName};

use crate::world::World;

/// A world in which no call waits for longer than it takes to look.
async fn world() -> World {
    let world = World::new().await;
    // The one of the examples is not of these tests.
    let withdraw = json!({ "question": "q-x7k2m" });
    world.fleet.json(&world.lead, "question_withdraw", withdraw).await.unwrap();
    world
}

async fn ask(world: &World, text: &str) -> Result<Value, api::Error> {
    world.fleet.json(&world.worker, "question_ask", json!({ "question": text })).await
}

async fn answer(world: &World, id: &Value, text: &str) -> Result<Value, api::Error> {
    world.fleet.json(&world.lead, "question_answer", json!({ "question": id, "answer": text })).await
}

async fn inbox(world: &World) -> Vec<Value> {
    let items = world.fleet.json(&world.lead, "inbox_list", json!({})).await.unwrap();
    items.as_array().unwrap().iter().filter(|item| item["kind"] == "question").cloned().collect()
}

#[tokio::test]
async fn a_question_asked_again_in_the_same_words_is_the_same_and_has_one_answer() {
    let world = world().await;
    let first = ask(&world, "Which port?").await.unwrap();
    assert_eq!((&first["status"], &first["answer"]), (&json!("waiting"), &Value::Null));
    assert_eq!(ask(&world, " Which  port? ").await.unwrap()["question_id"], first["question_id"]);
    assert_eq!(inbox(&world).await.len(), 1);
    let shown = answer(&world, &first["question_id"], "8080").await.unwrap();
    assert_eq!((&shown["status"], &shown["answered_by"]), (&json!("answered"), &json!("lead")));
    for _ in 0..2 {
        let told = ask(&world, "Which port?").await.unwrap();
        assert_eq!((&told["status"], &told["answer"]), (&json!("answered"), &json!("8080")));
    }
    assert_eq!(inbox(&world).await, [] as [Value; 0]);
    let again = answer(&world, &first["question_id"], "8080").await.unwrap();
    assert_eq!(again["settled_at"], shown["settled_at"]);
    assert_eq!(answer(&world, &first["question_id"], "80").await.unwrap_err().code, Code::QUESTION_SETTLED);
}

#[tokio::test]
async fn a_call_that_waits_gets_the_answer_and_the_question_is_heard_by_it() {
    let world = World::new().await;
    world.fleet.set(|settings| settings.question_wait_secs = 45);
    let caller = world.worker.clone();
    let service = &world.fleet;
    let asking = service.json(&caller, "question_ask", json!({ "question": "Which host?" }));
    let answering = async {
        let mut tail = world.fleet.service.store().tail(world.fleet.service.store().position());
        loop {
            let items = inbox(&world).await;
            if let Some(item) = items.iter().find(|item| item["subject"] != "q-x7k2m") {
                return answer(&world, &item["subject"], "localhost").await.unwrap();
            }
            tail.next().await.unwrap();
        }
    };
    let (asked, answered) = tokio::join!(asking, answering);
    let asked = asked.unwrap();
    assert_eq!((&asked["status"], &asked["answer"]), (&json!("answered"), &json!("localhost")));
    let shown = world.fleet.json(&world.lead, "question_get", json!({ "question": answered["id"] })).await.unwrap();
    assert_eq!((&shown["heard"], &shown["answer"]), (&json!("call"), &json!("localhost")));
}

#[tokio::test]
async fn a_choice_is_answered_by_its_number_or_words_and_by_nothing_else_unless_the_question_says_so() {
    let world = world().await;
    let asked = |text: &str, free: bool| {
        let input = json!({ "question": text, "choices": ["left", "right"], "free_text": free });
        let (fleet, worker) = (&world.fleet, &world.worker);
        async move { fleet.json(worker, "question_ask", input).await.unwrap()["question_id"].clone() }
    };
    let strict = asked("Which way?", false).await;
    for wrong in ["3", "up", "0"] {
        let refused = answer(&world, &strict, wrong).await.unwrap_err();
        assert_eq!(refused.code, Code::FIELDS_INVALID, "{wrong}");
        assert!(refused.hints.concat().contains("2: right"), "{refused:?}");
    }
    assert_eq!(answer(&world, &strict, "2").await.unwrap()["answer"], "right");
    let free = asked("Which way now?", true).await;
    assert_eq!(answer(&world, &free, "up").await.unwrap()["answer"], "up");
    let repeated = json!({ "question": "Which?", "choices": ["a", "A"] });
    let refused = world.fleet.json(&world.worker, "question_ask", repeated).await.unwrap_err();
    assert_eq!(refused.code, Code::FIELDS_INVALID);
}

#[tokio::test]
async fn an_agent_that_asks_in_a_loop_is_refused_and_the_inbox_stays_short() {
    let world = world().await;
    let mut refused = 0;
    for number in 0..50 {
        match ask(&world, &format!("Which port of {number}?")).await {
            Ok(_) => {}
            Err(error) => {
                assert_eq!(error.code, Code::QUESTIONS_FULL);
                refused += 1;
            }
        }
    }
    assert_eq!((refused, inbox(&world).await.len()), (47, sessions::OPEN_MAX));
    // The control: an answer makes room for one more, and for one alone.
    let first = inbox(&world).await[0]["subject"].clone();
    answer(&world, &first, "80").await.unwrap();
    ask(&world, "One more?").await.unwrap();
    assert_eq!(ask(&world, "And another?").await.unwrap_err().code, Code::QUESTIONS_FULL);
    let long = "x".repeat(4_001);
    assert_eq!(ask(&world, &long).await.unwrap_err().code, Code::FIELDS_INVALID);
}

#[tokio::test]
async fn asked_at_the_same_time_no_more_wait_than_may() {
    let world = world().await;
    let texts: Vec<String> = (0..20).map(|number| format!("Which of {number}?")).collect();
    let asked = futures::future::join_all(texts.iter().map(|text| ask(&world, text))).await;
    assert_eq!(asked.iter().filter(|asked| asked.is_ok()).count(), sessions::OPEN_MAX);
}

#[tokio::test]
async fn a_withdrawn_question_needs_no_answer_and_can_be_asked_again() {
    let world = world().await;
    let first = ask(&world, "Which port?").await.unwrap()["question_id"].clone();
    let withdraw = json!({ "question": first, "why": "It does not matter." });
    let shown = world.fleet.json(&world.lead, "question_withdraw", withdraw).await.unwrap();
    assert_eq!((&shown["status"], &shown["withdrawn_because"]), (&json!("withdrawn"), &json!("It does not matter.")));
    assert_eq!(answer(&world, &first, "80").await.unwrap_err().code, Code::QUESTION_SETTLED);
    assert_eq!(inbox(&world).await, [] as [Value; 0]);
    assert_ne!(ask(&world, "Which port?").await.unwrap()["question_id"], first);
}

#[tokio::test]
async fn of_a_session_that_is_over_no_question_waits_and_none_is_asked() {
    let world = world().await;
    let first = ask(&world, "Which port?").await.unwrap()["question_id"].clone();
    let id: SessionId = world.session.parse().unwrap();
    let mut live = world.fleet.service.sessions().watch(&id).unwrap();
    world.fleet.json(&world.lead, "worker_dismiss", json!({ "handle": "scout-1" })).await.unwrap();
    live.wait_for(|live| live.session.state.name() == SessionStateName::Cancelled).await.unwrap();
    assert_eq!(answer(&world, &first, "80").await.unwrap_err().code, Code::QUESTION_SETTLED);
    assert_eq!(inbox(&world).await, [] as [Value; 0]);
    assert_eq!(ask(&world, "And now?").await.unwrap_err().code, Code::SESSION_NOT_RUNNING);
    let refused = world.fleet.json(&owner(), "question_ask", json!({ "question": "Who am I?" })).await.unwrap_err();
    assert_eq!(refused.code, Code::SESSION_NOT_RUNNING, "a person asks nobody");
}

#[tokio::test]
async fn another_team_neither_sees_nor_answers_it() {
    let world = world().await;
    let first = ask(&world, "Which port?").await.unwrap()["question_id"].clone();
    let stranger = known("beta", "boss", Role::TeamLead);
    for (name, input) in [
        ("question_get", json!({ "question": first })),
        ("question_answer", json!({ "question": first, "answer": "80" })),
        ("question_withdraw", json!({ "question": first })),
    ] {
        let refused = world.fleet.json(&stranger, name, input).await.unwrap_err();
        assert_eq!(refused.code, Code::QUESTION_NOT_FOUND, "{name}");
    }
    assert_eq!(world.fleet.json(&stranger, "question_list", json!({})).await.unwrap(), json!([]));
    let own = world.fleet.json(&world.lead, "question_list", json!({ "status": "waiting" })).await.unwrap();
    assert_eq!(own[0]["id"], first);
}
