//! An agent that another program runs and that reports what it does.
//!
//! Fleet starts nothing and ends nothing of it. What it reports is read as the events that Claude Code streams, since
//! that is what such workers pass on; anything else is kept as it is.

use serde_json::Value;

use crate::claude::Claude;
use crate::{
    Adapter, Brief, Capabilities, ContextLimit, Counting, Launch, LaunchError, McpForm, PermissionHook, Reader, Say,
    SessionIdSource,
};

/// The adapter of agents that others run.
#[derive(Debug, Clone, Copy, Default)]
pub struct External;

impl External {
    /// The name under which sessions of such agents stand.
    pub const NAME: &str = "external";
}

impl Adapter for External {
    fn name(&self) -> &str {
        Self::NAME
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities {
            resume: false,
            fork: false,
            live_input: false,
            budget_flag: false,
            turns_flag: false,
            mcp: McpForm::None,
            permission_hook: PermissionHook::None,
            context_limit: ContextLimit::Told { assumed: 200_000 },
            session_id: SessionIdSource::Told,
            counting: Counting::PerProcess,
        }
    }

    fn launch(&self, _: &Brief) -> Result<Launch, LaunchError> {
        Err(LaunchError::Incapable { agent: Self::NAME.to_owned(), what: "be started by Fleet" })
    }

    fn reader(&self) -> Box<dyn Reader> {
        Claude::default().reader()
    }

    fn reader_at(&self, state: &Value) -> Box<dyn Reader> {
        Claude::default().reader_at(state)
    }

    fn say(&self, _: &Say) -> Option<String> {
        None
    }
}
