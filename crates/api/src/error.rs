//! What a caller is told when a call is not carried out: a closed kind, a code with a page of its own, and a hint.

use serde_json::{Map, Value};

use crate::Code;

/// A refusal or a failure, the same on every surface.
#[derive(Debug, Clone, PartialEq)]
pub struct Error {
    /// Which of the known refusals it is.
    pub code: Code,
    /// What was attempted, on what, and why it was not done.
    pub message: String,
    /// What to do next, in full sentences.
    pub hints: Vec<String>,
    /// The input fields at fault, when it is about the input.
    pub fields: Vec<FieldProblem>,
    /// Further members of the body that a contract names (`required`, `blockedBy`, …); boxed, since few errors have any.
    pub extra: Box<Map<String, Value>>,
}

/// What a caller can do about an error. Adding a kind needs a decision record.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Kind {
    /// The input is wrong; the same call will never work.
    Invalid,
    /// It is not known who calls.
    Unauthenticated,
    /// The caller is known and may not.
    Forbidden,
    /// What is named does not exist.
    NotFound,
    /// It cannot be done in the present state.
    Conflict,
    /// A limit is reached; later it may work.
    Exhausted,
    /// Something Fleet needs is not there for now.
    Unavailable,
    /// A fault of Fleet's own.
    Internal,
}

/// One input field at fault.
#[derive(Debug, Clone, PartialEq)]
pub struct FieldProblem {
    /// Where it is: names and indexes from the outside in.
    pub path: Vec<String>,
    /// What is wrong with it.
    pub message: String,
    /// The value as it was given, if it was.
    pub given: Option<Value>,
    /// Whether the field was required and is not there.
    pub missing: bool,
}

impl Error {
    /// Starts an error; the message says what was attempted and on what.
    pub fn new(code: Code, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), hints: Vec::new(), fields: Vec::new(), extra: Box::default() }
    }

    /// Adds what to do next.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hints.push(hint.into());
        self
    }

    /// Adds a member that a contract names.
    #[must_use]
    pub fn with(mut self, member: &str, value: impl Into<Value>) -> Self {
        self.extra.insert(member.to_owned(), value.into());
        self
    }

    /// Builds the refusal of an input from what is wrong with its fields.
    #[must_use]
    pub fn fields(problems: Vec<FieldProblem>) -> Self {
        let message = problems.iter().map(FieldProblem::to_string).collect::<Vec<_>>().join("; ");
        Self { fields: problems, ..Self::new(Code::FIELDS_INVALID, message) }
    }

    /// Returns what a caller can do about it.
    #[must_use]
    pub fn kind(&self) -> Kind {
        self.code.kind()
    }
}

impl std::fmt::Display for Error {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Error {}

impl std::fmt::Display for FieldProblem {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if self.path.is_empty() {
            f.write_str(&self.message)
        } else {
            write!(f, "{}: {}", self.path.join("."), self.message)
        }
    }
}

impl Kind {
    /// Returns the exit code of a command that ends with this kind of error.
    #[must_use]
    pub const fn exit_code(self) -> u8 {
        match self {
            Self::Internal => 1,
            Self::Invalid => 2,
            Self::Unauthenticated => 3,
            Self::Forbidden => 4,
            Self::NotFound => 5,
            Self::Conflict => 6,
            Self::Exhausted => 7,
            Self::Unavailable => 8,
        }
    }
}
impl From<std::convert::Infallible> for Error {
    fn from(never: std::convert::Infallible) -> Self {
        match never {}
    }
}
