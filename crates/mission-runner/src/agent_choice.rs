//! Which agent and which model a mission gets: the levels are gathered here, [`missions`] chooses.

use agents::Models;
use missions::Voices;
use store::by;
use types::{Chosen, ChosenBy, Mission, Project};

use crate::{Refusal, Result, Runner, StartRequest};

/// The agent and the model of a session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AgentChoice {
    /// The agent.
    pub agent: Chosen<String>,
    /// The model; none leaves it to the agent.
    pub model: Chosen<Option<String>>,
}

impl Runner {
    /// Refuses an agent that does not exist; an empty name means none.
    ///
    /// # Errors
    /// When no agent has this name.
    pub fn check_agent(&self, name: &str) -> Result<()> {
        let agent_registry = self.sessions.agent_registry();
        if name.is_empty() || agent_registry.names().any(|known| known == name) {
            return Ok(());
        }
        Err(agent_registry.unknown(name).into())
    }

    /// Refuses a model that an agent is known not to have; short names of the settings are models too.
    ///
    /// # Errors
    /// When the agent's models are known and this is none of them.
    pub fn check_model(&self, agent: &str, model: &str) -> Result<()> {
        let setup = self.sessions.agent_registry().setup(agent);
        match Models::of(agent, &setup) {
            Some(models) if !models.has(model) && !setup.aliases.contains_key(model) => {
                let known = setup.aliases.keys().cloned().chain(models.names.iter().map(|name| (*name).to_owned()));
                let (agent, model, known) = (agent.to_owned(), model.to_owned(), known.collect());
                Err(Refusal::UnknownModel { agent, model, known }.into())
            }
            Some(_) | None => Ok(()),
        }
    }

    /// Chooses the agent and the model that a mission gets if its start names neither.
    #[must_use]
    pub fn standing_choice(&self, mission: &Mission, project: Option<&Project>) -> AgentChoice {
        let said = voices(mission, None, project);
        let default = &self.settings().default_agent;
        // No command overrules the mission here, so nothing is refused.
        let agent =
            missions::agent(said, default).unwrap_or_else(|_| Chosen { value: default.clone(), by: ChosenBy::Config });
        let model = self.chosen_model(said, &agent.value, mission, project, None);
        AgentChoice { agent, model }
    }

    /// Chooses the agent and the model of a session that is started.
    pub(crate) fn choice(&self, request: &StartRequest, project: Option<&Project>) -> Result<AgentChoice> {
        let mission = &request.mission;
        request.agent.as_deref().map_or(Ok(()), |name| self.check_agent(name))?;
        let said = voices(mission, request.agent.as_deref(), project);
        let agent = missions::agent(said, &self.settings().default_agent)
            .map_err(|conflict| Refusal::Agent { mission: mission.id.clone(), conflict })?;
        let model = self.chosen_model(said, &agent.value, mission, project, request.model.as_deref());
        model.value.as_deref().map_or(Ok(()), |model| self.check_model(&agent.value, model))?;
        Ok(AgentChoice { agent, model })
    }

    /// Returns the agent that a waiting mission would get. Projects are read only if one of them names an agent: the
    /// queue may be long. Where the store fails, the start fails too and says so.
    pub(crate) async fn agent_of_waiting(&self, mission: &Mission) -> String {
        let settled = mission.agent.is_some() || self.store.count(by::project::STAFFED) == 0;
        let project = if settled { None } else { self.project_of(mission).await.unwrap_or_default() };
        self.standing_choice(mission, project.as_ref()).agent.value
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

fn voices<'a>(mission: &'a Mission, command: Option<&'a str>, project: Option<&'a Project>) -> Voices<'a> {
    Voices { mission: mission.agent.as_deref(), command, project: project.and_then(|project| project.agent.as_deref()) }
}
