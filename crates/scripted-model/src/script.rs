//! What the model does: turns, each for the request that meets its conditions.
//!
//! A request takes the first turn that is left and whose conditions hold. Turns without conditions are thus taken in
//! order, and a refusal before an answer is one failed try.

use std::fmt;
use std::sync::Arc;

use crate::answer::Answer;
use crate::refusal::Refusal;
use crate::request::Request;

/// The turns of a model.
#[derive(Debug, Clone, Default)]
pub struct Script {
    turns: Vec<Turn>,
}

/// One turn of a model.
#[derive(Debug, Clone)]
pub struct Turn {
    when: Vec<When>,
    reply: Reply,
    /// How many more requests may take it; none is any number.
    left: Option<u32>,
}

/// What a turn answers.
#[derive(Clone)]
pub enum Reply {
    /// This.
    Answer(Answer),
    /// No.
    Refusal(Refusal),
    /// What is made of the request.
    Made(Arc<dyn Fn(&Request) -> Answer + Send + Sync>),
}

/// Which request a turn is for.
#[derive(Clone)]
pub enum When {
    /// The user's last words contain this.
    LastWords(String),
    /// Something that was said anywhere in the conversation contains this.
    Said(String),
    /// The result of this tool call is there.
    Answered(String),
    /// The base URL has this label.
    Label(String),
    /// Something else that can be read from the request.
    Holds(Arc<dyn Fn(&Request) -> bool + Send + Sync>),
}

/// A function says nothing of itself.
impl fmt::Debug for When {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::LastWords(part) => f.debug_tuple("LastWords").field(part).finish(),
            Self::Said(part) => f.debug_tuple("Said").field(part).finish(),
            Self::Answered(call) => f.debug_tuple("Answered").field(call).finish(),
            Self::Label(label) => f.debug_tuple("Label").field(label).finish(),
            Self::Holds(_) => f.write_str("Holds"),
        }
    }
}

/// A function says nothing of itself.
impl fmt::Debug for Reply {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Answer(answer) => f.debug_tuple("Answer").field(answer).finish(),
            Self::Refusal(refusal) => f.debug_tuple("Refusal").field(refusal).finish(),
            Self::Made(_) => f.write_str("Made"),
        }
    }
}

impl When {
    /// The user's last words contain this.
    #[must_use]
    pub fn last_words(part: &str) -> Self {
        Self::LastWords(part.to_owned())
    }

    /// Something that was said anywhere in the conversation contains this.
    #[must_use]
    pub fn said(part: &str) -> Self {
        Self::Said(part.to_owned())
    }

    /// The result of this tool call is there.
    #[must_use]
    pub fn answered(call: &str) -> Self {
        Self::Answered(call.to_owned())
    }

    /// The base URL has this label.
    #[must_use]
    pub fn label(label: &str) -> Self {
        Self::Label(label.to_owned())
    }

    /// Something else that can be read from the request.
    #[must_use]
    pub fn holds_if(condition: impl Fn(&Request) -> bool + Send + Sync + 'static) -> Self {
        Self::Holds(Arc::new(condition))
    }

    /// Returns whether a request meets the condition.
    #[must_use]
    pub fn holds(&self, request: &Request) -> bool {
        match self {
            Self::LastWords(part) => request.last_words().contains(part),
            Self::Said(part) => request.texts().iter().any(|text| text.contains(part)),
            Self::Answered(call) => request.results().contains_key(call),
            Self::Label(label) => request.label == *label,
            Self::Holds(condition) => condition(request),
        }
    }
}

impl Turn {
    /// Answers what is made of the request.
    #[must_use]
    pub fn made(make: impl Fn(&Request) -> Answer + Send + Sync + 'static) -> Self {
        Self::of(Reply::Made(Arc::new(make)))
    }

    fn of(reply: Reply) -> Self {
        Self { when: Vec::new(), reply, left: Some(1) }
    }

    /// Is for a request that meets this condition too.
    #[must_use]
    pub fn when(mut self, when: When) -> Self {
        self.when.push(when);
        self
    }

    /// May be taken so many times.
    #[must_use]
    pub fn times(mut self, times: u32) -> Self {
        self.left = Some(times);
        self
    }

    /// May be used any number of times; it may also stay unused.
    #[must_use]
    pub fn always(mut self) -> Self {
        self.left = None;
        self
    }

    fn is_for(&self, request: &Request) -> bool {
        self.left != Some(0) && self.when.iter().all(|when| when.holds(request))
    }
}

impl From<Answer> for Turn {
    fn from(answer: Answer) -> Self {
        Self::of(Reply::Answer(answer))
    }
}

impl From<Refusal> for Turn {
    fn from(refusal: Refusal) -> Self {
        Self::of(Reply::Refusal(refusal))
    }
}

impl Script {
    /// A script without turns.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a turn.
    #[must_use]
    pub fn then(mut self, turn: impl Into<Turn>) -> Self {
        self.push(turn.into());
        self
    }

    pub(crate) fn push(&mut self, turn: Turn) {
        self.turns.push(turn);
    }

    /// Takes the turn for a request: its index and what it answers.
    pub(crate) fn take(&mut self, request: &Request) -> Option<(usize, Reply)> {
        let (index, turn) = self.turns.iter_mut().enumerate().find(|(_, turn)| turn.is_for(request))?;
        turn.left = turn.left.map(|left| left.saturating_sub(1));
        Some((index, turn.reply.clone()))
    }

    pub(crate) fn remaining(&self) -> usize {
        self.turns.iter().filter(|turn| turn.left.is_some_and(|left| left > 0)).count()
    }
}

#[cfg(test)]
#[path = "script_tests.rs"]
mod tests;
