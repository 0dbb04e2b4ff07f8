//! What agents ask people, and the answers.

use api_macros::{input, output};
use types::{Handle, Hearing, MissionId, ProjectId, Question, QuestionId, QuestionState, QuestionStateName, SessionId};

use crate::{IsoTime, Page};

/// Ask a person a question and wait for the answer
///
/// Ask only what you cannot find out yourself and what changes what you do next. The same question asked again is the
/// same question: it has one answer. If no person answers soon, you are told to end your turn; you are continued with the
/// answer.
#[input]
pub struct AskHuman {
    /// The question, with what a person needs to know to answer it
    #[schemars(length(min = 1, max = 4000))]
    pub question: String,
    /// Answers to choose from
    #[schemars(length(max = 10), inner(length(min = 1, max = 200)))]
    pub choices: Option<Vec<String>>,
    /// Whether an answer may be none of the choices; without choices, it is always free
    pub free_text: Option<bool>,
    /// Your session; need not be given
    pub session_id: Option<SessionId>,
}

/// What came of a question
#[output]
pub struct AskedQuestion {
    /// The question
    pub question_id: QuestionId,
    /// Whether it is answered
    pub status: QuestionStateName,
    /// The answer
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answer: Option<String>,
    /// Who answered
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answered_by: Option<Handle>,
    /// What to do now
    pub message: String,
}

/// List questions of agents, newest first
#[input(Default)]
pub struct ListQuestions {
    /// Filter by status
    pub status: Option<QuestionStateName>,
    /// Only those of this mission
    pub mission_id: Option<MissionId>,
    /// Only those of this session
    pub session_id: Option<SessionId>,
    #[group]
    pub page: Page,
}

/// Show a question of an agent
#[input]
pub struct GetQuestion {
    /// The question
    pub question: QuestionId,
}

/// Answer a question of an agent
#[input]
pub struct AnswerQuestion {
    /// The question
    pub question: QuestionId,
    /// The answer: the number or the words of a choice, or free text where the question allows it
    #[schemars(length(min = 1, max = 4000))]
    pub answer: String,
}

/// Withdraw a question: its agent is told to decide itself
#[input]
pub struct WithdrawQuestion {
    /// The question
    pub question: QuestionId,
    /// Why, for the agent to read
    #[schemars(length(max = 2000))]
    pub why: Option<String>,
}

/// A question of an agent
#[output]
pub struct QuestionView {
    /// Its id
    pub id: QuestionId,
    /// Its status
    pub status: QuestionStateName,
    /// What is asked, without secrets
    pub question: String,
    /// Answers to choose from
    pub choices: Vec<String>,
    /// Whether an answer may be none of the choices
    pub free_text: bool,
    /// The answer
    pub answer: Option<String>,
    /// Who answered
    pub answered_by: Option<Handle>,
    /// When it was answered or withdrawn
    pub settled_at: Option<IsoTime>,
    /// Why it was withdrawn
    pub withdrawn_because: Option<String>,
    /// How the agent heard of it; unset until it did
    pub heard: Option<Hearing>,
    /// The name of the agent
    pub agent: Handle,
    /// The session
    pub session_id: SessionId,
    /// The mission
    pub mission_id: Option<MissionId>,
    /// The project
    pub project_id: Option<ProjectId>,
    /// When it was asked
    pub asked_at: IsoTime,
}

impl From<Question> for QuestionView {
    fn from(question: Question) -> Self {
        let status = question.state.name();
        let (answer, answered_by, settled_at, withdrawn_because) = match question.state {
            QuestionState::Waiting => (None, None, None, None),
            QuestionState::Answered { by, answer, at } => (Some(answer), Some(by), Some(IsoTime(at)), None),
            QuestionState::Withdrawn { at, why } => (None, None, Some(IsoTime(at)), Some(why)),
        };
        Self {
            id: question.id,
            status,
            question: question.text,
            choices: question.choices,
            free_text: question.free_text,
            answer,
            answered_by,
            settled_at,
            withdrawn_because,
            heard: question.heard,
            agent: question.handle,
            session_id: question.session,
            mission_id: question.mission,
            project_id: question.project,
            asked_at: IsoTime(question.asked_at),
        }
    }
}
