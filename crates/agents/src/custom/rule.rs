//! One rule of an agent's file: which lines it fits, and what they mean. Fields are JSON pointers into the line.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::Value;
use types::FailureClass;

/// What a line means.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Kind {
    Started,
    Text,
    Thinking,
    ToolCall,
    ToolResult,
    Usage,
    Retrying,
    Result,
}

impl Kind {
    /// The fields that it needs, and those that it may have.
    const fn fields(self) -> (&'static str, &'static [&'static str], &'static [&'static str]) {
        match self {
            Self::Started => ("started", &[], &["session", "model", "version"]),
            Self::Text => ("text", &["text"], &[]),
            Self::Thinking => ("thinking", &["text"], &[]),
            Self::ToolCall => ("tool_call", &["id", "tool"], &["input"]),
            Self::ToolResult => ("tool_result", &["id"], &["text", "failed", "denied"]),
            Self::Usage => ("usage", &["input_tokens"], USAGE),
            Self::Retrying => ("retrying", &[], &["attempt", "attempts_max", "delay_ms", "status", "class"]),
            Self::Result => ("result", &[], RESULT),
        }
    }
}

const USAGE: &[&str] =
    &["output_tokens", "cache_read_tokens", "cache_write_tokens", "context", "window", "model", "cost"];

const RESULT: &[&str] = &[
    "text",
    "session",
    "failed",
    "class",
    "status",
    "resets_at",
    "turns",
    "cost",
    "input_tokens",
    "output_tokens",
    "cache_read_tokens",
    "cache_write_tokens",
];

/// A place in a line of JSON.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(try_from = "String")]
pub(super) struct Pointer(String);

impl TryFrom<String> for Pointer {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        if text.is_empty() || text.starts_with('/') {
            return Ok(Self(text));
        }
        Err(format!("`{text}` is not a JSON pointer: pointers begin with `/`, such as `/message/text`"))
    }
}

impl Pointer {
    pub(super) fn of<'a>(&self, value: &'a Value) -> Option<&'a Value> {
        value.pointer(&self.0).filter(|found| !found.is_null())
    }
}

/// What a value must be.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(try_from = "toml::Value")]
pub(super) enum Match {
    Equals(Value),
    AnyOf(Vec<Value>),
    Contains(String),
    Present(bool),
}

impl TryFrom<toml::Value> for Match {
    type Error = String;

    fn try_from(value: toml::Value) -> Result<Self, String> {
        let takes =
            "takes a text, a number, true or false, a list of those, { contains = \"…\" } or { present = true }";
        if let Some(table) = value.as_table() {
            let only = table.len() == 1;
            let contains = table.get("contains").and_then(toml::Value::as_str).filter(|_| only);
            let present = table.get("present").and_then(toml::Value::as_bool).filter(|_| only);
            let contains = contains.map(|text| Self::Contains(text.to_owned()));
            return contains.or_else(|| present.map(Self::Present)).ok_or_else(|| takes.to_owned());
        }
        if let Some(values) = value.as_array() {
            let values = values.iter().map(scalar).collect::<Option<_>>();
            return values.map(Self::AnyOf).ok_or_else(|| takes.to_owned());
        }
        scalar(&value).map(Self::Equals).ok_or_else(|| takes.to_owned())
    }
}

fn scalar(value: &toml::Value) -> Option<Value> {
    match value {
        toml::Value::String(text) => Some(Value::from(text.as_str())),
        toml::Value::Integer(number) => Some(Value::from(*number)),
        toml::Value::Float(number) => Some(Value::from(*number)),
        toml::Value::Boolean(yes) => Some(Value::from(*yes)),
        toml::Value::Datetime(_) | toml::Value::Array(_) | toml::Value::Table(_) => None,
    }
}

impl Match {
    pub(super) fn fits(&self, value: Option<&Value>) -> bool {
        match self {
            Self::Equals(wanted) => value == Some(wanted),
            Self::AnyOf(wanted) => value.is_some_and(|value| wanted.contains(value)),
            Self::Contains(text) => value.and_then(Value::as_str).is_some_and(|value| value.contains(text.as_str())),
            Self::Present(present) => value.is_some() == *present,
        }
    }
}

/// A rule as it is written.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Written {
    kind: Kind,
    #[serde(default)]
    when: BTreeMap<Pointer, Match>,
    each: Option<Pointer>,
    #[serde(default, rename = "where")]
    of_each: BTreeMap<Pointer, Match>,
    class: Option<String>,
    session: Option<Pointer>,
    model: Option<Pointer>,
    version: Option<Pointer>,
    text: Option<Pointer>,
    id: Option<Pointer>,
    tool: Option<Pointer>,
    input: Option<Pointer>,
    failed: Option<Pointer>,
    denied: Option<Pointer>,
    status: Option<Pointer>,
    resets_at: Option<Pointer>,
    attempt: Option<Pointer>,
    attempts_max: Option<Pointer>,
    delay_ms: Option<Pointer>,
    turns: Option<Pointer>,
    cost: Option<Pointer>,
    context: Option<Pointer>,
    window: Option<Pointer>,
    input_tokens: Option<Pointer>,
    output_tokens: Option<Pointer>,
    cache_read_tokens: Option<Pointer>,
    cache_write_tokens: Option<Pointer>,
}

/// A rule that was checked.
#[derive(Debug, Clone)]
pub(super) struct Rule {
    pub(super) kind: Kind,
    pub(super) when: BTreeMap<Pointer, Match>,
    pub(super) each: Option<Pointer>,
    pub(super) of_each: BTreeMap<Pointer, Match>,
    pub(super) class: Option<FailureClass>,
    pub(super) cost: Option<Pointer>,
    /// The other fields, by name.
    pub(super) fields: BTreeMap<&'static str, Pointer>,
}

impl Rule {
    /// Checks that a rule has what its kind needs, and nothing else.
    pub(super) fn of(written: Written) -> Result<Self, String> {
        let (name, needed, allowed) = written.kind.fields();
        let kind = written.kind;
        let class = written.class.as_deref().map(class).transpose()?;
        let (when, each, of_each, cost) =
            (written.when.clone(), written.each.clone(), written.of_each.clone(), written.cost.clone());
        let given: BTreeMap<_, _> = written.fields().into_iter().filter_map(|(name, at)| Some((name, at?))).collect();
        let names = given.keys().copied().chain(class.as_ref().map(|_| "class"));
        if let Some(other) = names.clone().find(|name| !needed.contains(name) && !allowed.contains(name)) {
            let all: Vec<_> = needed.iter().chain(allowed).copied().collect();
            return Err(format!("an event of kind `{name}` has no `{other}`; it takes {}", all.join(", ")));
        }
        if let Some(missing) = needed.iter().find(|needed| !given.contains_key(*needed)) {
            return Err(format!("an event of kind `{name}` needs `{missing}`, a JSON pointer"));
        }
        if each.is_none() && !of_each.is_empty() {
            return Err("`where` filters what `each` lists, and `each` is missing".to_owned());
        }
        Ok(Self { kind, when, each, of_each, class, cost, fields: given })
    }
}

impl Written {
    fn fields(self) -> [(&'static str, Option<Pointer>); 22] {
        [
            ("session", self.session),
            ("model", self.model),
            ("version", self.version),
            ("text", self.text),
            ("id", self.id),
            ("tool", self.tool),
            ("input", self.input),
            ("failed", self.failed),
            ("denied", self.denied),
            ("status", self.status),
            ("resets_at", self.resets_at),
            ("attempt", self.attempt),
            ("attempts_max", self.attempts_max),
            ("delay_ms", self.delay_ms),
            ("turns", self.turns),
            ("cost", self.cost),
            ("context", self.context),
            ("window", self.window),
            ("input_tokens", self.input_tokens),
            ("output_tokens", self.output_tokens),
            ("cache_read_tokens", self.cache_read_tokens),
            ("cache_write_tokens", self.cache_write_tokens),
        ]
    }
}

/// Classes of failures that a file may name.
const CLASSES: [FailureClass; 10] = [
    FailureClass::RateLimit,
    FailureClass::Quota { resets_at: None },
    FailureClass::Overloaded,
    FailureClass::Auth,
    FailureClass::ContextFull,
    FailureClass::Crash,
    FailureClass::Denied,
    FailureClass::MaxTurns,
    FailureClass::NoSession,
    FailureClass::Invalid,
];

/// Reads the name of a class of failures.
pub(super) fn class(word: &str) -> Result<FailureClass, String> {
    let known = CLASSES.iter().find(|class| class.as_str() == word).cloned();
    known.ok_or_else(|| {
        let names: Vec<_> = CLASSES.iter().map(FailureClass::as_str).collect();
        format!("`{word}` is not a failure class; classes are {}", names.join(", "))
    })
}
