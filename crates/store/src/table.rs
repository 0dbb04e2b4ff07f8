//! The key space: which tables there are, and where each entity is found.

mod agent;
mod approval;
mod callback;
mod execution;
mod keyed_call;
mod landing;
mod mcp_server;
mod mission;
mod notification;
mod project;
mod question;
mod report;
mod rule;
mod session;
mod team_record;
mod workflow;

/// Every table. Append-only: the prefix of a retired table is never given to another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Table {
    /// Members of teams.
    Agent,
    /// Calls that wait for a person.
    Approval,
    /// How far readers of the feed have read.
    Bookmark,
    /// What those outside are told.
    Callback,
    /// Runs of workflows.
    Execution,
    /// Calls with an idempotency key.
    KeyedCall,
    /// Finished branches on their way.
    Landing,
    /// Messages to the agents of sessions.
    Letter,
    /// MCP servers of projects.
    McpServer,
    /// Units of work.
    Mission,
    /// What people are told outside of Fleet.
    Notification,
    /// Accounts that are not good for now.
    ParkedAccount,
    /// Directories that missions work on.
    Project,
    /// What agents ask people.
    Question,
    /// What is known of pieces of work.
    Report,
    /// What agents may not do, or must ask about.
    Rule,
    /// Agents on pieces of work.
    Session,
    /// What sessions at work have submitted.
    Submission,
    /// Plain records of teams, by the name of their kind.
    TeamRecord(&'static str),
    /// Calls that were not let through.
    Violation,
    /// Workflows.
    Workflow,
}

impl Table {
    /// Returns the name that begins the table's partitions.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Agent => "agent",
            Self::Approval => "approval",
            Self::Bookmark => "bookmark",
            Self::Callback => "callback",
            Self::Execution => "execution",
            Self::KeyedCall => "keyed-call",
            Self::Landing => "landing",
            Self::Letter => "letter",
            Self::McpServer => "mcp-server",
            Self::Mission => "mission",
            Self::Notification => "notification",
            Self::ParkedAccount => "parked-account",
            Self::Project => "project",
            Self::Question => "question",
            Self::Report => "report",
            Self::Rule => "rule",
            Self::Session => "session",
            Self::Submission => "submission",
            Self::TeamRecord(kind) => kind,
            Self::Violation => "violation",
            Self::Workflow => "workflow",
        }
    }
}

/// The groups that records are found in, by entity.
pub mod by {
    pub use super::agent::by as agent;
    pub use super::approval::by as approval;
    pub use super::callback::by as callback;
    pub use super::execution::by as execution;
    pub use super::keyed_call::by as keyed_call;
    pub use super::landing::by as landing;
    pub use super::mcp_server::by as mcp_server;
    pub use super::mission::by as mission;
    pub use super::notification::by as notification;
    pub use super::project::by as project;
    pub use super::question::by as question;
    pub use super::report::by as report;
    pub use super::rule::{by as rule, violations as violation};
    pub use super::session::by as session;
    pub use super::team_record::by as team_record;
    pub use super::workflow::by as workflow;
}

/// Writes a time so that text order is time order, for every time there is.
fn time_key(at: types::Timestamp) -> String {
    format!("{:018}", at.as_microsecond() - types::Timestamp::MIN.as_microsecond())
}
