//! What agents get beside Fleet's own tools: the servers of their project, with the real Claude Code; and whether
//! agents are there at all.

use api::Code;
use api::devfleet::{
    AddMcpServer, CreateMission, CreateProject, DispatchMission, GetSession, ListMissionEvents, StartOptions,
};
use api::fleet::{CallsState, ListAgents, LoginState, TestAgent};
use serde_json::{Value, json};
use testkit::Server;
use testkit::model::{Answer, Script};
use types::{MissionId, SessionId};

use crate::claude::{Scene, frames, write};

/// An MCP server with one tool, as small as can be.
const GREETER: &str = r#"
while read -r line; do
  id=$(printf '%s' "$line" | sed -n 's/.*"id":\([0-9]*\).*/\1/p')
  case "$line" in
    *'"initialize"'*) result='{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"other","version":"1"}}' ;;
    *'"tools/list"'*) result='{"tools":[{"name":"greet","description":"Greets","inputSchema":{"type":"object"}}]}' ;;
    *'"tools/call"'*) result='{"content":[{"type":"text","text":"good morning"}]}' ;;
    *) continue ;;
  esac
  printf '{"jsonrpc":"2.0","id":%s,"result":%s}\n' "$id" "$result"
done
"#;

/// Gives a project two servers and a mission to claude: one server works, and one cannot be started.
async fn equipped(scene: &Scene, server: &Server, preset: &str) -> (MissionId, SessionId) {
    let owner = server.owner();
    let project: CreateProject = read(json!({"name": "scene", "path": scene.repository()}));
    let project = owner.call(project).await.unwrap().output.id;
    // Where the agent may read, for it runs beside the agent.
    let program = scene.repository().join("greet.sh");
    write(&program, GREETER);
    for (name, config) in [
        ("other", json!({"command": "/bin/sh", "args": [program]})),
        ("broken", json!({"command": "/bin/false", "env": {"TOKEN": "s3cret-value"}})),
    ] {
        let add: AddMcpServer = read(json!({"project": project, "server_name": name, "config": config}));
        owner.call(add).await.unwrap();
    }
    let mission: CreateMission = read(json!({
        "project_id": project, "title": "Look", "detailed_prompt": "Look at it.", "max_retries": 0,
        "mission_type": preset,
    }));
    let mission = owner.call(mission).await.unwrap().output.id;
    let dispatched = owner
        .call(DispatchMission { mission: mission.clone(), options: StartOptions::default() })
        .await
        .unwrap()
        .output;
    (mission, dispatched.session_id.unwrap())
}

fn read<T: serde::de::DeserializeOwned>(value: Value) -> T {
    serde_json::from_value(value).unwrap()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn claude_uses_a_server_of_its_project_and_one_that_cannot_be_started_is_told_of() {
    let script = Script::new()
        .then(Answer::new().text("I look.").call_as("toolu_greet", "mcp__other__greet", json!({})))
        .then(Answer::new().text("That is all."));
    let (scene, server) = Scene::new(script).await;
    let (mission, session) = equipped(&scene, &server, "implement").await;
    frames(&server, &session).await;
    let last = scene.model.requests().pop().unwrap();
    assert!(last.results()["toolu_greet"].contains("good morning"), "{:#?}", last.results());

    let seen = server.owner().call(GetSession { session: session.clone() }).await.unwrap().output.session;
    let state = |name: &str| seen.mcp_servers.iter().find(|server| server.name == name).unwrap();
    assert!(state("broken").failed, "{:#?}", seen.mcp_servers);
    assert!(!state("other").failed && !state("fleet").failed, "{:#?}", seen.mcp_servers);
    let events = server.owner().call(ListMissionEvents { mission, limit: Some(50) }).await.unwrap().output.items;
    let told: Vec<_> = events.iter().filter(|event| event.event_type == "server_failed").collect();
    assert_eq!(told.len(), 1, "{events:#?}");
    assert!(told[0].data.contains("broken"), "{:#?}", told[0]);
    assert!(!format!("{events:?}{seen:?}").contains("s3cret-value"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_agent_that_only_reads_may_not_use_what_a_projects_server_offers() {
    let script = Script::new()
        .then(Answer::new().text("I look.").call_as("toolu_greet", "mcp__other__greet", json!({})))
        .then(Answer::new().text("I may not."));
    let (scene, server) = Scene::new(script).await;
    let (_, session) = equipped(&scene, &server, "review").await;
    frames(&server, &session).await;
    let last = scene.model.requests().pop().unwrap();
    assert!(!last.results()["toolu_greet"].contains("good morning"), "{:#?}", last.results());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn agents_are_looked_over_and_one_is_tried_with_a_real_turn() {
    let (scene, server) = Scene::new(Script::new().then(Answer::new().text("ok"))).await;
    let agents = server.owner().call(ListAgents {}).await.unwrap().output.items;
    let claude = agents.iter().find(|agent| agent.name == "claude").unwrap();
    assert!(claude.found && claude.default, "{claude:#?}");
    assert!(claude.version.contains(&testkit::claude::pinned_version()), "{claude:#?}");
    assert_eq!(claude.login, LoginState::Yes, "it has a key");
    assert_eq!((claude.calls, claude.calls_tried_at), (CallsState::Untried, None), "{claude:#?}");
    let tried = server.owner().call(TestAgent { agent: "claude".to_owned(), live: false }).await.unwrap().output;
    assert_eq!((tried.said, scene.model.requests().len()), (None, 0), "nothing was spent");
    assert_eq!(tried.agent.calls, CallsState::Held, "its calls were tried: {}", tried.agent.calls_note);
    let again = server.owner().call(ListAgents {}).await.unwrap().output.items;
    let claude = again.iter().find(|agent| agent.name == "claude").unwrap();
    assert!(claude.calls == CallsState::Held && claude.calls_tried_at.is_some(), "{claude:#?}");
    let tried = server.owner().call(TestAgent { agent: "claude".to_owned(), live: true }).await.unwrap().output;
    assert_eq!(tried.said.as_deref(), Some("ok"));
    let refused = server.owner().call(TestAgent { agent: "opencode".to_owned(), live: true }).await.unwrap_err();
    assert_eq!(refused.code, Code::AGENT_UNREADY, "{refused:?}");
}
