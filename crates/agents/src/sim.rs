//! `sim`: an agent without a model, which does what a script says. It needs no key and no network.
//!
//! `fleet demo`, the tests and the chaos runs start it. A script is in the prompt, between a line
//! "```sim" and a line "```"; any other prompt gets a small piece of honest work (`work.rs`). This module holds the script and the
//! pure stepper from script to effects; carrying effects out is the part of crate `sim`. What it prints are Fleet's own
//! events, one JSON object a line, and what it is told are [`Say`]s in the same form.

mod effect;
mod flood;
mod script;
mod stepper;
mod work;

use serde::{Deserialize, Serialize};
use serde_json::Value;

pub use effect::Effect;
pub use flood::FloodLine;
pub use script::{Deed, Script, ScriptError, Step};
pub use stepper::Stepper;

use crate::bridge::EventReader;

use crate::{
    Access, Adapter, Brief, Capabilities, ContextLimit, Conversation, Counting, Discovery, Launch, LaunchError,
    LoginCheck, McpForm, PermissionHook, Price, Reader, Say, SessionIdSource, Setup, Signal, StdinProtocol,
};

/// The model's name, where none is asked for.
const MODEL: &str = "sim";

/// The argument under which the binary plays the agent.
pub const COMMAND: &str = "sim-agent";

/// The variable that names the mission.
const MISSION: &str = "FLEET_TASK_ID";

/// What the window of its context is said to be.
const WINDOW: u64 = 200_000;

/// The first line that the agent reads.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Order {
    /// What to do.
    pub prompt: String,
    /// The conversation's id.
    pub session: String,
    /// The model's name.
    pub model: String,
    /// Whether it continues with a conversation that an earlier process began.
    #[serde(default)]
    pub resumed: bool,
    /// The mission it works on, if it has one; what it does without a script is named after it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mission: Option<String>,
    /// Whether it may change no file.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub reads_only: bool,
}

/// The adapter of the scripted agent.
#[derive(Debug, Clone, Default)]
pub struct Sim {
    setup: Setup,
}

impl Sim {
    /// Returns the adapter; the settings' binary is the one that plays the agent, `fleet` itself.
    #[must_use]
    pub fn new(setup: Setup) -> Self {
        Self { setup }
    }
}

impl Adapter for Sim {
    fn name(&self) -> &str {
        "sim"
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities {
            resume: true,
            fork: true,
            live_input: true,
            budget_flag: false,
            turns_flag: false,
            mcp: McpForm::None,
            permission_hook: PermissionHook::Stream,
            context_limit: ContextLimit::Fixed { tokens: WINDOW },
            session_id: SessionIdSource::Chosen,
            counting: Counting::PerProcess,
        }
    }

    fn launch(&self, brief: &Brief) -> Result<Launch, LaunchError> {
        let refuse = |error: ScriptError| LaunchError::Prompt { agent: "sim".to_owned(), why: error.to_string() };
        if !brief.mcp.is_empty() {
            return Err(LaunchError::Incapable { agent: "sim".to_owned(), what: "use MCP servers" });
        }
        let model = self.setup.model(brief.model.as_deref()).unwrap_or_else(|| MODEL.to_owned());
        let resumed = matches!(brief.conversation, Conversation::Resume { .. });
        let order = Order {
            prompt: prompt(brief).to_owned(),
            session: session(brief),
            model,
            resumed,
            mission: brief.env.get(MISSION).cloned(),
            reads_only: brief.access == Access::ReadOnly,
        };
        Script::of_order(&order).map_err(refuse)?;
        let binary = self.setup.binary.clone().unwrap_or_else(|| "fleet".to_owned());
        Ok(Launch {
            argv: [binary, COMMAND.to_owned()].into_iter().chain(self.setup.args.clone()).collect(),
            cwd: brief.cwd.clone(),
            env: self.setup.env(brief),
            pass: self.setup.pass(&["HOME", "LANG", "PATH", "TMPDIR"]),
            files: Vec::new(),
            stdin: StdinProtocol::JsonLines,
            pty: self.setup.pty,
            opening: vec![serde_json::to_string(&order).unwrap_or_default()],
            stop: Signal::Term,
        })
    }

    fn reader(&self) -> Box<dyn Reader> {
        Box::new(EventReader)
    }

    fn reader_at(&self, _: &Value) -> Box<dyn Reader> {
        Box::new(EventReader)
    }

    fn price(&self, model: Option<&str>) -> Option<Price> {
        self.setup.price(model)
    }

    fn discovery(&self) -> Option<Discovery> {
        Some(Discovery::of(self.setup.binary.as_ref(), "fleet", LoginCheck::NotNeeded))
    }

    fn say(&self, say: &Say) -> Option<String> {
        serde_json::to_string(say).ok()
    }
}

/// It remembers nothing, so one that goes on is told its script again, unless it is told another.
fn prompt(brief: &Brief) -> &str {
    let first = brief.first_prompt.as_deref().filter(|first| Script::is_in(first));
    first.filter(|_| !Script::is_in(&brief.prompt)).unwrap_or(&brief.prompt)
}

fn session(brief: &Brief) -> String {
    match &brief.conversation {
        Conversation::New { session: Some(session) } | Conversation::Resume { session } => session.clone(),
        Conversation::New { session: None } => brief.prompt_id.clone().unwrap_or_else(|| "sim".to_owned()),
        Conversation::Fork { session } => format!("{session}-fork"),
    }
}

#[cfg(test)]
#[path = "sim_tests.rs"]
mod tests;
