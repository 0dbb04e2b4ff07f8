//! Reads what `gemini -o stream-json` prints.
//!
//! The model's words come in pieces that end anywhere, so they are kept until something else comes. Tokens are told
//! once, with the result. Nothing here insists on a field, and a line of another kind is kept raw.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::lines::{self, text, word};
use crate::{CallEnd, Denial, Ending, Event, FailureClass, Reader, Started, Tokens, Totals, TurnResult, Usage};

/// What later lines are read with.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct GeminiReader {
    session: Option<String>,
    model: Option<String>,
    /// What the model says and has not finished.
    saying: String,
    /// What it said last.
    said: String,
    /// The call under way, which its result names by its id alone.
    calls: Vec<(String, String, Value)>,
    denials: Vec<Denied>,
}

/// A call that was not allowed.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
struct Denied {
    tool: String,
    input: Value,
}

impl GeminiReader {
    pub(super) fn at(state: &Value) -> Self {
        Self::deserialize(state).unwrap_or_default()
    }

    fn events(&mut self, line: &Value) -> Vec<Event> {
        match (word(line, "type"), word(line, "role")) {
            ("message", "assistant") => {
                self.saying.push_str(word(line, "content"));
                // Told when it is whole; until then the line is kept as it is.
                Vec::new()
            }
            ("init", _) => {
                (self.session, self.model) = (text(line, "session_id"), text(line, "model"));
                let started =
                    Started { session: self.session.clone(), model: self.model.clone(), ..Started::default() };
                vec![Event::Started(started)]
            }
            ("tool_use", _) => self.with_words(self.call(line)),
            ("tool_result", _) => self.with_words(self.answered(line)),
            ("result", _) => {
                let words = self.words();
                words.into_iter().chain(self.over(line)).collect()
            }
            _ => Vec::new(),
        }
    }

    /// What the model said before this, if there is something, and this.
    fn with_words(&mut self, read: Option<(Event, Noted)>) -> Vec<Event> {
        let Some((event, noted)) = read else { return Vec::new() };
        match noted {
            Noted::Call(call) => self.calls.push(call),
            Noted::Answer { id, denied } => {
                let at = self.calls.iter().position(|(known, ..)| *known == id);
                if let Some((_, tool, input)) = at.map(|at| self.calls.remove(at)).filter(|_| denied) {
                    self.denials.push(Denied { tool, input });
                }
            }
        }
        self.words().into_iter().chain([event]).collect()
    }

    fn words(&mut self) -> Option<Event> {
        let saying = std::mem::take(&mut self.saying);
        if saying.trim().is_empty() {
            return None;
        }
        self.said.clone_from(&saying);
        Some(Event::Text { text: saying, within: None })
    }

    fn call(&self, line: &Value) -> Option<(Event, Noted)> {
        let (id, name, input) = (text(line, "tool_id")?, text(line, "tool_name")?, line["parameters"].clone());
        let call = (id.clone(), name.clone(), input.clone());
        Some((Event::ToolCall { id, name, input, within: None }, Noted::Call(call)))
    }

    fn answered(&self, line: &Value) -> Option<(Event, Noted)> {
        let id = text(line, "tool_id")?;
        let end = match (word(line, "status"), word(&line["error"], "type")) {
            ("success", _) => CallEnd::Ok,
            (_, "policy_violation" | "tool_not_registered") => CallEnd::Denied,
            (_, "cancelled") => CallEnd::Interrupted,
            _ => CallEnd::Failed,
        };
        let said = text(line, "output").or_else(|| text(&line["error"], "message")).unwrap_or_default();
        let noted = Noted::Answer { id: id.clone(), denied: end == CallEnd::Denied };
        Some((Event::ToolResult { id, text: said, end, within: None }, noted))
    }

    fn over(&mut self, line: &Value) -> Vec<Event> {
        let tokens = tokens(&line["stats"]);
        let message = text(&line["error"], "message");
        let ending = match (word(line, "status"), &message) {
            ("success", None) => Ending::Completed,
            _ => Ending::Failed { class: class(word(&line["error"], "type"), message.as_deref().unwrap_or_default()) },
        };
        let denials = std::mem::take(&mut self.denials).into_iter();
        let result = TurnResult {
            ending,
            text: message.unwrap_or_else(|| std::mem::take(&mut self.said)),
            session: self.session.clone(),
            turns: None,
            duration_ms: line["stats"]["duration_ms"].as_u64(),
            totals: Some(Totals { tokens, unpriced: tokens.sum(), ..Totals::default() }),
            turn: None,
            denials: denials.map(|denied| Denial { tool: denied.tool, input: denied.input }).collect(),
            structured: None,
        };
        self.calls.clear();
        let usage = Usage { model: self.model.clone(), tokens, ..Usage::default() };
        let usage = (tokens != Tokens::default()).then_some(Event::Usage(usage));
        usage.into_iter().chain([Event::Result(result)]).collect()
    }
}

/// What a line changes in what is remembered.
enum Noted {
    Call((String, String, Value)),
    Answer { id: String, denied: bool },
}

impl Reader for GeminiReader {
    fn feed(&mut self, line: &[u8]) -> Vec<Event> {
        lines::feed(line, |value| self.events(value))
    }

    fn state(&self) -> Value {
        // Nothing in it can fail to be written; a reader without memory is the harmless answer if ever it does.
        serde_json::to_value(self).unwrap_or_default()
    }
}

/// What all its calls took. What the model thought is in no count but the sum.
fn tokens(stats: &Value) -> Tokens {
    let of = |key: &str| stats[key].as_u64().unwrap_or_default();
    let output = of("output_tokens").max(of("total_tokens").saturating_sub(of("input_tokens")));
    let cache_read = of("cached");
    Tokens { input: of("input_tokens").saturating_sub(cache_read), output, cache_read, cache_write: 0 }
}

fn class(kind: &str, message: &str) -> FailureClass {
    match kind {
        "FatalTurnLimitedError" => FailureClass::MaxTurns,
        "FatalAuthenticationError" => FailureClass::Auth,
        "FatalCancellationError" => FailureClass::Interrupted,
        "FatalInputError" | "FatalConfigError" => FailureClass::Invalid,
        _ => refused(message).unwrap_or(FailureClass::Crash),
    }
}

/// The class of a refusal, from its text; none if the text is unknown.
pub(super) fn refused(message: &str) -> Option<FailureClass> {
    let lower = message.to_lowercase();
    let says = |words: &[&str]| words.iter().any(|word| lower.contains(word));
    Some(match lines::status(message) {
        _ if says(&["daily quota", "perday"]) => FailureClass::Quota { resets_at: None },
        _ if says(&["maximum number of tokens", "input token count", "context window"]) => FailureClass::ContextFull,
        _ if says(&["api key not valid", "unauthenticated", "permission_denied"]) => FailureClass::Auth,
        Some(status) => lines::refusal(status),
        None if says(&["resource has been exhausted", "rate limit", "quota"]) => FailureClass::RateLimit,
        None if says(&["overloaded", "unavailable", "fetch failed", "timed out"]) => FailureClass::Overloaded,
        None if says(&["safety", "blocked", "not found"]) => FailureClass::Invalid,
        None => return None,
    })
}
