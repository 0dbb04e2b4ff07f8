//! Every cell of `docs/reference/authorization.md` that is about agents: each operation, tried by the agent of a session
//! on what is its own, what it handed on, what is beside it, and what is foreign.

use std::collections::BTreeSet;
use std::time::Duration;

use api::{Access, Code, Effect, Target};
use fleet_service::{Answer, Reach, agent_reach};
use serde_json::{Value, json};

use crate::site::{RELATIONS, Relation, Scene};

/// How long a call may take; only to wait for a mission takes longer, since a test moves the clock of this fleet.
const WAIT: Duration = Duration::from_secs(2);

/// What the cell says of a relation.
fn is_within(reach: Reach, relation: Relation) -> bool {
    match reach {
        Reach::None => false,
        Reach::All => true,
        Reach::Team => relation != Relation::Abroad,
        Reach::Project => matches!(relation, Relation::Own | Relation::Below | Relation::Beside),
        Reach::OwnAndBelow => matches!(relation, Relation::Own | Relation::Below),
        Reach::Own | Reach::OwnQuestions => relation == Relation::Own,
        Reach::Below => relation == Relation::Below,
    }
}

/// Whether a call was refused for who asked, and not for what there is.
fn is_refusal(error: &api::Error) -> bool {
    let hides = [
        Code::APPROVAL_NOT_FOUND,
        Code::DEPENDENCY_UNKNOWN,
        Code::EXECUTION_NOT_FOUND,
        Code::LANDING_NOT_FOUND,
        Code::MISSION_NOT_FOUND,
        Code::NOT_A_MEMBER,
        Code::POLICY_NOT_FOUND,
        Code::PROJECT_NOT_FOUND,
        Code::PROJECT_UNKNOWN,
        Code::QUESTION_NOT_FOUND,
        Code::RECORD_NOT_FOUND,
        Code::REPORT_NOT_FOUND,
        Code::ROLE_REFUSED,
        Code::SERVER_NOT_FOUND,
        Code::SESSION_NOT_FOUND,
        Code::WORKER_NOT_FOUND,
        Code::WORKFLOW_NOT_FOUND,
    ];
    hides.contains(&error.code)
}

fn text(answer: &Result<Answer, api::Error>) -> String {
    match answer {
        Ok(answer) => String::from_utf8(answer.body.to_vec()).unwrap(),
        Err(error) => error.body(api::Dialect::ClaudeFleet).to_string(),
    }
}

#[tokio::test]
async fn an_agent_may_call_every_operation_on_exactly_what_its_cell_says() {
    let mut scene = Scene::new().await;
    let mut whole = scene.fleet.position();
    for binding in testkit::bindings().filter(|binding| binding.spec.targets != [Target::Seen]) {
        for relation in RELATIONS {
            if scene.fleet.position() != whole || binding.spec.effect == Effect::Remove {
                scene = Scene::new().await;
                whole = scene.fleet.position();
            }
            let site = scene.site(relation);
            let input = site.input(binding, &scene.fleet, &scene.agent);
            // A tool that names no target means the caller's own.
            let own = scene.site(Relation::Own).input(binding, &scene.fleet, &scene.agent);
            if relation != Relation::Own && input == own && agent_reach(&binding.spec) != Reach::None {
                continue;
            }
            let answer = scene.fleet.send(&scene.agent, binding.name, input.clone());
            // Who waits for a mission that is at work was let in.
            let Ok(answer) = tokio::time::timeout(WAIT, answer).await else {
                assert!(binding.spec.name == "mission_wait" && is_within(Reach::Project, relation), "{}", binding.name);
                continue;
            };
            let case = format!("{} on {relation:?}: {input} gave {}", binding.name, text(&answer));
            let refused = answer.as_ref().is_err_and(is_refusal);
            assert_eq!(refused, !is_within(agent_reach(&binding.spec), relation), "{case}");
            if refused {
                assert_eq!(scene.fleet.position(), whole, "{case}, and changed something");
            }
        }
    }
}

#[tokio::test]
async fn what_is_foreign_to_an_agent_is_refused_in_the_words_for_what_does_not_exist() {
    let scene = Scene::new().await;
    let waits = |binding: &fleet_service::Binding| binding.spec.name == "mission_wait";
    for binding in testkit::bindings().filter(|binding| binding.tool.is_none() && !waits(binding)) {
        let Some((target, field)) = binding.spec.targets.first().and_then(|it| Some((*it, it.field()?))) else {
            continue;
        };
        if matches!(target, Target::Team(_)) || !fleet_service::may(binding.spec.access, types::Role::Worker, true) {
            continue;
        }
        for relation in [Relation::Elsewhere, Relation::Abroad] {
            let site = scene.site(relation);
            let mut input = site.input(binding, &scene.fleet, &scene.agent);
            let foreign = scene.fleet.send(&scene.agent, binding.name, input.clone()).await;
            let named = site.named(target, &binding.example).unwrap();
            let absent = if named.contains('-') && named.len() == 7 {
                format!("{}-22222", &named[..1])
            } else {
                "nobody".to_owned()
            };
            input[field] = absent.clone().into();
            let missing = scene.fleet.send(&scene.agent, binding.name, input).await;
            assert_eq!(text(&foreign).replace(&named, &absent), text(&missing), "{} on {relation:?}", binding.name);
        }
    }
}

/// Every way to ask for a list: as it is, and filtered by each of its fields to something foreign.
fn questions(scene: &Scene, binding: &fleet_service::Binding) -> Vec<Value> {
    let mut all = vec![json!({})];
    for site in &scene.sites {
        let example = site.input(binding, &scene.fleet, &scene.agent);
        all.push(example.clone());
        for (field, value) in [
            ("project_id", json!(site.project)),
            ("mission_id", json!(site.mission)),
            ("parent_mission_id", json!(site.mission)),
            ("session_id", json!(site.session)),
            ("handle", json!(site.handle)),
            ("tag", json!("t")),
            ("status", json!("running")),
            ("status", json!("draft")),
            ("filter", json!("all")),
        ] {
            all.push(json!({ field: value }));
            let mut more = example.clone();
            more[field] = value;
            all.push(more);
        }
        all.extend(site.ids().into_iter().map(|id| json!({ "prefix": id })));
        all.push(json!({ "query": site.secret }));
    }
    all
}

#[tokio::test]
async fn nothing_foreign_appears_in_any_list_or_search_or_answer_of_an_agent() {
    let scene = Scene::new().await;
    let foreign: BTreeSet<String> = [Relation::Elsewhere, Relation::Abroad]
        .into_iter()
        .map(|relation| scene.site(relation))
        .flat_map(|site| site.ids().into_iter().chain([site.secret.clone(), site.project.to_string()]))
        .collect();
    let (mut answered, mut shown) = (0, 0);
    let reads = |binding: &&fleet_service::Binding| binding.spec.effect == Effect::Read;
    // To wait shows what `mission_get` does.
    for binding in testkit::bindings().filter(reads).filter(|binding| binding.spec.name != "mission_wait") {
        for question in questions(&scene, binding) {
            let Ok(answer) = scene.fleet.send(&scene.agent, binding.name, question.clone()).await else { continue };
            answered += 1;
            let body = String::from_utf8(answer.body.to_vec()).unwrap();
            shown += usize::from(body.contains(&scene.site(Relation::Own).secret));
            // What was asked for may be repeated.
            let asked = question.to_string();
            for told in foreign.iter().filter(|text| !asked.contains(*text)) {
                assert!(!body.contains(told.as_str()), "{} {question} tells of {told}: {body}", binding.name);
            }
            let rows = body.matches("secret-elsewhere").count() + body.matches("secret-abroad").count();
            assert!(rows == 0, "{} {question}: {body}", binding.name);
        }
    }
    assert!(answered > 300 && shown > 50, "{answered} answered, {shown} of them about its own");
}

/// The control: a caller that may see the other project is shown it by the same questions.
#[tokio::test]
async fn a_lead_is_shown_by_the_same_questions_what_an_agent_is_not() {
    let scene = Scene::new().await;
    let mut telling = BTreeSet::new();
    for binding in testkit::bindings().filter(|binding| binding.spec.targets == [Target::Seen]) {
        for question in questions(&scene, binding) {
            let answer = scene.fleet.send(&scene.lead, binding.name, question).await;
            if text(&answer).contains("secret-elsewhere") {
                telling.insert(binding.name);
            }
        }
    }
    for name in
        ["mission_list", "session_list", "report_list", "landing_list", "approval_list", "question_list", "policy_list"]
    {
        assert!(telling.contains(name), "{name} in {telling:?}");
    }
    for name in ["project_list", "lineage_search", "mission_children", "mcp_server_list", "id_resolve"] {
        assert!(telling.contains(name) || name == "mission_children", "{name} in {telling:?}");
    }
}

#[test]
fn the_reference_has_a_row_for_every_operation() {
    let specs = api::specs();
    let page = fleet_service::authorization_reference(&specs);
    for spec in &specs {
        assert!(page.contains(&format!("| `{}` |", spec.name)), "{}", spec.name);
    }
    let public: Vec<_> = specs.iter().filter(|spec| spec.access == Access::Public).map(|spec| spec.name).collect();
    assert_eq!(public, ["health", "auth"]);
}
