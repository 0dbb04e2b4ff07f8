//! Sub-missions: within the creator's rights, created once however often requested, and without blocking other agents.

use std::sync::Arc;

use api::Code;
use fleet_service::Caller;
use kv::{Faulty, MemEngine};
use serde_json::{Value, json};
use testkit::{Fleet, fleet, known, owner};
use types::{LandMode, Limits, Mission, MissionId, ProjectId, Role, SessionId};

use crate::at_work::{With, at_work};

/// A mission, and an agent at work on it.
pub(crate) struct Scene {
    pub(crate) fleet: Fleet,
    pub(crate) lead: Caller,
    pub(crate) project: ProjectId,
    pub(crate) mission: String,
    pub(crate) agent: Caller,
    pub(crate) session: SessionId,
}

impl Scene {
    pub(crate) async fn new() -> Self {
        Self::with(With { preset: Some("implement"), ..With::default() }).await
    }

    async fn with(with: With<'_>) -> Self {
        Self::over(fleet().await, with).await
    }

    async fn over(fleet: Fleet, with: With<'_>) -> Self {
        let lead = fleet.join("alpha", "lead", Role::TeamLead).await;
        let project = fleet.project(&lead, "shop").await;
        let said = json!({ "title": "Add a cart", "land": "review", "agent": "codex", "model": "small" });
        let mission = fleet.mission(&lead, &project, said).await;
        let (agent, session) = at_work(&fleet, &mission, with).await;
        Self { fleet, lead, project, mission, agent, session }
    }

    pub(crate) async fn hand_on(&self, more: Value) -> Result<Value, api::Error> {
        self.fleet.json(&self.agent, "create_sub_mission", said(more)).await
    }

    pub(crate) async fn status(&self) -> Value {
        self.fleet.json(&self.agent, "get_sub_mission_status", json!({})).await.unwrap()["sub_missions"].clone()
    }

    async fn row(&self, id: &Value) -> Value {
        self.fleet.json(&self.lead, "mission_get", json!({ "mission": id })).await.unwrap()
    }

    pub(crate) async fn why(&self, id: &Value) -> String {
        let why = self.fleet.json(&self.lead, "mission_why", json!({ "mission": id })).await.unwrap();
        why["why"].as_str().unwrap().to_owned()
    }

    async fn children(&self) -> usize {
        let rows = self.fleet.json(&owner(), "mission_children", json!({ "mission": self.mission })).await.unwrap();
        rows.as_array().unwrap().len()
    }

    async fn stored(&self, id: &Value) -> Mission {
        let id: MissionId = id.as_str().unwrap().parse().unwrap();
        self.fleet.service.store().get::<Mission>(&id).await.unwrap().unwrap()
    }
}

fn said(more: Value) -> Value {
    let mut said = json!({ "title": "Add taxes", "detailed_prompt": "Add taxes to the cart." });
    said.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    said
}

pub(crate) fn keys(value: &Value) -> Vec<&str> {
    value.as_object().unwrap().keys().map(String::as_str).collect()
}

#[tokio::test]
async fn what_is_handed_on_is_of_the_same_project_starts_by_itself_and_goes_the_same_way_as_its_parent() {
    let scene = Scene::new().await;
    let made = scene.hand_on(json!({ "acceptance_criteria": "They are right." })).await.unwrap();
    assert_eq!(keys(&made), ["id", "title", "status", "note"]);
    assert_eq!((&made["title"], &made["status"]), (&json!("Add taxes"), &json!("queued")));
    let row = scene.row(&made["id"]).await;
    let expected = json!({
        "project_id": scene.project, "parent_mission_id": scene.mission, "detailed_prompt": "Add taxes to the cart.",
        "acceptance_criteria": "They are right.", "mission_type": "implement", "priority": 2,
        "tags": "[\"sub-mission\"]", "depends_on": "[]", "auto_dispatch": 1, "agent": "codex",
        "model": "small", "callback_url": "", "schedule_cron": null,
    });
    for (field, value) in expected.as_object().unwrap() {
        assert_eq!(row[field], *value, "{field}");
    }
    assert_eq!(scene.stored(&made["id"]).await.land, Some(LandMode::Review));
    let later = scene.hand_on(json!({ "title": "Test it", "wait_for_me": true, "priority": 7 })).await.unwrap();
    let row = scene.row(&later["id"]).await;
    assert_eq!((&row["depends_on"], &row["priority"]), (&json!(format!("[\"{}\"]", scene.mission)), &json!(7)));
    assert!(scene.why(&later["id"]).await.contains("waits for mission"), "its parent is not done");
}

#[tokio::test]
async fn a_review_starts_once_its_parent_is_done_and_only_reads() {
    let scene = Scene::new().await;
    let description = format!("Is the total right?\n{}", "x".repeat(80));
    let asked = json!({ "description": description, "files_to_review": "src/cart.rs" });
    let made = scene.fleet.json(&scene.agent, "request_review", asked.clone()).await.unwrap();
    assert_eq!(keys(&made), ["id", "title", "note"]);
    let title = format!("Review: Is the total right? {}", "x".repeat(40));
    assert_eq!(made["title"], json!(title));
    let row = scene.row(&made["id"]).await;
    let depends_on = json!(format!("[\"{}\"]", scene.mission));
    let told = (&row["mission_type"], &row["priority"], &row["tags"], &row["depends_on"], &row["allowed_tools"]);
    assert_eq!(told, (&json!("review"), &json!(3), &json!("[\"review\"]"), &depends_on, &json!("")));
    let prompt = row["detailed_prompt"].as_str().unwrap();
    assert!(
        prompt.contains("Add a cart") && prompt.contains(&description) && prompt.contains("src/cart.rs"),
        "{prompt}"
    );
    let again = scene.fleet.json(&scene.agent, "request_review", asked).await.unwrap();
    assert_eq!((&again["id"], scene.children().await), (&made["id"], 1));
}

#[tokio::test]
async fn what_is_said_twice_is_made_once_and_what_is_said_otherwise_is_another() {
    let scene = Scene::new().await;
    let (one, two) = tokio::join!(scene.hand_on(json!({})), scene.hand_on(json!({})));
    let (one, two) = (one.unwrap(), two.unwrap());
    assert_eq!((&one["id"], scene.children().await), (&two["id"], 1));
    // A lead may have given it another name meanwhile.
    let renamed = json!({ "mission": one["id"], "title": "Add all taxes" });
    scene.fleet.json(&scene.lead, "mission_update", renamed).await.unwrap();
    let again = scene.hand_on(json!({})).await.unwrap();
    assert_eq!((&again["id"], &again["title"]), (&one["id"], &json!("Add all taxes")));
    assert!(again["note"].as_str().unwrap().contains("said exactly this before"), "{again}");
    for other in [
        json!({ "title": "Add taxes." }),
        json!({ "detailed_prompt": "Add them." }),
        json!({ "mission_type": "fix" }),
        json!({ "wait_for_me": true }),
        json!({ "acceptance_criteria": "They are right." }),
    ] {
        assert_ne!(scene.hand_on(other).await.unwrap()["id"], one["id"]);
    }
    assert_eq!(scene.children().await, 6);
}

#[tokio::test]
async fn however_often_answers_are_lost_one_mission_is_made() {
    for seed in 0..30 {
        let engine = Arc::new(Faulty::new(MemEngine::new(), seed));
        engine.calm();
        let scene = Scene::over(Fleet::over(engine.clone(), 1).await, With::default()).await;
        engine.disturb();
        let mut tries = 0;
        while scene.hand_on(json!({})).await.is_err() {
            tries += 1;
            assert!(tries < 1_000, "seed {seed}");
        }
        engine.calm();
        assert_eq!(scene.children().await, 1, "seed {seed}");
    }
}

#[tokio::test]
async fn nobody_is_given_tools_that_the_giver_has_not() {
    let scene = Scene::with(With { preset: Some("review"), ..With::default() }).await;
    let before = scene.fleet.position();
    for kind in ["implement", "fix", "test", "explore"] {
        let refused = scene.hand_on(json!({ "mission_type": kind })).await.unwrap_err();
        assert_eq!(refused.code, Code::ROLE_REFUSED, "{kind}");
    }
    assert_eq!(scene.fleet.position(), before, "a refusal changed something");
    let made = scene.hand_on(json!({ "mission_type": "review" })).await.unwrap();
    assert_eq!(scene.row(&made["id"]).await["mission_type"], "review");
    let wrong = scene.hand_on(json!({ "mission_type": "full" })).await.unwrap_err();
    assert_eq!(wrong.code, Code::FIELDS_INVALID);
}

#[tokio::test]
async fn a_review_has_of_the_tools_of_reviews_those_that_the_giver_has() {
    let scene = Scene::with(With { preset: Some("test"), ..With::default() }).await;
    let asked = json!({ "description": "Do they test it?" });
    let made = scene.fleet.json(&scene.agent, "request_review", asked).await.unwrap();
    let row = scene.row(&made["id"]).await;
    assert_eq!((&row["mission_type"], &row["allowed_tools"]), (&json!("review"), &json!(r#"["Read","Grep","Glob"]"#)));
}

#[tokio::test]
async fn sub_missions_share_the_money_that_their_parent_has_left_and_none_gets_more_turns() {
    let limits = Limits { dollars_max: Some(4.0), tokens_max: Some(1000), turns_max: Some(10), secs_max: Some(600) };
    let scene = Scene::with(With { limits, ..With::default() }).await;
    let expected = [(2.0, 500), (1.0, 250), (0.5, 125)];
    for (number, (dollars, tokens)) in expected.into_iter().enumerate() {
        let made = scene.hand_on(json!({ "title": number.to_string() })).await.unwrap();
        let share = Limits { dollars_max: Some(dollars), tokens_max: Some(tokens), ..limits };
        assert_eq!(scene.stored(&made["id"]).await.limits, share, "{number}");
    }
    let mut more = 0;
    let refused = loop {
        match scene.hand_on(json!({ "title": format!("more {more}") })).await {
            Ok(_) => more += 1,
            Err(refused) => break refused,
        }
    };
    assert_eq!(refused.code, Code::BUDGET_USED_UP, "{refused}");
    let spent = expected.len() + more;
    assert_eq!(scene.children().await, spent, "a refusal made one");
}

#[tokio::test]
async fn there_is_an_end_to_how_many_and_to_how_deep() {
    let scene = Scene::new().await;
    for number in 0..missions::CHILDREN_MAX {
        scene.hand_on(json!({ "title": number.to_string() })).await.unwrap();
    }
    let refused = scene.hand_on(json!({})).await.unwrap_err();
    assert_eq!(refused.code, Code::SUB_MISSIONS_FULL, "{refused}");
    assert_eq!(
        scene.hand_on(json!({ "title": "3" })).await.unwrap()["title"],
        "3",
        "what is there is found all the same"
    );

    let (mut agent, mut made) = (scene.agent.clone(), scene.hand_on(json!({ "title": "0" })).await);
    for depth in 1..=scene.fleet.service.settings().max_spawn_depth {
        let id = made.unwrap_or_else(|error| panic!("depth {depth}: {error}"))["id"].as_str().unwrap().to_owned();
        agent = at_work(&scene.fleet, &id, With::default()).await.0;
        made = scene.fleet.json(&agent, "create_sub_mission", said(json!({}))).await;
    }
    assert_eq!(made.unwrap_err().code, Code::SUB_MISSIONS_FULL);
    let review = scene.fleet.json(&agent, "request_review", json!({ "description": "It." })).await.unwrap_err();
    assert_eq!(review.code, Code::SUB_MISSIONS_FULL);
}

#[tokio::test]
async fn only_whoever_works_on_a_mission_hands_it_on() {
    let scene = Scene::new().await;
    let stranger = known("beta", "lead", Role::TeamLead);
    let worker = scene.fleet.join("alpha", "scout-2", Role::Worker).await;
    let idle = scene.fleet.mission(&scene.lead, &scene.project, json!({})).await;
    let named = |mission: &str| said(json!({ "mission_id": mission }));
    let call = async |caller: &Caller, input: Value| {
        scene.fleet.json(caller, "create_sub_mission", input).await.map(|made| made["id"].clone()).map_err(|e| e.code)
    };
    let before = scene.fleet.position();
    assert_eq!(call(&worker, said(json!({}))).await, Err(Code::SESSION_NOT_RUNNING));
    assert_eq!(call(&worker, named(&scene.mission)).await, Err(Code::MISSION_HELD));
    assert_eq!(call(&worker, named(&idle)).await, Err(Code::MISSION_HELD));
    assert_eq!(call(&stranger, named(&scene.mission)).await, Err(Code::MISSION_NOT_FOUND));
    assert_eq!(call(&scene.agent, named("m-22222")).await, Err(Code::MISSION_NOT_FOUND));
    assert_eq!(call(&scene.agent, named(&idle)).await, Err(Code::ROLE_REFUSED), "its token is of its own mission");
    assert_eq!(scene.fleet.position(), before, "a refusal changed something");

    // An agent that Fleet did not start, and that holds a mission.
    scene.fleet.json(&worker, "task_update", json!({ "taskId": idle, "status": "in_progress" })).await.unwrap();
    let made = call(&worker, named(&idle)).await.unwrap();
    assert_eq!(scene.row(&made).await["parent_mission_id"], json!(idle));

    // What is said for a session that is over is not heard.
    let who = "lead".parse().unwrap();
    scene.fleet.service.sessions().stop(&scene.session, &who).await.unwrap();
    assert_eq!(call(&scene.agent, said(json!({}))).await, Err(Code::TOKEN_EXPIRED));
}
