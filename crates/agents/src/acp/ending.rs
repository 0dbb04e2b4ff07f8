//! The end of a turn: what the agent says of it, and what that means.

use serde_json::{Value, json};

use super::{Acp, DialogueState, Sent, Turn, prompt};
use crate::dialogue::Out;
use crate::dialogue::rpc::{number, text, word};
use crate::{Cost, Ending, Event, FailureClass, Stage, Tokens, Totals, TurnResult, Usage};

/// How often an agent is asked to continue in one turn that gave up because a call was refused.
const URGED_MAX: u8 = 3;

/// The protocol's own code for an agent that is not logged in.
const AUTH_REQUIRED: i64 = -32_000;

impl Acp {
    pub(super) fn turn_over(&mut self, answer: Result<&Value, &Value>) -> Vec<Out> {
        let DialogueState::Turn { session, turn } = std::mem::replace(&mut self.stage, DialogueState::Over) else {
            // An answer to a prompt of which nothing is left.
            return Vec::new();
        };
        let mut out: Vec<Out> = Self::tell(self.prose.told()).collect();
        out.extend(Self::tell(self.calls.clear()));
        out.extend(self.questions.close_all().into_iter().flat_map(super::permission::withdrawn));
        let taken = answer.map(tokens).unwrap_or_default();
        if taken != Tokens::default() {
            self.tokens = self.tokens.plus(taken);
            out.push(Out::Tell(Event::Usage(Usage { tokens: taken, ..Usage::default() })));
        }
        if let Some(urge) = urge(&turn, answer) {
            let turn = Turn { urged: turn.urged + 1, refused: None, ..turn };
            out.push(self.send(Sent::Prompt, "session/prompt", &prompt(&session, &urge)));
            self.stage = DialogueState::Turn { session, turn };
            return out;
        }
        let result = self.result(&session, &turn, answer, taken);
        let done = turn.message.iter().chain(&turn.interrupts);
        out.extend(done.map(|id| Out::Tell(Event::Acknowledged { id: id.clone(), stage: Stage::Finished })));
        out.push(Out::Tell(Event::Result(result)));
        self.stage = DialogueState::Idle { session };
        out.extend(self.go_on());
        out
    }

    fn result(&mut self, session: &str, turn: &Turn, answer: Result<&Value, &Value>, taken: Tokens) -> TurnResult {
        let last_words = self.prose.last_words();
        let (ending, text) = match answer {
            Ok(result) => (ending(word(result, "stopReason"), turn), last_words),
            Err(error) => {
                let class = if turn.cancelled { FailureClass::Interrupted } else { class(error) };
                (Ending::Failed { class }, words(error))
            }
        };
        let cost = Cost::from((self.cost.dollars() - self.cost_before.dollars()).max(0.0));
        // A missing cost is unknown, not zero.
        let priced = self.cost != Cost::default();
        TurnResult {
            ending,
            text,
            session: Some(session.to_owned()),
            turns: None,
            duration_ms: None,
            totals: Some(Totals { cost, tokens: self.tokens, unpriced: if priced { 0 } else { self.tokens.sum() } }),
            turn: Some(Totals { cost: Cost::default(), tokens: taken, unpriced: taken.sum() }),
            denials: turn.denials.clone(),
            structured: None,
        }
    }
}

/// The message to an agent that ended its turn because a call was refused: it should continue.
fn urge(turn: &Turn, answer: Result<&Value, &Value>) -> Option<String> {
    let gave_up = answer.is_ok_and(|result| matches!(word(result, "stopReason"), "cancelled" | "end_turn"));
    let refused = turn.refused.as_ref()?;
    let goes_on = gave_up && !turn.cancelled && turn.urged < URGED_MAX;
    goes_on.then(|| format!("{refused}\nIt did not run. Go on without it, or say why you cannot."))
}

fn ending(reason: &str, turn: &Turn) -> Ending {
    let class = match reason {
        "end_turn" => return Ending::Completed,
        "cancelled" if turn.cancelled => FailureClass::Interrupted,
        "cancelled" if turn.refused.is_some() => FailureClass::Denied,
        "cancelled" => FailureClass::Interrupted,
        "max_tokens" => FailureClass::ContextFull,
        "max_turn_requests" => FailureClass::MaxTurns,
        "refusal" => FailureClass::Invalid,
        _ => FailureClass::Crash,
    };
    Ending::Failed { class }
}

/// The usage of the turn, if the agent reports it. Cached input is counted beside the input, unless the sum
/// that comes along says that it is a part of it.
fn tokens(result: &Value) -> Tokens {
    let usage = &result["usage"];
    if usage.is_object() {
        let (cache_read, cache_write) = (number(usage, "cachedReadTokens"), number(usage, "cachedWriteTokens"));
        let (input, output) = (number(usage, "inputTokens"), output(usage));
        let within = number(usage, "totalTokens") == input.saturating_add(output);
        let input = if within { input.saturating_sub(cache_read).saturating_sub(cache_write) } else { input };
        return Tokens { input, output, cache_read, cache_write };
    }
    let count = result.pointer("/_meta/quota/token_count").unwrap_or(&Value::Null);
    Tokens { input: number(count, "input_tokens"), output: number(count, "output_tokens"), ..Tokens::default() }
}

/// Thoughts are written too, and some count them apart.
fn output(usage: &Value) -> u64 {
    number(usage, "outputTokens").saturating_add(number(usage, "thoughtTokens"))
}

/// What an error of the agent means, by the status of its provider where one is in it.
pub(super) fn class(error: &Value) -> FailureClass {
    let words = words(error).to_lowercase();
    let status = error.pointer("/data/status").or_else(|| error.pointer("/data/code")).unwrap_or(&error["code"]);
    let status = status.as_i64().unwrap_or_default();
    let says = |parts: &[&str]| parts.iter().any(|part| words.contains(part));
    if says(&["quota", "usage limit", "billing", "insufficient credit"]) {
        FailureClass::Quota { resets_at: None }
    } else if status == 429 || says(&["429", "rate limit", "too many requests"]) {
        FailureClass::RateLimit
    } else if [401, 403, AUTH_REQUIRED].contains(&status)
        || says(&["401", "unauthorized", "api key", "autherror", "authentication"])
    {
        FailureClass::Auth
    } else if says(&["context window", "context length", "prompt is too long", "input token count"]) {
        FailureClass::ContextFull
    } else if (500..600).contains(&status)
        || says(&["apierror", "overloaded", "high demand", "unavailable", "status 5"])
    {
        FailureClass::Overloaded
    } else if status == 404 || status == 400 || says(&["model not found", "invalid model"]) {
        FailureClass::Invalid
    } else {
        FailureClass::Crash
    }
}

/// An error in words, with what the agent adds to it.
pub(super) fn words(error: &Value) -> String {
    let message = text(error, "message").unwrap_or_default();
    let more = match &error["data"] {
        Value::String(more) => more.clone(),
        Value::Object(data) => ["details", "message", "error"]
            .iter()
            .find_map(|key| data.get(*key)?.as_str().map(str::to_owned))
            .unwrap_or_else(|| json!(data).to_string()),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) => String::new(),
    };
    match (message.is_empty(), more.is_empty() || message.contains(&more)) {
        (true, true) => error.to_string(),
        (true, false) => more,
        (false, true) => message,
        (false, false) => format!("{message}: {more}"),
    }
}
