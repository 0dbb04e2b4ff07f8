//! What an agent at work is shown: its own project, in its own team, and nothing else.

use api::Code;
use serde_json::{Value, json};
use testkit::{Fleet, fleet, known, owner};
use types::{Author, ProjectId, Report, Role, Said, Source, Told};

use crate::at_work::{With, at_work};

/// Two projects of a team, each with a mission, and a mission of another team.
struct Scene {
    fleet: Fleet,
    lead: fleet_service::Caller,
    project: ProjectId,
    mission: String,
    elsewhere: String,
    foreign: String,
}

impl Scene {
    async fn new() -> Self {
        let fleet = fleet().await;
        let lead = fleet.join("alpha", "lead", Role::TeamLead).await;
        let stranger = fleet.join("beta", "lead", Role::TeamLead).await;
        let project = fleet.project(&lead, "shop").await;
        let other = fleet.project(&lead, "bank").await;
        let theirs = fleet.project(&stranger, "theirs").await;
        let mission = fleet.mission(&lead, &project, json!({ "title": "Add a cart", "priority": 1 })).await;
        let elsewhere = fleet.mission(&lead, &other, json!({ "title": "Count money" })).await;
        let foreign = fleet.mission(&stranger, &theirs, json!({ "title": "Spy" })).await;
        Self { fleet, lead, project, mission, elsewhere, foreign }
    }

    async fn report(&self, mission: &str, number: u32) {
        let said = Said { what_done: format!("Step {number}."), what_tested: "All.".to_owned(), ..Said::default() };
        let report = Report {
            id: format!("r-aaaa{}", char::from_digit(number + 2, 10).unwrap()).parse().unwrap(),
            project: Some(self.project.clone()),
            author: Author::Session { session: "s-22222".parse().unwrap(), run: number },
            said: Some(Told { source: Source::Submitted, said }),
            ..testkit::report(mission.parse().unwrap(), self.fleet.clock.now())
        };
        self.fleet.insert(&report).await;
        self.fleet.clock.advance(std::time::Duration::from_secs(1));
    }
}

fn titles(list: &Value) -> Vec<&str> {
    list.as_array().unwrap().iter().map(|row| row["title"].as_str().unwrap()).collect()
}

fn keys(value: &Value) -> Vec<&str> {
    value.as_object().unwrap().keys().map(String::as_str).collect()
}

#[tokio::test]
async fn an_agent_is_shown_its_project_with_how_many_missions_it_has_and_the_newest_ten() {
    let scene = Scene::new().await;
    for number in 2..=12 {
        scene.fleet.mission(&scene.lead, &scene.project, json!({ "title": number.to_string() })).await;
    }
    let (agent, _) = at_work(&scene.fleet, &scene.mission, With::default()).await;
    let shown = scene.fleet.json(&agent, "get_project_context", json!({})).await.unwrap();
    let expected = ["project_name", "project_path", "description", "total_missions", "recent_missions"];
    assert_eq!(keys(&shown), expected);
    assert_eq!((&shown["project_name"], &shown["total_missions"]), (&json!("shop"), &json!(12)));
    assert_eq!(titles(&shown["recent_missions"]), ["12", "11", "10", "9", "8", "7", "6", "5", "4", "3"]);
    assert_eq!(keys(&shown["recent_missions"][0]), ["id", "title", "status", "type"]);
}

#[tokio::test]
async fn an_agent_lists_the_twenty_most_urgent_missions_of_its_project_by_status() {
    let scene = Scene::new().await;
    for number in 0..25 {
        let said = json!({ "title": number.to_string(), "priority": number, "auto_dispatch": true });
        scene.fleet.mission(&scene.lead, &scene.project, said).await;
    }
    let (agent, _) = at_work(&scene.fleet, &scene.mission, With::default()).await;
    let listed = scene.fleet.json(&agent, "list_project_missions", json!({})).await.unwrap();
    assert_eq!((&listed["count"], titles(&listed["missions"])[0]), (&json!(20), "24"));
    assert_eq!(keys(&listed["missions"][0]), ["id", "title", "status", "type", "priority"]);
    let running = scene.fleet.json(&agent, "list_project_missions", json!({ "status": "running" })).await.unwrap();
    assert_eq!(titles(&running["missions"]), ["Add a cart"], "those of other projects are not shown");
}

#[tokio::test]
async fn an_agent_reads_the_last_five_reports_of_its_own_mission_and_of_others_of_its_project() {
    let scene = Scene::new().await;
    let sibling = scene.fleet.mission(&scene.lead, &scene.project, json!({})).await;
    for number in 1..=6 {
        scene.report(&scene.mission, number).await;
    }
    let (agent, _) = at_work(&scene.fleet, &scene.mission, With::default()).await;
    let history = scene.fleet.json(&agent, "get_session_history", json!({})).await.unwrap();
    let done: Vec<_> =
        history["reports"].as_array().unwrap().iter().map(|entry| entry["what_done"].as_str().unwrap()).collect();
    assert_eq!(done, ["Step 6.", "Step 5.", "Step 4.", "Step 3.", "Step 2."]);
    let entry = &history["reports"][0];
    let expected = ["created_at", "what_done", "what_open", "next_steps", "errors_encountered", "verdict", "reasons"];
    assert_eq!((keys(entry), &entry["verdict"]), (expected.to_vec(), &json!("unseen")));
    let named = scene.fleet.json(&agent, "get_session_history", json!({ "mission_id": sibling })).await.unwrap();
    assert_eq!(named, json!({ "reports": [], "count": 0 }));
}

#[tokio::test]
async fn an_agent_sees_those_who_work_beside_it_and_nobody_of_another_project_or_team() {
    let scene = Scene::new().await;
    let beside = scene.fleet.mission(&scene.lead, &scene.project, json!({ "title": "Add taxes" })).await;
    let (agent, _) = at_work(&scene.fleet, &scene.mission, With::default()).await;
    let alone = scene.fleet.json(&agent, "get_team_context", json!({})).await.unwrap();
    assert_eq!(alone, json!({ "agents": [], "count": 0 }));
    let (_, mate) = at_work(&scene.fleet, &beside, With::default()).await;
    at_work(&scene.fleet, &scene.elsewhere, With::default()).await;
    at_work(&scene.fleet, &scene.foreign, With::default()).await;
    let team = scene.fleet.json(&agent, "get_team_context", json!({})).await.unwrap();
    assert_eq!(team["count"], 1, "{team:#}");
    let shown = &team["agents"][0];
    assert_eq!(keys(shown), ["session_id", "mission_title", "project_name", "status", "started_at"]);
    let told = (&shown["session_id"], &shown["mission_title"], &shown["project_name"], &shown["status"]);
    assert_eq!(told, (&json!(mate), &json!("Add taxes"), &json!("shop"), &json!("running")));
}

#[tokio::test]
async fn what_is_of_another_project_or_team_is_for_an_agent_as_if_it_were_not() {
    let scene = Scene::new().await;
    scene.report(&scene.elsewhere, 1).await;
    let (agent, _) = at_work(&scene.fleet, &scene.mission, With::default()).await;
    let tools = [
        "get_mission_context",
        "get_project_context",
        "get_session_history",
        "get_sub_mission_status",
        "get_team_context",
        "list_project_missions",
        "read_past_reports",
    ];
    for tool in tools {
        for mission in [scene.elsewhere.as_str(), scene.foreign.as_str(), "m-22222"] {
            let refused = scene.fleet.json(&agent, tool, json!({ "mission_id": mission })).await.unwrap_err();
            assert_eq!(
                (refused.code, refused.message.as_str()),
                (Code::MISSION_NOT_FOUND, "Mission not found"),
                "{tool}"
            );
        }
        scene.fleet.json(&agent, tool, json!({ "mission_id": scene.mission })).await.unwrap();
    }
}

#[tokio::test]
async fn whoever_works_on_nothing_names_a_mission_of_its_team() {
    let scene = Scene::new().await;
    let person = known("alpha", "ann", Role::Worker);
    for tool in ["get_project_context", "get_session_history", "get_team_context", "list_project_missions"] {
        for caller in [&person, &scene.lead, &owner()] {
            let refused = scene.fleet.json(caller, tool, json!({})).await.unwrap_err();
            assert_eq!(refused.code, Code::SESSION_NOT_RUNNING, "{tool}");
            scene.fleet.json(caller, tool, json!({ "mission_id": scene.elsewhere })).await.unwrap();
        }
        let refused = scene.fleet.json(&person, tool, json!({ "mission_id": scene.foreign })).await.unwrap_err();
        assert_eq!(refused.code, Code::MISSION_NOT_FOUND, "{tool}");
    }
}

#[tokio::test]
async fn a_mission_without_a_project_has_none_to_show() {
    let scene = Scene::new().await;
    let task = scene.fleet.task(&scene.lead, "lead", json!({})).await;
    for tool in ["get_project_context", "list_project_missions"] {
        let refused = scene.fleet.json(&scene.lead, tool, json!({ "mission_id": task })).await.unwrap_err();
        assert_eq!(refused.code, Code::PROJECT_NOT_FOUND, "{tool}");
    }
}
