//! Reads the updates that an agent sends while it works.

use serde_json::Value;

use super::{Acp, DialogueState};
use crate::dialogue::rpc::{list, text, word};
use crate::dialogue::{Out, Voice};
use crate::{CallEnd, Cost, Event, Usage};

impl Acp {
    pub(super) fn update(&mut self, update: &Value) -> Vec<Out> {
        let kind = word(update, "sessionUpdate");
        if matches!(self.stage, DialogueState::Opening | DialogueState::Loaded { .. }) {
            // What was said long ago is told again, and was told then.
            if kind == "usage_update" {
                self.cost(update);
            }
            return Vec::new();
        }
        let events = match kind {
            "agent_message_chunk" => self.said(Voice::Aloud, update),
            "agent_thought_chunk" => self.said(Voice::Thinking, update),
            "tool_call" | "tool_call_update" => self.called(update),
            "usage_update" => self.used(update),
            "plan" => self.planned(update),
            // What it offers to people, and what it was told itself.
            "available_commands_update"
            | "config_option_update"
            | "current_mode_update"
            | "session_info_update"
            | "user_message_chunk" => Vec::new(),
            _ => vec![Event::Raw { line: update.to_string() }],
        };
        Self::tell(events).collect()
    }

    fn said(&mut self, voice: Voice, update: &Value) -> Vec<Event> {
        let content = &update["content"];
        let Some(piece) = content["text"].as_str() else { return vec![Event::Raw { line: update.to_string() }] };
        self.at_work();
        let mut events = self.calls.begun_but(None, &self.opening.mcp);
        events.extend(self.prose.said(voice, piece, text(update, "messageId").as_deref()));
        events
    }

    fn called(&mut self, update: &Value) -> Vec<Event> {
        let Some(id) = self.calls.merge(update) else { return vec![Event::Raw { line: update.to_string() }] };
        let mut events = self.prose.told();
        events.extend(self.calls.begun_but(Some(&id), &self.opening.mcp));
        let end = match word(update, "status") {
            "in_progress" => None,
            // Some say so of a call that was broken off.
            "completed" if self.is_cancelled() => Some(CallEnd::Interrupted),
            "completed" => Some(CallEnd::Ok),
            "failed" => Some(CallEnd::Failed),
            _ => return events,
        };
        events.extend(self.calls.begun(&id, &self.opening.mcp));
        if let Some(ended) = end.and_then(|end| self.calls.ended(&id, end, None)) {
            self.at_work();
            events.push(ended);
        }
        events
    }

    fn used(&mut self, update: &Value) -> Vec<Event> {
        self.cost(update);
        let mut events = self.calls.begun_but(None, &self.opening.mcp);
        let (context, window) = (update["used"].as_u64(), update["size"].as_u64());
        events.push(Event::Usage(Usage { context, window, ..Usage::default() }));
        events
    }

    /// What it says the conversation cost so far.
    fn cost(&mut self, update: &Value) {
        let cost = &update["cost"];
        if let (Some(amount), "USD") = (cost["amount"].as_f64(), word(cost, "currency")) {
            self.cost = Cost::from(amount);
        }
    }

    fn planned(&mut self, update: &Value) -> Vec<Event> {
        let mut events = self.prose.told();
        let entry = |entry: &Value| Some(format!("- {} ({})", text(entry, "content")?, word(entry, "status")));
        let lines: Vec<String> = list(update, "entries").iter().filter_map(entry).collect();
        if !lines.is_empty() {
            events.push(Event::Thinking { text: lines.join("\n"), within: None });
        }
        events
    }

    fn is_cancelled(&self) -> bool {
        matches!(&self.stage, DialogueState::Turn { turn, .. } if turn.cancelled)
    }

    /// It has not given up on what was refused.
    fn at_work(&mut self) {
        if let DialogueState::Turn { turn, .. } = &mut self.stage {
            turn.refused = None;
        }
    }
}
