//! Reads the lines of an agent by the rules of its file; every rule that matches a line produces an event, in order.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use types::Timestamp;

use super::definition::Definition;
use super::rule::{Kind, Rule};
use crate::lines;
use crate::{
    CallEnd, Cost, Ending, Event, FailureClass, RateLimited, Reader, Started, Tokens, Totals, TurnResult, Usage,
};

/// The rules, or none where each line is something that was said.
#[derive(Debug, Clone)]
pub(super) struct Rules(Option<Arc<[Rule]>>);

impl Rules {
    pub(super) fn of(definition: &Definition) -> Self {
        Self(definition.rules.clone().map(Arc::from))
    }
}

pub(super) struct CustomReader {
    rules: Rules,
    memory: Memory,
}

/// What later lines are read with.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
struct Memory {
    session: Option<String>,
    /// What it said last.
    said: String,
    /// The usage of its model calls, if it reports them one by one.
    taken: Totals,
}

impl CustomReader {
    pub(super) fn new(rules: Rules) -> Self {
        Self { rules, memory: Memory::default() }
    }

    pub(super) fn at(rules: Rules, state: &Value) -> Self {
        Self { rules, memory: Memory::deserialize(state).unwrap_or_default() }
    }
}

impl Reader for CustomReader {
    fn feed(&mut self, line: &[u8]) -> Vec<Event> {
        let Some(rules) = self.rules.0.clone() else { return said(line) };
        lines::feed(line, |value| {
            let fitting = rules.iter().filter(|rule| rule.when.iter().all(|(at, wanted)| wanted.fits(at.of(value))));
            fitting.flat_map(|rule| self.memory.events(rule, value)).collect()
        })
    }

    fn state(&self) -> Value {
        // Nothing in it can fail to be written; a reader without memory is the harmless answer if ever it does.
        serde_json::to_value(&self.memory).unwrap_or_default()
    }
}

/// A line of plain text, without what a terminal would make of it at its end.
fn said(line: &[u8]) -> Vec<Event> {
    let text = String::from_utf8_lossy(line);
    let text = text.trim_end();
    if text.trim().is_empty() {
        return Vec::new();
    }
    vec![Event::Text { text: text.to_owned(), within: None }]
}

impl Memory {
    fn events(&mut self, rule: &Rule, line: &Value) -> Vec<Event> {
        match &rule.each {
            None => self.event(&Fields { rule, value: line }).into_iter().collect(),
            Some(each) => {
                let parts = each.of(line).and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
                let fits = |part: &&Value| rule.of_each.iter().all(|(at, wanted)| wanted.fits(at.of(part)));
                parts.iter().filter(fits).filter_map(|value| self.event(&Fields { rule, value })).collect()
            }
        }
    }

    fn event(&mut self, of: &Fields<'_>) -> Option<Event> {
        Some(match of.rule.kind {
            Kind::Started => {
                self.session = of.text("session").or(self.session.take());
                let (model, version) = (of.text("model"), of.text("version"));
                Event::Started(Started { session: self.session.clone(), model, version, ..Started::default() })
            }
            Kind::Text => {
                self.said = of.text("text")?;
                Event::Text { text: self.said.clone(), within: None }
            }
            Kind::Thinking => Event::Thinking { text: of.text("text")?, within: None },
            Kind::ToolCall => {
                let input = of.value("input").cloned().unwrap_or_default();
                Event::ToolCall { id: of.text("id")?, name: of.text("tool")?, input, within: None }
            }
            Kind::ToolResult => {
                let text = of.text("text").unwrap_or_default();
                Event::ToolResult { id: of.text("id")?, text, end: of.end(), within: None }
            }
            Kind::Usage => Event::Usage(self.usage(of)),
            Kind::Retrying => Event::RateLimited(of.retrying()),
            Kind::Result => Event::Result(self.result(of)),
        })
    }

    fn usage(&mut self, of: &Fields<'_>) -> Usage {
        let tokens = of.tokens();
        self.taken = self.taken.plus(of.totals(tokens));
        let context = of.count("context").or(Some(tokens.context()));
        Usage { model: of.text("model"), tokens, context, window: of.count("window"), ..Usage::default() }
    }

    fn result(&mut self, of: &Fields<'_>) -> TurnResult {
        let said = std::mem::take(&mut self.said);
        let told = of.tokens();
        self.session = of.text("session").or(self.session.take());
        TurnResult {
            ending: of.ending(),
            text: of.text("text").unwrap_or(said),
            session: self.session.clone(),
            turns: of.count("turns").and_then(|turns| u32::try_from(turns).ok()),
            duration_ms: None,
            totals: Some(if told == Tokens::default() { self.taken } else { of.totals(told) }),
            turn: None,
            denials: Vec::new(),
            structured: None,
        }
    }
}

/// A rule and what its pointers point into.
struct Fields<'a> {
    rule: &'a Rule,
    value: &'a Value,
}

impl Fields<'_> {
    fn value(&self, name: &str) -> Option<&Value> {
        self.rule.fields.get(name)?.of(self.value)
    }

    /// A text as it is; anything else as JSON writes it.
    fn text(&self, name: &str) -> Option<String> {
        self.value(name).map(|found| found.as_str().map_or_else(|| found.to_string(), str::to_owned))
    }

    fn count(&self, name: &str) -> Option<u64> {
        let found = self.value(name)?;
        found.as_u64().or_else(|| found.as_f64().filter(|number| *number >= 0.0).map(|number| number as u64))
    }

    fn yes(&self, name: &str) -> bool {
        match self.value(name) {
            None => false,
            Some(Value::Bool(yes)) => *yes,
            Some(Value::Number(number)) => number.as_f64() != Some(0.0),
            Some(Value::String(text)) => !text.is_empty(),
            Some(Value::Null | Value::Array(_) | Value::Object(_)) => true,
        }
    }

    fn end(&self) -> CallEnd {
        if self.yes("denied") {
            CallEnd::Denied
        } else if self.yes("failed") {
            CallEnd::Failed
        } else {
            CallEnd::Ok
        }
    }

    fn tokens(&self) -> Tokens {
        let of = |name: &str| self.count(name).unwrap_or_default();
        Tokens {
            input: of("input_tokens"),
            output: of("output_tokens"),
            cache_read: of("cache_read_tokens"),
            cache_write: of("cache_write_tokens"),
        }
    }

    fn totals(&self, tokens: Tokens) -> Totals {
        let cost = self.value("cost").and_then(Value::as_f64);
        let unpriced = if cost.is_some() { 0 } else { tokens.sum() };
        Totals { cost: Cost::from(cost.unwrap_or_default()), tokens, unpriced }
    }

    /// A rule that names a class is for failures, unless it has a field that says which are.
    fn ending(&self) -> Ending {
        let judged = self.rule.fields.contains_key("failed");
        let failed = if judged { self.yes("failed") } else { self.rule.class.is_some() };
        if failed { Ending::Failed { class: self.class().unwrap_or(FailureClass::Crash) } } else { Ending::Completed }
    }

    fn class(&self) -> Option<FailureClass> {
        let status = self.count("status").and_then(|status| u16::try_from(status).ok());
        let class = self.rule.class.clone().or_else(|| status.filter(|status| *status >= 400).map(lines::refusal))?;
        let of_quota = matches!(class, FailureClass::Quota { .. });
        Some(if of_quota { FailureClass::Quota { resets_at: self.time("resets_at") } } else { class })
    }

    /// Seconds since 1970, or a time as RFC 3339 writes it.
    fn time(&self, name: &str) -> Option<Timestamp> {
        match self.value(name)? {
            Value::Number(seconds) => Timestamp::from_second(seconds.as_i64()?).ok(),
            Value::String(text) => text.parse().ok(),
            Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => None,
        }
    }

    fn retrying(&self) -> RateLimited {
        let small = |name: &str| self.count(name).and_then(|count| u32::try_from(count).ok()).unwrap_or_default();
        RateLimited::Retrying {
            attempt: small("attempt"),
            attempts_max: small("attempts_max"),
            delay_ms: self.count("delay_ms").unwrap_or_default(),
            status: self.count("status").and_then(|status| u16::try_from(status).ok()),
            class: self.class().unwrap_or(FailureClass::Overloaded),
        }
    }
}
