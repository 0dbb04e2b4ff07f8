//! What a request says, in the same words for every dialect.
//!
//! Each dialect has a reader of its own; what it does not understand it leaves out, since a model's requests change
//! with every version of an agent. Nothing here decides what is answered.

mod chat;
mod gemini;
mod messages;
mod responses;

use std::collections::BTreeMap;

use serde_json::Value;

use crate::dialect::Dialect;

/// What a request says.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ParsedRequest {
    /// The system prompt.
    pub system: String,
    /// The messages of a role, in order.
    pub said: Vec<Said>,
    /// The results of tool calls by the ids of the calls.
    pub results: BTreeMap<String, String>,
    /// The tools that the model may call.
    pub tools: Vec<Tool>,
}

/// Something that was said.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Said {
    /// The role.
    pub by: Speaker,
    /// What.
    pub text: String,
}

/// Who speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Speaker {
    /// The user, or the agent in the user's name.
    User,
    /// The model.
    Model,
    /// Neither: a word of the system amid the conversation.
    System,
}

/// A tool that the model may call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tool {
    /// Its name.
    pub name: String,
    /// The group that it is in, where a dialect has groups.
    pub namespace: Option<String>,
    /// What a call of it is given.
    pub form: ToolForm,
}

/// What a call of a tool is given.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ToolForm {
    /// An object.
    Function,
    /// Text, as it is.
    Free,
    /// Nothing that a script could say: the provider runs it.
    Hosted,
}

impl ParsedRequest {
    pub(crate) fn of(dialect: Dialect, body: &Value) -> Self {
        let mut heard = Self::default();
        match dialect {
            Dialect::Messages => messages::read(body, &mut heard),
            Dialect::Responses => responses::read(body, &mut heard),
            Dialect::Chat => chat::read(body, &mut heard),
            Dialect::Gemini => gemini::read(body, &mut heard),
        }
        heard
    }

    fn say(&mut self, by: Speaker, text: &str) {
        self.said.push(Said { by, text: text.to_owned() });
    }

    fn declare(&mut self, name: &str, namespace: Option<&str>, form: ToolForm) {
        self.tools.push(Tool { name: name.to_owned(), namespace: namespace.map(str::to_owned), form });
    }

    fn answered(&mut self, call: &Value, text: String) {
        if let Some(call) = call.as_str() {
            self.results.insert(call.to_owned(), text);
        }
    }
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

/// The texts of content, which is a text or a list of parts of which some are texts.
fn texts(content: &Value) -> Vec<&str> {
    match content.as_str() {
        Some(text) => vec![text],
        None => list(content).iter().filter_map(|part| part["text"].as_str()).collect(),
    }
}

fn speaker(role: &Value) -> Speaker {
    match role.as_str() {
        Some("assistant" | "model") => Speaker::Model,
        Some("system" | "developer") => Speaker::System,
        Some(_) | None => Speaker::User,
    }
}

#[cfg(test)]
#[path = "heard_tests.rs"]
mod tests;
