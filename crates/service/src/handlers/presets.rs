//! Which tools an agent gets: those asked for, or those of a preset, of everybody's or of the settings.

use std::collections::BTreeMap;

use api::{Code, Error};
use config::Settings;
use types::Mission;

use crate::Result;

/// What a person writes who wants an agent to do whatever its user may do. No kind of work stands for it.
pub(super) const FULL_ACCESS: &str = "full-access";

/// Every preset with its tools: those that everybody has, then those of the settings.
pub(super) fn all(settings: &Settings) -> Vec<(String, Vec<String>)> {
    let ours = policy::PRESETS.iter().map(|(name, _)| ((*name).to_owned(), policy::preset(name).unwrap_or_default()));
    let custom: BTreeMap<String, Vec<String>> = (*settings.presets).clone();
    ours.chain(custom).collect()
}

/// Returns the tools of a preset; one that everybody has cannot be made another.
pub(super) fn preset(settings: &Settings, name: &str) -> Option<Vec<String>> {
    policy::preset(name).or_else(|| settings.presets.get(name).cloned())
}

/// The tools that were chosen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Chosen {
    /// The preset that they are of; none where they were listed.
    pub(super) preset: Option<String>,
    /// They themselves; none for whatever there is.
    pub(super) tools: Option<Vec<String>>,
}

impl Chosen {
    /// Refuses tools that cannot be read: they would let nothing through, and nobody would see why.
    fn listed(tools: Vec<String>) -> Result<Self> {
        match policy::check_tools(tools.iter().map(String::as_str)) {
            Ok(()) => Ok(Self { preset: None, tools: Some(tools) }),
            Err(error) => Err(Error::new(Code::FIELDS_INVALID, error.to_string())
                .hint("A tool is `Read`, `Bash(git diff *)`, `mcp__server__tool` or the like.")
                .into()),
        }
    }

    /// Finds a preset, or says which there are.
    pub(super) fn named(settings: &Settings, name: &str) -> Result<Self> {
        let chosen = |tools| Self { preset: Some(name.to_owned()), tools };
        if name == FULL_ACCESS {
            return Ok(chosen(None));
        }
        Ok(chosen(Some(preset(settings, name).ok_or_else(|| unknown(settings, name))?)))
    }
}

/// Chooses the tools for a mission: those asked for, the preset asked for, the mission's own, those of its kind.
pub(super) fn tools(
    settings: &Settings,
    mission: &Mission,
    asked: Option<Vec<String>>,
    named: Option<&str>,
) -> Result<Chosen> {
    if let Some(asked) = asked {
        return Chosen::listed(asked);
    }
    if let Some(name) = named {
        return Chosen::named(settings, name);
    }
    let own = mission.allowed_tools.as_deref().map(str::trim).filter(|own| !own.is_empty());
    match own {
        Some(own) if own.starts_with('[') => {
            serde_json::from_str(own).map_err(|_| unknown(settings, own).into()).and_then(Chosen::listed)
        }
        Some(own) => Chosen::named(settings, own),
        // Kinds without a preset of their own are work like any other.
        None => {
            let kind = preset(settings, &mission.kind).map_or(policy::WORKER, |_| &mission.kind);
            Chosen::named(settings, kind)
        }
    }
}

/// Chooses the tools for a worker: those asked for, the preset asked for, those of any work.
pub(super) fn worker_tools(settings: &Settings, asked: Option<Vec<String>>, named: Option<&str>) -> Result<Chosen> {
    match asked {
        Some(asked) => Chosen::listed(asked),
        None => Chosen::named(settings, named.unwrap_or(policy::WORKER)),
    }
}

fn unknown(settings: &Settings, name: &str) -> Error {
    let known: Vec<String> = all(settings).into_iter().map(|(name, _)| name).collect();
    Error::new(Code::FIELDS_INVALID, format!("`{name}` is neither a preset nor a JSON array of tools"))
        .hint(format!("The presets are {}.", known.join(", ")))
}
