//! The recorded streams of agents, each against a scripted model. Folders in them are made up.

use fleet_agents::claude::Claude;
use fleet_agents::codex::Codex;
use fleet_agents::gemini::Gemini;
use fleet_agents::opencode::Opencode;
use fleet_agents::{Account, Adapter, Event, Meter};
use serde_json::Value;

macro_rules! fixtures {
    ($($name:literal),* $(,)?) => {
        [$(($name, include_str!(concat!("../../fixtures/", $name, ".ndjson")))),*]
    };
}

/// Every recording by name.
pub(crate) const ALL: [(&str, &str); 57] = fixtures![
    "claude-acp",
    "claude-commit",
    "claude-compact",
    "claude-defer",
    "claude-defer-resumed",
    "claude-fail-401",
    "claude-fail-429",
    "claude-fail-529",
    "claude-fallback-529",
    "claude-fork",
    "claude-gate",
    "claude-hook-broken-blocked",
    "claude-hook-deny",
    "claude-json-schema",
    "claude-max-budget",
    "claude-max-turns",
    "claude-mcp",
    "claude-not-logged-in",
    "claude-partial",
    "claude-prompt-too-long",
    "claude-prompt-tool-deny",
    "claude-resume",
    "claude-resume-unknown",
    "claude-retry-429",
    "claude-sigint",
    "claude-sigterm",
    "claude-stream-input",
    "claude-subagent",
    "claude-subscription-rejected",
    "claude-subscription-warning",
    "codex-commit",
    "codex-context-exceeded",
    "codex-fail-429",
    "codex-fail-500",
    "codex-fork",
    "codex-hook-deny",
    "codex-mcp",
    "codex-output-schema",
    "codex-resume",
    "codex-retry-429",
    "codex-sandbox-git-readonly",
    "codex-sandbox-worktree-commit",
    "codex-sigint",
    "codex-sigterm",
    "codex-usage-limit",
    "gemini-approval-default",
    "gemini-commit",
    "gemini-daily-quota",
    "gemini-fail-401",
    "gemini-fail-429",
    "gemini-hook-deny",
    "gemini-max-turns",
    "gemini-mcp",
    "gemini-policy-deny",
    "gemini-resume",
    "gemini-sigterm",
    "opencode-commit",
];

/// What the agent printed; a recording of both directions holds what it was told, too.
pub(crate) fn printed(text: &str) -> Vec<String> {
    text.lines().filter_map(one_direction).collect()
}

fn one_direction(line: &str) -> Option<String> {
    let value: Value = serde_json::from_str(line).unwrap();
    match value["dir"].as_str() {
        None => Some(line.to_owned()),
        Some("out") => Some(value["msg"].to_string()),
        Some(_) => None,
    }
}

/// The lines of a recording.
pub(crate) fn lines(name: &str) -> Vec<String> {
    printed(ALL.iter().find(|(known, _)| *known == name).unwrap().1)
}

/// The adapter of the agent that was recorded.
pub(crate) fn adapter(name: &str) -> Box<dyn Adapter> {
    match name.split('-').next().unwrap() {
        "codex" => Box::new(Codex::default()),
        "gemini" => Box::new(Gemini::default()),
        "opencode" => Box::new(Opencode::default()),
        _ => Box::new(Claude::default()),
    }
}

/// The events of a recording.
pub(crate) fn events(name: &str) -> Vec<Event> {
    let mut reader = adapter(name).reader();
    lines(name).iter().flat_map(|line| reader.feed(line.as_bytes())).collect()
}

/// Everything a recording reports, counted on from a meter.
pub(crate) fn account(name: &str, meter: Meter) -> Account {
    let mut account = Account::new(meter);
    events(name).iter().for_each(|event| account.read(event));
    account
}
