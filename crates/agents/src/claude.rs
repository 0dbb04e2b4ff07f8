//! Claude Code, over its two-way stream of JSON lines.
//!
//! The prompt, later messages, interrupts and answers go in on standard input, so nothing of them is seen in a list of
//! processes and no prompt is too long. Facts are as observed with version 2.1.325.

mod argv;
mod blocks;
mod read;
mod result;
mod say;

use serde_json::Value;

use crate::priced::Priced;
use crate::{
    Adapter, Brief, Capabilities, ContextLimit, Counting, Discovery, Launch, LaunchError, LoginCheck, McpForm, Needs,
    PermissionHook, Price, Reader, Say, Scripted, SessionIdSource, Setup,
};
use read::ClaudeReader;

/// Assumed until the first result reports the model's own window.
const WINDOW_ASSUMED: u64 = 200_000;

/// The adapter of Claude Code.
#[derive(Debug, Clone, Default)]
pub struct Claude {
    setup: Setup,
}

impl Claude {
    /// Returns the adapter, as the settings want it.
    #[must_use]
    pub fn new(setup: Setup) -> Self {
        Self { setup }
    }
}

impl Adapter for Claude {
    fn name(&self) -> &str {
        "claude"
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities {
            resume: true,
            fork: true,
            live_input: true,
            budget_flag: true,
            turns_flag: true,
            mcp: McpForm::Argument,
            permission_hook: PermissionHook::Stream,
            context_limit: ContextLimit::Told { assumed: WINDOW_ASSUMED },
            session_id: SessionIdSource::Chosen,
            counting: Counting::AcrossResumes,
        }
    }

    fn launch(&self, brief: &Brief) -> Result<Launch, LaunchError> {
        argv::launch(&self.setup, brief)
    }

    fn can_leave(&self) -> bool {
        true
    }

    fn reader(&self) -> Box<dyn Reader> {
        Box::new(Priced::new(ClaudeReader::default(), &self.setup))
    }

    fn reader_at(&self, state: &Value) -> Box<dyn Reader> {
        Box::new(Priced::new(ClaudeReader::at(state), &self.setup))
    }

    fn price(&self, model: Option<&str>) -> Option<Price> {
        self.setup.price(model)
    }

    fn discovery(&self) -> Option<Discovery> {
        let login = LoginCheck::command(&["auth", "status"], &["ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN"]);
        Some(Discovery::of(self.setup.binary.as_ref(), argv::BINARY, login).and_login("auth login"))
    }

    fn needs(&self) -> Needs {
        // Its settings, log-in and conversations; its own caches and its locks.
        let home = [".claude", ".claude.json", ".local/share/claude", ".local/state/claude"];
        let hosts = ["api.anthropic.com", "console.anthropic.com", "platform.claude.com", "claude.ai"];
        Needs::of(&home, &["CLAUDE_CODE_TMPDIR", "CLAUDE_CONFIG_DIR"]).and_hosts(&hosts)
    }

    fn say(&self, say: &Say) -> Option<String> {
        say::line(say)
    }

    fn scripted(&self, url: &str) -> Option<Scripted> {
        Some(Scripted::env([
            // Without a key it asks for a login.
            ("ANTHROPIC_API_KEY", "none"),
            ("ANTHROPIC_BASE_URL", url),
            ("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1"),
            ("DISABLE_AUTOUPDATER", "1"),
            ("DISABLE_ERROR_REPORTING", "1"),
            ("DISABLE_TELEMETRY", "1"),
        ]))
    }
}

#[cfg(test)]
#[path = "claude_tests.rs"]
mod tests;
