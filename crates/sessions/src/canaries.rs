//! Which agents are held where Fleet wants to hold them: what crate `canary` tries, with the agents of the settings.

use std::path::Path;
use std::sync::Arc;

use agents::{Brief, Gate};
use canary::{Admission, Canaries, Finding, Kept, Subject, admit};
use types::{Access, Network, Sandboxed, Wanted};

use crate::Result;
use crate::hub::{Hub, Sessions};
use crate::parts::Parts;

/// The file of what was found, and the folder of trials, in Fleet's home.
const BOOK: &str = "canaries.json";
const TRIALS: &str = "canaries";

/// What is known of how an agent's calls are held, as it is installed now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Tried {
    /// Nothing is to be known: Fleet plays it itself.
    NotNeeded,
    /// Nobody has tried.
    Not,
    /// This was found.
    Found(Kept),
}

impl Sessions {
    /// Returns what is known about an agent; a program of which nothing can be learnt before it runs is tried when a
    /// session needs it.
    ///
    /// # Errors
    /// When there is no such agent.
    pub fn tried(&self, agent: &str) -> Result<Tried> {
        if self.0.roster().find(agent)?.discovery().is_none() {
            return Ok(Tried::NotNeeded);
        }
        Ok(self.tried_calls(agent)?.map_or(Tried::Not, Tried::Found))
    }

    /// Says whether a session that only reads may start with an agent of which this was found, where nobody says
    /// anything about its sandbox but the settings.
    #[must_use]
    pub fn readers(&self, found: &Finding) -> Admission {
        let held = self.0.settings().sandbox != Wanted::Off && self.0.support().files.is_ok();
        let sandbox = if held {
            Sandboxed::Held { access: Access::ReadOnly, network: Network::Ports, lacks: Vec::new() }
        } else {
            Sandboxed::Off { why: "there is none".to_owned() }
        };
        admit(Access::ReadOnly, found, &sandbox)
    }

    /// Tries whether an agent's calls are held, whatever was found before.
    ///
    /// # Errors
    /// When there is no such agent.
    pub async fn try_calls(&self, agent: &str) -> Result<Finding> {
        Ok(self.0.canaries.try_again(&self.0.subject(agent)?).await)
    }

    /// Returns what was found about an agent as it is installed now; none if it was not tried.
    ///
    /// # Errors
    /// When there is no such agent.
    pub fn tried_calls(&self, agent: &str) -> Result<Option<Kept>> {
        Ok(self.0.canaries.known(&self.0.subject(agent)?))
    }
}

impl Hub {
    /// Returns an agent as it is to be tried: fenced like that of a session.
    pub(crate) fn subject(&self, agent: &str) -> Result<Subject> {
        let adapter = self.roster().find(agent)?;
        let (name, program) = (adapter.name().to_owned(), self.parts.program.clone());
        let fenced = move |mut brief: Brief, fence: &Path, journal: &Path| {
            brief.gate = gate(&name, &program, fence, journal);
            brief.program.clone_from(&program);
            brief
        };
        Ok(Subject { agent: agent.to_owned(), adapter, fenced: Arc::new(fenced) })
    }
}

/// The program that judges the calls of an agent whose own hook can run one.
pub(crate) fn gate(agent: &str, program: &Path, fence: &Path, journal: &Path) -> Gate {
    let Some(agent) = gate::Agent::of(agent) else { return Gate::Off };
    let gate = gate::Gate { agent, fence: fence.to_owned(), journal: journal.to_owned() };
    Gate::Program { argv: gate.argv(&program.to_string_lossy()) }
}

/// Makes what tries agents; its file and its folder are beside those of the sessions.
pub(crate) fn canaries(parts: &Parts) -> Canaries {
    let home = parts.tasks.parent().unwrap_or(&parts.tasks);
    Canaries::new(canary::Parts {
        clock: parts.clock.clone(),
        tree: parts.tree.clone(),
        supervisor: parts.supervisor.clone(),
        folder: home.join(TRIALS),
        book: home.join(BOOK),
        path: parts.environment.get("PATH").cloned().unwrap_or_default(),
    })
}
