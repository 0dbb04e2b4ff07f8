//! Which agent and which model a mission gets: the voices are gathered here, [`missions`] chooses.

use api::devfleet::{Around, DispatchMission, shown_model};
use api::{Code, Error};
use missions::{Conflict, Voices};
use store::by;
use types::{Chosen, Mission, Project};

use crate::{Result, Service};

/// The agent and the model of a session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Choice {
    pub(crate) agent: Chosen<String>,
    /// None leaves it to the agent.
    pub(crate) model: Chosen<Option<String>>,
}

/// What may be said of an agent in an input: three words for one thing.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Words {
    pub(crate) agent: Option<String>,
    pub(crate) coder: Option<String>,
    pub(crate) executor: Option<String>,
}

impl Words {
    /// Returns the one agent that is meant.
    pub(crate) fn meant(&self) -> Result<Option<String>> {
        let named = missions::named(self.agent.as_deref(), self.coder.as_deref(), self.executor.as_deref());
        Ok(named
            .map_err(|conflict| Error::new(Code::FIELDS_INVALID, conflict.to_string()).hint("Keep one of them."))?
            .map(str::to_owned))
    }
}

impl Choice {
    /// Says which model it is, where clients want a text.
    pub(crate) fn shown_model(&self) -> String {
        shown_model(&self.agent.value, self.model.value.clone())
    }
}

impl Service {
    /// Reads the agent off an input and refuses one that there is not; empty stands for none.
    pub(crate) fn known_agent(&self, words: Words) -> Result<Option<String>> {
        let meant = words.meant()?;
        if let Some(name) = meant.as_deref().filter(|name| !name.is_empty()) {
            let roster = self.sessions.roster();
            if !roster.names().any(|known| known == name) {
                let known = roster.names().collect::<Vec<_>>().join(", ");
                let refusal = sessions::Refusal::UnknownAgent { agent: name.to_owned(), known };
                return Err(sessions::Error::from(refusal).into());
            }
        }
        Ok(meant)
    }

    /// Chooses the agent and the model of a mission's next session, as far as it is known before it is started.
    pub(crate) fn standing_choice(&self, mission: &Mission, project: Option<&Project>) -> Choice {
        let said = Voices {
            mission: mission.agent.as_deref(),
            command: None,
            project: project.and_then(|project| project.agent.as_deref()),
        };
        let default = &self.settings().default_agent;
        // Nobody overrules the mission here, so nothing is refused.
        let agent = missions::agent(said, default)
            .unwrap_or_else(|_| Chosen { value: default.clone(), by: types::ChosenBy::Config });
        let model = self.chosen_model(said, &agent.value, mission, project, None);
        Choice { agent, model }
    }

    /// Chooses the agent and the model of a session that is started on a mission.
    pub(crate) fn choice(
        &self,
        mission: &Mission,
        project: Option<&Project>,
        asked: &DispatchMission,
    ) -> Result<Choice> {
        let words = Words { agent: asked.agent.clone(), coder: asked.coder.clone(), executor: asked.executor.clone() };
        let command = self.known_agent(words)?;
        let said = Voices {
            mission: mission.agent.as_deref(),
            command: command.as_deref(),
            project: project.and_then(|project| project.agent.as_deref()),
        };
        let agent =
            missions::agent(said, &self.settings().default_agent).map_err(|conflict| refused(mission, &conflict))?;
        let model = self.chosen_model(said, &agent.value, mission, project, asked.model.as_deref());
        Ok(Choice { agent, model })
    }

    /// Says which agent a mission that waits would get. Projects are read only if one of them names an agent: a line
    /// may be long. Where the store fails, the start fails too, and says so.
    pub(crate) async fn agent_in_line(&self, mission: &Mission) -> String {
        let silent = mission.agent.is_some() || self.store.count(by::project::STAFFED) == 0;
        let project = if silent { None } else { self.project_of(mission).await.unwrap_or_default() };
        self.standing_choice(mission, project.as_ref()).agent.value
    }

    /// What a mission's row shows beside what the mission says.
    pub(crate) fn around(&self, mission: &Mission, project: Option<&Project>) -> Around {
        let Choice { agent, model } = self.standing_choice(mission, project);
        Around { project_name: project.map(|project| project.name.clone()), agent, model }
    }

    fn chosen_model(
        &self,
        agents: Voices<'_>,
        agent: &str,
        mission: &Mission,
        project: Option<&Project>,
        command: Option<&str>,
    ) -> Chosen<Option<String>> {
        let models = Voices {
            mission: mission.model.as_deref(),
            command,
            project: project.and_then(|project| project.model.as_deref()),
        };
        let settings = self.settings();
        missions::model(agents, &settings.default_agent, models, settings.model_of(agent))
    }
}

fn refused(mission: &Mission, conflict: &Conflict) -> Error {
    let error = Error::new(Code::FIELDS_INVALID, conflict.to_string());
    match conflict {
        Conflict::Words { .. } => error.hint("Keep one of them."),
        Conflict::Mission { command, .. } => error.hint(format!(
            "Give the mission another agent first: `fleet mission update {} --agent {command}`.",
            mission.id
        )),
    }
}
