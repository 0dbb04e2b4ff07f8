//! The checks of a project on one commit, in the scratch worktree.
//!
//! Each check is given exactly the commit's files, also when the one before it changed some: what a check makes of its
//! tree is told, put back, and never lands.

use std::ffi::OsStr;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use git::{Oid, Repository};
use sandbox::{CommandPlace, CommandRules, Confined};
use types::{CheckOutcome, CheckRun, Wanted};

use crate::Lander;
use crate::check_runner::Runner;
use crate::error::Error;
use crate::outcome::Meddled;
use crate::target_queue::{State, TargetQueue};

/// The checks of a project, and how they run.
#[derive(Debug, Clone)]
pub(crate) struct CheckRules {
    pub(crate) checks: Vec<String>,
    /// How long each may run.
    pub(crate) limit: Duration,
    /// What they may reach.
    pub(crate) sandbox: CommandRules,
}

/// What the checks said.
#[derive(Debug, Clone, Default)]
pub(crate) struct Checked {
    pub(crate) runs: Vec<CheckRun>,
    pub(crate) meddled: Vec<Meddled>,
}

/// A commit that was green.
#[derive(Debug, Clone)]
pub(crate) struct Green {
    commit: Oid,
    checks: Vec<String>,
    sandbox: CommandRules,
    checked: Checked,
}

impl Checked {
    pub(crate) fn is_green(&self) -> bool {
        self.runs.iter().all(CheckRun::is_green)
    }
}

impl Lander {
    /// Runs the checks on a commit, all of them, so that who has to mend it sees everything at once.
    pub(crate) async fn check(
        &self,
        lane: &TargetQueue,
        state: &mut State,
        rules: &CheckRules,
        commit: &Oid,
    ) -> Result<Checked, Error> {
        let CheckRules { checks, limit, sandbox } = rules;
        if let Some(green) = &state.green
            && green.commit == *commit
            && green.checks == *checks
            && green.sandbox == *sandbox
        {
            return Ok(green.checked.clone());
        }
        let mut checked = Checked::default();
        if !checks.is_empty() {
            let tree = self.scratch(lane, state, commit).await?;
            let runner = self.runner(lane, *limit, sandbox).await?;
            for command in checks {
                let run = runner.run(command).await?;
                runner.clear_temporary().await;
                let broken_off = matches!(run.outcome, CheckOutcome::TimedOut | CheckOutcome::NotStarted { .. });
                checked.runs.push(run);
                let files = settle(&tree, state, commit).await?;
                if !files.is_empty() {
                    checked.meddled.push(Meddled { command: command.clone(), files });
                }
                if broken_off {
                    break;
                }
            }
        }
        if checked.is_green() {
            let (commit, checks, checked) = (commit.clone(), checks.clone(), checked.clone());
            state.green = Some(Green { commit, checks, sandbox: sandbox.clone(), checked });
        }
        Ok(checked)
    }

    async fn runner(&self, lane: &TargetQueue, limit: Duration, rules: &CommandRules) -> Result<Runner, Error> {
        Ok(Runner {
            directory: lane.tree(),
            variables: Arc::clone(&self.0.variables),
            limit,
            lock: Arc::clone(&lane.lock),
            leader: lane.leader(),
            clock: self.0.clock.clone(),
            sandbox: self.confined(lane, rules).await?,
        })
    }

    /// Plans the sandbox of checks: they write to the scratch worktree and to folders of this queue, and read the
    /// repository.
    async fn confined(&self, lane: &TargetQueue, rules: &CommandRules) -> Result<Option<Confined>, Error> {
        let Some(sandboxes) = self.0.sandboxes.clone() else {
            return match rules.wish.level {
                Wanted::Required => Err(Error::Sandbox { why: "this server makes no sandboxes".to_owned() }),
                Wanted::Auto | Wanted::Off => Ok(None),
            };
        };
        let (rules, variables) = (rules.clone(), Arc::clone(&self.0.variables));
        let (workspace, private) = (lane.tree(), lane.home().join("private"));
        let read = vec![lane.repository.common_dir().to_owned()];
        let planned = runtime::blocking(move || {
            let place = CommandPlace { workspace: &workspace, read, private: &private };
            sandboxes.confine(&rules, &place, |name| variables.get(OsStr::new(name))?.to_str())
        });
        planned.await.map(Some).map_err(|refused| Error::Sandbox { why: refused.to_string() })
    }
}

/// Sees to it that the worktree is at the commit and nothing else; returns the files that were not.
async fn settle(tree: &Repository, state: &mut State, commit: &Oid) -> Result<Vec<PathBuf>, Error> {
    let look = tree.see(true).await?;
    let mut files = look.changed;
    if let Some(other) = look.commit.filter(|other| other != commit) {
        files.extend(tree.changes(commit, &other).await?.into_iter().map(|change| change.path));
        files.push(PathBuf::from("HEAD"));
    }
    if !files.is_empty() || look.branch.is_some() {
        tree.force_to(commit).await?;
    }
    // What is not tracked is what checks make, and the next of them may need it; the next commit gets none of it.
    state.pristine = look.untracked.is_empty();
    files.sort();
    files.dedup();
    Ok(files)
}
