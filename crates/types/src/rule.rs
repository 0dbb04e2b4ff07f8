//! A rule: what agents of a team may not do, must ask about, or may do after all; and a call that was held against one.
//!
//! What a pattern means and which rule counts is the part of crate `policy`.

use std::borrow::Cow;
use std::str::FromStr;

use jiff::Timestamp;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};

use crate::{Handle, MissionId, ProjectId, RuleId, SessionId, TeamName, ViolationId};

/// Most bytes of a pattern.
pub const PATTERN_MAX: usize = 500;

/// What begins a pattern that is a regular expression.
const REGEX: &str = "regex:";

/// What may begin one that is not.
const GLOB: &str = "glob:";

/// A rule about the tool calls of agents.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rule {
    /// Its id.
    pub id: RuleId,
    /// The team whose agents it is for.
    pub team: TeamName,
    /// The project it is for; none for all of them.
    #[serde(default)]
    pub project: Option<ProjectId>,
    /// What people call it.
    pub name: String,
    /// What happens to the calls it matches.
    pub decision: Decision,
    /// Which calls it is about; all that is named must fit.
    #[serde(default)]
    pub about: About,
    /// What the agent is told; the name, when unset.
    #[serde(default)]
    pub why: Option<String>,
    /// Those of a higher one come first.
    #[serde(default)]
    pub priority: i32,
    /// Whether it counts.
    pub enabled: bool,
    /// Who made it.
    pub created_by: Handle,
    /// When it was made.
    pub created_at: Timestamp,
    /// When it was last changed.
    pub updated_at: Timestamp,
}

/// Which calls a rule is about.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct About {
    /// The tool, by its canonical name or by the agent's own.
    pub tool: Option<Pattern>,
    /// The command that a shell is to run.
    pub command: Option<Pattern>,
    /// A file or folder.
    pub path: Option<Pattern>,
    /// A host on the network.
    pub host: Option<Pattern>,
}

impl About {
    /// Returns whether it names nothing at all.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

/// What happens to a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Decision {
    /// It does not run
    Block,
    /// A person is asked first
    Ask,
    /// No rule of the same or a lower priority stops it
    Allow,
}

impl Decision {
    /// Every decision, in the order in which they win between rules of equal priority.
    pub const ALL: [Self; 3] = [Self::Block, Self::Ask, Self::Allow];

    /// Returns the word that clients use.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Block => "block",
            Self::Ask => "ask",
            Self::Allow => "allow",
        }
    }
}

/// What a text must be like: a glob, or behind `regex:` a regular expression.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum Pattern {
    /// `*` stands for anything and `?` for one character; the whole text must fit.
    Glob(String),
    /// A regular expression that must be found somewhere in the text.
    Regex(String),
}

/// A text that is not a pattern.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a pattern has 1 to {PATTERN_MAX} bytes and no control characters")]
pub struct PatternError;

impl FromStr for Pattern {
    type Err = PatternError;

    fn from_str(text: &str) -> Result<Self, PatternError> {
        if text.len() > PATTERN_MAX || text.contains(char::is_control) {
            return Err(PatternError);
        }
        let (make, rest): (fn(String) -> Self, _) = match (text.strip_prefix(REGEX), text.strip_prefix(GLOB)) {
            (Some(rest), _) => (Self::Regex, rest),
            (None, Some(rest)) => (Self::Glob, rest),
            (None, None) => (Self::Glob, text),
        };
        if rest.is_empty() { Err(PatternError) } else { Ok(make(rest.to_owned())) }
    }
}

impl TryFrom<String> for Pattern {
    type Error = PatternError;

    fn try_from(text: String) -> Result<Self, PatternError> {
        text.parse()
    }
}

impl From<Pattern> for String {
    fn from(pattern: Pattern) -> Self {
        pattern.to_string()
    }
}

impl std::fmt::Display for Pattern {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Glob(text) if text.starts_with(REGEX) || text.starts_with(GLOB) => write!(f, "{GLOB}{text}"),
            Self::Glob(text) => f.write_str(text),
            Self::Regex(text) => write!(f, "{REGEX}{text}"),
        }
    }
}

impl JsonSchema for Pattern {
    fn schema_name() -> Cow<'static, str> {
        "Pattern".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "type": "string",
            "description": "A glob such as `git push *`, or a regular expression behind `regex:`",
            "minLength": 1,
            "maxLength": PATTERN_MAX,
            "examples": ["git push *", "regex:^rm\\s+-rf"],
        })
    }
}

/// A call that an agent wanted to make and was not let.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Violation {
    /// Its id.
    pub id: ViolationId,
    /// The team that sees it.
    pub team: TeamName,
    /// The session whose agent it was.
    pub session: SessionId,
    /// The mission it worked on.
    #[serde(default)]
    pub mission: Option<MissionId>,
    /// The project it worked on.
    #[serde(default)]
    pub project: Option<ProjectId>,
    /// The name of the agent.
    pub handle: Handle,
    /// What the call is known by in the session's journal.
    pub call: String,
    /// The tool, by its canonical name.
    pub tool: String,
    /// What it was to do: the command, the paths or the hosts.
    pub what: String,
    /// The rule that stopped it; none if its preset did, or a person.
    #[serde(default)]
    pub rule: Option<RuleId>,
    /// Why, as the agent was told.
    pub why: String,
    /// When it was stopped.
    pub at: Timestamp,
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_pattern_is_a_glob_unless_it_says_that_it_is_a_regular_expression() {
        assert_eq!("git push *".parse(), Ok(Pattern::Glob("git push *".to_owned())));
        assert_eq!("regex:^rm".parse(), Ok(Pattern::Regex("^rm".to_owned())));
        assert_eq!("glob:regex:x".parse(), Ok(Pattern::Glob("regex:x".to_owned())));
        for empty in ["", "regex:", "glob:", "a\nb"] {
            assert_eq!(empty.parse::<Pattern>(), Err(PatternError), "{empty:?}");
        }
        assert_eq!("x".repeat(PATTERN_MAX + 1).parse::<Pattern>(), Err(PatternError));
    }

    proptest! {
        #[test]
        fn a_pattern_that_is_written_is_read_as_itself(text in "(regex:|glob:)?(regex:|glob:)?[a-z*]{1,9}") {
            let pattern: Pattern = text.parse().unwrap();
            prop_assert_eq!(pattern.to_string().parse::<Pattern>().unwrap(), pattern);
        }
    }
}
