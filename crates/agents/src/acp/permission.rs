//! What an agent asks about its calls, and how it is answered.
//!
//! An option is chosen by its kind, never by its place or its name. A yes is for one call: what is allowed once and for
//! all is not asked about again, and no permission check would run.

use serde_json::{Value, json};

use super::{Acp, DialogueState, call};
use crate::dialogue::rpc::{self, list, text};
use crate::dialogue::{Out, Question};
use crate::{CallEnd, Denial, Event, Stage};

/// Why a call cannot be allowed that was allowed.
const NO_SINGLE_YES: &str = "the agent offers no way to allow this call alone";
const OTHER_INPUT: &str = "the agent cannot run this call with another input than the one it asked about";

/// A question that was not answered yet.
#[derive(Debug)]
pub(super) struct Pending {
    id: Value,
    options: Vec<(String, String)>,
    tool: String,
    input: Value,
    call: Option<String>,
}

impl Pending {
    fn option(&self, kinds: &[&str]) -> Option<&str> {
        let of_kind = |wanted: &&str| self.options.iter().find(|(kind, _)| kind == wanted).map(|(_, id)| id.as_str());
        kinds.iter().find_map(of_kind)
    }

    fn select(&self, option: &str) -> Out {
        Out::Send(rpc::answer(&self.id, &json!({"outcome": {"outcome": "selected", "optionId": option}})))
    }

    fn cancelled(&self) -> Out {
        Out::Send(rpc::answer(&self.id, &json!({"outcome": {"outcome": "cancelled"}})))
    }
}

/// Answers a question that no longer needs an answer.
pub(super) fn withdrawn((request, pending): (String, Pending)) -> [Out; 2] {
    [pending.cancelled(), Out::Tell(Event::Acknowledged { id: request, stage: Stage::Cancelled })]
}

impl Acp {
    pub(super) fn asks(&mut self, id: &Value, params: &Value) -> Vec<Out> {
        let asked = &params["toolCall"];
        let call = self.calls.merge(asked);
        let events = self.prose.told();
        let mut out: Vec<Out> = Self::tell(events).collect();
        let (tool, input) = match call.as_deref().and_then(|id| Some((id, self.calls.get(id)?))) {
            Some((id, tracked)) => call::read(id, tracked, &self.opening.mcp),
            // The tool is unknown; the permission check gets everything there is.
            None => ("unknown".to_owned(), asked.clone()),
        };
        let begun = call.as_deref().and_then(|id| self.calls.begun(id, &self.opening.mcp));
        out.extend(begun.map(Out::Tell));
        let option = |option: &Value| Some((text(option, "kind")?, text(option, "optionId")?));
        let pending = Pending {
            id: id.clone(),
            options: list(params, "options").iter().filter_map(option).collect(),
            tool: tool.clone(),
            input: input.clone(),
            call: call.clone(),
        };
        match &self.stage {
            DialogueState::Turn { turn, .. } if !turn.cancelled => {
                let request = self.questions.open(pending);
                out.push(Out::Judge(Question { request, tool, input, call }));
            }
            // Outside of a turn, and in one that is broken off, nothing is allowed.
            DialogueState::Turn { .. }
            | DialogueState::Opening
            | DialogueState::Loaded { .. }
            | DialogueState::Idle { .. }
            | DialogueState::Over => {
                out.push(pending.cancelled());
            }
        }
        out
    }

    pub(super) fn allow(&mut self, request: &str, input: &Value) -> Vec<Out> {
        let Some(pending) = self.questions.close(request) else { return Vec::new() };
        if *input != pending.input && !input.is_null() {
            return self.refuse(&pending, OTHER_INPUT);
        }
        match pending.option(&["allow_once"]) {
            Some(option) => vec![pending.select(option)],
            None => self.refuse(&pending, NO_SINGLE_YES),
        }
    }

    pub(super) fn deny(&mut self, request: &str, why: &str) -> Vec<Out> {
        let Some(pending) = self.questions.close(request) else { return Vec::new() };
        self.refuse(&pending, why)
    }

    /// Says no. Some agents never speak of a refused call again, so its end is told here.
    fn refuse(&mut self, pending: &Pending, why: &str) -> Vec<Out> {
        let answer = match pending.option(&["reject_once", "reject_always"]) {
            Some(option) => pending.select(option),
            None => pending.cancelled(),
        };
        if let DialogueState::Turn { turn, .. } = &mut self.stage {
            turn.denials.push(Denial { tool: pending.tool.clone(), input: pending.input.clone() });
            turn.refused = Some(format!("The call of `{}` was refused: {why}", pending.tool));
        }
        let ended = pending.call.as_deref().and_then(|id| self.calls.ended(id, CallEnd::Denied, Some(why)));
        [answer].into_iter().chain(ended.map(Out::Tell)).collect()
    }
}
