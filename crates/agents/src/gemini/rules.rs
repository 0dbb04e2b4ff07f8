//! What Gemini's own rules let through: the tools that a brief allows, in its names.

use crate::{Access, Brief, LaunchError};

/// Tools by their canonical names, and by Gemini's. Those that only read need no rule.
const NAMES: [(&str, &[&str]); 6] = [
    ("Bash", &["run_shell_command"]),
    ("Write", &["write_file"]),
    ("Edit", &["replace", "write_file"]),
    ("MultiEdit", &["replace"]),
    ("WebFetch", &["web_fetch"]),
    ("WebSearch", &["google_web_search"]),
];

/// Tools that write; whoever only reads has none of them, whatever is allowed.
const WRITERS: [&str; 3] = ["run_shell_command", "write_file", "replace"];

/// Returns the file of rules; empty if there are none.
pub(super) fn of(brief: &Brief) -> Result<String, LaunchError> {
    let mut rules = String::new();
    for tool in &brief.allowed_tools {
        rules.push_str(&rule(tool, "allow", 500, brief.access)?);
    }
    for tool in &brief.denied_tools {
        rules.push_str(&rule(tool, "deny", 900, Access::Workspace)?);
    }
    Ok(rules)
}

/// `Bash(git diff *)` allows commands that begin so; a tool of another name is its own.
fn rule(tool: &str, decision: &str, priority: u32, access: Access) -> Result<String, LaunchError> {
    if tool.chars().any(char::is_control) {
        return Err(LaunchError::Value { what: "tool", value: tool.to_owned() });
    }
    let (name, pattern) = tool.split_once('(').map_or((tool, None), |(name, rest)| (name, rest.strip_suffix(')')));
    let names = NAMES.iter().find(|(canonical, _)| *canonical == name).map_or(&[][..], |(_, names)| names);
    let mut rules = String::new();
    for name in names.iter().filter(|name| access != Access::ReadOnly || !WRITERS.contains(name)) {
        let prefix = pattern.map(|pattern| pattern.trim_end_matches(['*', ':']).trim_end());
        let prefix = prefix.map(|prefix| format!("commandPrefix = {}\n", text(prefix))).unwrap_or_default();
        rules.push_str(&format!(
            "[[rule]]\ntoolName = {}\n{prefix}decision = \"{decision}\"\npriority = {priority}\n\n",
            text(name)
        ));
    }
    Ok(rules)
}

fn text(text: &str) -> String {
    toml::Value::from(text).to_string()
}
