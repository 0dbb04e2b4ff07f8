//! What Codex asks about its calls, and how it is answered.

use serde_json::{Value, json};
use types::Access;

use super::{AppServer, DialogueState, items, reply, shell};
use crate::dialogue::rpc::{self, text, word};
use crate::dialogue::{Out, Question};
use crate::{Denial, Event, Stage};

/// Why a call cannot be allowed that was allowed.
const OTHER_INPUT: &str = "Codex cannot run this call with another input than the one it asked about";

/// Why a command that wants out of the sandbox is refused where nothing may be written.
const STAYS_INSIDE: &str = "this session only reads: no command runs outside of the sandbox";

/// A question that was not answered yet.
#[derive(Debug)]
pub(super) struct Pending {
    id: Value,
    form: Form,
    item: Option<String>,
    tool: String,
    input: Value,
}

/// The form of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    /// For commands and patches.
    Decision,
    /// For calls of MCP servers.
    Elicitation,
}

impl Pending {
    fn yes(&self) -> Out {
        reply(
            &self.id,
            &match self.form {
                Form::Decision => json!({"decision": "accept"}),
                Form::Elicitation => json!({"action": "accept", "content": {}}),
            },
        )
    }

    /// The turn continues.
    fn no(&self) -> Out {
        reply(
            &self.id,
            &match self.form {
                Form::Decision => json!({"decision": "decline"}),
                Form::Elicitation => json!({"action": "decline"}),
            },
        )
    }
}

/// Answers a question that no longer needs an answer.
pub(super) fn withdrawn((request, pending): (String, Pending)) -> [Out; 2] {
    [pending.no(), Out::Tell(Event::Acknowledged { id: request, stage: Stage::Cancelled })]
}

impl AppServer {
    pub(super) fn asks(&mut self, id: &Value, method: &str, params: &Value) -> Vec<Out> {
        let (form, item, call) = match method {
            "item/commandExecution/requestApproval" => (Form::Decision, text(params, "itemId"), self.command(params)),
            "item/fileChange/requestApproval" => (Form::Decision, text(params, "itemId"), self.patch(params)),
            "mcpServer/elicitation/request" if params["_meta"]["codex_approval_kind"] == "mcp_tool_call" => {
                let (item, call) = self.mcp_call(params);
                (Form::Elicitation, item, call)
            }
            // A form that a person would fill in, questions, and a wish for more room in the sandbox.
            "mcpServer/elicitation/request" => return vec![reply(id, &json!({"action": "decline"}))],
            "item/tool/requestUserInput" => return vec![reply(id, &json!({"answers": {}}))],
            "item/permissions/requestApproval" => return vec![reply(id, &json!({"permissions": {}}))],
            _ => {
                let raw = Event::Raw { line: json!({"method": method, "params": params}).to_string() };
                return vec![Out::Send(rpc::unknown(id, method)), Out::Tell(raw)];
            }
        };
        let (tool, input) = call.unwrap_or_else(|| ("unknown".to_owned(), params.clone()));
        let pending = Pending { id: id.clone(), form, item: item.clone(), tool: tool.clone(), input: input.clone() };
        match &self.place {
            DialogueState::Turn { turn, .. } if !turn.cancelled => {}
            DialogueState::Turn { .. } | DialogueState::Opening | DialogueState::Idle { .. } | DialogueState::Over => {
                return vec![pending.no()];
            }
        }
        if self.opening.access == Access::ReadOnly && wants_out(params) {
            return self.refuse(&pending, STAYS_INSIDE);
        }
        let request = self.questions.open(pending);
        vec![Out::Judge(Question { request, tool, input, call: item })]
    }

    fn command(&self, params: &Value) -> Option<(String, Value)> {
        let asked = params["command"].as_str().map(|command| json!({"command": shell::unwrapped(command)}));
        asked.map(|input| ("Bash".to_owned(), input)).or_else(|| self.patch(params))
    }

    fn patch(&self, params: &Value) -> Option<(String, Value)> {
        items::call(self.items.get(word(params, "itemId"))?)
    }

    /// The call of an MCP server that is asked about: the one under way with the same server and input.
    fn mcp_call(&self, params: &Value) -> (Option<String>, Option<(String, Value)>) {
        let (server, input) = (&params["serverName"], &params["_meta"]["tool_params"]);
        let same = |item: &Value| item["server"] == *server && (item["arguments"] == *input || input.is_null());
        let tool = word(params, "message").split('"').nth(1);
        let named = |item: &Value| tool.is_none_or(|tool| word(item, "tool") == tool);
        if let Some((id, item)) = self.items.iter().find(|(_, item)| same(item) && named(item)) {
            return (Some(id.clone()), items::call(item));
        }
        let name = tool.zip(server.as_str()).map(|(tool, server)| format!("mcp__{server}__{tool}"));
        (None, name.map(|name| (name, input.clone())))
    }

    pub(super) fn allow(&mut self, request: &str, input: &Value) -> Vec<Out> {
        let Some(pending) = self.questions.close(request) else { return Vec::new() };
        if *input != pending.input && !input.is_null() {
            return self.refuse(&pending, OTHER_INPUT);
        }
        vec![pending.yes()]
    }

    pub(super) fn deny(&mut self, request: &str, why: &str) -> Vec<Out> {
        let Some(pending) = self.questions.close(request) else { return Vec::new() };
        self.refuse(&pending, why)
    }

    fn refuse(&mut self, pending: &Pending, why: &str) -> Vec<Out> {
        if let DialogueState::Turn { turn, .. } = &mut self.place {
            turn.denials.push(Denial { tool: pending.tool.clone(), input: pending.input.clone() });
            if let Some(item) = &pending.item {
                turn.refused.insert(item.clone(), why.to_owned());
            }
        }
        vec![pending.no()]
    }

    /// The server waits for an answer no longer: it has one, or it gave up.
    pub(super) fn resolved(&mut self, id: &Value) -> Vec<Out> {
        let withdrawn = self.questions.close_if(|pending| pending.id == *id);
        let cancelled = |(request, _)| Out::Tell(Event::Acknowledged { id: request, stage: Stage::Cancelled });
        withdrawn.into_iter().map(cancelled).collect()
    }
}

/// A command is asked about with a reason when it is to run without the sandbox.
fn wants_out(params: &Value) -> bool {
    let has = |key: &str| !params[key].is_null();
    has("reason") || has("networkApprovalContext") || has("grantRoot") || has("additionalPermissions")
}
