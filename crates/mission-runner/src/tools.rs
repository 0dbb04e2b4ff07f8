//! Which tools an agent gets: those listed, or those of a preset, built in or of the settings.

use std::collections::BTreeMap;

use config::Settings;
use types::{Mission, MissionKind, ToolChoice};

use crate::StartRequest;

type Result<T> = std::result::Result<T, ToolsError>;

/// The preset that lets an agent do whatever its user may do. No kind of mission has it by default.
const FULL_ACCESS: &str = "full-access";

/// Returns every preset with its tools: the built-in ones, then those of the settings.
#[must_use]
pub fn presets(settings: &Settings) -> Vec<(String, Vec<String>)> {
    let ours = policy::PRESETS.iter().map(|(name, _)| ((*name).to_owned(), policy::preset(name).unwrap_or_default()));
    let custom: BTreeMap<String, Vec<String>> = (*settings.presets).clone();
    ours.chain(custom).collect()
}

/// Returns the tools of a preset; the settings cannot redefine a built-in one.
fn preset(settings: &Settings, name: &str) -> Option<Vec<String>> {
    policy::preset(name).or_else(|| settings.presets.get(name).cloned())
}

/// Why tools cannot be determined.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ToolsError {
    /// A listed tool cannot be parsed, so it would allow nothing.
    #[error(transparent)]
    Malformed(#[from] policy::ToolError),
    /// No preset has this name.
    #[error("`{name}` is neither a preset nor a JSON array of tools{}", meant(name, known))]
    UnknownPreset {
        /// What was named.
        name: String,
        /// The presets there are.
        known: Vec<String>,
    },
    /// No kind of mission has this name, and no preset of the settings.
    #[error("mission_type: `{name}` does not exist{}", meant(name, known))]
    UnknownKind {
        /// What was named.
        name: String,
        /// The kinds there are.
        known: Vec<String>,
    },
}

/// The tools of a session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChosenTools {
    /// The preset that they come from; none if they were listed.
    pub preset: Option<String>,
    /// The tools; none for all.
    pub tools: Option<Vec<String>>,
}

impl ChosenTools {
    fn listed(tools: Vec<String>) -> Result<Self> {
        policy::check_tools(tools.iter().map(String::as_str))?;
        Ok(Self { preset: None, tools: Some(tools) })
    }

    /// Returns the tools of a preset.
    ///
    /// # Errors
    /// When no preset has this name.
    pub fn named(settings: &Settings, name: &str) -> Result<Self> {
        let chosen = |tools| Self { preset: Some(name.to_owned()), tools };
        if name == FULL_ACCESS {
            return Ok(chosen(None));
        }
        Ok(chosen(Some(preset(settings, name).ok_or_else(|| unknown(settings, name))?)))
    }
}

impl StartRequest {
    /// Chooses the tools of the session: those listed, the preset named, the mission's own, those of its kind.
    ///
    /// # Errors
    /// When a preset does not exist or a tool cannot be parsed.
    pub fn tools(&self, settings: &Settings) -> Result<ChosenTools> {
        match (&self.allowed_tools, &self.tool_preset) {
            (Some(listed), _) => ChosenTools::listed(listed.clone()),
            (None, Some(name)) => ChosenTools::named(settings, name),
            (None, None) => tools_of_mission(settings, &self.mission),
        }
    }
}

/// Chooses the tools of a mission that is started without naming any: its own, or those of its kind.
///
/// # Errors
/// When a preset does not exist or a tool cannot be parsed.
pub fn tools_of_mission(settings: &Settings, mission: &Mission) -> Result<ChosenTools> {
    match &mission.allowed_tools {
        Some(ToolChoice::Listed(tools)) => ChosenTools::listed(tools.clone()),
        Some(ToolChoice::Preset(name)) => ChosenTools::named(settings, name),
        // A kind without a preset of its own has the one of workers.
        None => {
            let kind = mission.kind.as_str();
            ChosenTools::named(settings, preset(settings, kind).map_or(policy::WORKER, |_| kind))
        }
    }
}

/// Chooses the tools of a worker: those listed, the preset named, the preset of workers.
///
/// # Errors
/// When a preset does not exist or a tool cannot be parsed.
pub fn tools_of_worker(settings: &Settings, listed: Option<Vec<String>>, named: Option<&str>) -> Result<ChosenTools> {
    match listed {
        Some(listed) => ChosenTools::listed(listed),
        None => ChosenTools::named(settings, named.unwrap_or(policy::WORKER)),
    }
}

/// Refuses a kind of mission that is neither built in nor a preset of the settings: it would run with other tools than
/// its name promises.
///
/// # Errors
/// [`ToolsError::UnknownKind`], with the kinds there are.
pub fn check_kind(settings: &Settings, kind: &MissionKind) -> Result<()> {
    let MissionKind::Custom(name) = kind else { return Ok(()) };
    match preset(settings, name) {
        Some(_) => Ok(()),
        None => Err(ToolsError::UnknownKind { name: name.clone(), known: known(settings) }),
    }
}

fn unknown(settings: &Settings, name: &str) -> ToolsError {
    ToolsError::UnknownPreset { name: name.to_owned(), known: known(settings) }
}

fn known(settings: &Settings) -> Vec<String> {
    presets(settings).into_iter().map(|(name, _)| name).collect()
}

/// The end of a message that names what was probably meant.
pub(crate) fn meant(name: &str, known: &[String]) -> String {
    let closest = config::closest(name, known.iter().map(String::as_str));
    closest.map(|known| format!("; did you mean `{known}`?")).unwrap_or_default()
}
