//! Maps a call to its tool and input, in the canonical names that permissions are decided by.
//!
//! The protocol has a kind and a title for a call and leaves the rest to the agent: the name is in a field of its
//! own, in the id, in the first title, or nowhere.

use serde_json::{Map, Value, json};

use super::calls::{Tracked, paths};
use crate::McpServer;
use crate::dialogue::rpc::{text, word};

/// What codex-acp adds to an input. Who allows a call allows the same call again, so these cannot be a part of it.
const PASSING: [&str; 4] = ["auto_approved", "call_id", "started_at_ms", "turn_id"];

/// Reads the tool and the input of a call.
pub(super) fn read(id: &str, call: &Tracked, servers: &[McpServer]) -> (String, Value) {
    let mut input = raw(call);
    if let Some(name) = mcp(id, call, servers, &input) {
        if let Some(arguments) = input.get("invocation").and_then(|invocation| invocation.get("arguments")).cloned() {
            return (name, arguments);
        }
        if input.is_empty() {
            input = spelled_out(call).unwrap_or_default();
        }
        return (name, Value::Object(input));
    }
    if let Some(name) = named(call) {
        return (name, Value::Object(input));
    }
    let tool = tool(call, &input);
    match tool {
        "Bash" => {
            // Nothing else of it changes what runs.
            let command = command(&input).or_else(|| field(call, "title")).unwrap_or_default();
            input = Map::from_iter([("command".to_owned(), command.into())]);
        }
        "Edit" | "Write" | "Read" | "Grep" => point(&mut input, call),
        "WebFetch" if !input.contains_key("url") => {
            input.insert("url".to_owned(), field(call, "title").unwrap_or_default().into());
        }
        _ => {}
    }
    let name = if tool.is_empty() { unnamed(id, call) } else { tool.to_owned() };
    (name, Value::Object(input))
}

/// The name that the agent gives it, where it has Claude Code's names.
fn named(call: &Tracked) -> Option<String> {
    let claudes = call.fields.get("_meta").and_then(|meta| text(&meta["claudeCode"], "toolName"));
    field(call, "name").or(claudes)
}

/// The tool by the kind of the call; none for a kind that says nothing.
fn tool(call: &Tracked, input: &Map<String, Value>) -> &'static str {
    match field(call, "kind").as_deref() {
        Some("execute") => "Bash",
        Some("edit") if makes_files(call) => "Write",
        Some("edit" | "delete" | "move") => "Edit",
        Some("read") => "Read",
        Some("search") => "Grep",
        Some("fetch") => "WebFetch",
        Some(_) | None if command(input).is_some() => "Bash",
        Some(_) | None => "",
    }
}

/// Whether everything it writes is new.
fn makes_files(call: &Tracked) -> bool {
    let blocks = call.fields.get("content").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    let mut diffs = blocks.iter().filter(|block| block["type"] == "diff").peekable();
    diffs.peek().is_some() && diffs.all(|diff| word(diff, "oldText").is_empty())
}

/// The command, whether it is a text or a list with a shell in front.
fn command(input: &Map<String, Value>) -> Option<String> {
    match input.get("command")? {
        Value::String(command) => Some(command.clone()),
        Value::Array(words) => {
            let words: Vec<&str> = words.iter().filter_map(Value::as_str).collect();
            Some(match words.as_slice() {
                [_, "-c" | "-lc", command] => (*command).to_owned(),
                words => words.join(" "),
            })
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_) => None,
    }
}

/// Says which files it is about, and what would stand in a new one.
fn point(input: &mut Map<String, Value>, call: &Tracked) {
    let mut paths = paths(call);
    for key in ["file_path", "filePath", "filepath", "path", "absolute_path"] {
        if let Some(Value::String(path)) = input.get(key)
            && !paths.contains(path)
        {
            paths.push(path.clone());
        }
    }
    if let Some(Value::Object(changes)) = input.get("changes") {
        paths.extend(changes.keys().filter(|path| !paths.contains(path)).cloned().collect::<Vec<_>>());
    }
    if let Some(path) = paths.first() {
        input.insert("file_path".to_owned(), json!(path));
    }
    if paths.len() > 1 {
        input.insert("paths".to_owned(), json!(paths));
    }
    let blocks = call.fields.get("content").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    if let [diff] = blocks
        && !input.contains_key("content")
        && let Some(text) = text(diff, "newText")
    {
        input.insert("content".to_owned(), text.into());
    }
}

/// The name of a tool of an MCP server, as Claude Code would have it.
fn mcp(id: &str, call: &Tracked, servers: &[McpServer], input: &Map<String, Value>) -> Option<String> {
    let given = named(call).filter(|name| name.starts_with("mcp__"));
    let invoked = || {
        let invocation = input.get("invocation")?;
        Some(format!("mcp__{}__{}", text(invocation, "server")?, text(invocation, "tool")?))
    };
    let shown = || {
        let title = field(call, "title")?;
        let (tool, server) = title.strip_suffix(" MCP Server)")?.rsplit_once(" (")?;
        Some(format!("mcp__{server}__{tool}"))
    };
    let spelled = || {
        let names = [id.split("__").next(), call.first_title.as_deref()];
        let by = |name: &str, server: &McpServer| {
            let rest = name.strip_prefix("mcp_").unwrap_or(name);
            let tool = rest.strip_prefix(server.name.as_str())?.strip_prefix('_')?;
            (!tool.is_empty() && !tool.contains(' ')).then(|| format!("mcp__{}__{tool}", server.name))
        };
        names.into_iter().flatten().find_map(|name| servers.iter().find_map(|server| by(name, server)))
    };
    given.or_else(invoked).or_else(shown).or_else(spelled)
}

/// A call with unknown input is named as the agent names it.
fn unnamed(id: &str, call: &Tracked) -> String {
    let in_id = id.split_once("__").map(|(name, _)| name).filter(|name| !name.is_empty()).map(str::to_owned);
    let title = call.first_title.clone().filter(|title| !title.is_empty());
    in_id.or(title).or_else(|| field(call, "kind")).unwrap_or_else(|| "unknown".to_owned())
}

/// The input without what differs from one call to the next that is the same.
fn raw(call: &Tracked) -> Map<String, Value> {
    match call.fields.get("rawInput") {
        Some(Value::Object(input)) => {
            let kept = input.iter().filter(|(key, _)| !PASSING.contains(&key.as_str()));
            kept.map(|(key, value)| (key.clone(), value.clone())).collect()
        }
        Some(_) | None => Map::new(),
    }
}

/// An input that is shown as text.
fn spelled_out(call: &Tracked) -> Option<Map<String, Value>> {
    let block = call.fields.get("content")?.as_array()?.first()?;
    serde_json::from_str(block["content"]["text"].as_str()?).ok()
}

fn field(call: &Tracked, name: &str) -> Option<String> {
    call.fields.get(name)?.as_str().map(str::to_owned)
}
