//! What a caller decides about workspaces, once and for each session.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use git::{BranchFate, Checkout, Ignored, Pattern, Submodules};
use sandbox::{CommandRules, CommandSandboxes};
use tokio::sync::watch;

/// What is decided once.
#[derive(Debug, Clone)]
pub struct Options {
    /// Where worktrees live: a folder for each repository below it, one for each session in that.
    pub root: PathBuf,
    /// How branches are named, unless a session brings its own pattern.
    pub branch_pattern: Pattern,
    /// How many worktrees are made ahead for a repository; none if it is 0.
    pub pool_size: u32,
    /// How much space is to be free on the disk of `root`; no care is taken if it is 0.
    pub free_bytes_target: u64,
    /// Which files worktrees get.
    pub checkout: Checkout,
    /// What happens to submodules.
    pub submodules: Submodules,
    /// Which ignored files a snapshot leaves out; unless told, the directories that tools fill again by themselves.
    pub ignored: Ignored,
    /// What happens to the branch of a removed worktree; unless told, it stays.
    pub branch_fate: BranchFate,
    /// How long a workspace that was handed out is not pruned, even if it seems unused: its session may not
    /// have been written down yet.
    pub grace: Duration,
    /// The environment that commands of recipes and `gh` take their few variables from.
    pub variables: BTreeMap<OsString, OsString>,
    /// What makes the sandboxes that commands of recipes run in; none if there are none.
    pub sandboxes: Option<CommandSandboxes>,
}

impl Options {
    /// Starts from the defaults for worktrees below `root`: no pool, no target, branches `devfleet/<short id>`.
    #[must_use]
    pub fn new(root: PathBuf, variables: impl IntoIterator<Item = (OsString, OsString)>) -> Self {
        Self {
            root,
            branch_pattern: Pattern::default(),
            pool_size: 0,
            free_bytes_target: 0,
            checkout: Checkout::default(),
            submodules: Submodules::default(),
            ignored: Ignored::default(),
            branch_fate: BranchFate::default(),
            grace: Duration::from_secs(60),
            variables: variables.into_iter().collect(),
            sandboxes: None,
        }
    }
}

/// The owner of a workspace, as its folder and branch are named.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Naming {
    /// The id of the session; the same id is the same workspace.
    pub session: String,
    /// The handle of its worker, if it has one.
    pub handle: Option<String>,
    /// What the work is called: the mission's title, the task's name.
    pub title: Option<String>,
    /// The agent that does it.
    pub agent: Option<String>,
    /// How its branch is named, if not as the options say.
    pub pattern: Option<Pattern>,
    /// The recipe that it is made by.
    pub recipe: RecipeRules,
}

/// Where the recipe of a repository is read, and what its commands may reach.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct RecipeRules {
    /// The branch that finished work lands on; none for what the user's checkout is at. A recipe anywhere else is an
    /// agent's word.
    pub branch: Option<String>,
    /// What its commands may reach.
    pub sandbox: CommandRules,
}

impl Naming {
    /// Names a session by its id alone.
    #[must_use]
    pub fn of(session: impl Into<String>) -> Self {
        Self { session: session.into(), ..Self::default() }
    }
}

/// Cancels a workspace in the making; clones are the same.
#[derive(Debug, Clone, Default)]
pub struct CallOff(Arc<watch::Sender<bool>>);

impl CallOff {
    /// Calls it off: its setup is ended with all it started, and what was made is taken back.
    pub fn call(&self) {
        self.0.send_replace(true);
    }

    /// Waits until it is called off.
    pub(crate) async fn called(&self) {
        // The sender is here, so this ends for no other reason.
        let _ = self.0.subscribe().wait_for(|called| *called).await;
    }
}
