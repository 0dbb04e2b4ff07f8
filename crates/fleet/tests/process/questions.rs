//! The real Claude Code asks a person; the answer comes when neither its process nor its server is there any more.

use api::devfleet::{ExplainMission, GetMission, GetSession, MissionStatus};
use api::fleet::{AnswerQuestion, AskHuman, InboxKind, ListInbox, ListQuestions, QuestionView, SessionStanding};
use serde_json::{Value, json};
use testkit::model::{Answer, Hold, Script};
use testkit::{PATIENCE, Server};
use tokens::Member;
use types::{Hearing, MissionId, QuestionStateName, SessionId};

use crate::callbacks::Receiver;
use crate::claude::{Scene, frames};
use crate::sessions::{Work, launch, script};

const ASK: &str = "mcp__fleet__ask_human";
const TEXT: &str = "Which word do I write?";

/// Waits until the questions of a session are as asked, and returns the newest.
async fn question(server: &Server, session: &SessionId, is_so: impl Fn(&QuestionView) -> bool) -> QuestionView {
    let owner = server.owner();
    let wait = async {
        let mut events = owner.stream("/api/events", None).await.unwrap();
        loop {
            let list = ListQuestions { session_id: Some(session.clone()), ..ListQuestions::default() };
            let found = owner.call(list).await.unwrap().output.items.into_iter().next();
            if let Some(found) = found.filter(&is_so) {
                return found;
            }
            while !events.next().await.unwrap().expect("the events end").data.contains("question_moved") {}
        }
    };
    tokio::time::timeout(PATIENCE, wait).await.unwrap_or_else(|_| panic!("it asks not:\n{}", server.log().text()))
}

/// Waits until the log says that the session waits without a process.
async fn waits(server: &Server, session: &SessionId, question: &QuestionView) {
    server.log().line(&format!("session {session} waits (question {} is not answered", question.id)).await;
}

/// Answers as a person with a shell does.
#[expect(clippy::disallowed_methods, reason = "the test answers as its user would")]
fn curl(server: &Server, question: &QuestionView, answer: &str) -> Value {
    let output = std::process::Command::new("curl")
        .args(["--silent", "--fail-with-body", "-X", "POST", "-H", "content-type: application/json", "-H"])
        .arg(format!("authorization: Bearer {}", server.token(&Member::owner())))
        .args(["-d", &json!({ "answer": answer }).to_string()])
        .arg(format!("{}/questions/{}/answer", server.url(), question.id))
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{text}");
    serde_json::from_str(&text).unwrap()
}

async fn completed(server: &Server, mission: &MissionId, session: &SessionId) {
    let last = frames(server, session).await.pop().unwrap();
    assert_eq!(last["status"], "completed", "{last}\n{}", server.log().text());
    let mission = server.owner().call(GetMission { mission: mission.clone() }).await.unwrap().output;
    assert_eq!(mission.mission.status, MissionStatus::Completed);
}

fn commits() -> Answer {
    let commit = "echo hello > hello.txt && git add --all && git commit --quiet --message 'Add a greeting'";
    Answer::new().call_as("toolu_commit", "Bash", json!({ "command": commit }))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_question_in_the_night_is_answered_after_a_kill_and_its_agent_goes_on_with_its_context() {
    let asks = json!({ "question": TEXT, "choices": ["hello", "good morning"] });
    let script = Script::new()
        .then(Answer::new().text("I remember the blue door.").call_as("toolu_ask", ASK, asks))
        .then(Answer::new().text("I wait."))
        .then(commits())
        .then(Answer::new().text("That was all."));
    let (scene, server) = Scene::with(script, &[("FLEET_QUESTION_WAIT_SECS", "0"), ("MAX_WORKERS", "1")]).await;
    let (mission, session) = scene.dispatch(&server, "Write a word.").await;
    let asked = question(&server, &session, |_| true).await;
    waits(&server, &session, &asked).await;

    let owner = server.owner();
    let seen = owner.call(GetSession { session: session.clone() }).await.unwrap().output.session;
    assert_eq!(seen.state, SessionStanding::AwaitingAnswer, "{seen:#?}");
    let why = owner.call(ExplainMission { mission: mission.clone() }).await.unwrap().output.why;
    assert!(why.contains(TEXT) && why.contains(&format!("fleet answer {}", asked.id)), "{why}");
    let inbox = owner.call(ListInbox::default()).await.unwrap().output.items;
    let item = inbox.iter().find(|item| item.kind == InboxKind::Question).unwrap_or_else(|| panic!("{inbox:#?}"));
    assert!(item.next.contains(&format!("fleet answer {}", asked.id)), "{item:#?}");

    let server = server.restart().await;
    assert_eq!(question(&server, &session, |_| true).await, asked, "it is asked once");
    assert_eq!(curl(&server, &asked, "2")["answer"], "good morning");
    completed(&server, &mission, &session).await;
    let heard = question(&server, &session, |_| true).await;
    assert_eq!((heard.status, heard.heard), (QuestionStateName::Answered, Some(Hearing::Prompt)));

    let last = scene.model().requests().pop().unwrap();
    let words = last.texts().join("\n");
    assert!(words.contains("I remember the blue door."), "the context is gone: {words}");
    assert_eq!(words.matches("answered your question").count(), 1, "{words}");
    let told = &last.results()["toolu_ask"];
    assert!(told.contains("waiting") && told.contains("End your turn"), "{told}");
    scene.model().assert_done();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_answer_that_comes_while_the_call_waits_is_its_result_and_no_message() {
    let script = Script::new()
        .then(Answer::new().call_as("toolu_ask", ASK, json!({ "question": TEXT })))
        .then(commits())
        .then(Answer::new().text("That was all."));
    let (scene, server) = Scene::new(script).await;
    let (mission, session) = scene.dispatch(&server, "Write a word.").await;
    let asked = question(&server, &session, |_| true).await;
    server.owner().call(AnswerQuestion { question: asked.id, answer: "hello".to_owned() }).await.unwrap();
    completed(&server, &mission, &session).await;
    let heard = question(&server, &session, |_| true).await;
    assert_eq!(heard.heard, Some(Hearing::Call));
    let last = scene.model().requests().pop().unwrap();
    assert!(last.results()["toolu_ask"].contains("hello"), "{:#?}", last.results());
    assert!(!last.texts().join("\n").contains("answered your question"));
    scene.model().assert_done();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_call_that_is_lost_with_the_server_is_made_again_and_gets_the_answer_once() {
    let hold = Hold::new();
    let ask = |id: &str| Answer::new().call_as(id, ASK, json!({ "question": TEXT }));
    let script = Script::new()
        .then(ask("toolu_lost"))
        .then(ask("toolu_again").held(&hold))
        .then(commits())
        .then(Answer::new().text("That was all."));
    let (scene, server) = Scene::new(script).await;
    let (mission, session) = scene.dispatch(&server, "Write a word.").await;
    let asked = question(&server, &session, |_| true).await;
    let server = server.restart().await;
    assert_eq!(curl(&server, &asked, "hello")["answer"], "hello");
    hold.reached().await;
    hold.release();
    completed(&server, &mission, &session).await;
    let heard = question(&server, &session, |_| true).await;
    assert_eq!((heard.id, heard.heard), (asked.id, Some(Hearing::Call)));
    let last = scene.model().requests().pop().unwrap();
    assert!(last.results()["toolu_again"].contains("hello"), "{:#?}", last.results());
    assert!(!last.texts().join("\n").contains("answered your question"));
    scene.model().assert_done();
}

/// Calls what the agent of a session can with its own token, which it holds.
async fn as_agent<O: api::Operation>(work: &Work, agent: &Member, input: Value) -> Result<O::Output, api::Error> {
    let token = work.server().token(agent);
    let client = client::Client::new(work.server().url(), Some(&token)).unwrap();
    client.call(serde_json::from_value::<O>(input).unwrap()).await.map(|reply| reply.output)
}

async fn waiting(work: &Work) -> Vec<QuestionView> {
    work.call::<ListQuestions>(json!({ "status": "waiting" })).await.unwrap().items
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_agent_that_asks_in_a_loop_is_stopped_at_the_bound_and_people_are_told_of_each_question_once() {
    let receiver = Receiver::new().await;
    let launch = launch().env("FLEET_QUESTION_WAIT_SECS", 0).env("FLEET_NOTIFY_WEBHOOK", receiver.url());
    let mut work = Work::begin(launch).await;
    let prompt = script(&["{ do = 'say', text = 'begun' }", "{ do = 'listen' }", "{ do = 'finish', text = 'ended' }"]);
    let (mission, session) = work.run(&prompt).await;
    work.server().session_says(&session, "begun").await;
    let handle = work.server().session_until(&session, |_| true).await.session.handle;
    let agent = Member::agent(session.clone(), handle.parse().unwrap(), types::TeamName::default_team());

    let ask = |text: String| as_agent::<AskHuman>(&work, &agent, json!({ "question": text }));
    let first = ask("Which word of 0?".to_owned()).await.unwrap();
    let told = receiver.hear("204 No Content").await;
    assert!(told.body.contains("Which word of 0?") && told.headers.contains_key("fleet-signature"), "{told:?}");
    let mut refused = 0;
    for number in 1..30 {
        match ask(format!("Which word of {number}?")).await {
            Ok(asked) => assert_eq!(asked.status, QuestionStateName::Waiting),
            Err(error) => {
                assert_eq!(error.code, api::Code::QUESTIONS_FULL);
                refused += 1;
            }
        }
    }
    assert_eq!((refused, waiting(&work).await.len()), (27, 3));
    let answer = json!({ "question": first.question_id, "answer": "hello" });
    // Whatever role the token names, the agent does not answer itself; a person does, which is the control.
    for role in [types::Role::Worker, types::Role::TeamLead, types::Role::Owner] {
        let posing = Member { role, ..agent.clone() };
        let refused = as_agent::<AnswerQuestion>(&work, &posing, answer.clone()).await.unwrap_err();
        assert_eq!(refused.code, api::Code::ROLE_REFUSED, "{role}");
    }
    work.restart().await;
    let again = receiver.hear("204 No Content").await;
    assert!(again.body.contains("Which word of "), "{again:?}");
    assert!(!again.body.contains("Which word of 0?"), "it is told again of what it heard: {again:?}");
    work.call::<AnswerQuestion>(answer).await.unwrap();
    assert_eq!(waiting(&work).await.len(), 2);
    let listed = as_agent::<ListQuestions>(&work, &agent, json!({})).await.unwrap().items;
    assert_eq!(listed.len(), 3, "it sees its own");
    assert!(listed.iter().all(|question| question.mission_id.as_ref() == Some(&mission)));
}
