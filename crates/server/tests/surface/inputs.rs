//! Input that is wrong: refused by name, in the dialect of the path, and nothing is changed.

use serde_json::{Value, json};
use types::Role;

use crate::support::Server;
use crate::support::client::{get, post, request};

/// One path of each dialect that takes a body.
const WRITES: [(&str, u16, &str); 3] =
    [("/api/missions", 422, "detail"), ("/tasks", 400, "error"), ("/tools/create_mission", 400, "error")];

#[tokio::test]
async fn a_body_that_is_not_one_json_object_is_refused() {
    let server = Server::start().await;
    for (path, status, member) in WRITES {
        for text in ["\n", "{", "[]", "7", "null", "{\"title\": \u{0}}", "not json"] {
            let reply = server.send(request("POST", path).bearer(&server.owner()).body(text)).await;
            let body = reply.expect(status);
            assert_eq!(body["code"], "BODY_MALFORMED", "{path} {text}: {body}");
            assert!(!body[member].is_null(), "{path} {text}: {body}");
        }
    }
    assert_eq!(server.position(), 0);
}

#[tokio::test]
async fn a_wrong_type_and_a_missing_field_are_refused_by_name() {
    let server = Server::start().await;
    let owner = server.owner();
    let body = json!({ "project_id": "p-x7k2m", "title": 7, "priority": "many" });
    let refused = server.send(post("/api/missions", &body).bearer(&owner)).await.expect(422);
    let places: Vec<&Value> = refused["detail"].as_array().unwrap().iter().map(|problem| &problem["loc"]).collect();
    for field in ["title", "priority", "detailed_prompt"] {
        assert!(places.contains(&&json!(["body", field])), "{field}: {refused}");
    }

    let refused = server.send(post("/tasks", &json!({ "subject": 7 })).bearer(&owner)).await.expect(400);
    let text = refused["error"].as_str().unwrap();
    for field in ["subject", "fromUid", "toHandle", "teamName"] {
        assert!(text.contains(&format!("{field}: ")), "{text}");
    }
    assert_eq!(server.position(), 0);
}

#[tokio::test]
async fn a_body_that_is_too_large_is_refused_and_not_kept() {
    let server = Server::start().await;
    let ten_megabytes = vec![b' '; 10 * 1024 * 1024];
    for (path, _, member) in WRITES {
        let reply = server.send(request("POST", path).bearer(&server.owner()).body(ten_megabytes.clone())).await;
        let body = reply.expect(413);
        assert_eq!(body["code"], "BODY_TOO_LARGE", "{path}");
        assert!(body[member].is_string(), "{path}: {body}");
    }
    assert_eq!(server.position(), 0);
}

#[tokio::test]
async fn an_id_that_is_a_path_names_nothing() {
    let server = Server::start().await;
    let owner = server.owner();
    let ids =
        ["..%2f..%2fetc", "%2e%2e%2f%2e%2e%2fetc%2fpasswd", "m-x7k2m%00", "m-X7K2M", "p-x7k2m", "%ff", "m-x%2f.."];
    for id in ids {
        for path in [format!("/api/missions/{id}"), format!("/api/projects/../missions/{id}"), format!("/tasks/{id}")] {
            for method in ["GET", "PUT", "PATCH", "DELETE"] {
                let reply = server.send(request(method, path.clone()).bearer(&owner)).await;
                assert!([404, 405].contains(&reply.status), "{method} {path}: {} {}", reply.status, reply.text());
                assert!(!reply.text().contains("root:"), "{path}");
            }
        }
    }
    assert_eq!(server.position(), 0);
}

#[tokio::test]
async fn an_unknown_field_of_a_mission_is_refused_with_the_one_that_was_meant() {
    let server = Server::start().await;
    let owner = server.owner();
    let project = server.project(&owner).await;
    let before = server.position();
    let body =
        json!({ "project_id": project, "title": "t", "detailed_prompt": "p", "max_budget": 1, "depends": ["x"] });
    let refused = server.send(post("/api/missions", &body).bearer(&owner)).await.expect(422);
    let text = refused["detail"].to_string();
    assert!(text.contains("did you mean `max_budget_usd`?") && text.contains("did you mean `depends_on`?"), "{text}");
    let refused = server.send(get("/api/missions?colour=red").bearer(&owner)).await.expect(422);
    assert!(refused["detail"].to_string().contains("colour"), "{refused}");
    assert_eq!(server.position(), before);
}

#[tokio::test]
async fn an_unknown_field_of_a_task_is_dropped_and_named_in_the_answer_and_a_header() {
    let server = Server::start().await;
    let scout = server.register("scout", "alpha", Role::Worker).await;
    let uid = crate::support::member("scout", "alpha", Role::Worker).uid();
    let body = json!({
        "fromUid": uid, "toHandle": "scout", "teamName": "alpha", "subject": "Do it", "blocked_by": [], "Bad\nname": 2,
    });
    let reply = server.send(post("/tasks", &body).bearer(&scout)).await;
    let warnings = json!([
        "unknown field `Bad\nname` was dropped",
        "unknown field `blocked_by` was dropped; did you mean `blockedBy`?",
    ]);
    let mut told: Vec<String> = serde_json::from_value(reply.expect(200)["warnings"].clone()).unwrap();
    told.sort();
    assert_eq!(json!(told), warnings);
    assert!(reply.text().starts_with(r#"{"id":"m-"#), "{}", reply.text());
    let header = reply.header("fleet-warning").unwrap();
    assert!(header.contains("unknown field `blocked_by` was dropped"), "{header}");
    assert!(server.send(get("/teams/alpha/tasks?colour=red").bearer(&scout)).await.status == 400);
}

#[tokio::test]
async fn a_mission_that_was_read_can_be_sent_back_and_the_answer_names_what_cannot_be_set() {
    let server = Server::start().await;
    let owner = server.owner();
    let project = server.project(&owner).await;
    let body = json!({ "project_id": project, "title": "t", "detailed_prompt": "p" });
    let made = server.send(post("/api/missions", &body).bearer(&owner)).await.expect(201);
    let path = format!("/api/missions/{}", made["id"].as_str().unwrap());
    let read = server.send(get(&path).bearer(&owner)).await.expect(200);
    let changed = server.send(request("PUT", path).bearer(&owner).body(read.to_string())).await.expect(200);
    let warnings = changed["warnings"].as_array().unwrap();
    assert_eq!(warnings.len(), 1, "{changed}");
    assert!(warnings[0].as_str().unwrap().contains("created_at"), "{changed}");
}

#[tokio::test]
async fn an_unknown_field_of_a_tool_is_refused_by_name() {
    let server = Server::start().await;
    let owner = server.owner();
    let project = server.project(&owner).await;
    let before = server.position();
    let body = json!({ "project_id": project, "title": "t", "prompt": "p", "nonsense": 1 });
    let refused = server.send(post("/tools/create_mission", &body).bearer(&owner)).await.expect(400);
    assert_eq!(refused["code"], "FIELDS_INVALID");
    assert!(refused["error"].as_str().unwrap().contains("nonsense: is not a field"), "{refused}");
    assert_eq!(server.position(), before);
}

#[tokio::test]
async fn a_query_field_that_is_given_twice_is_not_guessed_at() {
    let server = Server::start().await;
    let reply = server.send(get("/api/missions?limit=1&limit=2").bearer(&server.owner())).await;
    assert_eq!(reply.expect(422)["code"], "FIELDS_INVALID");
}

#[tokio::test]
async fn nobody_acts_in_anothers_name_or_team() {
    let server = Server::start().await;
    let scout = server.register("scout", "alpha", Role::Worker).await;
    server.register("other", "alpha", Role::Worker).await;
    let before = server.position();
    let other = crate::support::member("other", "alpha", Role::Worker).uid();
    let task =
        |from: &str, team: &str| json!({ "fromUid": from, "toHandle": "other", "teamName": team, "subject": "Do it" });

    let refused = server.send(post("/tasks", &task(other.as_str(), "alpha")).bearer(&scout)).await.expect(403);
    assert_eq!(refused["code"], "ACTOR_MISMATCH");
    let refused = server.send(post("/tasks", &task(other.as_str(), "beta")).bearer(&scout)).await.expect(403);
    assert_eq!(refused["error"], "Not a member of this team");
    assert_eq!(server.position(), before);
}

#[tokio::test]
async fn a_call_with_a_key_is_carried_out_once_and_says_when_it_is_answered_again() {
    let server = Server::start().await;
    let body = json!({ "name": "Mine", "page": "missions" });
    let send = async |key: &str| {
        server.send(post("/views", &body).bearer(&server.owner()).header("Idempotency-Key", key)).await
    };
    let first = send("7d1f").await;
    let made = first.expect(201);
    assert_eq!(first.header("fleet-replayed"), None);
    let again = send("7d1f").await;
    assert_eq!(again.expect(201), made);
    assert_eq!(again.header("fleet-replayed"), Some("true"));
    // The control: another key is another call, and its name is taken.
    assert_eq!(send("8e20").await.expect(409)["code"], "RECORD_EXISTS");
    for wrong in ["", &"k".repeat(201)] {
        send(wrong).await.expect(400);
    }
}
