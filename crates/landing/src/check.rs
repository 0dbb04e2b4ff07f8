//! The checks of a project on one commit, in the scratch worktree.
//!
//! Each check is given exactly the commit's files, also when the one before it changed some: what a check makes of its
//! tree is told, put back, and never lands.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use git::{Oid, Repository};
use types::{CheckOutcome, CheckRun};

use crate::Lander;
use crate::error::Error;
use crate::lane::{Lane, State};
use crate::outcome::Meddled;
use crate::runner::Runner;

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
        lane: &Lane,
        state: &mut State,
        (checks, limit): (&[String], Duration),
        commit: &Oid,
    ) -> Result<Checked, Error> {
        if let Some(green) = &state.green
            && green.commit == *commit
            && green.checks == checks
        {
            return Ok(green.checked.clone());
        }
        let mut checked = Checked::default();
        if !checks.is_empty() {
            let tree = self.scratch(lane, state, commit).await?;
            let runner = self.runner(lane, limit);
            for command in checks {
                let run = runner.run(command).await;
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
            let (commit, checks, checked) = (commit.clone(), checks.to_vec(), checked.clone());
            state.green = Some(Green { commit, checks, checked });
        }
        Ok(checked)
    }

    fn runner(&self, lane: &Lane, limit: Duration) -> Runner {
        Runner {
            directory: lane.tree(),
            variables: Arc::clone(&self.0.variables),
            limit,
            lock: Arc::clone(&lane.lock),
            leader: lane.leader(),
            clock: self.0.clock.clone(),
        }
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
