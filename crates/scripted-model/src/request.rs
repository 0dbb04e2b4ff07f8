//! What an agent sent to the model, and what can be read from it.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::dialect::{Dialect, gemini};
use crate::heard::{ParsedRequest, Speaker};

/// What agents put into the user's mouth begins with one of these.
const REMINDERS: [&str; 9] = [
    "<system-reminder>",
    "<environment_context>",
    "<user_instructions>",
    "<permissions instructions>",
    "<collaboration_mode>",
    "<skills_instructions>",
    "<session_context>",
    "<hook_context>",
    "# AGENTS.md instructions",
];

/// How agents name their working folder to models: the text before the folder, and after it.
const FOLDERS: [(&str, char); 4] = [
    ("orking directory: ", '\n'),
    ("<cwd>", '<'),
    ("current working directory is: ", '\n'),
    ("Directories:**\n  - ", '\n'),
];

/// A request, as it came.
#[derive(Debug, Clone)]
pub struct Request {
    /// What it was answered with.
    pub met: Met,
    /// Which of all requests it was, from zero.
    pub number: usize,
    /// The label of the base URL; see [`crate::Model::url_for`].
    pub label: String,
    /// Such as `POST`.
    pub method: String,
    /// The path, without label and query.
    pub path: String,
    /// What is spoken.
    pub dialect: Dialect,
    /// Headers by their names in small letters, without keys.
    pub headers: BTreeMap<String, String>,
    /// The body; null if there was none.
    pub body: Value,
    /// What the body says.
    pub heard: ParsedRequest,
}

/// What a request was answered with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Met {
    /// The turn of the script with this index.
    Turn(usize),
    /// No turn that is left: an error.
    Nothing,
    /// It was beside the conversation, such as a title: an empty answer.
    Beside,
    /// A token count, a list of models or a health check: a harmless answer.
    Chore,
    /// A place that a model has not: 404.
    Elsewhere,
}

impl Met {
    /// Returns whether the request was one of the conversation, which the script is for.
    #[must_use]
    pub fn is_conversation(self) -> bool {
        match self {
            Self::Turn(_) | Self::Nothing => true,
            Self::Beside | Self::Chore | Self::Elsewhere => false,
        }
    }
}

impl Request {
    /// Returns the model that was asked for.
    #[must_use]
    pub fn model(&self) -> &str {
        match self.dialect {
            Dialect::Gemini => gemini(&self.path).map_or("", |(model, _)| model),
            Dialect::Messages | Dialect::Responses | Dialect::Chat => self.body["model"].as_str().unwrap_or_default(),
        }
    }

    /// Returns whether the answer shall be a stream.
    #[must_use]
    pub fn wants_stream(&self) -> bool {
        match self.dialect {
            Dialect::Gemini => gemini(&self.path).is_some_and(|(_, verb)| verb.starts_with("stream")),
            Dialect::Messages | Dialect::Responses | Dialect::Chat => self.body["stream"].as_bool().unwrap_or_default(),
        }
    }

    /// Returns the names of the tools that the model may call.
    #[must_use]
    pub fn tools(&self) -> Vec<&str> {
        self.heard.tools.iter().map(|tool| tool.name.as_str()).collect()
    }

    /// Returns all messages, in order: the user's, the model's, and reminders.
    #[must_use]
    pub fn texts(&self) -> Vec<&str> {
        self.heard.said.iter().map(|said| said.text.as_str()).collect()
    }

    /// Returns what the user said, in order, without what the agent put in between.
    #[must_use]
    pub fn words(&self) -> Vec<&str> {
        let own = |text: &&str| !REMINDERS.iter().any(|reminder| text.trim_start().starts_with(reminder));
        let users = self.heard.said.iter().filter(|said| said.by == Speaker::User);
        users.map(|said| said.text.as_str()).filter(own).collect()
    }

    /// Returns what the user said last.
    #[must_use]
    pub fn last_words(&self) -> &str {
        self.words().last().copied().unwrap_or_default()
    }

    /// Returns the results of tool calls by the ids of the calls.
    #[must_use]
    pub fn results(&self) -> &BTreeMap<String, String> {
        &self.heard.results
    }

    /// Returns the system prompt.
    #[must_use]
    pub fn system(&self) -> &str {
        &self.heard.system
    }

    /// Returns the folder in which the agent says that it works, for tools that want whole paths; none if it does not
    /// say.
    #[must_use]
    pub fn folder(&self) -> Option<&str> {
        self.texts().into_iter().chain([self.system()]).find_map(folder)
    }
}

/// The folder that a text names as the one of the work.
fn folder(text: &str) -> Option<&str> {
    FOLDERS.iter().find_map(|(before, end)| {
        let named = text.split_once(before)?.1;
        let named = named.split_once(*end).map_or(named, |(named, _)| named);
        Some(named.trim().trim_matches('`')).filter(|named| named.starts_with('/'))
    })
}

#[cfg(test)]
impl Request {
    /// A request for a turn of a conversation in which nothing was said.
    pub(crate) fn for_test(dialect: Dialect, model: &str, tools: &[&str]) -> Self {
        use crate::heard::{Tool, ToolForm};
        let tool = |name: &&str| Tool { name: (*name).to_owned(), namespace: None, form: ToolForm::Function };
        let heard = ParsedRequest { tools: tools.iter().map(tool).collect(), ..ParsedRequest::default() };
        Self {
            met: Met::Turn(0),
            number: 7,
            label: String::new(),
            method: "POST".to_owned(),
            path: format!("/v1beta/models/{model}:streamGenerateContent"),
            dialect,
            headers: BTreeMap::new(),
            body: serde_json::json!({"model": model, "stream": true}),
            heard,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_folder_is_found_however_an_agent_tells_it() {
        for text in [
            "# Environment\n - Primary working directory: /w/one\n - Platform: linux",
            "Working directory: /w/one",
            "<environment_context>\n  <cwd>/w/one</cwd>\n  <shell>bash</shell>",
            "- **Workspace Directories:**\n  - /w/one\n- **Date:** today",
        ] {
            assert_eq!(folder(text), Some("/w/one"), "{text}");
        }
        assert_eq!(folder("the working directory: unknown"), None);
        assert_eq!(folder("nothing of that"), None);
    }
}
