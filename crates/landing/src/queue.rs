//! A queue of candidates, landed together where that is green, and each with its own verdict.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use git::{Apart, BranchName, Kind, Oid, Repository};

use crate::bisect::{Bisect, Verdict};
use crate::check::{CheckRules, Checked, Known};
use crate::clearance::{Clearance, Cleared, Word};
use crate::error::Error;
use crate::merge::Merged;
use crate::outcome::{Landed, Outcome, Red};
use crate::project::Project;
use crate::swap::{Swap, Swapped};
use crate::target_queue::{State, TargetQueue};
use crate::{Candidate, Ground, Lander};

/// How often the target may be moved by others before a landing is put off.
const TRIES: u32 = 5;

/// A candidate whose branch was found.
#[derive(Debug, Clone, Copy)]
struct Entry<'a> {
    candidate: &'a Candidate,
    branch: &'a Oid,
}

/// A queue on its way.
struct Queue<'a> {
    lander: &'a Lander,
    project: Arc<Project>,
    lane: Arc<TargetQueue>,
    checks: CheckRules,
    target: BranchName,
    entries: Vec<Entry<'a>>,
    machine: Bisect<Red, Outcome>,
    tip: Oid,
    checkout: Option<Repository>,
    /// Where git says that a checkout is on the target; there may be no files, as in a bare repository.
    place: Option<PathBuf>,
    /// What landed last, for all who landed by it.
    landed: Option<Landed>,
    lost: u32,
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
        mut tower: impl Clearance,
    ) -> Result<(), Error> {
        let opened = self.open(&ground.folder).await?;
        let project = opened.project;
        let target = self.target(ground, &opened.repository).await?;
        let lane = project.lane(&target)?;
        let mut state = lane.state.lock().await;
        self.settled(&project).await?;
        let names: Vec<Option<BranchName>> = candidates.iter().map(|one| one.branch.parse().ok()).collect();
        let asked: Vec<BranchName> = names.iter().flatten().chain([&target]).cloned().collect();
        let tips = opened.repository.tips(&asked).await?;
        let mut entries = Vec::new();
        for (candidate, name) in candidates.iter().zip(&names) {
            match name.as_ref().and_then(|name| tips.get(name)) {
                Some(tip) => entries.push(Entry { candidate, branch: &tip.commit }),
                None => tower.tell(candidate, Outcome::Gone { branch: candidate.branch.clone() }),
            }
        }
        let missing = || Error::TargetGone { folder: ground.folder.clone(), target: target.to_string() };
        let tip = tips.get(&target).ok_or_else(missing)?;
        let checkout = self.checkout(&project, &mut state, tip.checkout.as_deref()).await?;
        let checks = ground.checks.iter().filter(|check| !check.trim().is_empty()).cloned().collect();
        let queue = Queue {
            lander: self,
            project: Arc::clone(&project),
            lane: Arc::clone(&lane),
            checks: CheckRules { checks, limit: ground.check_timeout, sandbox: ground.sandbox.clone() },
            target,
            machine: Bisect::new(entries.len()),
            entries,
            tip: tip.commit.clone(),
            checkout,
            place: tip.checkout.clone(),
            landed: None,
            lost: 0,
        };
        let result = queue.run(&mut state, &mut tower).await;
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

impl Queue<'_> {
    async fn run(mut self, state: &mut State, tower: &mut impl Clearance) -> Result<(), Error> {
        while let Some(trial) = self.machine.trial() {
            if let Some(commit) = self.merge(state, &trial).await? {
                self.try_to_land(state, &trial, commit, tower).await?;
            }
            self.tell(tower);
        }
        self.tell(tower);
        Ok(())
    }

    /// Merges the candidates on each other; none if one of them cannot be, which the machine has been told.
    async fn merge(&mut self, state: &mut State, trial: &[usize]) -> Result<Option<Oid>, Error> {
        let mut on = self.tip.clone();
        for (place, entry) in trial.iter().enumerate() {
            let Some(Entry { candidate, branch }) = self.entries.get(*entry).copied() else { continue };
            on = match self.lander.merge((&self.lane, state), &on, candidate, branch).await? {
                Merged::Commit(commit) => commit,
                Merged::Contained | Merged::Conflict(_) | Merged::Unrelated => {
                    // Candidates before it may be the cause, and they have not landed.
                    match self.lander.merge((&self.lane, state), &self.tip, candidate, branch).await? {
                        Merged::Commit(_) => self.machine.cut(place),
                        Merged::Contained => self.machine.out(place, Outcome::Contained { tip: self.tip.clone() }),
                        Merged::Conflict(files) => {
                            self.machine.out(place, Outcome::Conflict { files, tip: self.tip.clone() });
                        }
                        Merged::Unrelated => self.machine.out(place, Outcome::Unrelated { tip: self.tip.clone() }),
                    }
                    return Ok(None);
                }
            };
        }
        let entries = trial.iter().filter_map(|entry| self.entries.get(*entry));
        let candidates: Vec<&Candidate> = entries.map(|entry| entry.candidate).collect();
        if candidates.len() > 1 {
            on = self.lander.bundle((&self.lane, state), &self.tip, &on, &candidates).await?;
        }
        Ok(Some(on))
    }

    async fn try_to_land(
        &mut self,
        state: &mut State,
        trial: &[usize],
        commit: Oid,
        tower: &mut impl Clearance,
    ) -> Result<(), Error> {
        if self.held(state, trial, &commit).await? {
            return Ok(());
        }
        let checked = self.lander.check(&self.lane, state, &self.checks, &commit).await?;
        let together = self.ids(trial);
        if !checked.is_green() {
            return self.red(state, trial, commit, checked).await;
        }
        let clearance = Cleared { from: &self.tip, commit: &commit, together: &together, checks: &checked.runs };
        match tower.clear(&clearance).await {
            Word::Go => {}
            Word::Without(gone) => return self.withdraw(trial, &gone),
            Word::NotNow { why } => return Err(Error::NotCleared { why }),
        }
        let swap = Swap {
            project: Arc::clone(&self.project),
            target: self.target.clone(),
            checkout: self.checkout.clone(),
            place: self.place.clone(),
            from: self.tip.clone(),
            to: commit.clone(),
        };
        // After an error it is unknown whether it moved: it stays cleared until the target is read.
        let swapped = self.lander.swap(swap).await?;
        if !matches!(swapped, Swapped::Done { .. }) {
            tower.recall(&together).await;
        }
        match swapped {
            Swapped::Done { checkout } => {
                let (commit, rules, checked) = (commit.clone(), self.checks.clone(), checked.clone());
                state.target = Some(Known { commit: commit.clone(), rules, checked: checked.clone() });
                self.land(trial, commit, checked, checkout);
            }
            Swapped::Lost => self.look_again(state).await?,
            Swapped::Dirty { checkout, files } => self.put_off(trial, Outcome::CheckoutDirty { checkout, files }),
            Swapped::Locked { said } => self.machine.stop(&Outcome::Locked { said }),
        }
        Ok(())
    }

    /// Finds out whether the target itself is red before a candidate is to blame.
    async fn red(&mut self, state: &mut State, trial: &[usize], commit: Oid, checked: Checked) -> Result<(), Error> {
        let (lane, tip) = (Arc::clone(&self.lane), self.tip.clone());
        let found = self.lander.red_on_target((&lane, state), &self.checks, &tip, (&commit, &checked)).await?;
        match found {
            Some(check) => self.put_off(trial, Outcome::TargetRed { tip, target: self.target.to_string(), check }),
            None => self.machine.red(Red { commit, tip, together: self.ids(trial), checks: checked.runs }),
        }
        Ok(())
    }

    /// Puts off a candidate because of something outside of it; several are tried one by one, since not all of them
    /// need to meet it.
    fn put_off(&mut self, trial: &[usize], why: Outcome) {
        match trial.len() {
            0 | 1 => self.machine.out(0, why),
            _ => self.machine.apart(),
        }
    }

    /// Removes dropped candidates; the others are tried without them.
    fn withdraw(&mut self, trial: &[usize], gone: &[String]) -> Result<(), Error> {
        let is_gone = |entry: &usize| self.entries.get(*entry).is_some_and(|entry| gone.contains(&entry.candidate.id));
        let places: Vec<usize> = (0..trial.len()).filter(|place| trial.get(*place).is_some_and(is_gone)).collect();
        if places.is_empty() {
            return Err(Error::NotCleared { why: format!("none of {} is among the candidates", gone.join(", ")) });
        }
        // From the back, so that the places before stay what they are.
        places.into_iter().rev().for_each(|place| self.machine.out(place, Outcome::Withdrawn));
        Ok(())
    }

    /// Looks before the checks whether the checkout would let this land, so that they do not run for nothing; a candidate that
    /// changes what the user has changed is put off, and the others are tried without them.
    async fn held(&mut self, state: &mut State, trial: &[usize], commit: &Oid) -> Result<bool, Error> {
        let Some(checkout) = self.checkout.clone() else { return Ok(false) };
        let look = checkout.see(false).await?;
        // On another branch by now: it is asked again when the target moves.
        if look.branch.as_ref() != Some(&self.target) || look.changed.is_empty() {
            return Ok(false);
        }
        let files = look.in_the_way_of(&checkout.touched(&self.tip, commit).await?);
        if files.is_empty() {
            return Ok(false);
        }
        let root = checkout.root().unwrap_or(checkout.git_dir()).to_owned();
        let dirty = |files| Outcome::CheckoutDirty { checkout: root.clone(), files };
        let mut out = Vec::new();
        for (place, entry) in trial.iter().enumerate() {
            let Some(Entry { candidate, branch }) = self.entries.get(*entry).copied() else { continue };
            let merged = self.lander.merge((&self.lane, state), &self.tip, candidate, branch).await?;
            let Merged::Commit(alone) = merged else { continue };
            let files = look.in_the_way_of(&checkout.touched(&self.tip, &alone).await?);
            if !files.is_empty() {
                out.push((place, dirty(files)));
            }
        }
        if out.is_empty() {
            self.put_off(trial, dirty(files));
        }
        // From the back, so that the places before stay what they are.
        out.into_iter().rev().for_each(|(place, why)| self.machine.out(place, why));
        Ok(true)
    }

    fn land(&mut self, trial: &[usize], commit: Oid, checked: Checked, checkout: Option<PathBuf>) {
        let from = std::mem::replace(&mut self.tip, commit.clone());
        let Checked { runs: checks, meddled } = checked;
        self.landed = Some(Landed { commit, from, together: self.ids(trial), checks, meddled, checkout });
        self.machine.green();
    }

    /// Others were faster: everything is merged and checked again on what they left, a few times.
    async fn look_again(&mut self, state: &mut State) -> Result<(), Error> {
        self.lost += 1;
        let tips = self.project.repository.tips(std::slice::from_ref(&self.target)).await?;
        match tips.get(&self.target) {
            Some(tip) if self.lost < TRIES => {
                self.tip = tip.commit.clone();
                self.place.clone_from(&tip.checkout);
                self.checkout = self.lander.checkout(&self.project, state, tip.checkout.as_deref()).await?;
                self.machine.moved();
            }
            Some(_) | None => self.machine.stop(&Outcome::Moving { tries: self.lost }),
        }
        Ok(())
    }

    fn tell(&mut self, tower: &mut impl Clearance) {
        while let Some((entry, verdict)) = self.machine.settled() {
            let outcome = match verdict {
                Verdict::Landed => self.landed.clone().map(Outcome::Landed),
                Verdict::Red(red) => Some(Outcome::Red(red)),
                Verdict::Out(outcome) => Some(outcome),
            };
            if let Some((entry, outcome)) = self.entries.get(entry).zip(outcome) {
                tower.tell(entry.candidate, outcome);
            }
        }
    }

    fn ids(&self, trial: &[usize]) -> Vec<String> {
        trial.iter().filter_map(|entry| self.entries.get(*entry)).map(|entry| entry.candidate.id.clone()).collect()
    }
}
