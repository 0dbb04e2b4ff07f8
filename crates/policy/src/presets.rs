//! Presets: which tools an agent may use, by the name of what it does.

/// Presets with their tools, in the order in which clients show them.
pub const PRESETS: [(&str, &[&str]); 6] = [
    ("full", &["Read", "Write", "Edit", "Bash", "Grep", "Glob", "WebFetch", "WebSearch"]),
    ("implement", &["Read", "Write", "Edit", "Bash", "Grep", "Glob"]),
    ("review", &["Read", "Grep", "Glob", "Bash(git diff *)", "Bash(git log *)"]),
    ("test", &["Read", "Edit", "Bash(npm test *)", "Bash(pytest *)", "Bash(cargo test *)", "Grep", "Glob"]),
    ("explore", &["Read", "Grep", "Glob", "Bash(git *)", "Bash(ls *)", "Bash(find *)"]),
    ("fix", &["Read", "Write", "Edit", "Bash", "Grep", "Glob"]),
];

/// The preset of a worker without one.
pub const WORKER: &str = "implement";

/// Returns the tools of a built-in preset.
#[must_use]
pub fn preset(name: &str) -> Option<Vec<String>> {
    let (_, tools) = PRESETS.iter().find(|(preset, _)| *preset == name)?;
    Some(tools.iter().map(|tool| (*tool).to_owned()).collect())
}
