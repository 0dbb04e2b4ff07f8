//! Gemini, over `gemini -o stream-json`: one process a turn, its events as JSON lines.
//!
//! The prompt goes in on standard input. Its MCP servers and its permission hook are in a settings file that
//! beat all others. Facts are as observed with version 0.61.0.

mod argv;
mod over;
mod read;
mod rules;

use serde_json::Value;
use types::{Limits, Timestamp};

use crate::{
    Adapter, Brief, Capabilities, ContextLimit, Counting, Discovery, Ending, Exit, FailureClass, Launch, LaunchError,
    LoginCheck, McpForm, Needs, PermissionHook, Price, PrivateFile, Reader, Say, Scripted, SessionIdSource, Setup,
    lines,
};
pub(crate) use over::acp;
use read::GeminiReader;

/// The window of its current models; it reports none.
const WINDOW: u64 = 1_000_000;

/// Where its models and its log-in are.
pub(crate) const HOSTS: [&str; 4] = [
    "generativelanguage.googleapis.com",
    "cloudcode-pa.googleapis.com",
    "aiplatform.googleapis.com",
    "oauth2.googleapis.com",
];

/// Seconds of a day, and of the hour in UTC at which a daily quota is new: midnight at its maker's, in winter.
const DAY: i64 = 86_400;
const QUOTA_HOUR: i64 = 8 * 3_600;

/// HTTP statuses that it may end with; its exit code is what a byte holds of them.
const STATUSES: [u16; 12] = [400, 401, 402, 403, 404, 413, 429, 500, 502, 503, 504, 529];

/// The adapter of Gemini.
#[derive(Debug, Clone, Default)]
pub struct Gemini {
    setup: Setup,
}

impl Gemini {
    /// Returns the adapter, as the settings want it.
    #[must_use]
    pub fn new(setup: Setup) -> Self {
        Self { setup }
    }
}

impl Adapter for Gemini {
    fn name(&self) -> &str {
        "gemini"
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities {
            resume: true,
            fork: false,
            live_input: false,
            budget_flag: false,
            turns_flag: true,
            mcp: McpForm::Argument,
            permission_hook: PermissionHook::Program,
            context_limit: ContextLimit::Fixed { tokens: self.setup.context_limit.unwrap_or(WINDOW) },
            session_id: SessionIdSource::Chosen,
            counting: Counting::PerProcess,
        }
    }

    fn launch(&self, brief: &Brief) -> Result<Launch, LaunchError> {
        argv::launch(&self.setup, brief)
    }

    fn reader(&self) -> Box<dyn Reader> {
        Box::new(GeminiReader::default())
    }

    fn reader_at(&self, state: &Value) -> Box<dyn Reader> {
        Box::new(GeminiReader::at(state))
    }

    fn needs(&self) -> Needs {
        Needs::of(&[".gemini"], &["GEMINI_CLI_HOME"]).and_hosts(&HOSTS)
    }

    fn discovery(&self) -> Option<Discovery> {
        let keys = ["GEMINI_API_KEY", "GOOGLE_API_KEY", "GOOGLE_APPLICATION_CREDENTIALS", "GOOGLE_GENAI_USE_VERTEXAI"];
        // Of a home of its own the files are not looked for: what is set there is not known.
        let keys = [&keys[..], &["GEMINI_CLI_HOME"]].concat();
        let files = [".gemini/oauth_creds.json", ".gemini/.env", ".env"];
        let login = LoginCheck::traces(&keys, &files);
        Some(Discovery::of(self.setup.binary.as_ref(), argv::BINARY, login).and_login(""))
    }

    /// It retries silently, and reports that on standard error only.
    fn is_silent(&self) -> bool {
        true
    }

    fn keeps_budget(&self, asked: Limits, model: Option<&str>) -> bool {
        self.setup.has_prices_for(asked, model)
    }

    fn price(&self, model: Option<&str>) -> Option<Price> {
        self.setup.price(model)
    }

    /// Without a result nothing is done, whatever it returns: on a signal that is zero.
    fn last_word(&self, exit: Exit, errors: &str) -> Option<Ending> {
        let Exit::Code { code } = exit else { return None };
        let class = match code {
            41 => FailureClass::Auth,
            42 if errors.contains("resuming session") => FailureClass::NoSession,
            42 | 52 => FailureClass::Invalid,
            53 => FailureClass::MaxTurns,
            _ => {
                let status = STATUSES.into_iter().find(|status| i32::from(status % 256) == code)?;
                read::refused(errors).unwrap_or_else(|| lines::refusal(status))
            }
        };
        Some(Ending::Failed { class })
    }

    fn resets_at(&self, text: &str, now: Timestamp) -> Option<Timestamp> {
        if !text.contains("daily quota") {
            return None;
        }
        let next = (now.as_second() - QUOTA_HOUR).div_euclid(DAY) + 1;
        Timestamp::from_second(next * DAY + QUOTA_HOUR).ok()
    }

    /// Where another address is named it must be told how it logs in, or it guesses a way that it refuses.
    fn scripted(&self, url: &str) -> Option<Scripted> {
        let path = ".gemini/settings.json".into();
        let text = r#"{"security":{"auth":{"selectedType":"gemini-api-key"}}}"#.to_owned();
        let env = Scripted::env([("GEMINI_API_KEY", "none"), ("GOOGLE_GEMINI_BASE_URL", url)]);
        Some(Scripted { files: vec![PrivateFile { path, text }], ..env })
    }

    fn say(&self, _: &Say) -> Option<String> {
        None
    }
}

#[cfg(test)]
#[path = "gemini_tests.rs"]
mod tests;
