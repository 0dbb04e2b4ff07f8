//! The recorded streams of Claude Code, each against a scripted model. Folders in them are made up.

use fleet_agents::claude::Claude;
use fleet_agents::{Account, Adapter, Event, Meter};
use serde_json::Value;

macro_rules! fixtures {
    ($($name:literal),* $(,)?) => {
        [$(($name, include_str!(concat!("../../fixtures/", $name, ".ndjson")))),*]
    };
}

/// Every recording by name.
pub(crate) const ALL: [(&str, &str); 30] = fixtures![
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

/// The events of a recording.
pub(crate) fn events(name: &str) -> Vec<Event> {
    let mut reader = Claude::default().reader();
    lines(name).iter().flat_map(|line| reader.feed(line.as_bytes())).collect()
}

/// Everything a recording tells, counted on from a meter.
pub(crate) fn account(name: &str, meter: Meter) -> Account {
    let mut account = Account::new(meter);
    events(name).iter().for_each(|event| account.read(event));
    account
}
