//! The adapter of an agent that is spoken with through the bridge, whichever it is.

use std::sync::Arc;

use serde_json::Value;
use types::{Limits, Timestamp};

use super::{EventReader, launch};
use crate::codex::Codex;
use crate::gemini::Gemini;
use crate::opencode::Opencode;
use crate::{
    Adapter, Brief, Capabilities, ContextLimit, Counting, Discovery, Launch, LaunchError, LoginCheck, McpForm,
    McpTransport, Needs, PermissionHook, Price, Reader, Say, Scripted, SessionIdSource, Setup, Signal,
};

/// Assumed until the agent reports its window.
const WINDOW_ASSUMED: u64 = 200_000;

/// An agent that is spoken with through the bridge.
#[derive(Clone)]
pub struct Bridged {
    name: String,
    agent: Agent,
    setup: Setup,
    /// The same agent without the bridge, which knows the rest of it.
    alone: Option<Arc<dyn Adapter>>,
}

/// Which agent it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Agent {
    /// Codex, over its app-server.
    Codex,
    /// Gemini, over the Agent Client Protocol.
    Gemini,
    /// opencode, over the Agent Client Protocol.
    Opencode,
    /// Any other that speaks the Agent Client Protocol.
    Other,
}

impl Bridged {
    /// Returns the adapter of Codex over its app-server.
    #[must_use]
    pub fn codex(setup: Setup) -> Self {
        let alone: Arc<dyn Adapter> = Arc::new(Codex::new(setup.clone()));
        Self { name: "codex".to_owned(), agent: Agent::Codex, setup, alone: Some(alone) }
    }

    /// Returns the adapter of Gemini over the Agent Client Protocol.
    #[must_use]
    pub fn gemini(setup: Setup) -> Self {
        let alone: Arc<dyn Adapter> = Arc::new(Gemini::new(setup.clone()));
        Self { name: "gemini".to_owned(), agent: Agent::Gemini, setup, alone: Some(alone) }
    }

    /// Returns the adapter of opencode over the Agent Client Protocol.
    #[must_use]
    pub fn opencode(setup: Setup) -> Self {
        let alone: Arc<dyn Adapter> = Arc::new(Opencode::new(setup.clone()));
        Self { name: "opencode".to_owned(), agent: Agent::Opencode, setup, alone: Some(alone) }
    }

    /// Returns the adapter of an agent that speaks the Agent Client Protocol once it is started as the settings say.
    #[must_use]
    pub fn acp(name: &str, setup: Setup) -> Self {
        Self { name: name.to_owned(), agent: Agent::Other, setup, alone: None }
    }
}

impl Adapter for Bridged {
    fn name(&self) -> &str {
        &self.name
    }

    fn capabilities(&self) -> Capabilities {
        let (fork, counting) = match self.agent {
            Agent::Codex => (true, Counting::AcrossResumes),
            Agent::Gemini => (false, Counting::PerProcess),
            Agent::Opencode | Agent::Other => (true, Counting::PerProcess),
        };
        let context_limit = match self.setup.context_limit {
            Some(tokens) => ContextLimit::Fixed { tokens },
            None => ContextLimit::Told { assumed: WINDOW_ASSUMED },
        };
        Capabilities {
            resume: true,
            fork,
            live_input: true,
            budget_flag: false,
            turns_flag: false,
            mcp: McpForm::Argument,
            permission_hook: PermissionHook::Stream,
            context_limit,
            session_id: SessionIdSource::Told,
            counting,
        }
    }

    /// Over the Agent Client Protocol all kinds can be named; an agent that does not know one of them says so itself.
    fn takes_server(&self, transport: &McpTransport) -> bool {
        match self.agent {
            Agent::Codex => self.alone.as_ref().is_none_or(|alone| alone.takes_server(transport)),
            Agent::Gemini | Agent::Opencode | Agent::Other => true,
        }
    }

    fn launch(&self, brief: &Brief) -> Result<Launch, LaunchError> {
        match self.agent {
            Agent::Codex => launch::codex(&self.setup, brief),
            Agent::Gemini => launch::gemini(&self.setup, brief),
            Agent::Opencode => launch::opencode(&self.setup, brief),
            Agent::Other => launch::other(&self.name, &self.setup, brief),
        }
    }

    fn reader(&self) -> Box<dyn Reader> {
        Box::new(EventReader)
    }

    fn reader_at(&self, _: &Value) -> Box<dyn Reader> {
        Box::new(EventReader)
    }

    fn discovery(&self) -> Option<Discovery> {
        match &self.alone {
            Some(alone) => alone.discovery(),
            None => Some(Discovery::of(self.setup.binary.as_ref(), &self.name, LoginCheck::Unknown)),
        }
    }

    fn needs(&self) -> Needs {
        self.alone.as_ref().map(|alone| alone.needs()).unwrap_or_default()
    }

    /// For the bridge, which passes it on in its own way.
    fn stop(&self) -> Signal {
        Signal::Term
    }

    /// Long thoughts are told when they are over.
    fn is_silent(&self) -> bool {
        true
    }

    fn keeps_budget(&self, asked: Limits, model: Option<&str>) -> bool {
        self.alone.as_ref().is_none_or(|alone| alone.keeps_budget(asked, model))
    }

    fn price(&self, model: Option<&str>) -> Option<Price> {
        self.setup.price(model)
    }

    fn resets_at(&self, text: &str, now: Timestamp) -> Option<Timestamp> {
        self.alone.as_ref().and_then(|alone| alone.resets_at(text, now))
    }

    fn say(&self, say: &Say) -> Option<String> {
        super::say(say, None)
    }

    fn answer(&self, say: &Say, proof: Option<String>) -> Option<String> {
        super::say(say, proof)
    }

    fn scripted(&self, url: &str) -> Option<Scripted> {
        self.alone.as_ref().and_then(|alone| alone.scripted(url))
    }
}

impl std::fmt::Debug for Bridged {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Bridged").field("name", &self.name).field("agent", &self.agent).finish_non_exhaustive()
    }
}

#[cfg(test)]
#[path = "adapter_tests.rs"]
mod tests;
