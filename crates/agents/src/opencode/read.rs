//! Reads what `opencode run --format json` prints: steps, and the parts of them.
//!
//! A step is a call of the model. Nothing here insists on a field, and a line of another kind is kept raw.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::lines::{self, text, word};
use crate::{CallEnd, Cost, Ending, Event, FailureClass, Reader, Started, Tokens, Totals, TurnResult, Usage};

/// What later lines are read with.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct OpencodeReader {
    /// The conversation, once it was told.
    session: Option<String>,
    /// What all steps of this process took.
    totals: Totals,
    /// What it said last.
    said: String,
}

impl OpencodeReader {
    pub(super) fn at(state: &Value) -> Self {
        Self::deserialize(state).unwrap_or_default()
    }

    fn events(&mut self, line: &Value) -> Vec<Event> {
        let part = &line["part"];
        match word(line, "type") {
            "step_start" => self.started(line).into_iter().collect(),
            "text" => {
                let Some(said) = text(part, "text") else { return Vec::new() };
                self.said.clone_from(&said);
                vec![Event::Text { text: said, within: None }]
            }
            "reasoning" => text(part, "text").map(|text| Event::Thinking { text, within: None }).into_iter().collect(),
            "tool_use" => call(part).unwrap_or_default(),
            "step_finish" => self.stepped(part),
            "error" => {
                let message = text(&line["error"]["data"], "message").or_else(|| text(&line["error"], "name"));
                let message = message.unwrap_or_default();
                let status = line["error"]["data"]["statusCode"].as_u64().and_then(|code| u16::try_from(code).ok());
                vec![
                    self.over(Ending::Failed { class: class(word(&line["error"], "name"), status, &message) }, message),
                ]
            }
            _ => Vec::new(),
        }
    }

    /// Told with every step; the first is the start.
    fn started(&mut self, line: &Value) -> Option<Event> {
        let session = text(line, "sessionID");
        if session.is_none() || session == self.session {
            return None;
        }
        self.session.clone_from(&session);
        Some(Event::Started(Started { session, ..Started::default() }))
    }

    fn stepped(&mut self, part: &Value) -> Vec<Event> {
        let tokens = tokens(&part["tokens"]);
        let cost = Cost::from(part["cost"].as_f64().unwrap_or_default());
        // It knows the prices of the models that it knows; of others it says zero.
        let unpriced = if cost == Cost::default() { tokens.sum() } else { 0 };
        self.totals = self.totals.plus(Totals { cost, tokens, unpriced });
        let usage = Event::Usage(Usage { tokens, context: Some(tokens.context()), ..Usage::default() });
        let ending = match word(part, "reason") {
            "stop" => Ending::Completed,
            "content-filter" => Ending::Failed { class: FailureClass::Invalid },
            "length" => Ending::Failed { class: FailureClass::Crash },
            // It continues.
            _ => return vec![usage],
        };
        let said = std::mem::take(&mut self.said);
        vec![usage, self.over(ending, said)]
    }

    fn over(&self, ending: Ending, text: String) -> Event {
        Event::Result(TurnResult {
            ending,
            text,
            session: self.session.clone(),
            turns: None,
            duration_ms: None,
            totals: Some(self.totals),
            turn: None,
            denials: Vec::new(),
            structured: None,
        })
    }
}

impl Reader for OpencodeReader {
    fn feed(&mut self, line: &[u8]) -> Vec<Event> {
        lines::feed(line, |value| self.events(value))
    }

    fn state(&self) -> Value {
        // Nothing in it can fail to be written; a reader without memory is the harmless answer if ever it does.
        serde_json::to_value(self).unwrap_or_default()
    }
}

/// A call is told once it is over, with its answer.
fn call(part: &Value) -> Option<Vec<Event>> {
    let (id, name, state) = (text(part, "callID")?, text(part, "tool")?, &part["state"]);
    let error = text(state, "error").unwrap_or_default();
    let refused = ["rejected permission", "prevents you from using", "permission denied by"];
    let end = match word(state, "status") {
        "completed" if state["metadata"]["exit"].as_i64().is_some_and(|code| code != 0) => CallEnd::Failed,
        "completed" => CallEnd::Ok,
        "error" if refused.iter().any(|words| error.contains(words)) => CallEnd::Denied,
        "error" => CallEnd::Failed,
        _ => return None,
    };
    let said = text(state, "output").unwrap_or(error);
    Some(vec![
        Event::ToolCall { id: id.clone(), name, input: state["input"].clone(), within: None },
        Event::ToolResult { id, text: said, end, within: None },
    ])
}

fn tokens(tokens: &Value) -> Tokens {
    let of = |value: &Value| value.as_u64().unwrap_or_default();
    Tokens {
        input: of(&tokens["input"]),
        output: of(&tokens["output"]).saturating_add(of(&tokens["reasoning"])),
        cache_read: of(&tokens["cache"]["read"]),
        cache_write: of(&tokens["cache"]["write"]),
    }
}

fn class(name: &str, status: Option<u16>, message: &str) -> FailureClass {
    let lower = message.to_lowercase();
    let says = |words: &[&str]| words.iter().any(|word| lower.contains(word));
    match (name, status.or_else(|| lines::status(message))) {
        ("ProviderAuthError", _) => FailureClass::Auth,
        ("MessageAbortedError", _) => FailureClass::Interrupted,
        ("MessageOutputLengthError", _) => FailureClass::Crash,
        ("ContextOverflowError", _) => FailureClass::ContextFull,
        _ if says(&["context length", "context window", "too long"]) => FailureClass::ContextFull,
        _ if says(&["quota", "credit balance", "insufficient"]) => FailureClass::Quota { resets_at: None },
        (_, Some(status)) => lines::refusal(status),
        (_, None) if says(&["session not found"]) => FailureClass::NoSession,
        (_, None) if says(&["model not found", "providermodelnotfound"]) => FailureClass::Invalid,
        (_, None) => FailureClass::Crash,
    }
}
