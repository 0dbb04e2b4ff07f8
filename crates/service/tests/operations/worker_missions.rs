//! Workers on any repository: whose they are, where they may work, what they may spend; and what a hostile agent tries
//! with them, each with a control by a caller that may.

use std::path::Path;

use api::{Code, Error};
use fleet_service::Caller;
use serde_json::{Value, json};
use testkit::{Fleet, owner};
use types::{Limits, Mission, MissionId};

use crate::at_work::{With, at_work};
use crate::site::{Relation, Scene};

/// Makes a repository of a folder, with one commit.
fn make_repository(folder: &Path) {
    for arguments in [
        &["init", "--quiet", "--initial-branch=main"][..],
        &[
            "-c",
            "user.name=Ann",
            "-c",
            "user.email=ann@example.org",
            "commit",
            "--quiet",
            "--allow-empty",
            "-m",
            "begin",
        ],
    ] {
        #[expect(clippy::disallowed_methods, reason = "the test stands where a person would")]
        let made = std::process::Command::new("git").args(arguments).current_dir(folder).output().unwrap();
        assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    }
}

async fn path_of(scene: &Scene, relation: Relation) -> String {
    let project = json!({ "project": scene.site(relation).project });
    let shown = scene.fleet.json(&owner(), "project_get", project).await.unwrap();
    shown["path"].as_str().unwrap().to_owned()
}

/// The scene with a repository for each project.
async fn scene() -> Scene {
    let scene = Scene::new().await;
    scene.fleet.install("claude");
    for relation in [Relation::Own, Relation::Elsewhere, Relation::Abroad] {
        make_repository(Path::new(&path_of(&scene, relation).await));
    }
    scene
}

async fn create(fleet: &Fleet, caller: &Caller, path: &str, more: Value) -> Result<Value, Error> {
    let mut said = json!({ "repo_path": path, "task_name": "cart", "prompt": "Add a cart.", "executor": "claude" });
    said.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    fleet.json(caller, "create_worker", said).await
}

/// Refuses the agent, with nothing changed.
async fn refused(scene: &Scene, path: &str, more: Value, code: Code) {
    let before = scene.fleet.position();
    let refused = create(&scene.fleet, &scene.agent, path, more.clone()).await.unwrap_err();
    assert_eq!(refused.code, code, "{path} {more}: {refused}");
    assert_eq!(scene.fleet.position(), before, "{path} {more} changed something");
}

async fn stored(fleet: &Fleet, id: &Value) -> Mission {
    let id: MissionId = id.as_str().unwrap().parse().unwrap();
    fleet.service.store().get::<Mission>(&id).await.unwrap().unwrap()
}

#[tokio::test]
async fn an_agent_starts_workers_in_its_own_repository_alone_and_learns_nothing_of_others() {
    let scene = scene().await;
    let unknown = scene.fleet.new_folder();
    make_repository(&unknown);
    let elsewhere = path_of(&scene, Relation::Elsewhere).await;
    let abroad = path_of(&scene, Relation::Abroad).await;
    // A link in its own folder that leads out of it.
    let own = path_of(&scene, Relation::Own).await;
    std::os::unix::fs::symlink(&elsewhere, Path::new(&own).join("out")).unwrap();
    let out = format!("{own}/out");
    let missing = "/no/such/folder".to_owned();
    for path in [&elsewhere, &abroad, &unknown.to_string_lossy().into_owned(), &out, &missing] {
        refused(&scene, path, json!({}), Code::ROLE_REFUSED).await;
    }
    // The controls: its own, and a lead's.
    let made = create(&scene.fleet, &scene.agent, &own, json!({})).await.unwrap();
    let project = scene.site(Relation::Own).project.clone();
    assert_eq!(stored(&scene.fleet, &made["worker_id"]).await.project, Some(project));
    for path in [&elsewhere, &unknown.to_string_lossy().into_owned(), &out] {
        create(&scene.fleet, &scene.lead, path, json!({})).await.unwrap_or_else(|error| panic!("{path}: {error}"));
    }
    let refused = create(&scene.fleet, &scene.lead, &abroad, json!({})).await.unwrap_err();
    assert_eq!(refused.code, Code::PROJECT_PATH_TAKEN, "it is another team's");
}

#[tokio::test]
async fn an_agents_worker_is_a_part_of_its_own_mission_whatever_it_says() {
    let scene = scene().await;
    let own = path_of(&scene, Relation::Own).await;
    let parent = |relation| json!({ "parent_worker_id": scene.site(relation).mission });
    refused(&scene, &own, parent(Relation::Below), Code::ACTOR_MISMATCH).await;
    refused(&scene, &own, parent(Relation::Beside), Code::ROLE_REFUSED).await;
    refused(&scene, &own, parent(Relation::Elsewhere), Code::MISSION_NOT_FOUND).await;
    refused(&scene, &own, json!({ "extra_args": ["--dangerous"] }), Code::ROLE_REFUSED).await;
    refused(&scene, &own, json!({ "base_ref": "refs/heads/other" }), Code::WORKSPACE_REFUSED).await;
    let silent = create(&scene.fleet, &scene.agent, &own, json!({})).await.unwrap();
    assert_eq!(silent["parent_worker_id"], json!(scene.site(Relation::Own).mission));
    let again = create(&scene.fleet, &scene.agent, &own, parent(Relation::Own)).await.unwrap();
    assert_eq!(again["worker_id"], silent["worker_id"], "the same words make one worker");
    let other = create(&scene.fleet, &scene.agent, &own, json!({ "executor": "gemini" })).await;
    assert_eq!(other.unwrap_err().code, Code::AGENT_UNREADY, "another executor is another worker");
    for relation in [Relation::Beside, Relation::Below] {
        let made = create(&scene.fleet, &scene.lead, &own, parent(relation)).await.unwrap();
        assert_eq!(made["parent_worker_id"], json!(scene.site(relation).mission), "the control");
    }
    let said = json!({ "extra_args": ["--verbose"], "base_ref": "main" });
    let made = create(&scene.fleet, &scene.lead, &own, said).await.unwrap();
    let mission = stored(&scene.fleet, &made["worker_id"]).await;
    assert_eq!(
        (mission.worker.unwrap().extra_args, mission.base.as_deref()),
        (vec!["--verbose".to_owned()], Some("main"))
    );
}

#[tokio::test]
async fn an_agent_ends_cleans_up_and_reads_no_foreign_worker() {
    let scene = scene().await;
    let of = |relation| json!({ "worker_id": scene.site(relation).mission });
    for tool in ["cancel_worker", "cleanup_worker"] {
        for (relation, code) in [
            (Relation::Own, Code::ROLE_REFUSED),
            (Relation::Beside, Code::ROLE_REFUSED),
            (Relation::Elsewhere, Code::MISSION_NOT_FOUND),
            (Relation::Abroad, Code::MISSION_NOT_FOUND),
        ] {
            let before = scene.fleet.position();
            let refused = scene.fleet.json(&scene.agent, tool, of(relation)).await.unwrap_err();
            assert_eq!((refused.code, scene.fleet.position()), (code, before), "{tool} {relation:?}");
        }
    }
    for relation in [Relation::Elsewhere, Relation::Abroad] {
        for tool in ["get_worker_status", "collect_worker_result"] {
            let mut with = of(relation);
            if tool == "collect_worker_result" {
                with["include_logs"] = json!(true);
            }
            let refused = scene.fleet.json(&scene.agent, tool, with.clone()).await.unwrap_err();
            assert_eq!(refused.code, Code::MISSION_NOT_FOUND, "{tool} {relation:?}");
            let shown = scene.fleet.json(&owner(), tool, with).await.unwrap();
            assert!(shown.to_string().contains(&scene.site(relation).secret), "the control: {shown}");
        }
    }
    // What it handed on is its own to end, and a lead ends what is beside it.
    let ended = scene.fleet.json(&scene.agent, "cancel_worker", of(Relation::Below)).await.unwrap();
    assert_eq!(ended["status"], "cancelled");
    scene.fleet.json(&scene.agent, "cleanup_worker", of(Relation::Below)).await.unwrap();
    let ended = scene.fleet.json(&scene.lead, "cancel_worker", of(Relation::Beside)).await.unwrap();
    assert_eq!(ended["status"], "cancelled");
}

#[tokio::test]
async fn workers_go_as_deep_as_the_settings_allow_and_no_deeper() {
    let scene = scene().await;
    let own = path_of(&scene, Relation::Own).await;
    scene.fleet.set(|settings| settings.max_spawn_depth = 1);
    let child = create(&scene.fleet, &scene.agent, &own, json!({})).await.unwrap();
    let preset = With { preset: Some("implement"), ..With::default() };
    let (agent, _) = at_work(&scene.fleet, child["worker_id"].as_str().unwrap(), preset).await;
    let deeper = || create(&scene.fleet, &agent, &own, json!({ "task_name": "deeper" }));
    assert_eq!(deeper().await.unwrap_err().code, Code::SUB_MISSIONS_FULL);
    scene.fleet.set(|settings| settings.max_spawn_depth = 2);
    deeper().await.unwrap();
    scene.fleet.set(|settings| settings.max_spawn_depth = 0);
    refused(&scene, &own, json!({ "task_name": "another" }), Code::SUB_MISSIONS_FULL).await;
}

#[tokio::test]
async fn a_repository_outside_of_the_allowed_folders_is_refused_also_behind_a_link() {
    let scene = scene().await;
    let (own, elsewhere) = (path_of(&scene, Relation::Own).await, path_of(&scene, Relation::Elsewhere).await);
    let allowed = scene.fleet.new_folder();
    std::os::unix::fs::symlink(&elsewhere, allowed.join("link")).unwrap();
    let link = allowed.join("link").to_string_lossy().into_owned();
    // The control: where no folder is named, all are allowed.
    create(&scene.fleet, &scene.lead, &link, json!({})).await.unwrap();
    let folders = vec![allowed.to_string_lossy().into_owned(), own.clone()];
    scene.fleet.set(move |settings| settings.allowed_repos = folders);
    for path in [&elsewhere, &link] {
        let refused = create(&scene.fleet, &scene.lead, path, json!({})).await.unwrap_err();
        assert_eq!(refused.code, Code::REPO_NOT_ALLOWED, "{path}");
        let project = json!({ "name": "another", "path": path });
        let refused = scene.fleet.json(&scene.lead, "project_create", project).await.unwrap_err();
        assert_eq!(refused.code, Code::REPO_NOT_ALLOWED, "{path}");
    }
    let mission = scene.fleet.mission(&scene.lead, &scene.site(Relation::Elsewhere).project, json!({})).await;
    let start = json!({ "mission": mission, "agent": "claude" });
    let refused = scene.fleet.json(&scene.lead, "mission_dispatch", start).await.unwrap_err();
    assert_eq!(refused.code, Code::REPO_NOT_ALLOWED, "a project that was there before");
    create(&scene.fleet, &scene.lead, &own, json!({})).await.unwrap();
    create(&scene.fleet, &scene.agent, &own, json!({})).await.unwrap();
}

#[tokio::test]
async fn what_an_agent_hands_on_is_taken_off_its_own_budget_at_once() {
    let scene = scene().await;
    let own = path_of(&scene, Relation::Own).await;
    let project = scene.site(Relation::Own).project.clone();
    let said = json!({ "max_budget_usd": 8.0, "max_tokens": 800 });
    let root = scene.fleet.mission(&scene.lead, &project, said).await;
    let limits = Limits { dollars_max: Some(8.0), tokens_max: Some(800), ..Limits::default() };
    let (agent, _) = at_work(&scene.fleet, &root, With { preset: Some("implement"), limits }).await;
    let mut given = (0.0, 0);
    for (number, dollars, tokens) in [(1, 4.0, 400), (2, 2.0, 200), (3, 1.0, 100)] {
        let more = json!({ "task_name": format!("part {number}"), "timeout_seconds": 60 });
        let made = create(&scene.fleet, &agent, &own, more).await.unwrap();
        let child = stored(&scene.fleet, &made["worker_id"]).await;
        let expected =
            Limits { dollars_max: Some(dollars), tokens_max: Some(tokens), secs_max: Some(60), ..Limits::default() };
        assert_eq!(child.limits, expected);
        given = (given.0 + dollars, given.1 + tokens);
        let parent = stored(&scene.fleet, &json!(root)).await;
        let budget = sessions::own_budget(&parent).unwrap();
        let left = budget.left(scene.fleet.clock.now());
        let expected = (Some(8.0 - given.0), Some(800 - given.1));
        assert_eq!((left.dollars_max, left.tokens_max), expected, "what is left for itself");
    }
}
