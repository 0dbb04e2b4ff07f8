//! What an agent sent to the model, and what can be read from it.

use std::collections::BTreeMap;

use serde_json::Value;

/// What agents put into the user's mouth begins with this.
const REMINDER: &str = "<system-reminder>";

/// How an agent tells its model where it works.
const WORKING_DIRECTORY: &str = "orking directory: ";

/// A request, as it came.
#[derive(Debug, Clone)]
pub struct Request {
    /// What it was answered with.
    pub met: Met,
    /// Which of all requests it was, from zero.
    pub number: usize,
    /// The label of the base URL; see [`super::ModelServer::url_for`].
    pub label: String,
    /// Such as `POST`.
    pub method: String,
    /// The path, without label and query.
    pub path: String,
    /// Headers by their names in small letters, without keys.
    pub headers: BTreeMap<String, String>,
    /// The body; null if there was none.
    pub body: Value,
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
    /// A count of tokens, a list of models or a look whether anybody is there: a harmless answer.
    Chore,
    /// A place that a model has not: 404.
    Elsewhere,
}

impl Met {
    /// Tells whether the request was one of the conversation, which the script is for.
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
        self.body["model"].as_str().unwrap_or_default()
    }

    /// Tells whether the answer shall be a stream.
    #[must_use]
    pub fn wants_stream(&self) -> bool {
        self.body["stream"].as_bool().unwrap_or_default()
    }

    /// Returns the names of the tools that the model may call.
    #[must_use]
    pub fn tools(&self) -> Vec<&str> {
        list(&self.body["tools"]).iter().filter_map(|tool| tool["name"].as_str()).collect()
    }

    /// Returns everything that was said in somebody's name, in order: the user's words, the model's, and reminders.
    #[must_use]
    pub fn texts(&self) -> Vec<&str> {
        list(&self.body["messages"]).iter().flat_map(texts).collect()
    }

    /// Returns what the user said, in order, without what the agent put in between.
    #[must_use]
    pub fn words(&self) -> Vec<&str> {
        let messages = list(&self.body["messages"]).iter().filter(|message| message["role"] == "user");
        messages.flat_map(texts).filter(|text| !text.trim_start().starts_with(REMINDER)).collect()
    }

    /// Returns what the user said last.
    #[must_use]
    pub fn last_words(&self) -> &str {
        self.words().last().copied().unwrap_or_default()
    }

    /// Returns the results of tool calls by the ids of the calls.
    #[must_use]
    pub fn results(&self) -> BTreeMap<&str, String> {
        let parts = list(&self.body["messages"]).iter().flat_map(|message| list(&message["content"]));
        let results = parts.filter(|part| part["type"] == "tool_result");
        results.filter_map(|part| Some((part["tool_use_id"].as_str()?, texts(part).join("\n")))).collect()
    }

    /// Returns the system prompt.
    #[must_use]
    pub fn system(&self) -> String {
        words(&self.body["system"]).join("\n")
    }

    /// Returns the folder in which the agent says that it works, for tools that want whole paths.
    ///
    /// # Panics
    /// When it does not say.
    #[must_use]
    pub fn folder(&self) -> String {
        let system = self.system();
        let places = self.texts().into_iter().chain([system.as_str()]).flat_map(str::lines);
        let mut folders = places.filter_map(|line| Some(line.split_once(WORKING_DIRECTORY)?.1.trim().to_owned()));
        folders.next().expect("the request names no working directory")
    }
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

/// The texts of something with content: a message or the result of a tool.
fn texts(value: &Value) -> Vec<&str> {
    words(&value["content"])
}

/// The texts of content, which is a text or a list of parts of which some are texts.
fn words(content: &Value) -> Vec<&str> {
    match content.as_str() {
        Some(text) => vec![text],
        None => list(content).iter().filter_map(|part| part["text"].as_str()).collect(),
    }
}
