//! The end of a turn: what Claude Code says of it, and what that means.
//!
//! `subtype: "success"` with `is_error: true` is a failure, and so is everything that names no success at all.

use serde_json::Value;

use super::read::{ClaudeReader, provider_error};
use crate::lines::{list, text, word};
use crate::{Ask, Cost, Denial, Ending, Event, FailureClass, Tokens, Totals, TurnResult};

pub(super) fn over(reader: &mut ClaudeReader, line: &Value) -> Vec<Event> {
    for (model, usage) in line["modelUsage"].as_object().into_iter().flatten() {
        if let Some(window) = usage["contextWindow"].as_u64() {
            reader.windows.insert(model.clone(), window);
        }
    }
    let result = Event::Result(TurnResult {
        ending: ending(reader, line),
        text: words(line),
        session: text(line, "session_id"),
        turns: line["num_turns"].as_u64().and_then(|turns| u32::try_from(turns).ok()),
        duration_ms: line["duration_ms"].as_u64(),
        totals: whole(line),
        turn: turn(line),
        denials: list(line, "permission_denials").iter().filter_map(denial).collect(),
        structured: line.get("structured_output").cloned(),
    });
    reader.counted.clear();
    reader.error = None;
    reader.rejected_until = None;
    deferred(line).into_iter().chain([result]).collect()
}

fn ending(reader: &ClaudeReader, line: &Value) -> Ending {
    let flagged = line["is_error"].as_bool().unwrap_or(true);
    let reason = word(line, "terminal_reason");
    let class = match (word(line, "subtype"), reason) {
        ("success", "completed") if !flagged => return Ending::Completed,
        ("success", "tool_deferred") if !flagged => return Ending::Deferred,
        (_, "prompt_too_long") => FailureClass::ContextFull,
        (_, "max_turns") | ("error_max_turns", _) => FailureClass::MaxTurns,
        (_, "budget_exhausted") | ("error_max_budget_usd", _) => FailureClass::Budget,
        (_, "aborted_streaming" | "aborted_tools") => FailureClass::Interrupted,
        ("error_max_structured_output_retries", _) => FailureClass::Invalid,
        (_, "api_error") => api_error(reader, line),
        _ if words(line).contains("No conversation found") => FailureClass::NoSession,
        // A version that names no reason: the flag and the word are all there is, and both say success.
        ("success", "") if !flagged => return Ending::Completed,
        _ => FailureClass::Crash,
    };
    Ending::Failed { class }
}

fn api_error(reader: &ClaudeReader, line: &Value) -> FailureClass {
    let status = line["api_error_status"].as_u64().and_then(|status| u16::try_from(status).ok());
    let word = text(line, "api_error").or_else(|| reader.error.clone()).unwrap_or_default();
    provider_error(status, &word, reader.rejected_until)
}

/// The last words, or the errors where there are none.
fn words(line: &Value) -> String {
    let errors = || list(line, "errors").iter().filter_map(Value::as_str).collect::<Vec<_>>().join("\n");
    text(line, "result").unwrap_or_else(errors)
}

/// The sum of the run: by model, or of a version that does not split it, as it is.
fn whole(line: &Value) -> Option<Totals> {
    let cost = line["total_cost_usd"].as_f64();
    if line["modelUsage"].is_object() {
        return Some(totals(&line["modelUsage"], cost));
    }
    let usage = &line["usage"];
    if cost.is_none() && !usage.is_object() {
        return None;
    }
    let of = |key: &str| usage[key].as_u64().unwrap_or_default();
    let tokens = Tokens {
        input: of("input_tokens"),
        output: of("output_tokens"),
        cache_read: of("cache_read_input_tokens"),
        cache_write: of("cache_creation_input_tokens"),
    };
    let unpriced = if cost.is_some() { 0 } else { tokens.sum() };
    Some(Totals { cost: Cost::from(cost.unwrap_or_default()), tokens, unpriced })
}

fn turn(line: &Value) -> Option<Totals> {
    let usage = line["model_usage_since_last_result"].as_object()?;
    let cost = usage.values().filter_map(|model| model["costUSD"].as_f64()).sum();
    Some(totals(&line["model_usage_since_last_result"], Some(cost)))
}

/// Sums the models. The agent's own `usage` leaves subagents out, so it is used only where it is all there is.
fn totals(models: &Value, cost: Option<f64>) -> Totals {
    let of = |model: &Value, key: &str| model[key].as_u64().unwrap_or_default();
    let tokens = models.as_object().into_iter().flatten().map(|(_, model)| Tokens {
        input: of(model, "inputTokens"),
        output: of(model, "outputTokens"),
        cache_read: of(model, "cacheReadInputTokens"),
        cache_write: of(model, "cacheCreationInputTokens"),
    });
    let tokens = tokens.fold(Tokens::default(), Tokens::plus);
    let unpriced = if cost.is_some() { 0 } else { tokens.sum() };
    Totals { cost: Cost::from(cost.unwrap_or_default()), tokens, unpriced }
}

fn denial(denial: &Value) -> Option<Denial> {
    Some(Denial { tool: text(denial, "tool_name")?, input: denial["tool_input"].clone() })
}

fn deferred(line: &Value) -> Option<Event> {
    let call = line.get("deferred_tool_use")?;
    let ask = Ask::Deferred { tool: text(call, "name")?, input: call["input"].clone() };
    Some(Event::Asking { request: text(call, "id")?, ask })
}
