//! What sessions are run with.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use config::{ServerFile, Settings};
use runtime::{Clock, Rng, Tree};
use store::Store;
use supervisor::{Supervisor, Watcher};
use tokens::Keys;
use tokio::sync::watch;
use workspaces::Workspaces;

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
    /// Who starts agents.
    pub supervisor: Supervisor,
    /// Who follows what they write.
    pub watcher: Watcher,
    /// Who makes the folders they work in.
    pub workspaces: Workspaces,
    /// The settings in force.
    pub settings: watch::Receiver<Arc<Settings>>,
    /// Where the files of sessions lie.
    pub tasks: PathBuf,
    /// This program, which also plays the scripted agent.
    pub program: PathBuf,
    /// Where this server is, for the agents that call it; none if nobody can.
    pub server: Option<ServerFile>,
    /// What proves to it who an agent is.
    pub keys: Arc<Keys>,
    /// Fleet's own environment, of which agents get what their adapters name.
    pub environment: BTreeMap<String, String>,
}
