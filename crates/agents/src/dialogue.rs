//! Conversations with agents that speak JSON-RPC in both directions.
//!
//! A [`Dialogue`] is one side of such a conversation as a state machine: what the agent sends and what Fleet says go
//! in, what to send, to tell and to decide comes out. It reads no clock, starts nothing and decides on no call: every
//! question of the agent leaves it as [`Out::Judge`] and is answered through [`Dialogue::say`], exactly once. The
//! caller that carries a dialogue out is crate `bridge`. Start with the trait, then read `acp.rs` and
//! `codex/app_server.rs`.

mod opening;
mod prose;
mod questions;
pub(crate) mod rpc;

use serde::{Deserialize, Serialize};
use serde_json::Value;

pub use opening::{Loading, Opening};
pub(crate) use prose::{Prose, Voice};
pub(crate) use questions::Questions;

use crate::acp::Acp;
use crate::codex::AppServer;
use crate::{Event, Say};

/// A conversation with one agent, from its first message to its last.
pub trait Dialogue: Send {
    /// Begins it.
    fn open(&mut self) -> Vec<Out>;

    /// Takes in what the agent sent.
    fn hear(&mut self, message: &Value) -> Vec<Out>;

    /// Takes in what Fleet says, answers to questions too.
    fn say(&mut self, say: &Say) -> Vec<Out>;

    /// No more input will come: what was received is processed, then comes [`Out::Over`].
    fn close(&mut self) -> Vec<Out>;

    /// Breaks off what is under way and forgets what waits; [`Out::Over`] comes once the agent has stopped.
    fn stop(&mut self) -> Vec<Out>;
}

/// What follows from a conversation.
#[derive(Debug, Clone, PartialEq)]
pub enum Out {
    /// The agent is to be sent this.
    Send(Value),
    /// This happened.
    Tell(Event),
    /// The caller must decide on this.
    Judge(Question),
    /// Nothing more is to come: the agent can go.
    Over,
}

/// A call that the agent asks about.
#[derive(Debug, Clone, PartialEq)]
pub struct Question {
    /// What [`Say::Allow`] and [`Say::Deny`] must name.
    pub request: String,
    /// The tool, by the name that Claude Code has for it where there is one.
    pub tool: String,
    /// What it would be called with, in the words of Claude Code where it has some.
    pub input: Value,
    /// The call's id.
    pub call: Option<String>,
}

/// The protocols that a bridge speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Spoken {
    /// The Agent Client Protocol.
    Acp,
    /// The protocol of Codex's app-server.
    Codex,
}

impl Spoken {
    /// Returns the word for it on a command line.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Acp => "acp",
            Self::Codex => "codex",
        }
    }

    /// Finds a protocol by its word.
    #[must_use]
    pub fn named(word: &str) -> Option<Self> {
        [Self::Acp, Self::Codex].into_iter().find(|spoken| spoken.as_str() == word)
    }

    /// Makes a conversation.
    #[must_use]
    pub fn dialogue(self, opening: Opening) -> Box<dyn Dialogue> {
        match self {
            Self::Acp => Box::new(Acp::new(opening)),
            Self::Codex => Box::new(AppServer::new(opening)),
        }
    }
}
