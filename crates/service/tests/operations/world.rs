//! A team with one of everything, and an input for every operation that is right for it.

use crate::plain_records::PlainRecords;
use crate::workflow_records::{execution_record, workflow_record};
use api::Code;
use fleet_service::{Binding, Caller};
use serde_json::{Value, json};
use testkit::{Fleet, fleet, known, owner};
use types::{ProjectId, Report, Role, Said, SessionId, SessionStateName, Source, Told, Verdict, Violation};

/// Stands in every text that only the team of this world may see.
pub(crate) const SECRET: &str = "hush-hush";

/// A fleet in which team alpha has a project, a mission with a child, a task and members.
pub(crate) struct World {
    pub(crate) fleet: Fleet,
    pub(crate) lead: Caller,
    pub(crate) worker: Caller,
    pub(crate) project: ProjectId,
    pub(crate) mission: String,
    pub(crate) task: String,
    /// The session of a worker that others run, which has the name of the examples.
    pub(crate) session: String,
    /// A report about the mission.
    pub(crate) report: String,
    /// An MCP server of the project.
    pub(crate) server: String,
    /// A rule about what its agents may do.
    pub(crate) rule: String,
    plain: PlainRecords,
}

impl World {
    pub(crate) async fn new() -> Self {
        let fleet = fleet().await;
        let lead = fleet.join("alpha", "lead", Role::TeamLead).await;
        let worker = fleet.join("alpha", "scout-1", Role::Worker).await;
        let project = fleet.project(&lead, SECRET).await;
        let said = json!({ "title": SECRET, "tags": ["hush"] });
        let mission = fleet.mission(&lead, &project, said).await;
        fleet.mission(&lead, &project, json!({ "title": SECRET, "parent_mission_id": mission })).await;
        let task = fleet.task(&lead, "scout-1", json!({ "subject": SECRET })).await;
        let said = json!({ "handle": "scout-1", "workingDir": format!("/{SECRET}") });
        let session = fleet.json(&lead, "worker_register", said).await.unwrap()["id"].as_str().unwrap().to_owned();
        let id: SessionId = session.parse().unwrap();
        let mut live = fleet.service.sessions().watch(&id).unwrap();
        live.wait_for(|live| live.session.state.name() == SessionStateName::Running).await.unwrap();
        let report = report(&fleet, &project, &mission).await;
        approval(&fleet, &id, &mission).await;
        question(&fleet, &id, &mission).await;
        let config = json!({ "command": SECRET, "env": { "TOKEN": SECRET } });
        let said = json!({ "project": project, "server_name": SECRET, "config": config });
        let server = fleet.json(&lead, "mcp_server_add", said).await.unwrap()["id"].as_str().unwrap().to_owned();
        let said = json!({ "name": SECRET, "decision": "block", "command": format!("{SECRET} *") });
        let rule = fleet.json(&lead, "policy_create", said).await.unwrap()["id"].as_str().unwrap().to_owned();
        violation(&fleet, &session, &rule).await;
        let (team, at) = ("alpha".parse().unwrap(), fleet.service.clock().now());
        fleet.insert(&workflow_record("f-x7k2m", &team, SECRET, at)).await;
        fleet.insert(&execution_record("e-x7k2m", &team, &project, SECRET, at)).await;
        let plain = PlainRecords::new(&fleet, &lead, SECRET).await;
        Self { fleet, lead, worker, project, mission, task, session, report, server, rule, plain }
    }

    /// Returns the example of an operation or tool with the names of this world in it.
    pub(crate) fn input(&self, binding: &Binding, caller: &Caller) -> Value {
        let text =
            binding.example.to_string().replace("m-x7k2m", &self.mission).replace("p-x7k2m", self.project.as_str());
        let text = text.replace("s-x7k2m", &self.session).replace("r-x7k2m", &self.report);
        let text = text.replace("x-x7k2m", &self.server);
        let text = text.replace("g-x7k2m", &self.rule);
        let text = self.plain.iter().fold(text, |text, (example, own)| text.replace(example, &own));
        let mut input: Value = serde_json::from_str(&text).unwrap();
        let fields = input.as_object_mut().unwrap();
        let place = |name: &str, value: Value, fields: &mut serde_json::Map<String, Value>| {
            if fields.contains_key(name) {
                fields.insert(name.to_owned(), value);
            }
        };
        place("teamName", "alpha".into(), fields);
        place("path", self.fleet.folder().to_str().into(), fields);
        place("repo_path", self.fleet.folder().to_str().into(), fields);
        place("prefix", self.mission.clone().into(), fields);
        if let Ok(member) = caller.member() {
            place("fromUid", member.uid().to_string().into(), fields);
        }
        input
    }

    /// Returns all that the owner can read of team alpha, to tell whether anything of it changed.
    pub(crate) async fn everything_of_alpha(&self) -> Value {
        let read = async |name: &str, input: Value| self.fleet.json(&owner(), name, input).await.unwrap();
        let lead = async |name: &str| self.fleet.json(&self.lead, name, json!({})).await.unwrap();
        json!([
            lead("project_list").await,
            lead("mission_list").await,
            read("project_get", json!({ "project": self.project })).await,
            read("mission_get", json!({ "mission": self.mission })).await,
            read("mission_events", json!({ "mission": self.mission })).await,
            read("team_agents", json!({ "teamName": "alpha" })).await,
            read("task_list", json!({ "teamName": "alpha" })).await,
            read("report_list", json!({ "mission_id": self.mission })).await,
            read("mcp_server_list", json!({ "project": self.project })).await,
            lead("approval_list").await,
            lead("question_list").await,
            lead("policy_list").await,
            lead("policy_violations").await,
            lead("workflow_list").await,
            lead("execution_list").await,
            crate::plain_records::lists(&self.fleet, &self.lead).await,
        ])
    }
}

/// Puts a report of team alpha into the store, as the end of a session does.
async fn report(fleet: &Fleet, project: &ProjectId, mission: &str) -> String {
    let said = Said { what_done: SECRET.to_owned(), next_steps: SECRET.to_owned(), ..Said::default() };
    let report = Report {
        project: Some(project.clone()),
        said: Some(Told { source: Source::Submitted, said }),
        verdict: Some(Verdict::Done),
        ..testkit::report(mission.parse().unwrap(), fleet.clock.now())
    };
    fleet.insert(&report).await;
    report.id.to_string()
}

/// Puts an approval of team alpha into the store, as an agent's question does; it has the id of the examples.
async fn approval(fleet: &Fleet, session: &SessionId, mission: &str) {
    let mut approval = testkit::approval(session.clone(), fleet.clock.now());
    approval.mission = Some(mission.parse().unwrap());
    approval.wanted.summary = SECRET.to_owned();
    fleet.insert(&approval).await;
}

/// Puts a question of team alpha into the store, as an agent does; it has the id of the examples.
async fn question(fleet: &Fleet, session: &SessionId, mission: &str) {
    let mut question = testkit::question(session.clone(), fleet.clock.now());
    question.mission = Some(mission.parse().unwrap());
    question.text = SECRET.to_owned();
    fleet.insert(&question).await;
}

/// Puts a refused call of team alpha into the store, as the task of a session does.
async fn violation(fleet: &Fleet, session: &str, rule: &str) {
    let violation = Violation {
        id: "v-abcde".parse().unwrap(),
        team: "alpha".parse().unwrap(),
        session: session.parse().unwrap(),
        mission: None,
        project: None,
        handle: "scout-1".parse().unwrap(),
        call: "c0ffee".to_owned(),
        tool: "Bash".to_owned(),
        what: format!("{SECRET} now"),
        rule: Some(rule.parse().unwrap()),
        why: SECRET.to_owned(),
        at: fleet.clock.now(),
    };
    fleet.insert(&violation).await;
}

/// Tells whether a call was understood and allowed, and refused only for what there is not in this world: processes,
/// repositories, conversations, landings.
pub(crate) fn asks_too_much(error: &api::Error) -> bool {
    [
        Code::AGENT_INCAPABLE,
        Code::AGENT_UNREADY,
        Code::APPROVAL_SETTLED,
        Code::QUESTION_SETTLED,
        Code::LANDING_NOT_FOUND,
        Code::NOTHING_TO_RECOVER,
        Code::SESSION_NOT_RESUMABLE,
        Code::SESSION_NOT_RUNNING,
        Code::WORKER_NOT_FOUND,
        Code::WORKSPACE_REFUSED,
    ]
    .contains(&error.code)
}

/// Every role, as a member of a team.
pub(crate) fn everyone(team: &str) -> Vec<Caller> {
    let member = |role: Role| match role {
        Role::Owner => owner(),
        Role::TeamLead | Role::Coordinator | Role::Worker | Role::Monitor | Role::Notifier | Role::Merger => {
            known(team, role.as_str(), role)
        }
    };
    Role::ALL.into_iter().map(member).collect()
}
