//! Presets: which tools an agent may use without a question, by the name of what it does.

use api::{Code, Error};
use types::Mission;

use crate::Result;

/// Presets with their tools, in the order in which clients show them.
pub(super) const PRESETS: [(&str, &[&str]); 6] = [
    ("full", &["Read", "Write", "Edit", "Bash", "Grep", "Glob", "WebFetch", "WebSearch"]),
    ("implement", &["Read", "Write", "Edit", "Bash", "Grep", "Glob"]),
    ("review", &["Read", "Grep", "Glob", "Bash(git diff *)", "Bash(git log *)"]),
    ("test", &["Read", "Edit", "Bash(npm test *)", "Bash(pytest *)", "Bash(cargo test *)", "Grep", "Glob"]),
    ("explore", &["Read", "Grep", "Glob", "Bash(git *)", "Bash(ls *)", "Bash(find *)"]),
    ("fix", &["Read", "Write", "Edit", "Bash", "Grep", "Glob"]),
];

/// What a worker gets that nobody gave a preset.
pub(super) const WORKER: &str = "implement";

/// Returns the tools of a preset.
pub(super) fn preset(name: &str) -> Option<Vec<String>> {
    let (_, tools) = PRESETS.iter().find(|(preset, _)| *preset == name)?;
    Some(tools.iter().map(|tool| (*tool).to_owned()).collect())
}

/// What a person writes who wants an agent to do whatever its user may do. No kind of work stands for it.
pub(super) const FULL_ACCESS: &str = "full-access";

/// The tools that were chosen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Chosen {
    /// The preset that they are of; none where they were listed.
    pub(super) preset: Option<String>,
    /// They themselves; none for whatever there is.
    pub(super) tools: Option<Vec<String>>,
}

impl Chosen {
    fn listed(tools: Vec<String>) -> Self {
        Self { preset: None, tools: Some(tools) }
    }

    fn named(name: &str) -> Result<Self> {
        let chosen = |tools| Self { preset: Some(name.to_owned()), tools };
        if name == FULL_ACCESS {
            return Ok(chosen(None));
        }
        Ok(chosen(Some(preset(name).ok_or_else(|| unknown(name))?)))
    }
}

/// Chooses the tools for a mission: those asked for, the preset asked for, the mission's own, those of its kind.
pub(super) fn tools(mission: &Mission, asked: Option<Vec<String>>, named: Option<&str>) -> Result<Chosen> {
    if let Some(asked) = asked {
        return Ok(Chosen::listed(asked));
    }
    if let Some(name) = named {
        return Chosen::named(name);
    }
    let own = mission.allowed_tools.as_deref().map(str::trim).filter(|own| !own.is_empty());
    match own {
        Some(own) if own.starts_with('[') => {
            serde_json::from_str(own).map(Chosen::listed).map_err(|_| unknown(own).into())
        }
        Some(own) => Chosen::named(own),
        // Kinds without a preset of their own are work like any other.
        None => Chosen::named(preset(&mission.kind).map_or(WORKER, |_| &mission.kind)),
    }
}

/// Chooses the tools for a worker: those asked for, the preset asked for, those of any work.
pub(super) fn worker_tools(asked: Option<Vec<String>>, named: Option<&str>) -> Result<Chosen> {
    match asked {
        Some(asked) => Ok(Chosen::listed(asked)),
        None => Chosen::named(named.unwrap_or(WORKER)),
    }
}

fn unknown(name: &str) -> Error {
    let known = PRESETS.map(|(name, _)| name).join(", ");
    Error::new(Code::FIELDS_INVALID, format!("`{name}` is neither a preset nor a JSON array of tools"))
        .hint(format!("The presets are {known}."))
}
