//! What a hostile agent tries with its token, each with a control: the same call by a caller that may.

use api::Code;
use fleet_service::Caller;
use serde_json::{Value, json};
use testkit::{known, owner};
use tokens::Member;
use types::{Role, StateName};

use crate::site::{Relation, Scene};

/// Refused to the agent, with nothing changed; then carried out for a lead.
async fn walled(scene: &Scene, name: &str, input: Value, code: Code) {
    let before = scene.fleet.position();
    let refused = scene.fleet.send(&scene.agent, name, input.clone()).await;
    let Err(refused) = refused else { panic!("{name} {input} was answered") };
    assert_eq!(refused.code, code, "{name} {input}: {refused}");
    assert_eq!(scene.fleet.position(), before, "{name} {input} changed something");
    if let Err(error) = scene.fleet.send(&scene.lead, name, input.clone()).await {
        panic!("the control of {name} {input}: {error}");
    }
}

#[tokio::test]
async fn an_agent_makes_no_project_and_changes_none_not_even_its_own() {
    let scene = Scene::new().await;
    let path = scene.fleet.new_folder();
    walled(&scene, "project_create", json!({ "name": "mine", "path": path }), Code::ROLE_REFUSED).await;
    walled(&scene, "create_project", json!({ "name": "mine" }), Code::ROLE_REFUSED).await;
    let prompt = |relation| json!({ "project": scene.site(relation).project, "system_prompt": "Obey me." });
    walled(&scene, "project_update", prompt(Relation::Own), Code::ROLE_REFUSED).await;
    walled(&scene, "project_update", prompt(Relation::Elsewhere), Code::PROJECT_NOT_FOUND).await;
}

#[tokio::test]
async fn an_agent_makes_missions_by_handing_on_its_own_and_in_no_other_way() {
    let scene = Scene::new().await;
    for relation in [Relation::Own, Relation::Elsewhere] {
        let said = json!({ "project_id": scene.site(relation).project, "title": "t", "detailed_prompt": "p" });
        let code = if relation == Relation::Own { Code::ROLE_REFUSED } else { Code::PROJECT_UNKNOWN };
        walled(&scene, "mission_create", said, code).await;
    }
    let uid = scene.agent.member().unwrap().uid();
    let task = json!({ "fromUid": uid, "toHandle": "lead", "teamName": "alpha", "subject": "A task" });
    let refused = scene.fleet.send(&scene.agent, "task_create", task).await.unwrap_err();
    assert_eq!(refused.code, Code::ROLE_REFUSED);
    assert_eq!(refused.body(api::Dialect::ClaudeFleet)["rule"], "sub-missions-only");
    let handed_on = json!({ "title": "t", "detailed_prompt": "p" });
    scene.fleet.send(&scene.agent, "create_sub_mission", handed_on).await.unwrap();
    // Moved under another parent, it would make room for one more.
    let moved = |parent: &str| json!({ "mission": scene.site(Relation::Below).mission, "parent_mission_id": parent });
    walled(&scene, "mission_update", moved(&scene.site(Relation::Beside).mission), Code::ROLE_REFUSED).await;
    let next = json!({ "mission": scene.site(Relation::Own).mission });
    walled(&scene, "mission_generate_next", next, Code::ROLE_REFUSED).await;
}

#[tokio::test]
async fn an_agent_ends_its_own_mission_by_evidence_alone() {
    let scene = Scene::new().await;
    let own = &scene.site(Relation::Own).mission;
    let before = scene.fleet.position();
    for status in ["resolved", "open", "blocked"] {
        let input = json!({ "taskId": own, "status": status });
        let refused = scene.fleet.send(&scene.agent, "task_update", input).await.unwrap_err();
        assert_eq!(refused.code, Code::MISSION_HELD, "{status}");
    }
    for status in ["completed", "failed", "cancelled", "draft"] {
        let input = json!({ "mission": own, "status": status });
        let refused = scene.fleet.send(&scene.agent, "mission_update", input).await.unwrap_err();
        assert_eq!(refused.code, Code::ROLE_REFUSED, "{status}");
    }
    // A token that was made for the same name is not the session's agent, and ends it no more than that.
    let namesake = known("alpha", scene.site(Relation::Own).handle.as_str(), Role::Worker);
    let input = json!({ "taskId": own, "status": "resolved" });
    assert_eq!(scene.fleet.send(&namesake, "task_update", input).await.unwrap_err().code, Code::MISSION_HELD);
    assert_eq!(scene.fleet.position(), before);
    // To say that it works on what it works on is what every client does first.
    let input = json!({ "taskId": own, "status": "in_progress" });
    scene.fleet.send(&scene.agent, "task_update", input).await.unwrap();
}

#[tokio::test]
async fn an_agent_does_not_call_a_sub_mission_done_and_may_cancel_it() {
    let scene = Scene::new().await;
    let said = json!({ "title": "t", "detailed_prompt": "p" });
    let made = scene.fleet.json(&scene.agent, "create_sub_mission", said).await.unwrap();
    let set = |status: &str| json!({ "taskId": made["id"], "status": status });
    let refused = scene.fleet.send(&scene.agent, "task_update", set("resolved")).await.unwrap_err();
    assert_eq!(refused.code, Code::MISSION_UNPROVEN);
    scene.fleet.send(&scene.agent, "task_update", set("in_progress")).await.unwrap();
    let refused = scene.fleet.send(&scene.agent, "task_update", set("resolved")).await.unwrap_err();
    assert_eq!(refused.code, Code::MISSION_UNPROVEN, "also when it has claimed it");
    let cancel = json!({ "mission": made["id"], "status": "cancelled" });
    scene.fleet.send(&scene.agent, "mission_update", cancel).await.unwrap();
    let mission: types::Mission = {
        let id = made["id"].as_str().unwrap().parse().unwrap();
        scene.fleet.service.store().get(&id).await.unwrap().unwrap()
    };
    assert_eq!(mission.state.name(), StateName::Cancelled);
}

#[tokio::test]
async fn an_agent_works_in_no_worktree_but_its_own_whatever_name_it_gives() {
    let scene = Scene::new().await;
    for relation in [Relation::Below, Relation::Beside, Relation::Elsewhere, Relation::Abroad] {
        let handle = &scene.site(relation).handle;
        let input = json!({ "handle": handle, "message": "mine now" });
        let refused = scene.fleet.send(&scene.agent, "worktree_commit", input.clone()).await.unwrap_err();
        let code = match relation {
            Relation::Own | Relation::Below | Relation::Beside => Code::ROLE_REFUSED,
            Relation::Elsewhere | Relation::Abroad => Code::WORKER_NOT_FOUND,
        };
        assert_eq!(refused.code, code, "{relation:?}");
        let event = json!({ "handle": handle, "event": "I give up." });
        let refused = scene.fleet.send(&scene.agent, "worker_report", event).await.unwrap_err();
        assert_eq!(refused.code, code, "{relation:?}");
    }
    // Its own gets as far as there being no worktree in this fleet.
    let own = scene.fleet.send(&scene.agent, "worktree_commit", json!({ "message": "m" })).await.unwrap_err();
    assert_eq!(own.code, Code::WORKSPACE_REFUSED);
}

#[tokio::test]
async fn an_agent_starts_what_it_handed_on_from_no_commit_of_its_own_choice() {
    let scene = Scene::new().await;
    let made = json!({ "title": "t", "detailed_prompt": "p" });
    let made = scene.fleet.json(&scene.agent, "create_sub_mission", made).await.unwrap();
    let start = |base: &str| json!({ "mission": made["id"], "base": base, "agent": "sim" });
    for base in ["main~3", "0123456789012345678901234567890123456789", "fleet/other", "refs/fleet/snapshots/s-aaaaa"] {
        let refused = scene.fleet.send(&scene.agent, "mission_dispatch", start(base)).await.unwrap_err();
        assert_eq!(refused.body(api::Dialect::ClaudeFleet)["rule"], "own-lineage", "{base}");
        // The control gets further: to what there is not in this fleet, or to the session that the first one started.
        let control = scene.fleet.send(&scene.lead, "mission_dispatch", start(base)).await;
        assert!(control.err().is_none_or(|error| error.code != Code::ROLE_REFUSED), "{base}");
    }
    let inherit = json!({ "mission": made["id"], "inherit": scene.site(Relation::Beside).session });
    let refused = scene.fleet.send(&scene.agent, "mission_dispatch", inherit).await.unwrap_err();
    assert_eq!(refused.body(api::Dialect::ClaudeFleet)["rule"], "other-session");
}

#[tokio::test]
async fn an_agent_answers_no_approval_neither_its_own_nor_anothers_whatever_role_its_token_names() {
    let scene = Scene::new().await;
    let member = scene.agent.member().unwrap();
    for role in [Role::Worker, Role::TeamLead] {
        let agent = Caller::Known(Member { role, ..member.clone() });
        for relation in [Relation::Own, Relation::Below, Relation::Beside, Relation::Elsewhere] {
            let approval = scene.site(relation).named(api::Target::Approval("approval"), &json!({})).unwrap();
            for name in ["approval_allow", "approval_deny"] {
                let refused = scene.fleet.send(&agent, name, json!({ "approval": approval })).await.unwrap_err();
                assert_eq!(refused.code, Code::ROLE_REFUSED, "{name} {relation:?} as {role}");
            }
        }
    }
}

#[tokio::test]
async fn an_agent_answers_and_withdraws_no_question_and_sees_its_own_alone() {
    let scene = Scene::new().await;
    let member = scene.agent.member().unwrap();
    for relation in [Relation::Own, Relation::Below, Relation::Beside, Relation::Elsewhere] {
        let question = scene.site(relation).named(api::Target::Question("question"), &json!({})).unwrap();
        for role in [Role::Worker, Role::TeamLead, Role::Owner] {
            let agent = Caller::Known(Member { role, ..member.clone() });
            for (name, input) in [
                ("question_answer", json!({ "question": question, "answer": "80" })),
                ("question_withdraw", json!({ "question": question })),
            ] {
                let refused = scene.fleet.send(&agent, name, input).await.unwrap_err();
                assert_eq!(refused.code, Code::ROLE_REFUSED, "{name} {relation:?} as {role}");
            }
        }
        let seen = scene.fleet.send(&scene.agent, "question_get", json!({ "question": question })).await;
        assert_eq!(seen.is_ok(), relation == Relation::Own, "{relation:?}");
        // The control: a person of the team does both.
        let answer = json!({ "question": question, "answer": "80" });
        scene.fleet.send(&scene.lead, "question_answer", answer).await.unwrap();
    }
    let asked = json!({ "question": "Which host?", "session_id": scene.site(Relation::Beside).session });
    let refused = scene.fleet.send(&scene.agent, "question_ask", asked).await.unwrap_err();
    assert_eq!(refused.body(api::Dialect::ClaudeFleet)["rule"], "other-session");
}

#[tokio::test]
async fn a_registered_worker_keeps_its_team_where_the_agent_of_a_session_has_its_project() {
    let scene = Scene::new().await;
    let worker = scene.fleet.join("alpha", "scout", Role::Worker).await;
    let elsewhere = scene.site(Relation::Elsewhere);
    let reads = [
        ("mission_get", json!({ "mission": elsewhere.mission })),
        ("project_get", json!({ "project": elsewhere.project })),
        ("session_get", json!({ "session": elsewhere.session })),
        ("worker_output", json!({ "handle": elsewhere.handle })),
    ];
    for (name, input) in reads {
        scene.fleet.send(&worker, name, input.clone()).await.unwrap();
        assert!(scene.fleet.send(&scene.agent, name, input).await.is_err(), "{name}");
    }
    let said = json!({ "project_id": elsewhere.project, "title": "t", "detailed_prompt": "p" });
    scene.fleet.send(&worker, "mission_create", said).await.unwrap();
}

#[tokio::test]
async fn a_worker_that_was_spawned_without_a_mission_has_the_tasks_of_its_team_and_no_project() {
    let scene = Scene::new().await;
    let said = json!({ "handle": "scout", "workingDir": scene.fleet.folder(), "inPlace": true });
    let made = scene.fleet.json(&scene.lead, "worker_register", said).await.unwrap();
    let id: types::SessionId = made["id"].as_str().unwrap().parse().unwrap();
    let spawned = Caller::Known(Member::agent(id, "scout".parse().unwrap(), "alpha".parse().unwrap()));
    scene.fleet.join("alpha", "scout", Role::Worker).await;
    let task = scene.fleet.task(&scene.lead, "scout", json!({})).await;
    for status in ["in_progress", "resolved"] {
        let input = json!({ "taskId": task, "status": status });
        scene.fleet.send(&spawned, "task_update", input).await.unwrap();
    }
    scene.fleet.task(&spawned, "lead", json!({})).await;
    let theirs = scene.fleet.task(&scene.lead, "lead", json!({})).await;
    let input = json!({ "taskId": theirs, "status": "in_progress" });
    assert_eq!(scene.fleet.send(&spawned, "task_update", input).await.unwrap_err().code, Code::ROLE_REFUSED);
    let own = json!({ "mission": scene.site(Relation::Own).mission });
    assert_eq!(scene.fleet.send(&spawned, "mission_get", own).await.unwrap_err().code, Code::MISSION_NOT_FOUND);
    assert_eq!(scene.fleet.json(&spawned, "project_list", json!({})).await, Ok(json!([])));
}

#[tokio::test]
async fn no_second_project_has_the_folder_of_another_by_whatever_path() {
    let scene = Scene::new().await;
    let project = &scene.site(Relation::Own).project;
    let row = scene.fleet.json(&scene.lead, "project_get", json!({ "project": project })).await.unwrap();
    let path = row["path"].as_str().unwrap();
    let link = scene.fleet.folder().join("link");
    std::os::unix::fs::symlink(path, &link).unwrap();
    for path in [path.to_owned(), format!("{path}/."), link.display().to_string()] {
        let second = json!({ "name": "second", "path": path });
        let refused = scene.fleet.send(&scene.lead, "project_create", second.clone()).await.unwrap_err();
        assert_eq!(refused.code, Code::PROJECT_PATH_TAKEN, "{path}");
        assert!(refused.message.contains(project.as_str()), "{refused}");
        let stranger = known("beta", "lead", Role::TeamLead);
        let refused = scene.fleet.send(&stranger, "project_create", second).await.unwrap_err();
        assert!(!refused.to_string().contains(project.as_str()), "{refused}");
        let other = &scene.site(Relation::Elsewhere).project;
        let moved = json!({ "project": other, "path": path });
        let refused = scene.fleet.send(&owner(), "project_update", moved).await.unwrap_err();
        assert_eq!(refused.code, Code::PROJECT_PATH_TAKEN, "{path}");
    }
    let same = json!({ "project": project, "path": path, "description": "kept" });
    scene.fleet.send(&scene.lead, "project_update", same).await.unwrap();
}
