//! Tool patterns, as Claude Code writes them: `Read`, `Bash(git diff *)`, `mcp__shop__*`,
//! `WebFetch(domain:example.com)`.
//!
//! A list of them is what a session may do at all. A pattern that cannot be read lets nothing through.

use types::Access;

use crate::git_words;
use crate::matcher::word_fits;

/// Programs that only read, whatever follows: their dangerous options are known to `hazard`.
const READERS: [&str; 15] =
    ["cat", "cut", "du", "file", "find", "grep", "head", "ls", "pwd", "rg", "stat", "tail", "tree", "wc", "which"];

/// Returns whether any tool of a list writes; where there is no list, everything may.
#[must_use]
pub fn access(tools: Option<&[String]>) -> Access {
    let Some(tools) = tools else { return Access::Workspace };
    let writes = |tool: &String| match ToolPattern::parse(tool) {
        Ok(pattern) => pattern.writes(),
        // It lets nothing through.
        Err(_) => false,
    };
    if tools.iter().any(writes) { Access::Workspace } else { Access::ReadOnly }
}

/// Refuses a list with a pattern that cannot be parsed: it would allow nothing, without a visible reason.
///
/// # Errors
/// Names the first such pattern.
pub fn check_tools<'a>(tools: impl IntoIterator<Item = &'a str>) -> Result<(), ToolError> {
    tools.into_iter().try_for_each(|tool| ToolPattern::parse(tool).map(|_| ()))
}

/// A text that is not a tool pattern.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{text}` is not a tool: {why}")]
pub struct ToolError {
    text: String,
    why: &'static str,
}

/// One tool of a list, read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum ToolPattern {
    /// A tool, whatever it is called with; `*` in its name stands for anything.
    Tool(String),
    /// A shell, for commands like this.
    Command(CommandPattern),
    /// A tool that reads or writes files, for paths like this.
    Path { tool: String, glob: String },
    /// A tool that asks a host, for this one.
    Host { tool: String, host: String },
}

/// Words that a command begins with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct CommandPattern {
    /// Each stands for one word; `*` in it for anything within the word.
    pub(crate) words: Vec<String>,
    /// Whether anything may follow.
    pub(crate) open: bool,
}

impl ToolPattern {
    pub(crate) fn parse(text: &str) -> Result<Self, ToolError> {
        let refuse = |why| ToolError { text: text.chars().take(80).collect(), why };
        let (tool, inner) = match text.split_once('(') {
            None => (text, None),
            Some((tool, rest)) => {
                (tool, Some(rest.strip_suffix(')').ok_or_else(|| refuse("its bracket is not closed"))?))
            }
        };
        let named = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '*' | '.' | ':');
        if tool.is_empty() || !tool.chars().all(named) {
            return Err(refuse("a tool is a name such as `Read` or `mcp__server__tool`"));
        }
        match (tool, inner.map(str::trim)) {
            (_, None | Some("" | "*")) => Ok(Self::Tool(tool.to_owned())),
            ("Bash", Some(command)) => {
                CommandPattern::parse(command).map(Self::Command).ok_or_else(|| refuse("it has no plain words"))
            }
            ("Read" | "Write" | "Edit" | "Grep" | "Glob", Some(glob)) => {
                Ok(Self::Path { tool: tool.to_owned(), glob: glob.to_owned() })
            }
            ("WebFetch", Some(inner)) => {
                let host = inner.strip_prefix("domain:").filter(|host| !host.is_empty());
                let host = host.ok_or_else(|| refuse("it is for a host: `WebFetch(domain:example.com)`"))?;
                Ok(Self::Host { tool: tool.to_owned(), host: host.to_ascii_lowercase() })
            }
            (_, Some(_)) => {
                Err(refuse("only Bash, Read, Write, Edit, Grep, Glob and WebFetch take something in brackets"))
            }
        }
    }

    /// Returns whether it is for a tool of this name, whatever else must match.
    pub(crate) fn is_for(&self, tool: &str) -> bool {
        match self {
            Self::Tool(name) => tool_fits(name, tool),
            Self::Command(_) => tool == "Bash",
            Self::Path { tool: name, .. } | Self::Host { tool: name, .. } => name == tool,
        }
    }

    fn writes(&self) -> bool {
        match self {
            Self::Tool(name) => ["Bash", "Edit", "Write"].iter().any(|tool| word_fits(name, tool)),
            Self::Command(command) => command.writes(),
            Self::Path { tool, .. } => matches!(tool.as_str(), "Write" | "Edit"),
            Self::Host { .. } => false,
        }
    }
}

/// `mcp__server` is for every tool of the server.
fn tool_fits(pattern: &str, tool: &str) -> bool {
    let of_server = || {
        let server = pattern.strip_prefix("mcp__").is_some_and(|server| !server.contains("__"));
        server && tool.strip_prefix(pattern).is_some_and(|rest| rest.starts_with("__"))
    };
    word_fits(pattern, tool) || of_server()
}

impl CommandPattern {
    /// Reads `git diff *`, and `git diff:*`, which means the same.
    fn parse(text: &str) -> Option<Self> {
        let (text, colon) = text.strip_suffix(":*").map_or((text, false), |text| (text, true));
        let mut words: Vec<String> = text.split_whitespace().map(str::to_owned).collect();
        let star = words.last().is_some_and(|word| word == "*");
        if star {
            words.pop();
        }
        // Quotes and operators would have to be read as a shell does, and it is a pattern for plain words.
        let odd = |word: &String| word.contains(['"', '\'', '\\', '$', '`', ';', '&', '|', '<', '>', '(', ')']);
        let program = words.first().is_some_and(|word| !word.starts_with('*'));
        (program && !words.iter().any(odd)).then_some(Self { words, open: star || colon })
    }

    fn writes(&self) -> bool {
        let words: Vec<&str> = self.words.iter().map(String::as_str).collect();
        match words.split_first() {
            // What `git *` covers follows from what else the session may do.
            Some((&"git", [])) => false,
            Some((&"git", rest)) => git_words::refuse(rest, Access::ReadOnly).is_some(),
            Some((program, _)) => !READERS.contains(program),
            None => true,
        }
    }
}

#[cfg(test)]
#[path = "tools_tests.rs"]
mod tests;
