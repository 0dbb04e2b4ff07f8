//! Lands candidates on the simulated repository: merges, checks, asks for clearance, moves the target branch.
//!
//! It goes the way of `landing::Lander::batch`, with the same machine that says who is tried with whom; git and the
//! shell are the field's. The server may die between any two of its steps.

use std::time::Duration;

use futures::FutureExt as _;
use futures::future::{BoxFuture, ready};
use landing::{
    AnyClearance, Bisect, Candidate, Clearance, Cleared, Error, Ground, Landed, LandingEngine, Oid, Outcome, Push, Red,
    Verdict, Word,
};
use types::{CheckOutcome, CheckRun, SessionId};

use crate::bug::Bug;
use crate::engine::give_way;
use crate::field::{Checks, Commit, Merged};
use crate::site::Site;

/// How often the target may be moved by others before a landing is put off.
const TRIES: u32 = 5;

/// How long a check may run.
const CHECK_TIMEOUT: Duration = Duration::from_secs(600);

/// A candidate whose branch was found.
struct Entry<'a> {
    candidate: &'a Candidate,
    branch: Commit,
}

struct Queue<'a> {
    site: &'a Site,
    entries: Vec<Entry<'a>>,
    machine: Bisect<Red, Outcome>,
    tip: Commit,
    landed: Option<Landed>,
    lost: u32,
}

/// Lands on the simulated repository.
#[derive(Debug)]
pub(crate) struct SimulatedLander(pub(crate) Site);

impl LandingEngine for SimulatedLander {
    fn batch<'a>(
        &'a self,
        _ground: &'a Ground,
        candidates: &'a [Candidate],
        mut clearance: AnyClearance<'a>,
    ) -> BoxFuture<'a, Result<(), Error>> {
        async move { batch(&self.0, candidates, &mut clearance).await.map_err(|why| Error::NotCleared { why }) }.boxed()
    }

    fn has<'a>(&'a self, _ground: &'a Ground, commits: &'a [&'a str]) -> BoxFuture<'a, Result<Vec<bool>, Error>> {
        let has = |commit: &&str| numbered(commit).is_some_and(|commit| self.0.field.has(commit));
        let known = commits.iter().map(|commit| has(commit) && !self.0.has(Bug::ForgetsMoves)).collect();
        async move {
            give_way().await;
            Ok(known)
        }
        .boxed()
    }

    fn push<'a>(&'a self, _ground: &'a Ground, _remote: &'a str) -> BoxFuture<'a, Result<Push, Error>> {
        ready(Ok(Push::Done)).boxed()
    }
}

/// Lands the candidates in their order, as many at once as are green together, and tells what became of each; nothing
/// of those that cannot be cleared now.
///
/// # Errors
/// When the clearance is not given.
async fn batch(site: &Site, candidates: &[Candidate], tower: &mut impl Clearance) -> Result<(), String> {
    give_way().await;
    if site.has(Bug::LeavesLandings) && site.rng.below(4) == 0 {
        return std::future::pending().await;
    }
    let mut entries = Vec::new();
    for candidate in candidates {
        let branch = candidate.branch.parse::<SessionId>().ok().and_then(|session| site.field.tip(&session));
        match branch {
            Some(branch) => entries.push(Entry { candidate, branch }),
            None => tower.tell(candidate, Outcome::Gone { branch: candidate.branch.clone() }),
        }
    }
    let (machine, tip) = (Bisect::new(entries.len()), site.field.target());
    Queue { site, entries, machine, tip, landed: None, lost: 0 }.run(tower).await
}

impl Queue<'_> {
    async fn run(mut self, tower: &mut impl Clearance) -> Result<(), String> {
        while let Some(trial) = self.machine.trial() {
            give_way().await;
            if let Some(commit) = self.merge(&trial) {
                self.try_to_land(&trial, commit, tower).await?;
            }
            self.tell(tower);
        }
        self.tell(tower);
        Ok(())
    }

    /// Merges the candidates on each other; none if one of them cannot be, which the machine has been told.
    fn merge(&mut self, trial: &[usize]) -> Option<Commit> {
        let (field, mut on) = (&self.site.field, self.tip);
        for (place, entry) in trial.iter().enumerate() {
            let Some(Entry { branch, .. }) = self.entries.get(*entry) else { continue };
            let Merged::Commit(commit) = field.merge(on, *branch) else {
                let tip = oid(self.tip);
                // Candidates before it may be the cause, and they have not landed.
                match field.merge(self.tip, *branch) {
                    Merged::Commit(_) => self.machine.cut(place),
                    Merged::Contained => self.machine.out(place, Outcome::Contained { tip }),
                    Merged::Conflict => self.machine.out(place, Outcome::Conflict { files: vec!["a".into()], tip }),
                }
                return None;
            };
            on = commit;
        }
        Some(on)
    }

    async fn try_to_land(&mut self, trial: &[usize], commit: Commit, tower: &mut impl Clearance) -> Result<(), String> {
        let check = check(self.site, commit).await;
        let together = self.ids(trial);
        if !check.is_green() && !self.site.has(Bug::LandsRed) {
            let (commit, tip, checks) = (oid(commit), oid(self.tip), vec![check]);
            self.machine.red(Red { commit, tip, together, checks });
            return Ok(());
        }
        let (from, to, checks) = (oid(self.tip), oid(commit), vec![check]);
        give_way().await;
        let clearance = Cleared { from: &from, commit: &to, together: &together, checks: &checks };
        match tower.clear(&clearance).await {
            Word::Go => {}
            Word::Without(_) if self.site.has(Bug::LandsDropped) => {}
            Word::Without(gone) => return self.withdraw(trial, &gone),
            Word::NotNow { why } => return Err(why),
        }
        give_way().await;
        let moved = self.site.has(Bug::LandsInWordsOnly) || self.site.land(self.tip, commit, &together);
        give_way().await;
        if moved {
            self.tip = if self.site.has(Bug::LandsInWordsOnly) { self.tip } else { commit };
            let (meddled, checkout) = (Vec::new(), None);
            self.landed = Some(Landed { commit: to, from, together, checks, meddled, checkout });
            self.machine.green();
            return Ok(());
        }
        tower.recall(&together).await;
        self.look_again();
        Ok(())
    }

    fn withdraw(&mut self, trial: &[usize], gone: &[String]) -> Result<(), String> {
        let is_gone = |entry: &usize| self.entries.get(*entry).is_some_and(|entry| gone.contains(&entry.candidate.id));
        let places: Vec<usize> = (0..trial.len()).filter(|place| trial.get(*place).is_some_and(is_gone)).collect();
        if places.is_empty() {
            return Err("nobody who would land was taken out".to_owned());
        }
        places.into_iter().rev().for_each(|place| self.machine.out(place, Outcome::Withdrawn));
        Ok(())
    }

    fn look_again(&mut self) {
        self.lost += 1;
        self.tip = self.site.field.target();
        match self.lost < TRIES {
            true => self.machine.moved(),
            false => self.machine.stop(&Outcome::Moving { tries: self.lost }),
        }
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

async fn check(site: &Site, commit: Commit) -> CheckRun {
    let how = site.field.check(commit);
    let takes = match how {
        Checks::Hang => CHECK_TIMEOUT,
        Checks::Green | Checks::Red => Duration::from_secs(1 + site.rng.below(30)),
    };
    site.clock.sleep(takes).await;
    let outcome = match how {
        Checks::Green => CheckOutcome::Passed,
        Checks::Red => CheckOutcome::Failed { code: 1 },
        Checks::Hang => CheckOutcome::TimedOut,
    };
    CheckRun {
        command: "make test".to_owned(),
        outcome,
        output_tail: String::new(),
        duration_ms: 0,
        sandbox: None,
        refused: Vec::new(),
    }
}

/// A commit as records name it.
#[expect(clippy::expect_used, reason = "forty digits are a full name")]
pub(crate) fn oid(commit: Commit) -> Oid {
    format!("{commit:040x}").parse().expect("forty digits")
}

/// A commit by the name that records have for it.
pub(crate) fn numbered(name: &str) -> Option<Commit> {
    Commit::from_str_radix(name, 16).ok()
}
