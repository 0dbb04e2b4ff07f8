//! One tool call, in one set of words whichever agent makes it.
//!
//! Claude Code's names are the canonical ones. What an agent calls by another name is known here by the canonical one;
//! what nobody knows keeps its own name, which no preset has.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use sha2::{Digest as _, Sha256};

use crate::script::Script;
use crate::{dialect, hosts};

/// Hex digits of a key.
const KEY_LENGTH: usize = 32;

/// Characters of each text of an input that a journal keeps.
const KEPT: usize = 2000;

/// Characters of a command that a journal keeps: a person must see all of what is to be approved.
pub(crate) const COMMAND_KEPT: usize = 16_000;

/// Bytes of an input that a journal keeps whole if a person is asked about it.
pub(crate) const ASKED_MAX: usize = 128 << 10;

/// Characters of a call in one line.
const LINE_MAX: usize = 500;

/// Whose words a call is in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Dialect {
    /// Claude Code.
    Claude,
    /// Codex, by its hook or its app-server.
    Codex,
    /// Gemini CLI, by its hook.
    Gemini,
    /// Any agent that speaks the Agent Client Protocol.
    Acp,
    /// opencode.
    Opencode,
}

/// A tool call.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Call {
    /// The tool, by its canonical name.
    pub tool: String,
    /// The tool, as the agent calls it.
    pub raw_tool: String,
    /// What a shell is to run, if it is one.
    pub command: Option<String>,
    /// The files and folders it names.
    pub paths: Vec<String>,
    /// The hosts it names, in small letters.
    pub hosts: Vec<String>,
    /// What the agent calls it with.
    pub input: Value,
}

impl Call {
    /// Reads a call.
    ///
    /// For [`Dialect::Acp`], `tool` is the call's name if it has one, else its kind, and `input` is the whole `toolCall`
    /// of the question or the update.
    #[must_use]
    pub fn of(dialect: Dialect, tool: &str, input: &Value) -> Self {
        let read = dialect::read(dialect, tool, input);
        let mut paths = read.paths;
        let mut hosts = read.hosts;
        if let Some(command) = &read.command {
            let script = Script::of(command);
            paths.extend(script.paths(command));
            hosts.extend(hosts::in_script(command, &script));
        }
        for list in [&mut paths, &mut hosts] {
            list.sort_unstable();
            list.dedup();
        }
        Self { tool: read.tool, raw_tool: tool.to_owned(), command: read.command, paths, hosts, input: read.input }
    }

    /// Returns what this very call is known by: the same for the same tool with the same input, in any run.
    #[must_use]
    pub fn key(&self) -> String {
        let mut sum = Sha256::new();
        sum.update(self.tool.as_bytes());
        sum.update([0]);
        // What a model says about a command is not what runs.
        let said = ["description"];
        let input = match self.input.as_object() {
            Some(fields) if self.tool == "Bash" => {
                Value::Object(fields.iter().filter(|(name, _)| !said.contains(&name.as_str())).map(owned).collect())
            }
            Some(_) | None => self.input.clone(),
        };
        write(&input, &mut sum);
        let digits = sum.finalize().iter().map(|byte| format!("{byte:02x}")).collect::<String>();
        digits.chars().take(KEY_LENGTH).collect()
    }

    /// Says in one line what it is to do: the command, else the paths, else the hosts.
    #[must_use]
    pub fn what(&self) -> String {
        let text = match &self.command {
            Some(command) => command.clone(),
            None if !self.paths.is_empty() => self.paths.join(", "),
            None => self.hosts.join(", "),
        };
        let text = text.trim();
        let mut line = String::new();
        for next in text.chars().take(LINE_MAX) {
            match next {
                '\n' => line.push_str(" ⏎ "),
                control if control.is_control() => line.push(' '),
                other => line.push(other),
            }
        }
        if text.chars().nth(LINE_MAX).is_some() {
            line.push('…');
        }
        line
    }

    /// Returns how many bytes it is called with.
    pub(crate) fn size(&self) -> usize {
        self.input.to_string().len()
    }

    /// Returns the call with every long text cut, for a journal.
    #[must_use]
    pub fn shortened(&self) -> Self {
        let most = if self.command.is_some() { COMMAND_KEPT } else { KEPT };
        Self {
            input: cut(&self.input, most),
            command: self.command.as_deref().map(|command| short(command, most)),
            ..self.clone()
        }
    }
}

fn owned((name, value): (&String, &Value)) -> (String, Value) {
    (name.clone(), value.clone())
}

fn cut(value: &Value, most: usize) -> Value {
    match value {
        Value::String(text) => Value::String(short(text, most)),
        Value::Array(items) => items.iter().map(|item| cut(item, most)).collect(),
        Value::Object(fields) => {
            Value::Object(fields.iter().map(|(name, value)| (name.clone(), cut(value, most))).collect())
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => value.clone(),
    }
}

fn short(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        None => text.to_owned(),
        Some((at, _)) => format!("{}… ({} bytes)", text.get(..at).unwrap_or_default(), text.len()),
    }
}

/// Adds a value to a sum, with the fields of objects in the order of their names.
fn write(value: &Value, sum: &mut Sha256) {
    match value {
        Value::Object(fields) => {
            let mut names: Vec<&String> = fields.keys().collect();
            names.sort_unstable();
            sum.update(b"{");
            for name in names {
                write(&Value::String(name.clone()), sum);
                write(fields.get(name).unwrap_or(&Value::Null), sum);
            }
            sum.update(b"}");
        }
        Value::Array(items) => {
            sum.update(b"[");
            items.iter().for_each(|item| write(item, sum));
            sum.update(b"]");
        }
        Value::String(text) => {
            sum.update(text.len().to_le_bytes());
            sum.update(text.as_bytes());
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {
            sum.update(value.to_string().as_bytes());
            sum.update(b",");
        }
    }
}

#[cfg(test)]
#[path = "call_tests.rs"]
mod tests;
