//! opencode, over `opencode run --format json`: one process a turn, its events as JSON lines.
//!
//! The prompt goes in on standard input; its permissions and servers are in its environment. It has no
//! hook: what its own permissions cannot say, only the sandbox holds. Facts are as observed with version 1.18.33.

mod argv;
mod over;
mod read;

use serde_json::Value;

use crate::{
    Adapter, Brief, Capabilities, ContextLimit, Counting, Discovery, Launch, LaunchError, LoginCheck, McpForm, Needs,
    PermissionHook, Price, PrivateFile, Reader, Say, Scripted, SessionIdSource, Setup,
};
pub(crate) use over::acp;
use read::OpencodeReader;

/// Assumed, since it works with any model and reports no window.
const WINDOW: u64 = 128_000;

/// The adapter of opencode.
#[derive(Debug, Clone, Default)]
pub struct Opencode {
    setup: Setup,
}

impl Opencode {
    /// Returns the adapter, as the settings want it.
    #[must_use]
    pub fn new(setup: Setup) -> Self {
        Self { setup }
    }
}

impl Adapter for Opencode {
    fn name(&self) -> &str {
        "opencode"
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities {
            resume: true,
            fork: true,
            live_input: false,
            budget_flag: false,
            turns_flag: false,
            mcp: McpForm::Argument,
            permission_hook: PermissionHook::None,
            context_limit: ContextLimit::Fixed { tokens: self.setup.context_limit.unwrap_or(WINDOW) },
            session_id: SessionIdSource::Told,
            counting: Counting::PerProcess,
        }
    }

    fn launch(&self, brief: &Brief) -> Result<Launch, LaunchError> {
        argv::launch(&self.setup, brief)
    }

    fn reader(&self) -> Box<dyn Reader> {
        Box::new(OpencodeReader::default())
    }

    fn reader_at(&self, state: &Value) -> Box<dyn Reader> {
        Box::new(OpencodeReader::at(state))
    }

    fn needs(&self) -> Needs {
        let home = [".cache/opencode", ".config/opencode", ".local/share/opencode", ".local/state/opencode"];
        let models = ["api.anthropic.com", "api.openai.com", "generativelanguage.googleapis.com", "openrouter.ai"];
        Needs::of(&home, &[]).and_hosts(&[&models[..], &["models.dev", "opencode.ai"]].concat())
    }

    fn discovery(&self) -> Option<Discovery> {
        let keys = ["ANTHROPIC_API_KEY", "GEMINI_API_KEY", "OPENAI_API_KEY", "OPENCODE_API_KEY", "OPENROUTER_API_KEY"];
        // Its own settings can hold a provider with a key, or one that needs none.
        let settings = ["OPENCODE_CONFIG", "OPENCODE_CONFIG_CONTENT", "OPENCODE_CONFIG_DIR"];
        let files = [
            ".local/share/opencode/auth.json",
            ".config/opencode/config.json",
            ".config/opencode/opencode.json",
            ".config/opencode/opencode.jsonc",
        ];
        let login = LoginCheck::traces(&[&keys[..], &settings].concat(), &files);
        Some(Discovery::of(self.setup.binary.as_ref(), argv::BINARY, login).and_login("auth login"))
    }

    /// It reports a call when the call is over, and a step when the step is.
    fn is_silent(&self) -> bool {
        true
    }

    fn price(&self, model: Option<&str>) -> Option<Price> {
        self.setup.price(model)
    }

    fn say(&self, _: &Say) -> Option<String> {
        None
    }

    fn scripted(&self, url: &str) -> Option<Scripted> {
        let provider = serde_json::json!({
            "model": "scripted/model",
            "small_model": "scripted/model",
            "provider": {"scripted": {
                "npm": "@ai-sdk/openai-compatible",
                "options": {"baseURL": format!("{url}/v1"), "apiKey": "none"},
                "models": {"model": {"name": "model"}},
            }},
        });
        let path = ".config/opencode/opencode.json".into();
        let files = vec![PrivateFile { path, text: provider.to_string() }];
        Some(Scripted { files, ..Scripted::env([("OPENCODE_DISABLE_MODELS_FETCH", "1")]) })
    }
}

#[cfg(test)]
#[path = "opencode_tests.rs"]
mod tests;
