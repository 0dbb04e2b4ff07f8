//! What each agent calls its tools, and where in an input the command, the paths and the hosts stand.

use serde_json::{Map, Value};

use crate::call::Dialect;
use crate::{hosts, patch, shell};

/// Tools under other names than the canonical ones.
const NAMES: [(&str, &str); 58] = [
    // Claude Code's own further ones.
    ("LS", "Glob"),
    ("Monitor", "Bash"),
    ("MultiEdit", "Edit"),
    ("NotebookEdit", "Edit"),
    ("NotebookRead", "Read"),
    ("Agent", "Task"),
    // Gemini.
    ("run_shell_command", "Bash"),
    ("write_file", "Write"),
    ("replace", "Edit"),
    ("read_file", "Read"),
    ("read_many_files", "Read"),
    ("list_directory", "Glob"),
    ("glob", "Glob"),
    ("grep_search", "Grep"),
    ("search_file_content", "Grep"),
    ("web_fetch", "WebFetch"),
    ("google_web_search", "WebSearch"),
    ("write_todos", "TodoWrite"),
    ("ask_user", "AskUserQuestion"),
    ("enter_plan_mode", "EnterPlanMode"),
    ("exit_plan_mode", "ExitPlanMode"),
    ("activate_skill", "Skill"),
    ("codebase_investigator", "Task"),
    ("delegate_to_agent", "Task"),
    ("complete_task", "StructuredOutput"),
    // Codex.
    ("shell", "Bash"),
    ("local_shell", "Bash"),
    ("shell_command", "Bash"),
    ("exec_command", "Bash"),
    ("unified_exec", "Bash"),
    ("container.exec", "Bash"),
    ("apply_patch", "Edit"),
    ("view_image", "Read"),
    ("web_search", "WebSearch"),
    ("update_plan", "TodoWrite"),
    ("tool_search", "ToolSearch"),
    // opencode.
    ("bash", "Bash"),
    ("write", "Write"),
    ("edit", "Edit"),
    ("multiedit", "Edit"),
    ("patch", "Edit"),
    ("read", "Read"),
    ("grep", "Grep"),
    ("list", "Glob"),
    ("webfetch", "WebFetch"),
    ("websearch", "WebSearch"),
    ("todowrite", "TodoWrite"),
    ("todoread", "TodoRead"),
    ("task", "Task"),
    ("skill", "Skill"),
    ("question", "AskUserQuestion"),
    // Kinds of the Agent Client Protocol.
    ("execute", "Bash"),
    ("delete", "Write"),
    ("move", "Write"),
    ("search", "Grep"),
    ("fetch", "WebFetch"),
    ("think", "TodoWrite"),
    ("switch_mode", "EnterPlanMode"),
];

/// Fields that hold a path, or several.
const PATHS: [&str; 16] = [
    "file_path",
    "filePath",
    "filepath",
    "notebook_path",
    "path",
    "paths",
    "dir_path",
    "absolute_path",
    "file_paths",
    "include",
    "old_path",
    "new_path",
    "source",
    "destination",
    "file",
    "files",
];

/// Fields that hold addresses.
const ADDRESSES: [&str; 4] = ["url", "urls", "prompt", "uri"];

/// Fields that say when or under which id a call was made; they differ each time.
const VOLATILE: [&str; 5] = ["call_id", "turn_id", "started_at_ms", "toolCallId", "process_id"];

/// A call, read.
#[derive(Debug, Default)]
pub(crate) struct Read {
    pub(crate) tool: String,
    pub(crate) command: Option<String>,
    pub(crate) paths: Vec<String>,
    pub(crate) hosts: Vec<String>,
    pub(crate) input: Value,
}

pub(crate) fn read(dialect: Dialect, tool: &str, input: &Value) -> Read {
    let (name, input) = match dialect {
        Dialect::Acp => acp(tool, input),
        Dialect::Claude | Dialect::Codex | Dialect::Gemini | Dialect::Opencode => (tool.to_owned(), input.clone()),
    };
    let tool = canonical(dialect, &name);
    let empty = Map::new();
    let fields = input.as_object().unwrap_or(&empty);
    let mut read = Read { tool, ..Read::default() };
    match read.tool.as_str() {
        "Bash" => read.command = command(dialect, fields),
        "Glob" => read.paths.extend(fields.get("pattern").and_then(Value::as_str).map(str::to_owned)),
        "WebFetch" => {
            let texts = ADDRESSES.iter().filter_map(|field| fields.get(*field)).flat_map(texts);
            read.hosts = texts.flat_map(|text| hosts::in_text(&text)).collect();
        }
        _ => {}
    }
    if read.tool != "Bash" {
        read.paths.extend(PATHS.iter().filter_map(|field| fields.get(*field)).flat_map(texts));
        changes(fields, &mut read);
    }
    if matches!(name.as_str(), "apply_patch" | "patch") {
        let text =
            ["command", "input", "patch", "patchText"].iter().filter_map(|field| fields.get(*field)).flat_map(texts);
        text.for_each(|text| add(patch::read(&text), &mut read));
    }
    read.input = input;
    read
}

/// Files that come or go are more than edits.
fn add(patch: patch::Patch, read: &mut Read) {
    read.paths.extend(patch.paths);
    if patch.adds {
        "Write".clone_into(&mut read.tool);
    }
}

fn canonical(dialect: Dialect, name: &str) -> String {
    if let Some((_, canonical)) = NAMES.iter().find(|(known, _)| *known == name) {
        return (*canonical).to_owned();
    }
    match (dialect, name.strip_prefix("mcp_")) {
        // Gemini writes one stroke where others write two.
        (Dialect::Gemini | Dialect::Acp, Some(rest)) if !rest.starts_with('_') => match rest.split_once('_') {
            Some((server, tool)) => format!("mcp__{server}__{tool}"),
            None => name.to_owned(),
        },
        _ => name.to_owned(),
    }
}

/// Files that an agent lists with what it does to each, as a table or as a list.
fn changes(fields: &Map<String, Value>, read: &mut Read) {
    let kind = |change: &Value| {
        let kind = change.get("kind").or_else(|| change.get("type"));
        kind.and_then(|kind| kind.get("type").unwrap_or(kind).as_str()).unwrap_or("add").to_owned()
    };
    let changed: Vec<(String, String)> = match fields.get("changes") {
        Some(Value::Object(changes)) => changes.iter().map(|(path, change)| (path.clone(), kind(change))).collect(),
        Some(Value::Array(changes)) => {
            let path = |change: &Value| change.get("path").and_then(Value::as_str).unwrap_or_default().to_owned();
            changes.iter().map(|change| (path(change), kind(change))).collect()
        }
        Some(_) | None => return,
    };
    let adds = changed.iter().any(|(_, kind)| kind != "update");
    add(patch::Patch { paths: changed.into_iter().map(|(path, _)| path).collect(), adds }, read);
}

/// Takes the command out of an input; if Codex wraps it in a shell, the command inside.
fn command(dialect: Dialect, fields: &Map<String, Value>) -> Option<String> {
    let unwraps = match dialect {
        Dialect::Codex | Dialect::Acp => true,
        Dialect::Claude | Dialect::Gemini | Dialect::Opencode => false,
    };
    let found = fields.get("command").or_else(|| fields.get("cmd"))?;
    let words = match found {
        Value::Array(words) => words.iter().filter_map(Value::as_str).map(str::to_owned).collect::<Vec<_>>(),
        Value::String(text) if unwraps => match shell::parts(text).as_deref() {
            Ok([part]) => part.words.iter().map(|word| word.text.clone()).collect(),
            Ok(_) | Err(_) => return Some(text.clone()),
        },
        Value::String(text) => return Some(text.clone()),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_) => return None,
    };
    let shell = |program: &str| matches!(program.rsplit('/').next(), Some("bash" | "sh" | "zsh"));
    match (words.as_slice(), found) {
        ([program, option, script], _) if shell(program) && matches!(option.as_str(), "-c" | "-lc") => {
            Some(script.clone())
        }
        (_, Value::String(text)) => Some(text.clone()),
        _ => Some(words.iter().map(|word| quote(word)).collect::<Vec<_>>().join(" ")),
    }
}

fn quote(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./=:,@+%".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

/// Takes a call of the Agent Client Protocol apart: its name, and what is told of its input.
fn acp(tool: &str, call: &Value) -> (String, Value) {
    let text = |field: &str| call.get(field).and_then(Value::as_str);
    // Agents that give no name often begin the call's id with it.
    let by_id = text("toolCallId").and_then(|id| id.split_once("__call_")).map(|(name, _)| name.to_owned());
    let name = match text("name").map(str::to_owned).or(by_id) {
        Some(name) => name,
        None => text("kind").filter(|_| tool.is_empty()).unwrap_or(tool).to_owned(),
    };
    let mut fields = match call.get("rawInput") {
        Some(Value::Object(fields)) => fields.clone(),
        Some(_) | None => Map::new(),
    };
    fields.retain(|field, _| !VOLATILE.contains(&field.as_str()));
    let listed = |field: &str, key: &str| -> Vec<Value> {
        let items = call.get(field).and_then(Value::as_array).into_iter().flatten();
        items.filter_map(|item| item.get(key)).cloned().collect()
    };
    let paths: Vec<Value> = listed("locations", "path").into_iter().chain(listed("content", "path")).collect();
    if !paths.is_empty() {
        fields.insert("paths".to_owned(), Value::Array(paths));
    }
    // A file that was not there before is more than an edit.
    let new = |item: &Value| {
        item.get("newText").is_some() && item.get("oldText").is_none_or(|old| matches!(old.as_str(), None | Some("")))
    };
    let makes = call.get("content").and_then(Value::as_array).is_some_and(|items| items.iter().any(new));
    let name = if makes && canonical(Dialect::Acp, &name) == "Edit" { "Write".to_owned() } else { name };
    let runs = canonical(Dialect::Acp, &name) == "Bash";
    if let (true, Some(title)) = (runs && !fields.contains_key("command") && !fields.contains_key("cmd"), text("title"))
    {
        fields.insert("command".to_owned(), Value::String(title.to_owned()));
    }
    (name, Value::Object(fields))
}

fn texts(value: &Value) -> Vec<String> {
    match value {
        Value::String(text) => vec![text.clone()],
        Value::Array(items) => items.iter().flat_map(texts).collect(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_) => Vec::new(),
    }
}
