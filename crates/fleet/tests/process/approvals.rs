//! Calls that a rule asks about or blocks, with the real Claude Code and the real permission hook.

use api::claude_fleet::{CreatePolicy, ListViolations};
use api::devfleet::{ExplainMission, GetMission, GetSession, MissionStatus, SessionStatus};
use api::fleet::{AllowApproval, ApprovalStatus, ApprovalView, DenyApproval, InboxKind, ListApprovals, ListInbox};
use serde_json::{Value, json};
use testkit::Server;
use testkit::model::{Answer, Script};
use types::{MissionId, SessionId};

use crate::claude::{Scene, frames};

const PUSH: &str = "git push --quiet origin HEAD:refs/heads/shared";

/// Makes a rule about pushing, and a place to push to.
async fn rule(scene: &Scene, server: &Server, decision: &str) {
    let remote = scene.remote();
    scene.git(&["init", "--quiet", "--bare", &remote]);
    scene.git(&["remote", "add", "origin", &remote]);
    let rule: CreatePolicy = serde_json::from_value(json!({
        "name": "pushes", "decision": decision, "tool": "Bash", "command": "git push *", "reason": "pushes are looked at",
        "teamName": "default",
    }))
    .unwrap();
    server.owner().call(rule).await.unwrap();
}

/// An agent that commits, pushes and then ends.
fn pushes() -> Script {
    let commit = "echo hello > hello.txt && git add --all && git commit --quiet --message 'Add a greeting'";
    let commit = Answer::new().text("I commit it.").call_as("toolu_commit", "Bash", json!({"command": commit}));
    let push = Answer::new().text("I push it.").call_as("toolu_push", "Bash", json!({"command": PUSH}));
    Script::new().then(commit).then(push).then(Answer::new().text("That was all."))
}

fn is_pushed(scene: &Scene) -> bool {
    !scene.git(&["ls-remote", "origin", "refs/heads/shared"]).is_empty()
}

/// Waits until the session waits for a person, and returns what is asked.
pub(crate) async fn asked(server: &Server, session: &SessionId) -> ApprovalView {
    let owner = server.owner();
    let wait = async {
        let mut events = owner.stream("/api/events", None).await.unwrap();
        loop {
            let (session_id, status) = (Some(session.clone()), Some(ApprovalStatus::Waiting));
            let list = ListApprovals { session_id, status, ..ListApprovals::default() };
            let found = owner.call(list).await.unwrap().output.items.pop();
            if let Some(found) = found {
                return found;
            }
            while !events.next().await.unwrap().expect("the events end").data.contains("approval_moved") {}
        }
    };
    tokio::time::timeout(testkit::PATIENCE, wait)
        .await
        .unwrap_or_else(|_| panic!("nobody is asked:\n{}", server.log().text()))
}

/// Returns what the last request told the model of the push.
fn told(scene: &Scene) -> String {
    let last = scene.model().requests().pop().unwrap();
    last.results().get("toolu_push").map(ToString::to_string).unwrap_or_default()
}

async fn ended(server: &Server, mission: &MissionId, session: &SessionId) -> Value {
    let last = frames(server, session).await.pop().unwrap();
    assert_eq!(last["status"], "completed", "{last}\n{}", server.log().text());
    let mission = server.owner().call(GetMission { mission: mission.clone() }).await.unwrap().output;
    assert_eq!(mission.mission.status, MissionStatus::Completed);
    last
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_push_waits_without_a_process_until_a_person_allows_it_though_the_server_is_killed_meanwhile() {
    let (scene, server) = Scene::new(pushes()).await;
    rule(&scene, &server, "ask").await;
    let (mission, session) = scene.dispatch(&server, "Push it.").await;
    let approval = asked(&server, &session).await;
    assert_eq!((approval.status, approval.tool.as_str()), (ApprovalStatus::Waiting, "Bash"));
    assert_eq!(approval.command.as_deref(), Some(PUSH));
    assert_eq!(approval.mission_id.as_ref(), Some(&mission));
    assert!(!is_pushed(&scene), "it was pushed without leave");

    let seen = server.owner().call(GetSession { session: session.clone() }).await.unwrap().output.session;
    assert_eq!(seen.status, SessionStatus::Running);
    let why = server.owner().call(ExplainMission { mission: mission.clone() }).await.unwrap().output.why;
    assert!(why.contains(&format!("fleet approval allow {}", approval.id)), "{why}");

    let inbox = server.owner().call(ListInbox::default()).await.unwrap().output.items;
    let item = inbox.iter().find(|item| item.kind == InboxKind::Approval).unwrap_or_else(|| panic!("{inbox:#?}"));
    assert_eq!(item.subject, approval.id.to_string());
    assert!(item.next.contains(&format!("fleet approval allow {}", approval.id)), "{item:#?}");
    server.log().line(&format!("approval {} waits for a person: session {session} asks: ", approval.id)).await;
    let waits = server.log().line(&format!("session {session} waits (approval {} is not answered", approval.id)).await;
    assert!(waits.contains(&format!("on mission {mission}")), "{waits}");

    let server = server.restart().await;
    assert_eq!(asked(&server, &session).await, approval, "it is asked once");
    let allow = AllowApproval { approval: approval.id.clone() };
    assert_eq!(server.owner().call(allow).await.unwrap().output.status, ApprovalStatus::Allowed);
    server.log().line(&format!("approval {} allowed by ", approval.id)).await;
    ended(&server, &mission, &session).await;
    assert!(is_pushed(&scene), "{}", told(&scene));
    scene.model().assert_done();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_agent_whose_push_is_denied_is_told_why_and_goes_on() {
    let (scene, server) = Scene::new(pushes()).await;
    rule(&scene, &server, "ask").await;
    let (mission, session) = scene.dispatch(&server, "Push it.").await;
    let approval = asked(&server, &session).await;
    let deny = DenyApproval { approval: approval.id, why: Some("not before the release".to_owned()) };
    server.owner().call(deny).await.unwrap();
    ended(&server, &mission, &session).await;
    assert!(told(&scene).contains("not before the release"), "{}", told(&scene));
    assert!(!is_pushed(&scene));
    scene.model().assert_done();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_push_that_a_rule_blocks_is_refused_and_written_down() {
    let (scene, server) = Scene::new(pushes()).await;
    rule(&scene, &server, "block").await;
    let (mission, session) = scene.dispatch(&server, "Push it.").await;
    ended(&server, &mission, &session).await;
    assert!(told(&scene).contains("pushes are looked at"), "{}", told(&scene));
    assert!(!is_pushed(&scene));
    let violations = server.owner().call(ListViolations::default()).await.unwrap().output.items;
    assert_eq!(violations.len(), 1, "{violations:#?}");
    let shown = serde_json::to_value(&violations[0]).unwrap();
    assert!(shown.to_string().contains(PUSH) && shown.to_string().contains(session.as_str()), "{shown}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_agent_that_reviews_writes_nothing_though_it_is_told_to() {
    let write = Answer::new().call_as("toolu_push", "Bash", json!({"command": "echo hello > hello.txt"}));
    let look = Answer::new().call_as("toolu_look", "Bash", json!({"command": "git log --oneline"}));
    let script = Script::new().then(look).then(write).then(Answer::new().text("I could not write."));
    let (scene, server) = Scene::new(script).await;
    let (mission, session) = scene.dispatch_as(&server, "Write it.", Some("review")).await;
    frames(&server, &session).await;
    assert!(told(&scene).contains("Not allowed"), "{}", told(&scene));
    let seen = server.owner().call(GetSession { session: session.clone() }).await.unwrap().output.session;
    let branch = seen.branch.unwrap();
    assert_eq!(scene.git(&["ls-tree", "--name-only", &branch]), "", "something was written");
    let violations = server.owner().call(ListViolations::default()).await.unwrap().output.items;
    assert_eq!(violations.len(), 1, "{mission}: {violations:#?}");
}
