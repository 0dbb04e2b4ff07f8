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
use crate::files;
use crate::outcome::Meddled;
use crate::target_queue::{State, TargetQueue};

/// The most commits that are remembered as red.
const RED_MAX: usize = 200;

/// The checks of a project, and how they run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct CheckRules {
    pub(crate) checks: Vec<String>,
    /// How long each may run.
    pub(crate) limit: Duration,
    /// What they may reach.
    pub(crate) sandbox: CommandRules,
}

/// What the checks said.
#[derive(Debug, Clone, Default)]
pub struct Checked {
    /// Each check, as it went.
    pub runs: Vec<CheckRun>,
    /// Checks that changed files of the tree they were given.
    pub meddled: Vec<Meddled>,
}

/// A commit that was checked.
#[derive(Debug, Clone)]
pub(crate) struct Known {
    pub(crate) commit: Oid,
    pub(crate) rules: CheckRules,
    pub(crate) checked: Checked,
}

impl Known {
    fn is(&self, commit: &Oid, rules: &CheckRules) -> bool {
        self.commit == *commit && self.rules == *rules
    }
}

impl Checked {
    /// Returns whether every check passed.
    #[must_use]
    pub fn is_green(&self) -> bool {
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
        if let Some(known) = state.green.iter().chain(&state.red).find(|known| known.is(commit, rules)) {
            return Ok(known.checked.clone());
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
            state.green = Some(Known { commit: commit.clone(), rules: rules.clone(), checked: checked.clone() });
        }
        Ok(checked)
    }

    /// Runs the checks on the target branch itself, once for each of its commits; returns the check that is red there as
    /// it was on a merge, if one is. The merge is then remembered as red.
    pub(crate) async fn red_on_target(
        &self,
        (lane, state): (&TargetQueue, &mut State),
        rules: &CheckRules,
        tip: &Oid,
        (merge, merged): (&Oid, &Checked),
    ) -> Result<Option<CheckRun>, Error> {
        let checked = match state.target.as_ref().filter(|known| known.is(tip, rules)) {
            Some(known) => known.checked.clone(),
            None => {
                let mut checked = self.check(lane, state, rules, tip).await?;
                if !checked.is_green() {
                    // What the checks of branches left where checks write may be the cause: nothing of that counts.
                    self.clear(lane, state).await?;
                    checked = self.check(lane, state, rules, tip).await?;
                }
                state.target = Some(Known { commit: tip.clone(), rules: rules.clone(), checked: checked.clone() });
                checked
            }
        };
        let is_red =
            |command: &str, runs: &[CheckRun]| runs.iter().any(|run| run.command == command && !run.is_green());
        let both = checked.runs.into_iter().find(|run| !run.is_green() && is_red(&run.command, &merged.runs));
        if both.is_some() && !state.red.iter().any(|known| known.is(merge, rules)) {
            if state.red.len() >= RED_MAX {
                state.red.clear();
            }
            state.red.push(Known { commit: merge.clone(), rules: rules.clone(), checked: merged.clone() });
        }
        Ok(both)
    }

    /// Removes everything that checks have left: the scratch worktree with its ignored files, and their own folders.
    async fn clear(&self, lane: &TargetQueue, state: &mut State) -> Result<(), Error> {
        state.pristine = false;
        lane.repository.discard(&lane.tree()).await?;
        let private = lane.private();
        runtime::blocking(move || files::remove_folder(&private)).await
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
        let (workspace, private) = (lane.tree(), lane.private());
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
