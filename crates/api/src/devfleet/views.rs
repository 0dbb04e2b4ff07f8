//! How this dialect shows projects and missions: rows with 0/1 flags and lists as JSON text.

use api_macros::output;
use types::{Chosen, ChosenBy, Event, Mission, MissionId, Project, ProjectId, SessionId, Start};

use super::report_views::ReportRow;
use super::sandbox::{SandboxLevel, SandboxNetwork};
use super::session_views::SessionRow;
use super::words::{Land, MissionStatus, shown_model};
use crate::fleet::{Beside, Ceilings, MissionStanding};
use crate::{Flag, JsonText, SqlTime};

/// A project
#[output]
pub struct ProjectRow {
    /// Its id
    pub id: ProjectId,
    /// What people call it
    pub name: String,
    /// Where it lives
    pub path: String,
    /// What it is
    pub description: String,
    /// Added to every agent's system prompt
    pub system_prompt: String,
    /// The agent that works on it where its missions name none
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    /// The model of that agent
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// A note
    pub state: String,
    /// A note
    pub owner: String,
    /// A note
    pub start_date: String,
    /// A note
    pub target_end_date: String,
    /// A note
    pub parent_team: String,
    /// A note
    pub teams_channel_id: String,
    /// A note
    pub teams_channel_name: String,
    /// Lines for the shell that must be green on what lands
    pub checks: Vec<String>,
    /// The branch that finished work lands on
    pub target_branch: Option<String>,
    /// What happens to finished work
    pub land: Land,
    /// Seconds that one check may run; the server's own setting, when unset
    pub check_timeout_secs: Option<u32>,
    /// The remote that the target branch is pushed to once work has landed
    pub push: Option<String>,
    /// Whether a pull request is opened of what has landed
    pub pr: bool,
    /// How much the sandbox of its agents matters, where it says so
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sandbox: Option<SandboxLevel>,
    /// What its agents reach of the network, where it says so
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sandbox_network: Option<SandboxNetwork>,
    /// Paths that they read though they are hidden
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sandbox_read: Vec<String>,
    /// Paths that they write to beside their work
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sandbox_write: Vec<String>,
    /// TCP ports that they reach, and no others beside those of their services
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sandbox_tcp_ports: Vec<u16>,
    /// What its missions may spend; unset if there is no ceiling
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub budget: Option<Ceilings>,
    /// What its missions may spend on a day, which begins when `daily_budget_resets_at` says; unset if there is no ceiling
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub daily_budget: Option<Ceilings>,
    /// When it was added
    pub created_at: SqlTime,
}

/// How many missions a project has
#[output(Copy, Default)]
pub struct ProjectCounts {
    /// All of them
    pub mission_count: u64,
    /// Those with a holder
    pub running_count: u64,
    /// Those that are done
    pub completed_count: u64,
}

/// A project in a list, with counts
#[output]
pub struct ProjectCard {
    /// The project
    #[serde(flatten)]
    pub project: ProjectRow,
    /// Its missions, counted
    #[serde(flatten)]
    pub counts: ProjectCounts,
}

/// A project with its missions
#[output]
pub struct ProjectDetail {
    /// The project
    #[serde(flatten)]
    pub project: ProjectRow,
    /// Whether Fleet's git runs programs that the settings of its repository name
    pub trusted: bool,
    /// Its missions by priority, then newest first
    pub missions: Vec<MissionRow>,
}

/// A mission
#[output]
pub struct MissionRow {
    /// Its id
    pub id: MissionId,
    /// The project it works on
    pub project_id: Option<ProjectId>,
    /// One line
    pub title: String,
    /// What to do
    pub detailed_prompt: String,
    /// How to tell that it is done
    pub acceptance_criteria: String,
    /// Its state, in this contract's words
    pub status: MissionStatus,
    /// Its state, in Fleet's own words
    pub state: MissionStanding,
    /// What it waits for, in a few words; unset if it waits for nothing
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub waits_for: Option<String>,
    /// Higher runs earlier
    pub priority: i32,
    /// When it was stated
    pub created_at: SqlTime,
    /// When it last changed
    pub updated_at: SqlTime,
    /// A JSON array as text
    pub tags: JsonText<Vec<String>>,
    /// The model that its next session gets; `default` leaves it to the agent
    pub model: String,
    /// Who chose the model
    pub model_source: ChosenBy,
    /// Most turns
    pub max_turns: Option<u32>,
    /// Most dollars
    pub max_budget_usd: Option<f64>,
    /// Most tokens of all kinds
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_tokens: Option<u64>,
    /// Most minutes in which its agents run
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_minutes: Option<u64>,
    /// A preset's name or a JSON array as text
    pub allowed_tools: String,
    /// The preset it runs under
    pub mission_type: String,
    /// The mission it was made for
    pub parent_mission_id: Option<MissionId>,
    /// A JSON array as text
    pub depends_on: JsonText<Vec<MissionId>>,
    /// 1 when it starts by itself
    pub auto_dispatch: Flag,
    /// Five cron fields
    pub schedule_cron: Option<String>,
    /// 1 when the schedule is in force
    pub schedule_enabled: Flag,
    /// When the schedule last fired
    pub last_scheduled_at: Option<SqlTime>,
    /// Its number within the project
    pub mission_number: Option<u64>,
    /// Told when it ends
    pub callback_url: String,
    /// Most tries after the first
    pub max_retries: u32,
    /// 1 when it retries by itself
    pub auto_retry: Flag,
    /// How much the sandbox of its agents matters, where it says so
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sandbox: Option<SandboxLevel>,
    /// What its agents reach of the network, where it says so
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sandbox_network: Option<SandboxNetwork>,
    /// Paths that they read though they are hidden
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sandbox_read: Vec<String>,
    /// Paths that they write to beside their work
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sandbox_write: Vec<String>,
    /// TCP ports that they reach, and no others beside those of their services
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sandbox_tcp_ports: Vec<u16>,
    /// The agent that its next session gets
    pub agent: String,
    /// Who chose the agent
    pub agent_source: ChosenBy,
    /// What the project is called
    pub project_name: Option<String>,
    /// Its newest session, if errors were asked for and it had one
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_id: Option<SessionId>,
    /// The kind of that error
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_error_type: Option<String>,
    /// The error
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_last_error: Option<String>,
}

/// A mission made for another
#[output]
pub struct ChildRow {
    /// Its id
    pub id: MissionId,
    /// One line
    pub title: String,
    /// Its state
    pub status: MissionStatus,
    /// The preset it runs under
    pub mission_type: String,
}

/// A mission with everything around it
#[output]
pub struct MissionDetail {
    /// The mission
    #[serde(flatten)]
    pub mission: MissionRow,
    /// Where the project lives
    pub project_path: Option<String>,
    /// Its runs, newest first
    pub sessions: Vec<SessionRow>,
    /// What its last run reported
    pub latest_report: Option<ReportRow>,
    /// The missions made for it, oldest first
    pub children: Vec<ChildRow>,
    /// The standard error of its newest session, if that failed; tools show its end
    #[serde(skip)]
    pub stderr: Option<String>,
}

/// Something that happened to a mission
#[output]
pub struct MissionEventRow {
    /// Its own; grows with every change of the fleet
    pub id: u64,
    /// The mission
    pub mission_id: MissionId,
    /// What happened
    pub event_type: String,
    /// The mission that brought it about
    pub source_mission_id: Option<MissionId>,
    /// A JSON object as text
    pub data: String,
    /// When
    pub created_at: SqlTime,
}

/// Said when something was deleted
#[output]
pub struct Deleted {
    /// Always true
    pub ok: bool,
}

impl From<Project> for ProjectRow {
    fn from(project: Project) -> Self {
        Self {
            id: project.id,
            name: project.name,
            path: project.path,
            description: project.description,
            system_prompt: project.system_prompt,
            agent: project.agent,
            model: project.model,
            state: project.notes.state,
            owner: project.notes.owner,
            start_date: project.notes.start_date,
            target_end_date: project.notes.target_end_date,
            parent_team: project.notes.parent_team,
            teams_channel_id: project.notes.teams_channel_id,
            teams_channel_name: project.notes.teams_channel_name,
            target_branch: project.landing.settled_target().map(str::to_owned),
            checks: project.landing.checks,
            land: project.landing.mode.unwrap_or_default().into(),
            check_timeout_secs: project.landing.check_timeout_secs,
            push: project.landing.push,
            pr: project.landing.pr,
            sandbox: project.sandbox.level.map(Into::into),
            sandbox_network: project.sandbox.network.map(Into::into),
            sandbox_read: project.sandbox.read,
            sandbox_write: project.sandbox.write,
            sandbox_tcp_ports: project.sandbox.ports,
            budget: Ceilings::of(project.budget.total),
            daily_budget: Ceilings::of(project.budget.daily),
            created_at: SqlTime(project.created_at),
        }
    }
}

/// What a mission's row shows beside what the mission says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Around {
    /// What the project is called.
    pub project_name: Option<String>,
    /// The agent that its next session gets.
    pub agent: Chosen<String>,
    /// The model that its next session gets; none leaves it to the agent.
    pub model: Chosen<Option<String>>,
}

impl MissionRow {
    /// Shows a mission.
    #[must_use]
    pub fn of(mission: Mission, around: Around) -> Self {
        let (state, waits_for) = MissionStanding::of(&mission, Beside::default());
        let (schedule_cron, schedule_enabled, fired_at) = match mission.schedule {
            Some(schedule) => (Some(schedule.cron), schedule.enabled, schedule.fired_at),
            None => (None, false, None),
        };
        Self {
            status: MissionStatus::from(&mission.state),
            state,
            waits_for,
            id: mission.id,
            project_id: mission.project,
            title: mission.title,
            detailed_prompt: mission.prompt,
            acceptance_criteria: mission.acceptance,
            priority: mission.priority,
            created_at: SqlTime(mission.created_at),
            updated_at: SqlTime(mission.updated_at),
            tags: JsonText(mission.tags),
            model: shown_model(around.model.value),
            model_source: around.model.by,
            max_turns: mission.limits.turns_max,
            max_budget_usd: mission.limits.dollars_max,
            max_tokens: mission.limits.tokens_max,
            max_minutes: mission.limits.secs_max.map(|secs| secs.div_ceil(60)),
            allowed_tools: mission.allowed_tools.map(String::from).unwrap_or_default(),
            mission_type: mission.kind.into(),
            parent_mission_id: mission.parent,
            depends_on: JsonText(mission.depends_on),
            auto_dispatch: Flag(mission.start == Start::WhenReady),
            schedule_cron,
            schedule_enabled: Flag(schedule_enabled),
            last_scheduled_at: fired_at.map(SqlTime),
            mission_number: mission.number,
            callback_url: mission.callback_url.unwrap_or_default(),
            max_retries: mission.retry.times_max,
            auto_retry: Flag(mission.retry.automatic),
            sandbox: mission.sandbox.level.map(Into::into),
            sandbox_network: mission.sandbox.network.map(Into::into),
            sandbox_read: mission.sandbox.read,
            sandbox_write: mission.sandbox.write,
            sandbox_tcp_ports: mission.sandbox.ports,
            agent: around.agent.value,
            agent_source: around.agent.by,
            project_name: around.project_name,
            session_id: None,
            session_error_type: None,
            session_last_error: None,
        }
    }
}

impl MissionRow {
    /// Adds what went wrong in the newest session of the mission, if something did.
    pub fn add_error(&mut self, row: SessionRow) {
        if !row.error_type.is_empty() {
            self.session_id = Some(row.id);
            self.session_error_type = Some(row.error_type);
            self.session_last_error = Some(row.last_error);
        }
    }
}

impl From<Mission> for ChildRow {
    fn from(mission: Mission) -> Self {
        Self {
            status: MissionStatus::from(&mission.state),
            id: mission.id,
            title: mission.title,
            mission_type: mission.kind.into(),
        }
    }
}

impl MissionEventRow {
    /// Shows an event; its own members become `data`, as text.
    #[must_use]
    pub fn of(id: u64, mission: MissionId, event: &Event, at: types::Timestamp) -> Self {
        let mut data = serde_json::to_value(event).unwrap_or_default();
        let members = data.as_object_mut();
        let event_type = members
            .and_then(|members| {
                members.remove("mission");
                members.remove("type")
            })
            .and_then(|name| name.as_str().map(|name| name.trim_start_matches("mission_").to_owned()))
            .unwrap_or_default();
        // Clients of this dialect look for the session under this name.
        if let Some(members) = data.as_object_mut()
            && let Some(session) = members.remove("session")
        {
            members.insert("session_id".to_owned(), session);
        }
        let source_mission_id = if let Event::DependencyMet { on, .. } = event { Some(on.clone()) } else { None };
        Self { id, mission_id: mission, event_type, source_mission_id, data: data.to_string(), created_at: SqlTime(at) }
    }
}

impl Deleted {
    /// The one answer there is.
    pub const OK: Self = Self { ok: true };
}
