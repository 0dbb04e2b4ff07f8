//! One mission, many interfaces: whichever created it, it is seen through all of them, each in its own words.

use serde_json::{Value, json};
use types::Role;

use crate::support::client::{get, post, request};
use crate::support::{Server, id, member};

/// Checks that a body is compact JSON whose first member is the object's own id.
#[track_caller]
fn assert_own_id_first(text: &str, id: &str) {
    assert!(text.starts_with(&format!(r#"{{"id":"{id}","#)), "{text}");
    let read: Value = serde_json::from_str(text).unwrap();
    assert_eq!(serde_json::to_string(&read).unwrap(), text, "not compact");
}

/// Looks at a mission through every interface; `status` is its word under `/api`, where an assigned task counts as
/// queued.
async fn assert_seen(server: &Server, token: &str, mission: &str, title: &str, status: &str) {
    let row = server.send(get(format!("/api/missions/{mission}")).bearer(token)).await;
    assert_own_id_first(&row.text(), mission);
    let row = row.expect(200);
    assert_eq!((&row["title"], &row["status"], &row["depends_on"]), (&json!(title), &json!(status), &json!("[]")));

    let task = server.send(get(format!("/tasks/{mission}")).bearer(token)).await;
    assert_own_id_first(&task.text(), mission);
    let task = task.expect(200);
    assert_eq!((&task["subject"], &task["status"], &task["blockedBy"]), (&json!(title), &json!("open"), &json!([])));

    let status = server.send(post("/tools/get_mission_status", &json!({ "mission_id": mission })).bearer(token)).await;
    assert_own_id_first(&status.text(), mission);
    assert_eq!(status.expect(200)["title"], title);

    for path in ["/api/missions", "/teams/default/tasks"] {
        let listed = server.read(path, token).await;
        assert!(listed.as_array().unwrap().iter().any(|item| item["id"] == mission), "{path}: {listed}");
    }
    let tool = server.send(post("/tools/team_tasks", &json!({})).bearer(token)).await.expect(200);
    assert!(tool["tasks"].as_array().unwrap().iter().any(|item| item["id"] == mission), "{tool}");
}

#[tokio::test]
async fn a_mission_stated_over_rest_is_seen_through_every_door() {
    let server = Server::start().await;
    let owner = server.owner();
    let project = server.project(&owner).await;
    let body = json!({ "project_id": project, "title": "Add a cart", "detailed_prompt": "Add it." });
    let reply = server.send(post("/api/missions", &body).bearer(&owner)).await;
    let mission = id(&reply.expect(201));
    assert_own_id_first(&reply.text(), &mission);
    assert_seen(&server, &owner, &mission, "Add a cart", "draft").await;
    let listed = server.send(post("/tools/list_missions", &json!({ "project_id": project })).bearer(&owner)).await;
    assert_eq!(listed.expect(200)["missions"][0]["id"], mission);
}

#[tokio::test]
async fn a_mission_given_as_a_task_is_seen_through_every_door() {
    let server = Server::start().await;
    server.register("scout", "default", Role::Worker).await;
    let owner = server.owner();
    let from = tokens::Member::owner().uid();
    let body = json!({ "fromUid": from, "toHandle": "scout", "teamName": "default", "subject": "Find it" });
    let reply = server.send(post("/tasks", &body).bearer(&owner)).await;
    let task = reply.expect(200);
    assert_own_id_first(&reply.text(), &id(&task));
    assert_eq!((&task["ownerHandle"], &task["createdByHandle"]), (&json!("scout"), &json!("owner")));
    assert_eq!(task["ownerUid"], member("scout", "default", Role::Worker).uid().as_str());
    assert_seen(&server, &owner, &id(&task), "Find it", "queued").await;
}

#[tokio::test]
async fn a_mission_stated_with_a_tool_is_seen_through_every_door() {
    let server = Server::start().await;
    let owner = server.owner();
    let project = server.project(&owner).await;
    let body = json!({ "project_id": project, "title": "Add a till", "prompt": "Add it." });
    let reply = server.send(post("/tools/create_mission", &body).bearer(&owner)).await;
    let mission = id(&reply.expect(200));
    assert_own_id_first(&reply.text(), &mission);
    assert_seen(&server, &owner, &mission, "Add a till", "draft").await;
}

#[tokio::test]
async fn a_move_through_one_door_shows_in_the_words_of_the_other() {
    let server = Server::start().await;
    let owner = server.owner();
    let project = server.project(&owner).await;
    let mission = server.mission(&owner, &project, "Add a cart").await;
    for (status, task, row) in [("in_progress", "in_progress", "running"), ("resolved", "resolved", "completed")] {
        let path = format!("/tasks/{mission}");
        let moved = request("PATCH", path.clone()).bearer(&owner).body(json!({ "status": status }).to_string());
        assert_eq!(server.send(moved).await.expect(200)["status"], task);
        assert_eq!(server.read(&format!("/api/missions/{mission}"), &owner).await["status"], row);
    }
}

#[tokio::test]
async fn another_team_sees_none_of_it() {
    let server = Server::start().await;
    let owner = server.owner();
    let project = server.project(&owner).await;
    let mission = server.mission(&owner, &project, "Add a cart").await;
    let stranger = server.token("spy", "beta", Role::TeamLead);
    for path in [format!("/api/missions/{mission}"), format!("/tasks/{mission}"), format!("/api/projects/{project}")] {
        assert_eq!(server.send(get(path.clone()).bearer(&stranger)).await.status, 404, "{path}");
    }
    for path in ["/api/missions", "/api/projects", "/teams/beta/tasks"] {
        assert_eq!(server.read(path, &stranger).await, json!([]), "{path}");
    }
    assert_eq!(server.send(get("/teams/default/tasks").bearer(&stranger)).await.status, 403);
    let before = server.position();
    assert_eq!(server.send(request("DELETE", format!("/api/missions/{mission}")).bearer(&stranger)).await.status, 404);
    assert_eq!(server.position(), before);
}
