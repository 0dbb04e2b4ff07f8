//! Who a caller is told it is.

use serde_json::json;

use crate::site::{Relation, Scene};

#[tokio::test]
async fn an_agent_is_told_its_session_mission_and_project_and_what_its_role_may_call() {
    let scene = Scene::new().await;
    let site = scene.site(Relation::Own);
    let me = scene.fleet.json(&scene.agent, "me", json!({})).await.unwrap();
    assert_eq!(me["handle"], json!(site.handle));
    assert_eq!(
        (&me["session_id"], &me["mission_id"], &me["project_id"]),
        (&json!(site.session), &json!(site.mission), &json!(site.project))
    );
    let lead = scene.fleet.json(&scene.lead, "me", json!({})).await.unwrap();
    assert_eq!((&lead["role"], &lead["session_id"]), (&json!("team-lead"), &json!(null)));
    let may = |me: &serde_json::Value, name: &str| me["may"].as_array().unwrap().contains(&json!(name));
    assert!(may(&lead, "project_create") && may(&me, "mission_get"));
    assert!(!may(&me, "project_create") && !may(&lead, "login_link_create"));
}
