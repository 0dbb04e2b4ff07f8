//! What an agent may do with its own token, and what others see of the secrets that it says.

use std::path::PathBuf;

use api::claude_fleet::Authenticate;
use api::devfleet::{DeleteMission, GetSession};
use api::{Code, Operation};
use client::Client;
use serde_json::{Value, json};
use testkit::PATIENCE;
use tokens::Member;
use types::{MissionId, Role, SessionId};

use crate::sessions::{Work, launch, script};

impl Work {
    /// Returns the folder by which the agent of a session finds the server.
    fn door(&self, mission: &MissionId, session: &SessionId) -> PathBuf {
        self.spool(mission, session, 1).parent().unwrap().join("private-1/fleet")
    }

    /// Calls as the agent of a session does.
    pub(crate) fn agent(&self, mission: &MissionId, session: &SessionId) -> Client {
        Client::new(self.server().url(), Some(&read(&self.door(mission, session).join("agent-token")))).unwrap()
    }

    fn worker(&self) -> Client {
        let (handle, team) = ("onlooker".parse().unwrap(), "default".parse().unwrap());
        let member = Member { handle, team, role: Role::Worker, session: None };
        Client::new(self.server().url(), Some(&self.server().token(&member))).unwrap()
    }
}

#[expect(clippy::disallowed_methods, reason = "a test reads what the program wrote")]
fn read(path: &std::path::Path) -> String {
    std::fs::read_to_string(path).unwrap()
}

fn op<O: Operation>(input: Value) -> O {
    serde_json::from_value(input).unwrap()
}

/// Put together here, so that no file has one.
fn key() -> String {
    format!("ghp_{}", "a1B2c3D4".repeat(4))
}

#[tokio::test]
async fn the_token_of_an_agent_is_a_workers_and_ends_with_its_session() {
    let mut work = Work::begin(launch()).await;
    let (mission, session) = work.run(&script(&[r#"{ do = "listen" }"#])).await;
    work.server().session_until(&session, |shown| shown.session.sandbox.is_some()).await;
    let agent = work.agent(&mission, &session);
    let seen = agent.call(op::<GetSession>(json!({ "session": session }))).await.unwrap().output;
    assert_eq!(seen.session.id, session);
    // It cannot change what others made, and cannot create a lead.
    let other = work.mission("something else").await;
    let refused = agent.call(op::<DeleteMission>(json!({ "mission": other }))).await.unwrap_err();
    assert_eq!(refused.code, Code::ROLE_REFUSED, "{refused:?}");
    let lead = json!({ "handle": "boss", "teamName": "default", "agentType": "team-lead" });
    assert!(agent.call(op::<Authenticate>(lead)).await.is_err());
    // A token that it renews grants the same as the one it had.
    let own = json!({ "handle": seen.session.handle, "teamName": "default", "agentType": "worker" });
    let renewed = agent.call(op::<Authenticate>(own)).await.unwrap().output.token;

    let before = read(&work.door(&mission, &session).join("server.json"));
    work.restart().await;
    work.server().session_until(&session, |_| true).await;
    let renewed = Client::new(work.server().url(), Some(&renewed)).unwrap();
    assert!(renewed.call(op::<GetSession>(json!({ "session": session }))).await.is_ok());
    let after = read(&work.door(&mission, &session).join("server.json"));
    assert!(after != before && after.contains(&format!("\"port\":{}", port(&work))), "{after}");

    work.call::<api::devfleet::CancelSession>(json!({ "session": session })).await.unwrap();
    work.server().session_ended(&session).await;
    for client in [work.agent(&mission, &session), renewed] {
        let over = client.call(op::<GetSession>(json!({ "session": session }))).await.unwrap_err();
        assert_eq!(over.code, Code::TOKEN_EXPIRED, "{over:?}");
    }
}

fn port(work: &Work) -> String {
    work.server().url().rsplit(':').next().unwrap().trim_end_matches('/').to_owned()
}

#[tokio::test]
async fn others_than_the_owner_see_what_an_agent_said_without_its_secrets() {
    let work = Work::begin(launch().env("MY_API_KEY", "a value nobody would guess")).await;
    let steps = [
        format!("{{ do = 'say', text = 'it is {}, and a value nobody would guess' }}", key()),
        "{ do = 'finish', text = 'over' }".to_owned(),
    ];
    let steps: Vec<&str> = steps.iter().map(String::as_str).collect();
    let (mission, session) = work.run(&script(&steps)).await;
    let owned = work.server().session_ended(&session).await.session;
    assert!(owned.output_log.contains(&key()) && owned.output_log.contains("nobody would guess"));

    let seen = work.worker().call(op::<GetSession>(json!({ "session": session }))).await.unwrap().output.session;
    assert!(seen.output_log.contains("it is [redacted], and [redacted]"), "{}", seen.output_log);
    assert!(!seen.output_log.contains(&key()) && !seen.output_log.contains("nobody would guess"));

    let mut stream = work.worker().stream(&format!("/api/sessions/{session}/stream"), None).await.unwrap();
    let mut streamed = String::new();
    while let Some(frame) = tokio::time::timeout(PATIENCE, stream.next()).await.expect("nothing comes").unwrap() {
        streamed.push_str(&frame.data);
    }
    assert!(streamed.contains("[redacted]") && !streamed.contains(&key()), "{streamed}");
    assert!(!streamed.contains("nobody would guess"), "{streamed}");

    // What was written stays as it was written.
    assert!(read(&work.spool(&mission, &session, 1).join("log.jsonl")).contains(&key()));
}
