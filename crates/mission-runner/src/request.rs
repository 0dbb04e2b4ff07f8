//! What is asked of one start of a mission, as plain data.

use std::time::Duration;

use missions::Edit;
use types::{Limits, Mission, SandboxRules, SessionId, Start, ToolChoice};

/// A mission to start or resume, and how; what is unset comes from the mission, its project or the settings.
#[derive(Debug, Clone, PartialEq)]
pub struct StartRequest {
    /// The mission, as the caller read it and was allowed to start it.
    pub mission: Mission,
    /// The agent.
    pub agent: Option<String>,
    /// The model.
    pub model: Option<String>,
    /// Ceilings for this session alone.
    pub limits: Limits,
    /// Tools that need no question, in place of every preset.
    pub allowed_tools: Option<Vec<String>>,
    /// A preset, in place of the mission's.
    pub tool_preset: Option<String>,
    /// Text for the system prompt, after the project's.
    pub system_prompt: Option<String>,
    /// Resume in a copy of the conversation.
    pub fork: bool,
    /// Attach the context-mode MCP server.
    pub context_mode: bool,
    /// Rules for the sandbox of this session, beside those of its mission and project.
    pub sandbox: SandboxRules,
    /// Most processes after the first that Fleet starts by itself.
    pub retries_max: Option<u32>,
    /// The wait before the first retry.
    pub first_retry_after: Option<Duration>,
    /// The longest wait before a retry.
    pub longest_retry_after: Option<Duration>,
    /// Where the agent works.
    pub place: StartPlace,
}

/// Where the agent of a mission works.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StartPlace {
    /// In a worktree of its own.
    Worktree {
        /// What its branch starts from; if unset, the project's target branch with the work of its dependencies.
        base: Option<String>,
    },
    /// In a worktree whose branch starts where the branch of another session is.
    Inherit(SessionId),
    /// In the project's own folder.
    InPlace,
}

impl StartRequest {
    /// Asks for a start with everything as the mission, the project and the settings have it.
    #[must_use]
    pub fn new(mission: Mission) -> Self {
        Self {
            mission,
            agent: None,
            model: None,
            limits: Limits::default(),
            allowed_tools: None,
            tool_preset: None,
            system_prompt: None,
            fork: false,
            context_mode: false,
            sandbox: SandboxRules::default(),
            retries_max: None,
            first_retry_after: None,
            longest_retry_after: None,
            place: StartPlace::Worktree { base: None },
        }
    }

    /// Returns the edit that lets the mission keep this request until it can start; none if the request has something
    /// that a mission has no field for.
    #[must_use]
    pub fn as_edit(&self) -> Option<Edit> {
        let Self {
            mission: _,
            agent,
            model,
            limits: Limits { turns_max, dollars_max, tokens_max, secs_max },
            allowed_tools,
            tool_preset,
            system_prompt: None,
            fork: false,
            context_mode: false,
            sandbox,
            retries_max,
            first_retry_after: None,
            longest_retry_after: None,
            place: StartPlace::Worktree { base: None },
        } = self.clone()
        else {
            return None;
        };
        if !sandbox.is_default() {
            return None;
        }
        let tools = allowed_tools.map(ToolChoice::Listed).or(tool_preset.map(ToolChoice::Preset));
        Some(Edit {
            start: Some(Start::WhenReady),
            agent,
            model,
            turns_max,
            dollars_max,
            tokens_max,
            secs_max,
            allowed_tools: tools.map(Some),
            retries_max,
            ..Edit::default()
        })
    }
}

#[cfg(test)]
mod tests {
    use missions::Statement;
    use types::{Handle, Timestamp};

    use super::*;

    fn request() -> StartRequest {
        let statement = Statement::new("alpha".parse().unwrap(), "Add a cart".to_owned(), "Do it".to_owned());
        let id = "m-x7k2m".parse().unwrap();
        StartRequest::new(missions::create(id, statement, Handle::owner(), Timestamp::UNIX_EPOCH))
    }

    #[test]
    fn a_mission_keeps_the_agent_the_tools_and_the_ceilings_of_a_request() {
        let tools = vec!["Read".to_owned(), "Grep".to_owned()];
        let limits = Limits { turns_max: Some(7), ..Limits::default() };
        let asked =
            StartRequest { agent: Some("claude".to_owned()), allowed_tools: Some(tools.clone()), limits, ..request() };
        let edit = asked.as_edit().unwrap();
        assert_eq!(edit.agent.as_deref(), Some("claude"));
        assert_eq!(edit.allowed_tools, Some(Some(ToolChoice::Listed(tools))));
        assert_eq!((edit.start, edit.turns_max), (Some(Start::WhenReady), Some(7)));
    }

    #[test]
    fn a_request_for_something_that_a_mission_has_no_field_for_is_not_kept() {
        let requests = [
            StartRequest { place: StartPlace::InPlace, ..request() },
            StartRequest { place: StartPlace::Worktree { base: Some("v1".to_owned()) }, ..request() },
            StartRequest { place: StartPlace::Inherit("s-x7k2m".parse().unwrap()), ..request() },
            StartRequest { system_prompt: Some("be brief".to_owned()), ..request() },
            StartRequest { context_mode: true, ..request() },
            StartRequest { fork: true, ..request() },
            StartRequest { sandbox: SandboxRules { ports: vec![5432], ..SandboxRules::default() }, ..request() },
            StartRequest { first_retry_after: Some(Duration::from_secs(1)), ..request() },
        ];
        assert!(requests.iter().all(|request| request.as_edit().is_none()));
        assert!(request().as_edit().is_some());
    }
}
