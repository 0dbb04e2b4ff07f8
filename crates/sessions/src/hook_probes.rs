//! Whether the hooks of the agents in the settings block: what crate `hook-probe` finds.

use std::path::Path;
use std::sync::Arc;

use agents::{ApprovalChannel, Brief};
use hook_probe::{Admission, Finding, HookProbes, StoredFinding, Subject, admit};
use runtime::{Clock, Tree};
use supervisor::Supervisor;
use types::{Access, Network, Sandboxed, Wanted};

use crate::Result;
use crate::manager::{SessionManager, Shared};

/// The file of what was found, and the folder of trials, in Fleet's home.
const BOOK: &str = "canaries.json";
const TRIALS: &str = "canaries";

/// What is known of how an agent's calls are held, as it is installed now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Tried {
    /// Nothing is to be known: Fleet plays it itself.
    NotNeeded,
    /// Not tried.
    Not,
    /// This was found.
    Found(StoredFinding),
}

impl SessionManager {
    /// Returns what is known about an agent; a program of which nothing can be learnt before it runs is tried when a
    /// session needs it.
    ///
    /// # Errors
    /// When there is no such agent.
    pub fn tried(&self, agent: &str) -> Result<Tried> {
        if self.0.agent_registry().find(agent)?.discovery().is_none() {
            return Ok(Tried::NotNeeded);
        }
        Ok(self.tried_calls(agent)?.map_or(Tried::Not, Tried::Found))
    }

    /// Returns whether a read-only session may start with an agent with this finding, where the settings do not say
    /// anything about its sandbox but the settings.
    #[must_use]
    pub fn readers(&self, found: &Finding) -> Admission {
        let held = self.0.settings().sandbox != Wanted::Off && self.0.support().holds_files().is_ok();
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
        Ok(self.0.parts.hook_probes.try_again(&self.0.subject(agent)?).await)
    }

    /// Returns what was found about an agent as it is installed now; none if it was not tried.
    ///
    /// # Errors
    /// When there is no such agent.
    pub fn tried_calls(&self, agent: &str) -> Result<Option<StoredFinding>> {
        Ok(self.0.parts.hook_probes.known(&self.0.subject(agent)?))
    }
}

impl Shared {
    /// Returns an agent as it is to be tried: with permissions like those of a session.
    pub(crate) fn subject(&self, agent: &str) -> Result<Subject> {
        let adapter = self.agent_registry().find(agent)?;
        let (name, program) = (adapter.name().to_owned(), self.parts.program.clone());
        let fenced = move |mut brief: Brief, permissions: &Path, journal: &Path| {
            brief.gate = gate(&name, &program, permissions, journal);
            brief.program.clone_from(&program);
            brief
        };
        Ok(Subject { agent: agent.to_owned(), adapter, fenced: Arc::new(fenced) })
    }
}

/// The program that judges the calls of an agent whose own hook can run one.
pub(crate) fn gate(agent: &str, program: &Path, permissions: &Path, journal: &Path) -> ApprovalChannel {
    let Some(agent) = permission_hook::Agent::of(agent) else { return ApprovalChannel::Off };
    let gate = permission_hook::Hook { agent, fence: permissions.to_owned(), journal: journal.to_owned() };
    ApprovalChannel::Program { argv: gate.argv(&program.to_string_lossy()) }
}

/// Makes the probes of hooks; their file and their folder are in Fleet's home. `path` is where programs are looked for.
#[must_use]
pub fn hook_probes(home: &Path, clock: &Clock, tree: &Tree, supervisor: &Supervisor, path: String) -> HookProbes {
    HookProbes::new(hook_probe::Parts {
        clock: clock.clone(),
        tree: tree.clone(),
        supervisor: supervisor.clone(),
        folder: home.join(TRIALS),
        book: home.join(BOOK),
        path,
    })
}
