//! What a script wants done, whatever the agent's own tool for it is called.
//!
//! The tool is taken from those that the very request declares. Where there is none, the usual one is called all the same:
//! whether an agent lets a tool be called that it has withheld is one of the things a script is for.

use serde_json::{Value, json};

use crate::dialect::Dialect;
use crate::heard::{Tool, ToolForm};
use crate::request::Request;
use crate::write::Input;

/// Something for an agent to do with a tool.
#[derive(Debug, Clone, PartialEq)]
pub enum Act {
    /// Run a command line.
    Shell(String),
    /// Write a file; a path that is not absolute is below the folder of the work.
    Write {
        /// Where.
        path: String,
        /// What.
        content: String,
    },
    /// Read a file.
    Read {
        /// Which.
        path: String,
    },
    /// Call a tool of an MCP server.
    Mcp {
        /// The name under which the agent knows the server.
        server: String,
        /// The server's own name of the tool.
        tool: String,
        /// What the tool is given.
        input: Value,
    },
}

/// A tool, and what it is to be given.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Chosen {
    pub(crate) name: String,
    pub(crate) namespace: Option<String>,
    pub(crate) input: Input,
}

impl Act {
    /// Run a command line.
    #[must_use]
    pub fn shell(command: &str) -> Self {
        Self::Shell(command.to_owned())
    }

    /// Write a file.
    #[must_use]
    pub fn write(path: &str, content: &str) -> Self {
        Self::Write { path: path.to_owned(), content: content.to_owned() }
    }

    /// Read a file.
    #[must_use]
    pub fn read(path: &str) -> Self {
        Self::Read { path: path.to_owned() }
    }

    /// Call a tool of an MCP server.
    #[must_use]
    pub fn mcp(server: &str, tool: &str, input: Value) -> Self {
        Self::Mcp { server: server.to_owned(), tool: tool.to_owned(), input }
    }

    /// Chooses the tool for it among those that a request declares.
    pub(crate) fn choose(&self, request: &Request) -> Chosen {
        let declared = |name: &str| request.heard.tools.iter().find(|tool| tool.name == name);
        let own = self.names().iter().find_map(|name| declared(name));
        if let Some(chosen) = own.and_then(|tool| Some(chosen(tool, self.input(&tool.name, request)?))) {
            return chosen;
        }
        match (self, self.by_shell()) {
            (Self::Mcp { server, tool, input }, _) => mcp(server, tool, input, request),
            (_, Some(command)) if SHELLS.iter().any(|name| declared(name).is_some()) => {
                Self::Shell(command).choose(request)
            }
            _ => {
                let name = self.usual(request.dialect).to_owned();
                let input = self.input(&name, request).unwrap_or(Input::Object(json!({})));
                Chosen { name, namespace: None, input }
            }
        }
    }

    /// The names that agents have for it, the best first.
    fn names(&self) -> &'static [&'static str] {
        match self {
            Self::Shell(_) => &SHELLS,
            Self::Write { .. } => &["Write", "write_file", "write", "apply_patch"],
            Self::Read { .. } => &["Read", "read_file", "read"],
            Self::Mcp { .. } => &[],
        }
    }

    /// What an agent of that dialect would call the tool if it had not withheld it.
    fn usual(&self, dialect: Dialect) -> &'static str {
        match (self, dialect) {
            (Self::Write { .. }, Dialect::Messages) => "Write",
            (Self::Write { .. }, Dialect::Responses) => "apply_patch",
            (Self::Write { .. }, Dialect::Chat) => "write",
            (Self::Write { .. }, Dialect::Gemini) => "write_file",
            (Self::Read { .. }, Dialect::Messages) => "Read",
            (Self::Read { .. }, Dialect::Responses | Dialect::Chat) => "read",
            (Self::Read { .. }, Dialect::Gemini) => "read_file",
            (Self::Shell(_) | Self::Mcp { .. }, Dialect::Messages) => "Bash",
            (Self::Shell(_) | Self::Mcp { .. }, Dialect::Responses) => "exec_command",
            (Self::Shell(_) | Self::Mcp { .. }, Dialect::Chat) => "bash",
            (Self::Shell(_) | Self::Mcp { .. }, Dialect::Gemini) => "run_shell_command",
        }
    }

    /// What the tool of that name takes for it; none if that tool does something else.
    fn input(&self, name: &str, request: &Request) -> Option<Input> {
        let whole = |path: &str| match request.folder() {
            Some(folder) if !path.starts_with('/') => format!("{folder}/{path}"),
            Some(_) | None => path.to_owned(),
        };
        Some(match (self, name) {
            (Self::Shell(command), "exec_command") => Input::Object(json!({"cmd": command})),
            (Self::Shell(command), "shell_command") => Input::Object(json!({"command": command})),
            (Self::Shell(command), "shell") => Input::Object(json!({"command": ["bash", "-lc", command]})),
            (Self::Shell(command), "exec") => Input::Text(code(&format!("exec_command({})", json!({"cmd": command})))),
            (Self::Shell(command), _) => Input::Object(json!({"command": command, "description": "as scripted"})),
            (Self::Write { path, content }, "apply_patch") => Input::Text(patch(path, content)),
            (Self::Write { path, content }, "write") => {
                Input::Object(json!({"filePath": whole(path), "content": content}))
            }
            (Self::Write { path, content }, _) => Input::Object(json!({"file_path": whole(path), "content": content})),
            (Self::Read { path }, "read") => Input::Object(json!({"filePath": whole(path)})),
            (Self::Read { path }, _) => Input::Object(json!({"file_path": whole(path)})),
            (Self::Mcp { .. }, _) => return None,
        })
    }

    /// The command line that does the same.
    fn by_shell(&self) -> Option<String> {
        match self {
            Self::Shell(_) | Self::Mcp { .. } => None,
            Self::Write { path, content } => Some(format!("printf %s {} > {}", quoted(content), quoted(path))),
            Self::Read { path } => Some(format!("cat {}", quoted(path))),
        }
    }
}

/// The names that agents have for a tool that runs command lines; the last one runs code that calls other tools.
const SHELLS: [&str; 7] = ["Bash", "exec_command", "shell_command", "run_shell_command", "bash", "shell", "exec"];

fn chosen(tool: &Tool, input: Input) -> Chosen {
    let input = match (tool.form, input) {
        (ToolForm::Function | ToolForm::Hosted, Input::Text(text)) => Input::Object(json!({"input": text})),
        (ToolForm::Free, Input::Object(object)) => Input::Text(object.to_string()),
        (_, input) => input,
    };
    Chosen { name: tool.name.clone(), namespace: tool.namespace.clone(), input }
}

/// Agents put the server's name before the tool's in ways of their own, or keep the two apart.
fn mcp(server: &str, name: &str, input: &Value, request: &Request) -> Chosen {
    let joined = [
        format!("mcp__{server}__{name}"),
        format!("mcp_{server}_{name}"),
        format!("{server}__{name}"),
        format!("{server}_{name}"),
    ];
    let group = format!("mcp__{server}");
    let tools = &request.heard.tools;
    let of_group = |tool: &&Tool| tool.name == name && tool.namespace.as_deref() == Some(&group);
    let found = joined.iter().find_map(|joined| tools.iter().find(|tool| tool.name == *joined));
    if let Some(tool) = found.or_else(|| tools.iter().find(of_group)) {
        return chosen(tool, Input::Object(input.clone()));
    }
    if let Some(exec) = tools.iter().find(|tool| tool.name == "exec" && tool.form == ToolForm::Free) {
        return chosen(exec, Input::Text(code(&format!("mcp__{server}__{name}({input})"))));
    }
    let [claude, gemini, ..] = joined;
    // Declared or not, a call of a tool behind a search is answered.
    let (name, namespace) = match request.dialect {
        Dialect::Messages => (claude, None),
        Dialect::Responses => (name.to_owned(), Some(group)),
        Dialect::Chat => (format!("{server}_{name}"), None),
        Dialect::Gemini => (gemini, None),
    };
    Chosen { name, namespace, input: Input::Object(input.clone()) }
}

/// Code for an agent whose model calls tools by writing a program.
fn code(call: &str) -> String {
    format!("const result = await tools.{call}; text(JSON.stringify(result));")
}

/// A file to add, as a patch.
fn patch(path: &str, content: &str) -> String {
    let lines: String = content.lines().map(|line| format!("+{line}\n")).collect();
    format!("*** Begin Patch\n*** Add File: {path}\n{lines}*** End Patch")
}

/// A word of a command line that a shell reads as it is.
fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', r"'\''"))
}

#[cfg(test)]
#[path = "act_tests.rs"]
mod tests;
