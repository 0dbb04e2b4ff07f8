//! What sessions are run with.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use config::{ServerFile, Settings};
use hook_probe::HookProbes;
use runtime::{Clock, Rng, Tree};
use store::Store;
use tokens::Keys;
use tokio::sync::watch;

use crate::files::Files;
use crate::processes::Processes;
use crate::session_workspaces::SessionWorkspaces;

/// Everything that running sessions takes.
#[derive(Debug, Clone)]
pub struct Parts {
    /// Where records are.
    pub store: Store,
    /// What time it is.
    pub clock: Clock,
    /// Chance.
    pub rng: Rng,
    /// Where tasks run.
    pub tree: Tree,
    /// Starts agents and follows what they write.
    pub processes: Arc<dyn Processes>,
    /// Keeps the small files beside them.
    pub files: Arc<dyn Files>,
    /// Makes the folders they work in.
    pub workspaces: Arc<dyn SessionWorkspaces>,
    /// Proves that the hooks of agents block.
    pub hook_probes: HookProbes,
    /// The settings in force.
    pub settings: watch::Receiver<Arc<Settings>>,
    /// Where the files of sessions lie.
    pub tasks: PathBuf,
    /// This program, which also plays the scripted agent.
    pub program: PathBuf,
    /// The address of this server, for the agents that call it; none if agents cannot reach it.
    pub server: Option<ServerFile>,
    /// What proves to it who an agent is.
    pub keys: Arc<Keys>,
    /// Fleet's own environment, of which agents get what their adapters name.
    pub environment: BTreeMap<String, String>,
}
