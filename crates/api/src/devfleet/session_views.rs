//! How this dialect shows sessions.

use api_macros::output;
use types::{FailureClass, MissionId, SaidBy, ServerState, Session, SessionEnding, SessionId, SessionState, Spending};

use super::report_views::ReportRow;
use super::words::{SessionStatus, shown_model};
use crate::SqlTime;
use crate::fleet::SessionStanding;

/// A session
#[output]
pub struct SessionRow {
    /// Its id
    pub id: SessionId,
    /// The mission it works on
    pub mission_id: Option<MissionId>,
    /// Its status in this contract's words
    pub status: SessionStatus,
    /// Its state, in Fleet's own words
    pub state: SessionStanding,
    /// What it waits for, in a few words; unset if it waits for nothing
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub waits_for: Option<String>,
    /// When it was started
    pub started_at: SqlTime,
    /// When it ended
    pub ended_at: Option<SqlTime>,
    /// What its last process returned
    pub exit_code: Option<i32>,
    /// What the agent said and did last; empty in lists
    pub output_log: String,
    /// What the agent wrote to its standard error last; empty in lists
    pub error_log: String,
    /// The model that its agent reported; before that the one asked for, and `default` leaves it to the agent
    pub model: String,
    /// Tokens by kind, as JSON text
    pub token_usage: String,
    /// The agent's own id of the conversation
    pub claude_session_id: String,
    /// Always empty: sessions cannot be taken over yet
    pub remote_url: String,
    /// What it has cost, as far as that is known
    pub total_cost_usd: f64,
    /// Set if its agent reports no price, so that what it has cost is unknown
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub cost_unknown: bool,
    /// Tokens it has taken
    pub total_tokens: u64,
    /// Processes after the first
    pub retry_count: u32,
    /// What went wrong last
    pub last_error: String,
    /// Of what kind that was
    pub error_type: String,
    /// The agent
    pub agent: String,
    /// The name of its agent
    pub handle: String,
    /// The folder it works in
    pub work_dir: Option<String>,
    /// Its branch
    pub branch: Option<String>,
    /// What the kernel kept from its last process: `held`, `missing` or `off`, and more in words
    pub sandbox: Option<String>,
    /// Who said how much that sandbox matters
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sandbox_source: Option<SaidBy>,
    /// Who said what it reaches of the network
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sandbox_network_source: Option<SaidBy>,
    /// Whether the calls of its last process were judged: `enforced`, `unenforced` or `not tried`
    pub calls: Option<String>,
    /// When it goes on, if it waits
    pub waits_until: Option<SqlTime>,
    /// What the mission is called
    pub mission_title: Option<String>,
    /// Since when only the end of its output is kept, if it is
    pub trimmed_at: Option<SqlTime>,
    /// What the project is called
    pub project_name: Option<String>,
    /// The MCP servers of its last process, as its agent found them
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub mcp_servers: Vec<ServerState>,
}

/// A session with its mission's number and its report
#[output]
pub struct SessionDetail {
    /// The session
    #[serde(flatten)]
    pub session: SessionRow,
    /// The mission's number in its project
    pub mission_number: Option<u64>,
    /// What it reported
    pub report: Option<ReportRow>,
}

impl SessionRow {
    /// Shows a session with what it has cost until now; names and logs are the caller's to fill in.
    #[must_use]
    pub fn of(session: &Session, spending: Spending) -> Self {
        let (ended_at, waits_until) = match &session.state {
            SessionState::Ended { at, .. } => (Some(SqlTime(*at)), None),
            SessionState::Waiting { until, .. } => (None, until.map(SqlTime)),
            SessionState::Starting { .. } | SessionState::Running { .. } | SessionState::Stopping { .. } => {
                (None, None)
            }
        };
        let workspace = session.workspace.as_ref();
        let (state, waits_for) = SessionStanding::of(session, None);
        let said = session.guard.as_ref().and_then(|guard| guard.said);
        Self {
            id: session.id.clone(),
            mission_id: session.mission.as_ref().map(|assignment| assignment.mission.clone()),
            status: SessionStatus::from(&session.state),
            state,
            waits_for,
            started_at: SqlTime(session.created_at),
            ended_at,
            exit_code: session.exit,
            output_log: String::new(),
            error_log: String::new(),
            model: shown_model(session.model.clone().or_else(|| session.order.model.clone())),
            token_usage: serde_json::to_string(&spending.spent.tokens).unwrap_or_default(),
            claude_session_id: session.conversation.clone().unwrap_or_default(),
            remote_url: String::new(),
            total_cost_usd: spending.spent.cost.dollars(),
            cost_unknown: !spending.has_known_cost(),
            total_tokens: spending.spent.tokens.plus(spending.unsettled).sum(),
            retry_count: session.runs.saturating_sub(1),
            last_error: session.trouble.as_ref().map(|trouble| trouble.text.clone()).unwrap_or_default(),
            error_type: error_type(session).to_owned(),
            agent: session.order.agent.clone(),
            handle: session.handle.to_string(),
            work_dir: workspace.map(|workspace| workspace.path.clone()),
            branch: workspace.and_then(|workspace| Some(workspace.worktree.as_ref()?.branch.clone())),
            sandbox: session.guard.as_ref().map(|guard| guard.sandbox.to_string()),
            sandbox_source: said.map(|said| said.level),
            sandbox_network_source: said.map(|said| said.network),
            calls: session.guard.as_ref().map(|guard| guard.calls.to_string()),
            waits_until,
            mission_title: None,
            project_name: None,
            trimmed_at: None,
            mcp_servers: session.servers.clone(),
        }
    }
}

/// The documented words for what went wrong, and Fleet's own where there is none.
fn error_type(session: &Session) -> &'static str {
    match &session.state {
        SessionState::Ended { ending: SessionEnding::Cancelled { .. }, .. } => "cancelled",
        SessionState::Ended { ending: SessionEnding::Completed { .. }, .. } => "",
        SessionState::Ended { ending: SessionEnding::Failed { class, .. }, .. } => match class {
            FailureClass::RateLimit | FailureClass::Quota { .. } => "rate_limit_exhausted",
            FailureClass::Overloaded => "transient_exhausted",
            FailureClass::Crash | FailureClass::Stale => "unknown_early_exit",
            FailureClass::NotDone => "no_work_done",
            FailureClass::Auth
            | FailureClass::ContextFull
            | FailureClass::NotStarted
            | FailureClass::Timeout
            | FailureClass::Budget
            | FailureClass::Denied
            | FailureClass::MaxTurns
            | FailureClass::Interrupted
            | FailureClass::NoSession
            | FailureClass::Invalid => class.as_str(),
        },
        SessionState::Starting { .. }
        | SessionState::Running { .. }
        | SessionState::Waiting { .. }
        | SessionState::Stopping { .. } => session.trouble.as_ref().map_or("", |_| "transient"),
    }
}
