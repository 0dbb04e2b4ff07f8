//! Names of agents and models that are typed: one that nothing has is refused with the closest there is.
//!
//! Only a change by `fleet config set` is looked at. A file that names an agent whose description is gone stays
//! readable: a server refuses its missions, not to start.

use std::collections::BTreeSet;

use agents::{BUILT_IN, Models, Protocol};

use crate::error::Error;
use crate::load::Loaded;
use crate::registry::{Setting, Settings};
use crate::suggest::closest;

/// The settings that name the model of an agent.
const MODELS: [(&str, &str); 3] = [("claude_model", "claude"), ("codex_model", "codex"), ("gemini_model", "gemini")];

/// Refuses a change to an agent or a model that does not exist.
pub(crate) fn check(changes: &[(&str, &str)], loaded: &Loaded) -> Result<(), Error> {
    let settings = &loaded.settings;
    for (key, value) in changes.iter().filter(|(_, value)| !value.is_empty()) {
        let of_agent = key.strip_prefix("agents.").and_then(|rest| rest.strip_suffix(".model"));
        if let Some(agent) = of_agent {
            if let Some(reason) = no_model(settings, agent, value) {
                return Err(Error::Name { key: (*key).to_owned(), given: (*value).to_owned(), reason });
            }
            continue;
        }
        let Some(setting) = Setting::find(key) else { continue };
        let of_model = match setting.key {
            "default_agent" => {
                if let Some(reason) = no_agent(settings, value) {
                    return Err(loaded.resolved.refusal("default_agent", &reason));
                }
                continue;
            }
            "model" => Some(settings.default_agent.as_str()),
            key => MODELS.iter().find(|(name, _)| *name == key).map(|(_, agent)| *agent),
        };
        if let Some(reason) = of_model.and_then(|agent| no_model(settings, agent, value)) {
            return Err(loaded.resolved.refusal(setting.key, &reason));
        }
    }
    Ok(())
}

/// Says why a name is not an agent's; none if it is.
fn no_agent(settings: &Settings, name: &str) -> Option<String> {
    let described = settings.agents.iter().filter(|(_, setup)| setup.protocol == Some(Protocol::Acp));
    let described = described.map(|(name, _)| name.as_str()).chain(settings.custom.keys().map(String::as_str));
    let known: BTreeSet<&str> = BUILT_IN.into_iter().chain(described).collect();
    if known.contains(name) {
        return None;
    }
    let meant = meant(name, known.iter().copied());
    Some(format!("no agent is called so{meant}; there are {}", known.into_iter().collect::<Vec<_>>().join(", ")))
}

/// Says why a name is not one of an agent's models; none if it is, or if the agent takes any.
fn no_model(settings: &Settings, agent: &str, model: &str) -> Option<String> {
    let setup = settings.agents.get(agent).cloned().unwrap_or_default();
    let models = Models::of(agent, &setup)?;
    if models.has(model) || setup.aliases.contains_key(model) {
        return None;
    }
    let known = models.names.iter().copied().chain(setup.aliases.keys().map(String::as_str));
    let meant = meant(model, known.clone());
    let known = known.collect::<Vec<_>>().join(", ");
    Some(format!("agent `{agent}` has no such model{meant}; it has {known}, and others by their full names"))
}

fn meant<'a>(name: &str, known: impl Iterator<Item = &'a str>) -> String {
    closest(name, known).map(|known| format!("; did you mean `{known}`?")).unwrap_or_default()
}
