//! Landing on a real repository: finds the target and the branches, and does by git and the shell what a batch asks for.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use git::{Apart, BranchName, Kind, Oid, Repository};
use types::CheckRun;

use crate::batch::{Batch, Target};
use crate::check::{CheckRules, Checked, Known};
use crate::clearance::{Clearance, Cleared};
use crate::error::Error;
use crate::merge::Merged;
use crate::outcome::Outcome;
use crate::project::Project;
use crate::swap::{Swap, Swapped};
use crate::target_queue::{State, TargetQueue};
use crate::{Candidate, Ground, Lander};

/// The target branch of a repository on this machine.
struct GitTarget<'a> {
    lander: &'a Lander,
    state: &'a mut State,
    project: Arc<Project>,
    queue: Arc<TargetQueue>,
    checks: CheckRules,
    target: BranchName,
    checkout: Option<Repository>,
    /// Where git says that a checkout is on the target; there may be no files, as in a bare repository.
    place: Option<PathBuf>,
}

impl Lander {
    /// Lands the candidates in their order, as many at once as are green together, and reports each one's outcome as
    /// soon as it is known.
    ///
    /// All are merged on each other and checked once. If that is red, halves are tried until every one that makes it
    /// red is found; all others land. One that conflicts with what the target has is out at once, one that conflicts
    /// with a candidate before it waits for that one's verdict. `clearance` is asked before each move of the target.
    /// Dropped, it ends as [`Lander::attempt`] does.
    ///
    /// # Errors
    /// When there is no repository or no target, or git or the disk fails. What was reported before holds; what was not
    /// nothing is to be tried again.
    pub async fn batch(
        &self,
        ground: &Ground,
        candidates: &[Candidate],
        mut clearance: impl Clearance,
    ) -> Result<(), Error> {
        let opened = self.open(&ground.folder).await?;
        let project = opened.project;
        let target = self.target(ground, &opened.repository).await?;
        let queue = project.lane(&target)?;
        let mut state = queue.state.lock().await;
        self.settled(&project).await?;
        let names: Vec<Option<BranchName>> = candidates.iter().map(|one| one.branch.parse().ok()).collect();
        let asked: Vec<BranchName> = names.iter().flatten().chain([&target]).cloned().collect();
        let tips = opened.repository.tips(&asked).await?;
        let mut entries = Vec::new();
        for (candidate, name) in candidates.iter().zip(&names) {
            match name.as_ref().and_then(|name| tips.get(name)) {
                Some(tip) => entries.push((candidate, tip.commit.clone())),
                None => clearance.tell(candidate, Outcome::Gone { branch: candidate.branch.clone() }),
            }
        }
        let missing = || Error::TargetGone { folder: ground.folder.clone(), target: target.to_string() };
        let tip = tips.get(&target).ok_or_else(missing)?;
        let checkout = self.checkout(&project, &mut state, tip.checkout.as_deref()).await?;
        let checks = ground.checks.iter().filter(|check| !check.trim().is_empty()).cloned().collect();
        let on = GitTarget {
            lander: self,
            state: &mut state,
            project: Arc::clone(&project),
            queue: Arc::clone(&queue),
            checks: CheckRules { checks, limit: ground.check_timeout, sandbox: ground.sandbox.clone() },
            target,
            checkout,
            place: tip.checkout.clone(),
        };
        let result = Batch::new(on, tip.commit.clone(), entries).run(&mut clearance).await;
        if result.is_err() {
            // What was remembered may be the cause: an object can be collected before it lands.
            state.forget();
        }
        result
    }

    /// Returns which of these commits the target has by now; for recovery after an interrupted move.
    ///
    /// # Errors
    /// As [`Lander::batch`].
    pub async fn has(&self, ground: &Ground, commits: &[&str]) -> Result<Vec<bool>, Error> {
        let opened = self.open(&ground.folder).await?;
        let target = self.target(ground, &opened.repository).await?;
        self.settled(&opened.project).await?;
        let tips = opened.repository.tips(std::slice::from_ref(&target)).await?;
        let missing = || Error::TargetGone { folder: ground.folder.clone(), target: target.to_string() };
        let tip = &tips.get(&target).ok_or_else(missing)?.commit;
        let mut found = Vec::new();
        for commit in commits {
            found.push(match opened.repository.resolve(commit).await {
                Ok(commit) => opened.repository.apart_from(tip, &commit).await? == Apart::Contained,
                // Nothing kept it, so nothing has it.
                Err(git::Error::NoCommit { .. }) => false,
                Err(error) => return Err(error.into()),
            });
        }
        Ok(found)
    }

    /// Forgets what was red on the target branch, so that the next attempt runs the checks there again.
    ///
    /// # Errors
    /// As [`Lander::batch`].
    pub async fn check_again(&self, ground: &Ground) -> Result<(), Error> {
        let opened = self.open(&ground.folder).await?;
        let target = self.target(ground, &opened.repository).await?;
        opened.project.lane(&target)?.state.lock().await.check_again();
        Ok(())
    }

    /// Waits for a move that was abandoned by its caller, and settles one that was interrupted.
    async fn settled(&self, project: &Project) -> Result<(), Error> {
        let _moving = project.moving.lock().await;
        self.repair(project).await
    }

    /// Finds the target: the one that was named, or the branch that the user is on.
    pub(crate) async fn target(&self, ground: &Ground, repository: &Repository) -> Result<BranchName, Error> {
        match &ground.target {
            Some(target) => Ok(target.parse()?),
            None => {
                let branch = repository.head_branch().await?;
                branch.ok_or_else(|| Error::NoTarget { folder: ground.folder.clone() })
            }
        }
    }

    /// Opens the checkout that is on the target; a bare repository has none, and one whose folder is gone is none.
    async fn checkout(
        &self,
        project: &Project,
        state: &mut State,
        path: Option<&Path>,
    ) -> Result<Option<Repository>, Error> {
        let Some(path) = path.filter(|path| path.join(".git").exists()) else { return Ok(None) };
        if let Some(known) = state.checkouts.get(path) {
            return Ok(Some(known.clone()));
        }
        let opened = self.0.git.open(path).await?.keeping_open(Arc::clone(&project.lock));
        if *opened.kind() == Kind::Bare || opened.common_dir() != project.repository.common_dir() {
            return Ok(None);
        }
        state.checkouts.insert(path.to_owned(), opened.clone());
        Ok(Some(opened))
    }
}

impl Target for GitTarget<'_> {
    fn name(&self) -> String {
        self.target.to_string()
    }

    async fn merge(&mut self, on: &Oid, candidate: &Candidate, branch: &Oid) -> Result<Merged, Error> {
        self.lander.merge((&self.queue, self.state), on, candidate, branch).await
    }

    async fn bundle(&mut self, tip: &Oid, top: &Oid, candidates: &[&Candidate]) -> Result<Oid, Error> {
        self.lander.bundle((&self.queue, self.state), tip, top, candidates).await
    }

    async fn in_the_way(&mut self, tip: &Oid, commit: &Oid) -> Result<Option<(PathBuf, Vec<PathBuf>)>, Error> {
        let Some(checkout) = &self.checkout else { return Ok(None) };
        let look = checkout.see(false).await?;
        // On another branch by now: it is asked again when the target moves.
        if look.branch.as_ref() != Some(&self.target) || look.changed.is_empty() {
            return Ok(None);
        }
        let files = look.in_the_way_of(&checkout.touched(tip, commit).await?);
        let root = checkout.root().unwrap_or(checkout.git_dir()).to_owned();
        Ok((!files.is_empty()).then_some((root, files)))
    }

    async fn check(&mut self, commit: &Oid) -> Result<Checked, Error> {
        self.lander.check(&self.queue, self.state, &self.checks, commit).await
    }

    async fn red_on_target(&mut self, tip: &Oid, commit: &Oid, checked: &Checked) -> Result<Option<CheckRun>, Error> {
        self.lander.red_on_target((&self.queue, self.state), &self.checks, tip, (commit, checked)).await
    }

    async fn swap(&mut self, cleared: &Cleared<'_>, checked: &Checked) -> Result<Swapped, Error> {
        let swap = Swap {
            project: Arc::clone(&self.project),
            target: self.target.clone(),
            checkout: self.checkout.clone(),
            place: self.place.clone(),
            from: cleared.from.clone(),
            to: cleared.commit.clone(),
        };
        let swapped = self.lander.swap(swap).await?;
        if matches!(swapped, Swapped::Done { .. }) {
            let (commit, rules) = (cleared.commit.clone(), self.checks.clone());
            self.state.target = Some(Known { commit, rules, checked: checked.clone() });
        }
        Ok(swapped)
    }

    async fn look_again(&mut self) -> Result<Option<Oid>, Error> {
        let tips = self.project.repository.tips(std::slice::from_ref(&self.target)).await?;
        let Some(tip) = tips.get(&self.target) else { return Ok(None) };
        self.place.clone_from(&tip.checkout);
        self.checkout = self.lander.checkout(&self.project, self.state, tip.checkout.as_deref()).await?;
        Ok(Some(tip.commit.clone()))
    }
}
