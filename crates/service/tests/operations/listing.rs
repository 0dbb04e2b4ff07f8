//! Lists against a model: every filter, every page size, the same rows in the same order.

use fleet_service::Caller;
use proptest::prelude::*;
use serde_json::{Value, json};
use testkit::{Fleet, fleet, owner};
use types::{ProjectId, Role};

/// What is drawn about one mission.
#[derive(Debug, Clone)]
struct Drawn {
    of_beta: bool,
    second_project: bool,
    priority: i32,
    tags: Vec<&'static str>,
    child: bool,
    status: &'static str,
    pause: bool,
}

fn drawn() -> impl Strategy<Value = Drawn> {
    let tags = proptest::sample::subsequence(vec!["red", "blue"], 0..=2);
    let status = proptest::sample::select(vec!["draft", "queued", "completed", "failed", "cancelled", "parked"]);
    let flags = (any::<bool>(), any::<bool>(), any::<bool>(), any::<bool>());
    (flags, -2..3_i32, tags, status).prop_map(|((of_beta, second_project, child, pause), priority, tags, status)| {
        Drawn { of_beta, second_project, priority, tags, child, status, pause }
    })
}

struct Model {
    fleet: Fleet,
    leads: [Caller; 2],
    projects: [[ProjectId; 2]; 2],
    parents: [String; 2],
    /// Every row as its team sees it, the most urgent and newest first.
    rows: Vec<(usize, Value)>,
}

async fn model(missions: Vec<Drawn>) -> Model {
    let fleet = fleet().await;
    let leads = [fleet.join("alpha", "lead", Role::TeamLead).await, fleet.join("beta", "lead", Role::TeamLead).await];
    let mut projects = Vec::new();
    let mut parents = Vec::new();
    for lead in &leads {
        let two = [fleet.project(lead, "one").await, fleet.project(lead, "two").await];
        parents.push(fleet.mission(lead, &two[0], json!({ "priority": -9 })).await);
        projects.push(two);
    }
    let mut model = Model {
        fleet,
        leads,
        projects: projects.try_into().unwrap(),
        parents: parents.try_into().unwrap(),
        rows: Vec::new(),
    };
    for one in missions {
        model.add(&one).await;
    }
    model.collect().await;
    model
}

impl Model {
    async fn add(&self, drawn: &Drawn) {
        let team = usize::from(drawn.of_beta);
        let project = &self.projects[team][usize::from(drawn.second_project)];
        let parent = drawn.child.then_some(&self.parents[team]);
        let said = json!({ "priority": drawn.priority, "tags": drawn.tags, "parent_mission_id": parent });
        let id = self.fleet.mission(&self.leads[team], project, said).await;
        let (name, input) = match drawn.status {
            "parked" => ("task_update", json!({ "taskId": id, "status": "blocked" })),
            status => ("mission_update", json!({ "mission": id, "status": status })),
        };
        self.fleet.send(&self.leads[team], name, input).await.unwrap();
        if drawn.pause {
            self.fleet.clock.advance(std::time::Duration::from_secs(1));
        }
    }

    /// Reads every row by its id and sorts them by what the contract says.
    async fn collect(&mut self) {
        for team in 0..2 {
            for project in &self.projects[team] {
                let input = json!({ "project_id": project });
                let listed = self.fleet.json(&self.leads[team], "list_missions", input).await.unwrap();
                for mission in listed["missions"].as_array().unwrap() {
                    let input = json!({ "mission": mission["id"] });
                    let row = self.fleet.json(&self.leads[team], "mission_update", input).await.unwrap();
                    self.rows.push((team, row));
                }
            }
        }
        let order = |row: &Value| {
            let text = |key: &str| row[key].as_str().unwrap().to_owned();
            (row["priority"].as_i64().unwrap(), text("created_at"), text("id"))
        };
        self.rows.sort_by_key(|(_, row)| std::cmp::Reverse(order(row)));
    }

    fn expected(&self, team: Option<usize>, filter: &Value) -> Vec<Value> {
        let keeps = |row: &Value, key: &str, asked: &Value| match key {
            "tag" => row["tags"].as_str().unwrap().contains(&asked.to_string()),
            _ => row[key] == *asked,
        };
        let seen = self.rows.iter().filter(|(of, _)| team.is_none_or(|team| team == *of));
        let kept =
            seen.filter(|(_, row)| filter.as_object().unwrap().iter().all(|(key, asked)| keeps(row, key, asked)));
        kept.map(|(_, row)| row.clone()).collect()
    }

    fn filters(&self, team: usize) -> Vec<Value> {
        let mut filters = vec![json!({})];
        for (key, values) in [
            ("project_id", vec![json!(self.projects[team][0]), json!(self.projects[1 - team][1])]),
            ("status", vec![json!("queued"), json!("draft"), json!("running")]),
            ("tag", vec![json!("red")]),
            ("parent_mission_id", vec![json!(self.parents[team])]),
        ] {
            let with = |filter: &Value| {
                let add = |value: &Value| {
                    let mut more = filter.clone();
                    more[key] = value.clone();
                    more
                };
                values.iter().map(add).collect::<Vec<_>>()
            };
            filters.extend(filters.clone().iter().flat_map(with));
        }
        filters
    }
}

async fn assert_lists_agree(model: &Model) {
    for (caller, team) in [(&model.leads[0], Some(0)), (&model.leads[1], Some(1)), (&owner(), None)] {
        for filter in model.filters(team.unwrap_or(0)) {
            let expected = model.expected(team, &filter);
            for limit in [1, 3, 1000] {
                let mut input = filter.clone();
                input["limit"] = json!(limit);
                let pages = model.fleet.pages(caller, "mission_list", input.clone()).await;
                assert!(pages.iter().all(|page| page.len() <= limit), "{input} gave more than it was asked for");
                assert!(pages.iter().rev().skip(1).all(|page| page.len() == limit), "{input} gave a short page");
                assert_eq!(pages.concat(), expected, "{input}");
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 12, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_filter_and_page_size_lists_what_the_model_lists(missions in proptest::collection::vec(drawn(), 0..14)) {
        let runtime = tokio::runtime::Runtime::new().unwrap();
        runtime.block_on(async { assert_lists_agree(&model(missions).await).await });
    }
}

#[tokio::test]
async fn projects_and_tasks_come_newest_first_page_by_page() {
    let fleet = fleet().await;
    let lead = fleet.join("alpha", "lead", Role::TeamLead).await;
    for at in 0..7 {
        fleet.project(&lead, &format!("project {at}")).await;
        fleet.task(&lead, "lead", json!({ "subject": format!("task {at}") })).await;
        fleet.clock.advance(std::time::Duration::from_secs(1));
    }
    for (name, input, key, noun) in [
        ("project_list", json!({ "limit": 3 }), "name", "project"),
        ("task_list", json!({ "limit": 3, "teamName": "alpha" }), "subject", "task"),
    ] {
        let pages = fleet.pages(&lead, name, input).await;
        assert_eq!(pages.iter().map(Vec::len).collect::<Vec<_>>(), [3, 3, 1], "{name}");
        let names: Vec<_> = pages.concat().iter().map(|row| row[key].as_str().unwrap().to_owned()).collect();
        assert_eq!(names, (0..7).rev().map(|at| format!("{noun} {at}")).collect::<Vec<_>>());
    }
}
