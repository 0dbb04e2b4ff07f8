//! Variables and keys that the four systems document and this version does not read yet.
//!
//! They are listed so that a user who sets one is told, rather than left to believe that it works. When a setting
//! comes to be used, its line moves to the registry.

use crate::environment::Environment;
use crate::warning::Warning;

use Reach::{Everyone, Fleet};
use System::{ClaudeFleet, Codefleet, DevFleet, FleetQueue};

/// A documented name that nothing reads yet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Recognised {
    /// The name; `*` at its end stands for any rest.
    pub name: &'static str,
    /// Which system documents it.
    pub system: System,
    /// What it means there, in one sentence.
    pub doc: &'static str,
    /// Whose variable it is.
    pub reach: Reach,
}

/// One of the four systems that Fleet brings together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum System {
    /// Teams, swarms and their tools.
    ClaudeFleet,
    /// Missions, reports and the planner.
    DevFleet,
    /// Workflows across providers.
    Codefleet,
    /// The headless queue.
    FleetQueue,
}

/// Who else may have set a variable.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reach {
    /// Only someone who meant one of the four systems: being set is worth a warning.
    Fleet,
    /// Anyone, for any program: being set says nothing about us.
    Everyone,
}

/// Keys of `runtime.toml` that are documented and not read yet.
pub const RECOGNISED_KEYS: &[Recognised] = &[
    recognised("telegram_chat_id", FleetQueue, "Chat that questions are sent to."),
    recognised("telegram_allowed_ids", FleetQueue, "Who may answer them."),
    recognised("telegram_default_cwd", FleetQueue, "Directory of tasks that come from the chat."),
];

/// Variables that are documented and not read yet.
pub const RECOGNISED: &[Recognised] = &[
    recognised("DATABASE_PATH", ClaudeFleet, "SQLite file; DB_PATH is the name that is read."),
    recognised("FLEET_NATIVE_ONLY", ClaudeFleet, "Refuse workers that are not native."),
    recognised("FLEET_MODE", ClaudeFleet, "Mode of the server."),
    recognised("DYNAMODB_*", ClaudeFleet, "DynamoDB as storage backend."),
    recognised("S3_*", ClaudeFleet, "S3 as storage backend."),
    recognised("FIRESTORE_PROJECT_ID", ClaudeFleet, "Firestore as storage backend."),
    recognised("POSTGRESQL_*", ClaudeFleet, "PostgreSQL as storage backend."),
    recognised("GITHUB_WEBHOOK_SECRET", ClaudeFleet, "Secret that GitHub signs its webhooks with."),
    recognised("LINEAR_API_KEY", ClaudeFleet, "Key of the issue tracker Linear."),
    recognised("LINEAR_MCP_ENABLED", ClaudeFleet, "Whether Linear is offered as tools."),
    recognised("SLACK_WEBHOOK_URL", ClaudeFleet, "Where notifications go in Slack."),
    recognised("TEAMS_WEBHOOK_URL", ClaudeFleet, "Where notifications go in Teams."),
    recognised("DISCORD_WEBHOOK_URL", ClaudeFleet, "Where notifications go in Discord."),
    recognised("CLAUDE_CODE_SWARM_ID", ClaudeFleet, "Swarm of an agent."),
    recognised("CLAUDE_CODE_MISSION_ID", ClaudeFleet, "Mission of an agent."),
    recognised("CLAUDE_CODE_AGENT_UID", ClaudeFleet, "Id of an agent, once it is known."),
    recognised("CLAUDE_CODE_AGENT_ID", ClaudeFleet, "Team and handle of an agent."),
    recognised("CLAUDE_CODE_AGENT_COLOR", ClaudeFleet, "Colour of an agent."),
    recognised("CLAUDE_CODE_SPAWN_BACKEND", ClaudeFleet, "How an agent was started."),
    recognised("CLAUDE_CODE_TEAM_MODE", ClaudeFleet, "Whether an agent is one of a team."),
    recognised("CLAUDE_CODE_PLAN_MODE_REQUIRED", ClaudeFleet, "Whether an agent must plan first."),
    recognised("CLAUDE_CODE_PARENT_SESSION_ID", ClaudeFleet, "Session that started an agent."),
    everyones("NODE_ENV", ClaudeFleet, "Production hides the details of errors."),
    everyones("AWS_REGION", ClaudeFleet, "Region of DynamoDB and S3."),
    everyones("GOOGLE_CLOUD_PROJECT", ClaudeFleet, "Project of Firestore."),
    everyones("GOOGLE_APPLICATION_CREDENTIALS", ClaudeFleet, "Credentials of Firestore."),
    everyones("DATABASE_URL", ClaudeFleet, "Address of PostgreSQL."),
    everyones("ANTHROPIC_API_KEY", ClaudeFleet, "Key of the model provider; agents read it themselves."),
    everyones("FORCE_COLOR", ClaudeFleet, "Colour in the output of agents."),
    recognised("DEVFLEET_DB", DevFleet, "Database file of DevFleet."),
    recognised("DEVFLEET_ENGINE", DevFleet, "How agents are run: sdk or cli."),
    recognised("DEVFLEET_WATCHER_INTERVAL", DevFleet, "Seconds between looks for missions that are ready."),
    recognised("DEVFLEET_SCHEDULER_INTERVAL", DevFleet, "Seconds between looks for schedules that are due."),
    recognised("DEVFLEET_ENABLE_REMOTE_CONTROL", DevFleet, "Whether a person may take a session over."),
    recognised("DEVFLEET_PLUGINS_DIR", DevFleet, "Directory of plugins."),
    recognised("DEVFLEET_PATH_MAP_*", DevFleet, "Paths of a host as a container sees them."),
    recognised("DEVFLEET_MISSION_ID", DevFleet, "Mission of an agent."),
    recognised("DEVFLEET_PROJECT_ID", DevFleet, "Project of an agent."),
    recognised("DEVFLEET_SESSION_ID", DevFleet, "Session of an agent."),
    recognised("DEVFLEET_REPORT_DIR", DevFleet, "Directory that an agent leaves its report in."),
    recognised("DEVFLEET_SCRUB_EXTRA", DevFleet, "More words that the scrub script removes."),
    recognised("FLEET_BASE_DIR", Codefleet, "Directory of codefleet; FLEET_HOME is the name that is read."),
    recognised("FLEET_REASONING_EFFORT", Codefleet, "How hard a model thinks."),
    recognised("FLEET_HEARTBEAT_INTERVAL", Codefleet, "Seconds between signs of life."),
    recognised("FLEET_RUN_REAL_*", Codefleet, "Tests with real agents."),
    recognised("TELEGRAM_BOT_TOKEN", FleetQueue, "Token of the bot that asks questions."),
    recognised("ASK_HUMAN_DB", FleetQueue, "Database of questions to a person."),
    recognised("ASK_HUMAN_WEB_ADDR", FleetQueue, "Address of the page that answers them."),
    recognised("FLEET_OPENCODE_OLLAMA_URL", FleetQueue, "Model server of OpenCode."),
    recognised("FLEET_TASK_ID", FleetQueue, "Task of an agent."),
    recognised("FLEET_TASK_DIR", FleetQueue, "Directory of that task."),
    recognised("FLEET_ARTIFACT_DIR", FleetQueue, "Directory of what an agent makes for it."),
];

impl Recognised {
    fn matches(&self, variable: &str) -> bool {
        self.name.strip_suffix('*').map_or(variable == self.name, |prefix| variable.starts_with(prefix))
    }
}

impl System {
    /// Returns the name that the system calls itself.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::ClaudeFleet => "claude-fleet",
            Self::DevFleet => "DevFleet",
            Self::Codefleet => "codefleet",
            Self::FleetQueue => "fleet",
        }
    }
}

/// Names every variable that someone set for Fleet and that nothing reads.
pub(crate) fn warnings(environment: &Environment) -> Vec<Warning> {
    let unused = |name: &&str| RECOGNISED.iter().any(|known| known.reach == Fleet && known.matches(name));
    environment.names().filter(unused).map(|name| Warning::UnusedVariable { name: name.to_owned() }).collect()
}

const fn recognised(name: &'static str, system: System, doc: &'static str) -> Recognised {
    Recognised { name, system, doc, reach: Fleet }
}

const fn everyones(name: &'static str, system: System, doc: &'static str) -> Recognised {
    Recognised { name, system, doc, reach: Everyone }
}
