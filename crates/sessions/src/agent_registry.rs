//! Which agents there are, as the settings describe them.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use agents::bridge::Bridged;
use agents::custom::Custom;
use agents::external::External;
use agents::forgotten::Forgotten;
use agents::sim::Sim;
use agents::{Adapter, Protocol, Setup, VENDORS, shell, vendor};
use config::{AgentFile, Settings};

use crate::error::Refusal;

/// The agents by name.
#[derive(Clone)]
pub struct AgentRegistry {
    adapters: BTreeMap<String, Arc<dyn Adapter>>,
    setups: BTreeMap<String, Setup>,
}

impl AgentRegistry {
    /// Makes the agents that the settings and this program, which plays the scripted one, give.
    #[must_use]
    pub fn new(settings: &Settings, program: &Path) -> Self {
        let setup = |name: &str| settings.agents.get(name).cloned().unwrap_or_default();
        let sim = Setup { binary: Some(program.to_string_lossy().into_owned()), ..setup("sim") };
        let own: [(&str, Arc<dyn Adapter>); 2] =
            [(External::NAME, Arc::new(External)), ("sim", Arc::new(Sim::new(sim)))];
        let vendors = VENDORS.into_iter().filter_map(|name| Some((name, vendor(name, setup(name))?)));
        let shell = shell::shell(&setup(shell::NAME)).ok();
        let shell = shell.map(|shell| (shell::NAME, Arc::new(shell) as Arc<dyn Adapter>));
        let built_in: Vec<_> = own.into_iter().chain(vendors).chain(shell).collect();
        let others = settings.agents.iter().filter(|(_, setup)| setup.protocol == Some(Protocol::Acp));
        let others = others.map(|(name, setup)| (name.clone(), Arc::new(Bridged::acp(name, setup.clone())) as _));
        let own = |(name, file): (&String, &AgentFile)| {
            (name.clone(), Custom::new(name, Arc::clone(&file.definition), &setup(name)))
        };
        let own: Vec<_> = settings.custom.iter().map(own).collect();
        let named = settings.agents.iter().map(|(name, setup)| (name.clone(), setup.clone()));
        let setups = named.chain(own.iter().map(|(name, own)| (name.clone(), own.setup().clone()))).collect();
        let own = own.into_iter().map(|(name, own)| (name, Arc::new(own) as _));
        // A name that is known stands for the agent that is.
        let known = built_in.into_iter().map(|(name, adapter)| (name.to_owned(), adapter));
        let adapters = others.chain(own).chain(known).collect();
        Self { adapters, setups }
    }

    /// Finds an agent.
    ///
    /// # Errors
    /// Names those there are.
    pub fn find(&self, agent: &str) -> Result<Arc<dyn Adapter>, Refusal> {
        self.adapters.get(agent).cloned().ok_or_else(|| self.unknown(agent))
    }

    /// Returns the refusal of a name that no agent has, with the closest one there is.
    #[must_use]
    pub fn unknown(&self, agent: &str) -> Refusal {
        let closest = config::closest(agent, self.names());
        Refusal::UnknownAgent {
            agent: agent.to_owned(),
            meant: closest.map(|name| format!("; did you mean `{name}`?")).unwrap_or_default(),
            known: self.names().collect::<Vec<_>>().join(", "),
        }
    }

    /// Finds the agent of an existing session, also if its description was deleted.
    #[must_use]
    pub fn of_session(&self, agent: &str) -> Arc<dyn Adapter> {
        self.find(agent).unwrap_or_else(|_| Arc::new(Forgotten::new(agent)))
    }

    /// Returns the names of the agents that people start.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.adapters.keys().map(String::as_str).filter(|name| *name != External::NAME && *name != shell::NAME)
    }

    /// Returns what the settings say of an agent.
    #[must_use]
    pub fn setup(&self, agent: &str) -> Setup {
        self.setups.get(agent).cloned().unwrap_or_default()
    }

    /// Returns the account that an agent runs on: agents of one account wait together.
    #[must_use]
    pub fn account(&self, agent: &str) -> String {
        self.setup(agent).account(agent).to_owned()
    }
}

/// Codex uses the app-server protocol by default: there it asks, and takes messages.
impl std::fmt::Debug for AgentRegistry {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list().entries(self.adapters.keys()).finish()
    }
}
