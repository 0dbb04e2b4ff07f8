//! A question: what an agent asks a person in its own words, and the answer.
//!
//! A session has one for the same words and choices, however often it asks: what was answered once is answered for good.
//! Its agent hears of the end of a question by one way alone, which is written down with it.

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{Handle, MissionId, ProjectId, QuestionId, SessionId, TeamName};

/// A question of an agent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Question {
    /// Its id.
    pub id: QuestionId,
    /// The team that sees it.
    pub team: TeamName,
    /// The project that is worked on.
    pub project: Option<ProjectId>,
    /// The session whose agent asks.
    pub session: SessionId,
    /// The mission that it works on.
    pub mission: Option<MissionId>,
    /// The name of the agent.
    pub handle: Handle,
    /// What the question is known by: the same for the same words and choices.
    pub key: String,
    /// What is asked.
    pub text: String,
    /// What can be answered; empty where nothing was given to choose from.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub choices: Vec<String>,
    /// Whether an answer may be none of the choices.
    pub free_text: bool,
    /// Its state.
    pub state: QuestionState,
    /// How its agent heard of the end; none until it did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub heard: Option<Hearing>,
    /// When it was asked.
    pub asked_at: Timestamp,
    /// When it last changed.
    pub updated_at: Timestamp,
}

/// The state of a question.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "name", rename_all = "snake_case")]
pub enum QuestionState {
    /// No person has answered.
    Waiting,
    /// A person has.
    Answered {
        /// Who.
        by: Handle,
        /// What.
        answer: String,
        /// When.
        at: Timestamp,
    },
    /// No answer is needed any more, or none will be given.
    Withdrawn {
        /// When.
        at: Timestamp,
        /// Why.
        why: String,
    },
}

/// How an agent heard of the end of its question.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Hearing {
    /// As the result of its call
    Call,
    /// By a message to its process
    Message,
    /// In the words with which its next process began
    Prompt,
}

/// The name of a question's state without its data.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum QuestionStateName {
    /// No person has answered
    Waiting,
    /// A person has answered
    Answered,
    /// No answer is needed any more, or none will be given
    Withdrawn,
}

impl QuestionState {
    /// Returns the state's name.
    #[must_use]
    pub fn name(&self) -> QuestionStateName {
        match self {
            Self::Waiting => QuestionStateName::Waiting,
            Self::Answered { .. } => QuestionStateName::Answered,
            Self::Withdrawn { .. } => QuestionStateName::Withdrawn,
        }
    }
}

impl QuestionStateName {
    /// Every state, in the order a question meets them.
    pub const ALL: [Self; 3] = [Self::Waiting, Self::Answered, Self::Withdrawn];

    /// Returns the word used in keys and on the wire.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Waiting => "waiting",
            Self::Answered => "answered",
            Self::Withdrawn => "withdrawn",
        }
    }
}
