//! Codex, over `codex exec --json`: one process a turn, its events as JSON lines.
//!
//! The prompt goes in on standard input, so nothing of it is seen in a list of processes and none is too long. A
//! running turn cannot be told anything. Facts are as observed with version 0.166.0.

mod app_server;
mod argv;
mod mcp;
mod over;
mod quota;
mod read;

use serde_json::Value;
use types::{Limits, Timestamp};

use crate::{
    Adapter, Brief, Capabilities, ContextLimit, Counting, Discovery, Ending, Exit, FailureClass, Launch, LaunchError,
    LoginCheck, McpForm, McpTransport, Needs, PermissionHook, Price, Reader, Say, Scripted, SessionIdSource, Setup,
    Signal,
};
pub use app_server::AppServer;
pub(crate) use over::app_server;
use read::CodexReader;

/// The window of its current models; it reports none over this protocol.
const WINDOW: u64 = 272_000;

/// The adapter of Codex.
#[derive(Debug, Clone, Default)]
pub struct Codex {
    setup: Setup,
}

impl Codex {
    /// Returns the adapter, as the settings want it.
    #[must_use]
    pub fn new(setup: Setup) -> Self {
        Self { setup }
    }
}

impl Adapter for Codex {
    fn name(&self) -> &str {
        "codex"
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities {
            resume: true,
            fork: true,
            live_input: false,
            budget_flag: false,
            turns_flag: false,
            mcp: McpForm::Argument,
            permission_hook: PermissionHook::Program,
            context_limit: ContextLimit::Fixed { tokens: self.setup.context_limit.unwrap_or(WINDOW) },
            session_id: SessionIdSource::Told,
            counting: Counting::AcrossResumes,
        }
    }

    fn takes_server(&self, transport: &McpTransport) -> bool {
        match transport {
            McpTransport::Stdio { .. } | McpTransport::Http { .. } => true,
            McpTransport::Sse { .. } => false,
        }
    }

    fn launch(&self, brief: &Brief) -> Result<Launch, LaunchError> {
        argv::launch(&self.setup, brief)
    }

    fn reader(&self) -> Box<dyn Reader> {
        Box::new(CodexReader::default())
    }

    fn reader_at(&self, state: &Value) -> Box<dyn Reader> {
        Box::new(CodexReader::at(state))
    }

    fn discovery(&self) -> Option<Discovery> {
        let login = LoginCheck::command(&["login", "status"], &["CODEX_API_KEY"]);
        Some(Discovery::of(self.setup.binary.as_ref(), argv::BINARY, login).and_login("login"))
    }

    fn needs(&self) -> Needs {
        Needs::of(&[".codex"], &["CODEX_HOME"]).and_hosts(&["api.openai.com", "auth.openai.com", "chatgpt.com"])
    }

    /// On SIGTERM it dies at once and leaves its shells running.
    fn stop(&self) -> Signal {
        Signal::Int
    }

    /// It says nothing while its model thinks.
    fn is_silent(&self) -> bool {
        true
    }

    fn keeps_budget(&self, asked: Limits, model: Option<&str>) -> bool {
        self.setup.has_prices_for(asked, model)
    }

    fn price(&self, model: Option<&str>) -> Option<Price> {
        self.setup.price(model)
    }

    /// What it cannot begin with it says on standard error alone.
    fn last_word(&self, _: Exit, errors: &str) -> Option<Ending> {
        let class = if errors.contains("no rollout found") {
            FailureClass::NoSession
        } else if errors.contains("Not logged in") || errors.contains("401 Unauthorized") {
            FailureClass::Auth
        } else if errors.contains("error: unexpected argument") || errors.contains("Error loading config") {
            FailureClass::Invalid
        } else {
            return None;
        };
        Some(Ending::Failed { class })
    }

    fn resets_at(&self, text: &str, now: Timestamp) -> Option<Timestamp> {
        quota::resets_at(text, now)
    }

    fn scripted(&self, url: &str) -> Option<Scripted> {
        let provider = format!(
            "model_providers.scripted={{name=\"scripted\",base_url={},env_key=\"FLEET_SCRIPTED_KEY\",\
             wire_api=\"responses\",request_max_retries=1,stream_max_retries=2}}",
            argv::text(&format!("{url}/v1"))
        );
        let args = ["-c", "model_provider=\"scripted\"", "-c", &provider].map(str::to_owned).into();
        Some(Scripted { args, ..Scripted::env([("FLEET_SCRIPTED_KEY", "none")]) })
    }

    fn say(&self, _: &Say) -> Option<String> {
        None
    }
}

#[cfg(test)]
#[path = "codex_tests.rs"]
mod tests;
