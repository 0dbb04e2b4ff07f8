//! The target branch of the simulated repository: git and the shell are the field's, what lands is decided by the
//! shipped `landing::Batch`. The server may die between any two of its steps.

use std::path::PathBuf;
use std::time::Duration;

use futures::FutureExt as _;
use futures::future::{BoxFuture, ready};
use landing::{
    AnyClearance, Batch, Candidate, Checked, Clearance, Cleared, Error, Ground, LandingEngine, Merged, Oid, Outcome,
    Push, Swapped, Target, Word,
};
use types::{CheckOutcome, CheckRun, SessionId};

use crate::bug::Bug;
use crate::engine::give_way;
use crate::field::{Checks, Commit, Merged as MergedCommits};
use crate::site::Site;

/// How long a check may run.
const CHECK_TIMEOUT: Duration = Duration::from_secs(600);

/// Lands on the simulated repository.
#[derive(Debug)]
pub(crate) struct SimulatedLander(pub(crate) Site);

impl LandingEngine for SimulatedLander {
    fn batch<'a>(
        &'a self,
        _ground: &'a Ground,
        candidates: &'a [Candidate],
        clearance: AnyClearance<'a>,
    ) -> BoxFuture<'a, Result<(), Error>> {
        batch(&self.0, candidates, clearance).boxed()
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

async fn batch(site: &Site, candidates: &[Candidate], mut clearance: AnyClearance<'_>) -> Result<(), Error> {
    give_way().await;
    if site.has(Bug::LeavesLandings) && site.rng.below(4) == 0 {
        return std::future::pending().await;
    }
    let mut entries = Vec::new();
    for candidate in candidates {
        let branch = candidate.branch.parse::<SessionId>().ok().and_then(|session| site.field.tip(&session));
        match branch {
            Some(branch) => entries.push((candidate, oid(branch))),
            None => clearance.tell(candidate, Outcome::Gone { branch: candidate.branch.clone() }),
        }
    }
    let batch = Batch::new(SimulatedTarget(site), oid(site.field.target()), entries);
    batch.run(&mut Overruled { clearance, site }).await
}

/// The target branch of the field.
struct SimulatedTarget<'a>(&'a Site);

impl Target for SimulatedTarget<'_> {
    fn name(&self) -> String {
        "main".to_owned()
    }

    async fn merge(&mut self, on: &Oid, _: &Candidate, branch: &Oid) -> Result<Merged, Error> {
        give_way().await;
        Ok(match self.0.field.merge(commit(on), commit(branch)) {
            MergedCommits::Commit(commit) => Merged::Commit(oid(commit)),
            MergedCommits::Contained => Merged::Contained,
            MergedCommits::Conflict => Merged::Conflict(vec!["a".into()]),
        })
    }

    async fn bundle(&mut self, _: &Oid, top: &Oid, _: &[&Candidate]) -> Result<Oid, Error> {
        Ok(top.clone())
    }

    async fn in_the_way(&mut self, _: &Oid, _: &Oid) -> Result<Option<(PathBuf, Vec<PathBuf>)>, Error> {
        Ok(None)
    }

    async fn check(&mut self, commit: &Oid) -> Result<Checked, Error> {
        let mut run = check(self.0, self::commit(commit)).await;
        if self.0.has(Bug::LandsRed) {
            run.outcome = CheckOutcome::Passed;
        }
        give_way().await;
        Ok(Checked { runs: vec![run], meddled: Vec::new() })
    }

    async fn red_on_target(&mut self, _: &Oid, _: &Oid, _: &Checked) -> Result<Option<CheckRun>, Error> {
        Ok(None)
    }

    async fn swap(&mut self, cleared: &Cleared<'_>, _: &Checked) -> Result<Swapped, Error> {
        give_way().await;
        let (from, to) = (commit(cleared.from), commit(cleared.commit));
        let moved = self.0.has(Bug::LandsInWordsOnly) || self.0.land(from, to, cleared.together);
        give_way().await;
        Ok(if moved { Swapped::Done { checkout: None } } else { Swapped::Lost })
    }

    async fn look_again(&mut self) -> Result<Option<Oid>, Error> {
        Ok(Some(oid(self.0.field.target())))
    }
}

/// The clearance of the queue; a planted bug does not listen when candidates were taken out.
struct Overruled<'a> {
    clearance: AnyClearance<'a>,
    site: &'a Site,
}

impl Clearance for Overruled<'_> {
    async fn clear(&mut self, cleared: &Cleared<'_>) -> Word {
        match self.clearance.clear(cleared).await {
            Word::Without(_) if self.site.has(Bug::LandsDropped) => Word::Go,
            word @ (Word::Go | Word::Without(_) | Word::NotNow { .. }) => word,
        }
    }

    async fn recall(&mut self, together: &[String]) {
        self.clearance.recall(together).await;
    }

    fn tell(&mut self, candidate: &Candidate, outcome: Outcome) {
        self.clearance.tell(candidate, outcome);
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

fn commit(name: &Oid) -> Commit {
    numbered(name.as_str()).unwrap_or_default()
}
