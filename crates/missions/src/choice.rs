//! Which agent and which model work on a mission, and who says so.
//!
//! A mission that names its agent has that one. If it names none, the dispatch may, then its project, then the
//! settings. A model belongs to an agent: what was said with another agent in mind does not count.

use types::{Chosen, ChosenBy};

/// The choices of all levels.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Voices<'a> {
    /// The mission.
    pub mission: Option<&'a str>,
    /// The dispatch.
    pub command: Option<&'a str>,
    /// The project.
    pub project: Option<&'a str>,
}

/// Two names where one is wanted.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Conflict {
    /// The words for the agent do not say the same.
    #[error("`{first}` and `{second}` name two agents, and are words for the same")]
    Words {
        /// A word.
        first: &'static str,
        /// Another.
        second: &'static str,
    },
    /// The mission names its agent, and the dispatch names another.
    #[error("the mission names agent `{mission}`, not `{command}`")]
    Mission {
        /// What the mission says.
        mission: String,
        /// What was asked for.
        command: String,
    },
}

/// Reads the agent off the words that may name it: `agent`, `coder` and `executor`.
///
/// # Errors
/// Refuses words that differ.
pub fn named<'a>(
    agent: Option<&'a str>,
    coder: Option<&'a str>,
    executor: Option<&'a str>,
) -> Result<Option<&'a str>, Conflict> {
    let words = [("agent", agent), ("coder", coder), ("executor", executor)];
    let mut said = words.into_iter().filter_map(|(word, name)| Some((word, name?)));
    let Some((first, name)) = said.next() else { return Ok(None) };
    match said.find(|(_, other)| *other != name) {
        Some((second, _)) => Err(Conflict::Words { first, second }),
        None => Ok(Some(name)),
    }
}

/// Chooses the agent.
///
/// # Errors
/// Refuses to overrule the mission: a flag that is passed over in silence would be worse than none.
pub fn agent(said: Voices<'_>, config: &str) -> Result<Chosen<String>, Conflict> {
    if let (Some(mission), Some(command)) = (said.mission, said.command)
        && mission != command
    {
        return Err(Conflict::Mission { mission: mission.to_owned(), command: command.to_owned() });
    }
    Ok(first(said, config))
}

/// Chooses the model for an agent; none leaves it to the agent.
///
/// What is asked for at a start goes before the mission here, as DevFleet has it: another model is still the same
/// agent.
#[must_use]
pub fn model(agents: Voices<'_>, default: &str, models: Voices<'_>, config: Option<&str>) -> Chosen<Option<String>> {
    let chosen = first(agents, default).value;
    // Each level names a model for the agent that would be chosen if no level above it named one.
    let of_project = agents.project.unwrap_or(default);
    let of_mission = agents.mission.unwrap_or(of_project);
    let said = [
        (models.command, ChosenBy::Command),
        (models.mission.filter(|_| of_mission == chosen), ChosenBy::Mission),
        (models.project.filter(|_| of_project == chosen), ChosenBy::Project),
        (config, ChosenBy::Config),
    ];
    let found = said.into_iter().find_map(|(model, by)| Some((model?.to_owned(), by)));
    match found {
        Some((model, by)) => Chosen { value: Some(model), by },
        None => Chosen { value: None, by: ChosenBy::Agent },
    }
}

fn first(said: Voices<'_>, config: &str) -> Chosen<String> {
    let levels =
        [(said.mission, ChosenBy::Mission), (said.command, ChosenBy::Command), (said.project, ChosenBy::Project)];
    let found = levels.into_iter().find_map(|(name, by)| Some((name?, by)));
    let (name, by) = found.unwrap_or((config, ChosenBy::Config));
    Chosen { value: name.to_owned(), by }
}

#[cfg(test)]
#[path = "choice_tests.rs"]
mod tests;
