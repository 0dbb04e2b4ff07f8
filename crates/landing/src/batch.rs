//! Candidates on a target branch, landed together where that is green, and each with its own verdict.
//!
//! Which candidates are tried together and what follows is decided here; [`Target`] does it, by git and the shell or in a simulation.

use std::path::PathBuf;

use git::Oid;
use types::CheckRun;

use crate::Candidate;
use crate::bisect::{Bisect, Verdict};
use crate::check::Checked;
use crate::clearance::{Clearance, Cleared, Word};
use crate::error::Error;
use crate::merge::Merged;
use crate::outcome::{Landed, Outcome, Red};
use crate::swap::Swapped;

/// How often the target may be moved by others before a landing is put off.
const TRIES: u32 = 5;

/// A target branch, and what can be done on it.
pub trait Target: Send {
    /// Returns the name of the branch.
    fn name(&self) -> String;

    /// Merges a candidate's `branch` on the commit `on`.
    fn merge(
        &mut self,
        on: &Oid,
        candidate: &Candidate,
        branch: &Oid,
    ) -> impl Future<Output = Result<Merged, Error>> + Send;

    /// Makes one commit on `tip` of several candidates that were merged on each other up to `top`.
    fn bundle(
        &mut self,
        tip: &Oid,
        top: &Oid,
        candidates: &[&Candidate],
    ) -> impl Future<Output = Result<Oid, Error>> + Send;

    /// Returns the checkout, and what the user has changed in it, that would not let the branch move from `tip` to
    /// `commit`.
    fn in_the_way(
        &mut self,
        tip: &Oid,
        commit: &Oid,
    ) -> impl Future<Output = Result<Option<(PathBuf, Vec<PathBuf>)>, Error>> + Send;

    /// Runs the checks on a commit.
    fn check(&mut self, commit: &Oid) -> impl Future<Output = Result<Checked, Error>> + Send;

    /// Returns the check that is red on the target itself as it is on a merge, if one is.
    fn red_on_target(
        &mut self,
        tip: &Oid,
        commit: &Oid,
        checked: &Checked,
    ) -> impl Future<Output = Result<Option<CheckRun>, Error>> + Send;

    /// Moves the branch by compare-and-swap. After an error it is unknown whether it moved.
    fn swap(&mut self, cleared: &Cleared<'_>, checked: &Checked)
    -> impl Future<Output = Result<Swapped, Error>> + Send;

    /// Reads where the branch is by now; none if it is gone.
    fn look_again(&mut self) -> impl Future<Output = Result<Option<Oid>, Error>> + Send;
}

/// A batch on its way.
#[derive(Debug)]
pub struct Batch<'a, T> {
    target: T,
    /// Candidates with the commits of their branches.
    entries: Vec<(&'a Candidate, Oid)>,
    machine: Bisect<Red, Outcome>,
    tip: Oid,
    /// What landed last, for all who landed by it.
    landed: Option<Landed>,
    lost: u32,
}

impl<'a, T: Target> Batch<'a, T> {
    /// Prepares to land candidates, each with the commit of its branch, on a target that is at `tip`.
    #[must_use]
    pub fn new(target: T, tip: Oid, entries: Vec<(&'a Candidate, Oid)>) -> Self {
        Self { target, machine: Bisect::new(entries.len()), entries, tip, landed: None, lost: 0 }
    }

    /// Lands what can land, and reports each one's outcome as soon as it is known.
    ///
    /// # Errors
    /// When the target fails, or a move is not cleared. What was reported before holds.
    pub async fn run(mut self, clearance: &mut impl Clearance) -> Result<(), Error> {
        while let Some(trial) = self.machine.trial() {
            if let Some(commit) = self.merge(&trial).await? {
                self.try_to_land(&trial, commit, clearance).await?;
            }
            self.report(clearance);
        }
        self.report(clearance);
        Ok(())
    }

    /// Merges the candidates on each other; none if one of them cannot be, which the machine has been told.
    async fn merge(&mut self, trial: &[usize]) -> Result<Option<Oid>, Error> {
        let mut on = self.tip.clone();
        for (place, entry) in trial.iter().enumerate() {
            let Some((candidate, branch)) = self.entries.get(*entry) else { continue };
            on = match self.target.merge(&on, candidate, branch).await? {
                Merged::Commit(commit) => commit,
                Merged::Contained | Merged::Conflict(_) | Merged::Unrelated => {
                    // Candidates before it may be the cause, and they have not landed.
                    match self.target.merge(&self.tip, candidate, branch).await? {
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
        let candidates: Vec<&Candidate> = entries.map(|(candidate, _)| *candidate).collect();
        if candidates.len() > 1 {
            on = self.target.bundle(&self.tip, &on, &candidates).await?;
        }
        Ok(Some(on))
    }

    async fn try_to_land(&mut self, trial: &[usize], commit: Oid, clearance: &mut impl Clearance) -> Result<(), Error> {
        if self.held(trial, &commit).await? {
            return Ok(());
        }
        let checked = self.target.check(&commit).await?;
        let together = self.ids(trial);
        if !checked.is_green() {
            return self.red(trial, commit, checked).await;
        }
        let cleared = Cleared { from: &self.tip, commit: &commit, together: &together, checks: &checked.runs };
        match clearance.clear(&cleared).await {
            Word::Go => {}
            Word::Without(gone) => return self.withdraw(trial, &gone),
            Word::NotNow { why } => return Err(Error::NotCleared { why }),
        }
        // After an error it is unknown whether it moved: it stays cleared until the target is read.
        let swapped = self.target.swap(&cleared, &checked).await?;
        if !matches!(swapped, Swapped::Done { .. }) {
            clearance.recall(&together).await;
        }
        match swapped {
            Swapped::Done { checkout } => self.land(trial, commit, checked, checkout),
            Swapped::Lost => self.look_again().await?,
            Swapped::Dirty { checkout, files } => self.put_off(trial, Outcome::CheckoutDirty { checkout, files }),
            Swapped::Locked { said } => self.machine.stop(&Outcome::Locked { said }),
        }
        Ok(())
    }

    /// Finds out whether the target itself is red before a candidate is to blame.
    async fn red(&mut self, trial: &[usize], commit: Oid, checked: Checked) -> Result<(), Error> {
        let tip = self.tip.clone();
        match self.target.red_on_target(&tip, &commit, &checked).await? {
            Some(check) => self.put_off(trial, Outcome::TargetRed { tip, target: self.target.name(), check }),
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
        let is_gone = |entry: &usize| self.entries.get(*entry).is_some_and(|(one, _)| gone.contains(&one.id));
        let places: Vec<usize> = (0..trial.len()).filter(|place| trial.get(*place).is_some_and(is_gone)).collect();
        if places.is_empty() {
            return Err(Error::NotCleared { why: format!("none of {} is among the candidates", gone.join(", ")) });
        }
        // From the back, so that the places before stay what they are.
        places.into_iter().rev().for_each(|place| self.machine.out(place, Outcome::Withdrawn));
        Ok(())
    }

    /// Looks before the checks whether the checkout would let this land, so that they do not run for nothing; a
    /// candidate that changes what the user has changed is put off, and the others are tried without it.
    async fn held(&mut self, trial: &[usize], commit: &Oid) -> Result<bool, Error> {
        let Some((checkout, files)) = self.target.in_the_way(&self.tip, commit).await? else { return Ok(false) };
        let mut out = Vec::new();
        for (place, entry) in trial.iter().enumerate() {
            let Some((candidate, branch)) = self.entries.get(*entry) else { continue };
            let Merged::Commit(alone) = self.target.merge(&self.tip, candidate, branch).await? else { continue };
            if let Some((checkout, files)) = self.target.in_the_way(&self.tip, &alone).await? {
                out.push((place, Outcome::CheckoutDirty { checkout, files }));
            }
        }
        if out.is_empty() {
            self.put_off(trial, Outcome::CheckoutDirty { checkout, files });
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
    async fn look_again(&mut self) -> Result<(), Error> {
        self.lost += 1;
        match self.target.look_again().await? {
            Some(tip) if self.lost < TRIES => {
                self.tip = tip;
                self.machine.moved();
            }
            Some(_) | None => self.machine.stop(&Outcome::Moving { tries: self.lost }),
        }
        Ok(())
    }

    fn report(&mut self, clearance: &mut impl Clearance) {
        while let Some((entry, verdict)) = self.machine.settled() {
            let outcome = match verdict {
                Verdict::Landed => self.landed.clone().map(Outcome::Landed),
                Verdict::Red(red) => Some(Outcome::Red(red)),
                Verdict::Out(outcome) => Some(outcome),
            };
            if let Some(((candidate, _), outcome)) = self.entries.get(entry).zip(outcome) {
                clearance.tell(candidate, outcome);
            }
        }
    }

    fn ids(&self, trial: &[usize]) -> Vec<String> {
        let entries = trial.iter().filter_map(|entry| self.entries.get(*entry));
        entries.map(|(candidate, _)| candidate.id.clone()).collect()
    }
}
