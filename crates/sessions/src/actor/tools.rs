//! Fleet's own tools for an agent: a child of the agent that carries its calls to the server, under the agent's name.
//!
//! What the child is told holds no secret: a file of the session's proves who it is, and another says where the server
//! is. So it works after the server was started again, at whatever port, and inside of the agent's sandbox.

use std::collections::BTreeMap;

use agents::{McpForm, McpServer, McpTransport};

use super::Actor;
use crate::Result;

/// What the tools are called by, as a part of their names.
pub(super) const NAME: &str = "fleet";

/// The tools that no agent is asked about: they show its own project, and hand on no more than it has itself.
const FREE: [&str; 11] = [
    "ask_human",
    "submit_report",
    "get_mission_context",
    "get_project_context",
    "get_session_history",
    "get_team_context",
    "read_past_reports",
    "create_sub_mission",
    "request_review",
    "get_sub_mission_status",
    "list_project_missions",
];

impl Actor {
    /// Returns the server of Fleet's tools, for an agent that can use one and works on a mission.
    pub(super) fn own_tools(&self) -> Result<Option<McpServer>> {
        let takes = match self.adapter()?.capabilities().mcp {
            McpForm::None => false,
            McpForm::Argument => self.session.mission.is_some(),
        };
        let Some(home) = self.shared.parts.tasks.parent().filter(|_| takes) else { return Ok(None) };
        let access = Some(self.server_access()).filter(|access| !access.is_empty());
        let access = access.unwrap_or_else(|| vec![("FLEET_HOME".to_owned(), home.to_string_lossy().into_owned())]);
        let env = [
            ("FLEET_TOOLSET", "agent".to_owned()),
            ("CLAUDE_CODE_AGENT_NAME", self.session.handle.to_string()),
            ("CLAUDE_CODE_AGENT_TYPE", "worker".to_owned()),
            ("CLAUDE_FLEET_TEAM", self.session.team.to_string()),
        ];
        let env: BTreeMap<String, String> =
            env.into_iter().map(|(name, value)| (name.to_owned(), value)).chain(access).collect();
        let command = self.shared.parts.program.to_string_lossy().into_owned();
        let transport = McpTransport::Stdio { command, args: vec!["mcp".to_owned()], env };
        Ok(Some(McpServer { name: NAME.to_owned(), transport }))
    }
}

/// Returns the names under which an agent knows the tools that it is not asked about.
pub(super) fn free() -> impl Iterator<Item = String> {
    FREE.into_iter().map(|tool| format!("mcp__{NAME}__{tool}"))
}
