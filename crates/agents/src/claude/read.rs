//! Reads what Claude Code prints: one JSON object a line, by its `type` and `subtype`.
//!
//! The list of types grows with every version, so nothing here insists on a field: what is missing is left out, and a
//! line of another kind is kept raw.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};
use serde_json::Value;
use types::Timestamp;

use super::{blocks, result, say};
use crate::lines::{self, list, text, word};
use crate::{
    Ask, Event, FailureClass, RateLimited, Reader, Stage, Started, Task, TaskKind, ToolServer, Usage, WindowStatus,
};

/// What later lines are read with.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct ClaudeReader {
    /// Model messages of this turn whose tokens are counted: each comes in several lines that repeat them.
    pub(super) counted: BTreeSet<String>,
    /// The windows of models, as results told them.
    pub(super) windows: BTreeMap<String, u64>,
    /// The model of the turn.
    pub(super) model: Option<String>,
    /// When the window that rejected a call is empty again.
    pub(super) rejected_until: Option<Timestamp>,
    /// The agent's word for the last error of the provider in this turn.
    pub(super) error: Option<String>,
}

impl ClaudeReader {
    pub(super) fn at(state: &Value) -> Self {
        Self::deserialize(state).unwrap_or_default()
    }

    fn events(&mut self, line: &Value) -> Vec<Event> {
        match (word(line, "type"), word(line, "subtype")) {
            ("system", "init") => self.started(line),
            ("system", "api_retry") => vec![Event::RateLimited(retrying(line))],
            ("system", "background_tasks_changed") => vec![beside(line)],
            ("system", "compact_boundary") => self.compacted(line).into_iter().collect(),
            ("assistant", _) => blocks::said(self, line),
            ("user", _) => blocks::answered(line),
            ("result", _) => result::over(self, line),
            ("rate_limit_event", _) => self.window(&line["rate_limit_info"]).into_iter().collect(),
            ("control_request", _) => asking(line).into_iter().collect(),
            ("control_cancel_request", _) => withdrawn(line),
            ("control_response", _) => answered(&line["response"]).into_iter().collect(),
            ("command_lifecycle", _) => lifecycle(line).into_iter().collect(),
            _ => Vec::new(),
        }
    }

    fn started(&mut self, line: &Value) -> Vec<Event> {
        self.model = text(line, "model");
        let server = |server: &Value| Some(ToolServer { name: text(server, "name")?, status: text(server, "status")? });
        vec![Event::Started(Started {
            session: text(line, "session_id"),
            model: self.model.clone(),
            cwd: text(line, "cwd"),
            version: text(line, "claude_code_version"),
            permissions: text(line, "permissionMode"),
            servers: list(line, "mcp_servers").iter().filter_map(server).collect(),
        })]
    }

    fn compacted(&self, line: &Value) -> Option<Event> {
        let context = line.pointer("/compact_metadata/post_tokens")?.as_u64()?;
        Some(Event::Usage(Usage { context: Some(context), window: self.window_of_model(), ..Usage::default() }))
    }

    pub(super) fn window_of_model(&self) -> Option<u64> {
        self.windows.get(self.model.as_ref()?).copied()
    }

    fn window(&mut self, info: &Value) -> Option<Event> {
        let status = match word(info, "status") {
            "allowed" => WindowStatus::Allowed,
            "allowed_warning" => WindowStatus::Warning,
            "rejected" => WindowStatus::Rejected,
            _ => return None,
        };
        let resets_at = info["resetsAt"].as_i64().and_then(|second| Timestamp::from_second(second).ok());
        if status == WindowStatus::Rejected {
            self.rejected_until = resets_at;
        }
        Some(Event::RateLimited(RateLimited::Window {
            status,
            window: text(info, "rateLimitType"),
            utilization: info["utilization"].as_f64(),
            resets_at,
        }))
    }
}

impl Reader for ClaudeReader {
    fn feed(&mut self, line: &[u8]) -> Vec<Event> {
        lines::feed(line, |value| self.events(value))
    }

    fn state(&self) -> Value {
        // Nothing in it can fail to be written; a reader without memory is the harmless answer if ever it does.
        serde_json::to_value(self).unwrap_or_default()
    }
}

/// What it cannot be asked about is taken for part of the work.
fn beside(line: &Value) -> Event {
    let task = |task: &Value| {
        let kind = if word(task, "task_type") == "local_bash" { TaskKind::Command } else { TaskKind::Agent };
        Some(Task { id: text(task, "task_id")?, kind, text: text(task, "description").unwrap_or_default() })
    };
    Event::Background { tasks: list(line, "tasks").iter().filter_map(task).collect() }
}

fn retrying(line: &Value) -> RateLimited {
    let status = line["error_status"].as_u64().and_then(|status| u16::try_from(status).ok());
    RateLimited::Retrying {
        attempt: count(line, "attempt"),
        attempts_max: count(line, "max_retries"),
        delay_ms: line["retry_delay_ms"].as_f64().unwrap_or_default() as u64,
        status,
        class: provider_error(status, word(line, "error"), None),
    }
}

/// What the provider's refusal means, by its HTTP status where there is one and the agent's word for it otherwise.
pub(super) fn provider_error(status: Option<u16>, word: &str, resets_at: Option<Timestamp>) -> FailureClass {
    match (status, word) {
        (_, "billing_error" | "usage_limit_reached") | (Some(402), _) => FailureClass::Quota { resets_at },
        (Some(429), _) | (None, "rate_limit") if resets_at.is_some() => FailureClass::Quota { resets_at },
        (Some(429), _) | (None, "rate_limit") => FailureClass::RateLimit,
        (Some(401 | 403), _) | (None, "authentication_failed") => FailureClass::Auth,
        (Some(413), _) => FailureClass::ContextFull,
        (Some(400..=499), _) | (None, "model_not_found" | "invalid_request") => FailureClass::Invalid,
        _ => FailureClass::Overloaded,
    }
}

fn asking(line: &Value) -> Option<Event> {
    let asked = &line["request"];
    let ask = match word(asked, "subtype") {
        "can_use_tool" => Ask::Permission {
            tool: text(asked, "tool_name")?,
            input: asked["input"].clone(),
            call: text(asked, "tool_use_id"),
        },
        "hook_callback" => {
            let hook = &asked["input"];
            let ask = Ask::Gate {
                tool: text(hook, "tool_name")?,
                input: hook["tool_input"].clone(),
                call: text(hook, "tool_use_id"),
            };
            return Some(Event::Asking { request: say::gate_request(word(line, "request_id")), ask });
        }
        _ => return None,
    };
    Some(Event::Asking { request: text(line, "request_id")?, ask })
}

/// The agent no longer waits for an answer. Which kind of question it was it does not say, so both ids are withdrawn.
fn withdrawn(line: &Value) -> Vec<Event> {
    let Some(id) = text(line, "request_id") else { return Vec::new() };
    [say::gate_request(&id), id].map(|id| Event::Acknowledged { id, stage: Stage::Cancelled }).into()
}

fn answered(response: &Value) -> Option<Event> {
    let stage = match word(response, "subtype") {
        "success" => Stage::Finished,
        "error" => Stage::Refused { why: text(response, "error").unwrap_or_default() },
        _ => return None,
    };
    Some(Event::Acknowledged { id: text(response, "request_id")?, stage })
}

fn lifecycle(line: &Value) -> Option<Event> {
    let stage = match word(line, "state") {
        "queued" => Stage::Queued,
        "started" => Stage::Begun,
        "completed" => Stage::Finished,
        "cancelled" => Stage::Cancelled,
        _ => return None,
    };
    Some(Event::Acknowledged { id: text(line, "command_uuid")?, stage })
}

pub(super) fn count(value: &Value, key: &str) -> u32 {
    value[key].as_u64().and_then(|count| u32::try_from(count).ok()).unwrap_or_default()
}
