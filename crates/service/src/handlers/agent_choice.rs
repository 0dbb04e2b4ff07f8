//! The agent that an input names, and the agent and model that a mission would get.

use api::devfleet::{Around, shown_model};
use api::{AgentName, Code, Error};
use mission_runner::AgentChoice;
use types::{Mission, Project};

use crate::{Result, Service};

/// Returns the one agent that was named.
pub(super) fn meant(words: &AgentName) -> Result<Option<String>> {
    let named = missions::named(words.agent.as_deref(), words.coder.as_deref(), words.executor.as_deref());
    let named =
        named.map_err(|conflict| Error::new(Code::FIELDS_INVALID, conflict.to_string()).hint("Keep one of them."))?;
    Ok(named.map(str::to_owned))
}

impl Service {
    /// Reads the agent off an input and refuses one that does not exist; empty stands for none.
    pub(crate) fn known_agent(&self, words: &AgentName) -> Result<Option<String>> {
        let meant = meant(words)?;
        meant.as_deref().map_or(Ok(()), |name| self.runner.check_agent(name))?;
        Ok(meant)
    }

    /// Refuses a model that the agent is known not to have: the agent named, else the project's, else the default one.
    pub(super) fn known_model(
        &self,
        model: Option<&str>,
        agent: Option<&str>,
        project: Option<&Project>,
    ) -> Result<()> {
        let Some(model) = model.filter(|model| !model.is_empty()) else { return Ok(()) };
        let of_project = || project.and_then(|project| project.agent.as_deref());
        let settings = self.settings();
        let agent = agent.filter(|agent| !agent.is_empty()).or_else(of_project).unwrap_or(&settings.default_agent);
        Ok(self.runner.check_model(agent, model)?)
    }

    /// Returns the model that a mission would get, where clients want a text.
    pub(crate) fn shown_model(&self, mission: &Mission, project: Option<&Project>) -> String {
        shown_model(self.runner.standing_choice(mission, project).model.value)
    }

    /// Returns what a mission's row shows beside what the mission says.
    pub(crate) fn around(&self, mission: &Mission, project: Option<&Project>) -> Around {
        let AgentChoice { agent, model } = self.runner.standing_choice(mission, project);
        Around { project_name: project.map(|project| project.name.clone()), agent, model }
    }
}
