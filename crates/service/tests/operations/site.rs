//! One of everything in five relations to an agent: its own, what it handed on, what is beside it in its project,
//! another project of its team, another team.

use api::Target;
use fleet_service::{Binding, Caller};
use serde_json::{Value, json};
use testkit::{Fleet, fleet};
use types::{
    Approval, Author, Handle, Landing, LandingState, MissionId, ProjectId, Question, Report, Role, Said, SessionId,
    Source, TeamName, Told,
};

use crate::at_work::{With, at_work};
use crate::plain_records::PlainRecords;
use crate::workflow_records::{execution_record, workflow_record};

/// How a site is related to the agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Relation {
    Own,
    Below,
    Beside,
    Elsewhere,
    Abroad,
}

pub(crate) const RELATIONS: [Relation; 5] =
    [Relation::Own, Relation::Below, Relation::Beside, Relation::Elsewhere, Relation::Abroad];

/// A mission, with one of everything that belongs to it.
#[derive(Debug, Clone)]
pub(crate) struct Site {
    pub(crate) team: TeamName,
    pub(crate) project: ProjectId,
    pub(crate) mission: String,
    pub(crate) session: SessionId,
    pub(crate) handle: Handle,
    /// Is part of every text of it.
    pub(crate) secret: String,
    /// The folder of its project.
    path: String,
    server: String,
    rule: String,
    plain: PlainRecords,
    code: char,
}

/// The fleet, the agent, and the sites in the order of [`RELATIONS`].
pub(crate) struct Scene {
    pub(crate) fleet: Fleet,
    pub(crate) lead: Caller,
    pub(crate) agent: Caller,
    pub(crate) sites: Vec<Site>,
}

impl Scene {
    pub(crate) async fn new() -> Self {
        let fleet = fleet().await;
        fleet.set(|settings| settings.max_workers = 20);
        let lead = fleet.join("alpha", "lead", Role::TeamLead).await;
        let stranger = fleet.join("beta", "lead", Role::TeamLead).await;
        let project = fleet.project(&lead, "shop").await;
        let other = fleet.project(&lead, "secret-elsewhere").await;
        let theirs = fleet.project(&stranger, "secret-abroad").await;
        let (mut sites, mut agent) = (Vec::<Site>::new(), None);
        for relation in RELATIONS {
            let (by, project) = match relation {
                Relation::Own | Relation::Below | Relation::Beside => (&lead, &project),
                Relation::Elsewhere => (&lead, &other),
                Relation::Abroad => (&stranger, &theirs),
            };
            let parent = sites.first().filter(|_| relation == Relation::Below).map(|own| own.mission.clone());
            let (site, caller) = Site::new(&fleet, by, project, relation, parent).await;
            sites.push(site);
            agent.get_or_insert(caller);
        }
        Self { fleet, lead, agent: agent.unwrap(), sites }
    }

    pub(crate) fn site(&self, relation: Relation) -> &Site {
        &self.sites[RELATIONS.iter().position(|known| *known == relation).unwrap()]
    }
}

impl Site {
    async fn new(
        fleet: &Fleet,
        lead: &Caller,
        project: &ProjectId,
        relation: Relation,
        parent: Option<String>,
    ) -> (Self, Caller) {
        let secret = format!("secret-{relation:?}").to_lowercase();
        let mission =
            fleet.mission(lead, project, json!({ "title": secret, "parent_mission_id": parent, "tags": ["t"] })).await;
        let (agent, session) = at_work(fleet, &mission, With { preset: Some("implement"), ..With::default() }).await;
        let member = agent.member().unwrap().clone();
        let config = json!({ "command": secret });
        let said = json!({ "project": project, "server_name": secret, "config": config });
        let server = fleet.json(lead, "mcp_server_add", said).await.unwrap()["id"].as_str().unwrap().to_owned();
        let said =
            json!({ "name": secret, "decision": "block", "command": format!("{secret} *"), "projectId": project });
        let rule = fleet.json(lead, "policy_create", said).await.unwrap()["id"].as_str().unwrap().to_owned();
        let plain = PlainRecords::new(fleet, lead, &secret).await;
        let code = char::from(b'a' + relation as u8);
        let shown = fleet.json(lead, "project_get", json!({ "project": project })).await.unwrap();
        let site = Self {
            path: shown["path"].as_str().unwrap().to_owned(),
            team: member.team,
            project: project.clone(),
            mission,
            session,
            handle: member.handle,
            secret,
            server,
            rule,
            plain,
            code,
        };
        site.records(fleet).await;
        (site, agent)
    }

    /// Writes what only sessions and queues write: a report, a landing, an approval, a question.
    async fn records(&self, fleet: &Fleet) {
        let at = fleet.service.clock().now();
        let mission: MissionId = self.mission.parse().unwrap();
        let said = Said { what_done: self.secret.clone(), ..Said::default() };
        let report = Report {
            id: self.id('r').parse().unwrap(),
            team: self.team.clone(),
            project: Some(self.project.clone()),
            author: Author::Session { session: self.session.clone(), run: 1 },
            said: Some(Told { source: Source::Submitted, said }),
            ..testkit::report(mission.clone(), at)
        };
        let landing = Landing {
            id: self.id('d').parse().unwrap(),
            team: self.team.clone(),
            project: Some(self.project.clone()),
            folder: format!("/{}", self.secret),
            session: self.session.clone(),
            branch: self.secret.clone(),
            title: self.secret.clone(),
            state: LandingState::Review { since: at },
            ..testkit::landing(mission.clone(), at)
        };
        let mut approval = Approval {
            id: self.id('a').parse().unwrap(),
            team: self.team.clone(),
            mission: Some(mission.clone()),
            handle: self.handle.clone(),
            ..testkit::approval(self.session.clone(), at)
        };
        let question = Question {
            id: self.id('q').parse().unwrap(),
            team: self.team.clone(),
            mission: Some(mission),
            handle: self.handle.clone(),
            text: self.secret.clone(),
            ..testkit::question(self.session.clone(), at)
        };
        approval.wanted.summary = self.secret.clone();
        fleet.insert(&report).await;
        fleet.insert(&landing).await;
        fleet.insert(&approval).await;
        fleet.insert(&workflow_record(&self.id('f'), &self.team, &self.secret, at)).await;
        fleet.insert(&execution_record(&self.id('e'), &self.team, &self.project, &self.secret, at)).await;
        fleet.insert(&question).await;
    }

    fn id(&self, kind: char) -> String {
        format!("{kind}-{}bcde", self.code)
    }

    /// Every id by which something of it is known.
    pub(crate) fn ids(&self) -> Vec<String> {
        let own = [self.mission.clone(), self.session.to_string(), self.handle.to_string()];
        own.into_iter().chain(['r', 'd', 'a', 'e', 'f', 'q'].map(|kind| self.id(kind))).collect()
    }

    /// What names this site as a target.
    pub(crate) fn named(&self, target: Target, example: &Value) -> Option<String> {
        Some(match target {
            Target::Nothing | Target::Fleet | Target::Seen => return None,
            Target::Team(_) => self.team.to_string(),
            Target::Project(_) | Target::Into(_) => self.project.to_string(),
            Target::Mission(_) | Target::Parent(_) | Target::Link(_) => self.mission.clone(),
            Target::Session(_) => self.session.to_string(),
            Target::Worker(_) => self.handle.to_string(),
            Target::Approval(_) => self.id('a'),
            Target::Question(_) => self.id('q'),
            Target::Policy(_) => self.rule.clone(),
            Target::Landing(_) => self.id('d'),
            Target::McpServer(_) => self.server.clone(),
            Target::Report(_) => self.id('r'),
            Target::Record(_) => self.plain.named(example),
            Target::Workflow(_) => self.id('f'),
            Target::Execution(field) => match example[field].as_str().and_then(|id| id.split_once('.')) {
                Some((_, step)) => format!("{}.{step}", self.id('e')),
                None => self.id('e'),
            },
        })
    }

    /// Returns the example of a call, about this site.
    pub(crate) fn input(&self, binding: &Binding, fleet: &Fleet, caller: &Caller) -> Value {
        let mut text = binding.example.to_string();
        let ids = [
            ("m-x7k2m", self.mission.clone()),
            ("p-x7k2m", self.project.to_string()),
            ("s-x7k2m", self.session.to_string()),
            ("r-x7k2m", self.id('r')),
            ("d-x7k2m", self.id('d')),
            ("a-x7k2m", self.id('a')),
            ("q-x7k2m", self.id('q')),
            ("x-x7k2m", self.server.clone()),
            ("g-x7k2m", self.rule.clone()),
            ("f-x7k2m", self.id('f')),
            ("e-x7k2m", self.id('e')),
            ("scout-1", self.handle.to_string()),
            ("m-x7", self.mission.clone()),
            ("slow query", self.secret.clone()),
        ];
        for (example, own) in ids.into_iter().chain(self.plain.iter()) {
            text = text.replace(example, &own);
        }
        let mut input: Value = serde_json::from_str(&text).unwrap();
        let fields = input.as_object_mut().unwrap();
        for (name, value) in [
            ("teamName", json!(self.team)),
            ("path", json!(fleet.folder())),
            ("folder", json!(fleet.folder())),
            ("repo_path", json!(self.path)),
            ("fromUid", json!(caller.member().unwrap().uid())),
        ] {
            fields.entry(name).and_modify(|given| *given = value);
        }
        // What is optional and means the caller's own is named all the same.
        if binding.tool.is_none()
            && let Some(target) = binding.spec.targets.first()
            && let (Some(field), Some(named)) = (target.field(), self.named(*target, &binding.example))
        {
            fields.insert(field.to_owned(), named.into());
        }
        input
    }
}
