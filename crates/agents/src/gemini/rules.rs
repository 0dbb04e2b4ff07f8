//! What Gemini's own rules let through: the tools that a brief allows, in its names.

use crate::{Access, ApprovalChannel, Brief, LaunchError};

/// Tools by their canonical names, and by Gemini's. Those that only read need no rule.
const NAMES: [(&str, &[&str]); 6] = [
    ("Bash", &["run_shell_command"]),
    ("Write", &["write_file"]),
    ("Edit", &["replace", "write_file"]),
    ("MultiEdit", &["replace"]),
    ("WebFetch", &["web_fetch"]),
    ("WebSearch", &["google_web_search"]),
];

/// Tools that write files.
const WRITERS: [&str; 2] = ["write_file", "replace"];

/// Commands, which may write too.
const SHELL: &str = "run_shell_command";

/// Returns the file of rules; empty if there are none.
///
/// Where a program judges every call, all tools are available. A read-only agent has none that write files, and
/// a shell only for commands that begin as allowed, with a program that judges the rest of them.
pub(super) fn of(brief: &Brief) -> Result<String, LaunchError> {
    let mut rules = String::new();
    let judged = matches!(brief.gate, ApprovalChannel::Program { .. });
    if judged && brief.access == Access::Workspace {
        for (tool, _) in NAMES {
            rules.push_str(&rule(tool, "allow", 500, |_, _| true)?);
        }
    }
    for tool in &brief.allowed_tools {
        rules.push_str(&rule(tool, "allow", 500, |name, has_prefix| match brief.access {
            Access::ReadOnly => !WRITERS.contains(&name) && (name != SHELL || (has_prefix && judged)),
            Access::Workspace | Access::Full => true,
        })?);
    }
    for tool in &brief.denied_tools {
        rules.push_str(&rule(tool, "deny", 900, |_, _| true)?);
    }
    Ok(rules)
}

/// `Bash(git diff *)` matches commands with this prefix; a tool of another name matches itself.
fn rule(tool: &str, decision: &str, priority: u32, may: impl Fn(&str, bool) -> bool) -> Result<String, LaunchError> {
    if tool.chars().any(char::is_control) {
        return Err(LaunchError::Value { what: "tool", value: tool.to_owned() });
    }
    let (name, pattern) = tool.split_once('(').map_or((tool, None), |(name, rest)| (name, rest.strip_suffix(')')));
    let prefix = pattern.map(|pattern| pattern.trim_end_matches(['*', ':']).trim_end());
    let names = NAMES.iter().find(|(canonical, _)| *canonical == name).map_or(&[][..], |(_, names)| names);
    let mut rules = String::new();
    for name in names.iter().filter(|name| may(name, prefix.is_some_and(|prefix| !prefix.is_empty()))) {
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
