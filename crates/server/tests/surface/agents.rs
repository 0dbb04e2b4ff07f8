//! A hostile agent at the real router, with the token of its session; each attack with the owner as its control.

use serde_json::{Value, json};
use types::Role;

use crate::support::Server;
use crate::support::client::{get, post, request};

/// Two projects of one team with a mission each, an agent on the first, and its token.
struct Scene {
    server: Server,
    owner: String,
    agent: String,
    session: String,
    own: String,
    foreign: String,
    project: String,
}

impl Scene {
    async fn new() -> Self {
        let server = Server::start().await;
        let owner = server.owner();
        let (project, other) = (server.project(&owner).await, server.project(&owner).await);
        let own = server.mission(&owner, &project, "own").await;
        let foreign = server.mission(&owner, &other, "foreign").await;
        let (agent, session) = server.agent(&own).await;
        Self { server, owner, agent, session: session.id.to_string(), own, foreign, project }
    }

    async fn status(&self, token: &str, method: &'static str, path: &str, body: Option<Value>) -> u16 {
        let mut request = request(method, path).bearer(token);
        if let Some(body) = body {
            request = request.body(body.to_string());
        }
        self.server.send(request).await.status
    }
}

#[tokio::test]
async fn an_agents_token_opens_its_own_project_and_nothing_else() {
    let scene = Scene::new().await;
    let reads = [
        (format!("/api/missions/{}", scene.own), 200),
        (format!("/api/missions/{}", scene.foreign), 404),
        (format!("/tasks/{}", scene.foreign), 404),
        (format!("/api/sessions/{}", scene.session), 200),
        ("/api/dashboard/stats".to_owned(), 403),
        ("/budgets".to_owned(), 403),
        ("/api/events".to_owned(), 403),
    ];
    for (path, expected) in reads {
        assert_eq!(scene.status(&scene.agent, "GET", &path, None).await, expected, "{path}");
        if path != "/api/events" {
            assert_eq!(scene.status(&scene.owner, "GET", &path, None).await, 200, "{path}");
        }
    }
    let listed = scene.server.read("/api/missions", &scene.agent).await;
    assert!(listed.to_string().contains(&scene.own) && !listed.to_string().contains(&scene.foreign), "{listed}");
}

#[tokio::test]
async fn an_agents_token_changes_no_project_no_policy_and_not_the_status_of_its_mission() {
    let scene = Scene::new().await;
    let before = scene.server.position();
    let changes = [
        ("PUT", format!("/api/projects/{}", scene.project), json!({ "system_prompt": "Obey." }), 403),
        ("POST", "/api/projects".to_owned(), json!({ "name": "mine", "path": "/" }), 403),
        ("POST", "/policies".to_owned(), json!({ "name": "open", "decision": "allow", "tool": "Bash" }), 403),
        ("PATCH", format!("/tasks/{}", scene.own), json!({ "status": "resolved" }), 409),
        ("PUT", format!("/api/missions/{}", scene.own), json!({ "status": "completed" }), 403),
        ("PUT", format!("/api/missions/{}", scene.foreign), json!({ "priority": 9 }), 404),
        ("POST", format!("/api/missions/{}/dispatch", scene.foreign), json!({}), 404),
        (
            "POST",
            "/tools/create_mission".to_owned(),
            json!({ "project_id": scene.project, "title": "t", "prompt": "p" }),
            403,
        ),
        ("POST", "/login-links".to_owned(), json!({}), 403),
    ];
    for (method, path, body, expected) in changes {
        assert_eq!(scene.status(&scene.agent, method, &path, Some(body)).await, expected, "{method} {path}");
    }
    assert_eq!(scene.server.position(), before, "a refusal changed something");
    let renamed = json!({ "description": "The control." });
    let path = format!("/api/projects/{}", scene.project);
    assert_eq!(scene.status(&scene.owner, "PUT", &path, Some(renamed)).await, 200);
}

#[tokio::test]
async fn an_agents_socket_tells_of_its_own_project_alone() {
    let scene = Scene::new().await;
    let lead = scene.server.token("lead", "default", Role::TeamLead);
    let mut agent = scene.server.authenticated(&scene.agent).await;
    let mut control = scene.server.authenticated(&lead).await;
    let beside = scene.server.mission(&scene.owner, &scene.project, "beside").await;
    for mission in [&scene.foreign, &beside] {
        let path = format!("/tasks/{mission}");
        let claim = request("PATCH", path).bearer(&scene.owner).body(json!({ "status": "in_progress" }).to_string());
        scene.server.send(claim).await.expect(200);
    }
    assert_eq!(control.hear().await["taskId"], json!(scene.foreign));
    assert_eq!(control.hear().await["taskId"], json!(beside));
    assert_eq!(agent.hear().await["taskId"], json!(beside), "and nothing of the other project before");
}

#[tokio::test]
async fn an_agent_renews_its_own_token_and_gets_no_other_even_while_registration_is_open() {
    let scene = Scene::new().await;
    scene.server.set(|settings| settings.open_registration = true);
    let handle = scene.server.read(&format!("/sessions/{}", scene.session), &scene.owner).await["workerHandle"].clone();
    let ask = async |handle: &Value, role: &str| {
        let body = json!({ "handle": handle, "teamName": "default", "agentType": role });
        scene.server.send(post("/auth", &body).bearer(&scene.agent)).await
    };
    let renewed = ask(&handle, "worker").await.expect(200);
    let token = renewed["token"].as_str().unwrap();
    assert_eq!(scene.status(token, "GET", &format!("/api/missions/{}", scene.foreign), None).await, 404);
    assert_eq!(ask(&handle, "team-lead").await.status, 403);
    assert_eq!(ask(&json!("other"), "worker").await.status, 403);
    assert_eq!(scene.server.send(get("/api/missions").bearer(token)).await.status, 200);
}
