//! The clearance is asked before the target moves: a drop and a crash are decided there.

use std::collections::BTreeSet;

use fleet_landing::{Candidate, Clearance, Cleared, Outcome, Word};

use crate::sandbox::{Sandbox, landed};

/// Takes some out at the last moment, and remembers all that it was asked and told.
struct Strict<'a> {
    sandbox: &'a Sandbox,
    out: BTreeSet<&'static str>,
    cleared: Vec<(String, Vec<String>, usize)>,
    recalled: Vec<Vec<String>>,
    told: Vec<(String, Outcome)>,
    at_clearance: fn(&Sandbox),
}

impl<'a> Strict<'a> {
    fn new(sandbox: &'a Sandbox, out: &[&'static str]) -> Self {
        let (cleared, recalled, told) = Default::default();
        Self { sandbox, out: out.iter().copied().collect(), cleared, recalled, told, at_clearance: |_| {} }
    }
}

impl Clearance for &mut Strict<'_> {
    async fn clear(&mut self, clearance: &Cleared<'_>) -> Word {
        assert_eq!(clearance.from.as_str(), self.sandbox.main(), "it moved before it was cleared");
        let gone: Vec<String> =
            clearance.together.iter().filter(|id| self.out.contains(id.as_str())).cloned().collect();
        if !gone.is_empty() {
            return Word::Without(gone);
        }
        self.cleared.push((clearance.commit.to_string(), clearance.together.to_vec(), clearance.checks.len()));
        (self.at_clearance)(self.sandbox);
        Word::Go
    }

    async fn recall(&mut self, together: &[String]) {
        self.recalled.push(together.to_vec());
    }

    fn tell(&mut self, candidate: &Candidate, outcome: Outcome) {
        self.told.push((candidate.id.clone(), outcome));
    }
}

#[tokio::test]
async fn what_is_taken_out_while_it_is_checked_never_lands_and_the_others_do() {
    let sandbox = Sandbox::new();
    let queue = ["a", "b", "c"].map(|name| sandbox.branch(name, "main", &[(name, "x\n")]));
    let mut tower = Strict::new(&sandbox, &["l-b"]);
    sandbox.lander().batch(&sandbox.ground(&["true"]), &queue, &mut tower).await.unwrap();
    assert!(tower.told.contains(&("l-b".to_owned(), Outcome::Withdrawn)), "{:?}", tower.told);
    assert_eq!(["a", "b", "c"].map(|name| sandbox.landed(name).is_some()), [true, false, true]);
    sandbox.assert_clean();
}

#[tokio::test]
async fn what_was_cleared_is_exactly_what_lands_with_its_checks() {
    let sandbox = Sandbox::new();
    let queue = ["a", "b"].map(|name| sandbox.branch(name, "main", &[(name, "x\n")]));
    let (lander, ground) = (sandbox.lander(), sandbox.ground(&["true", "test -e a"]));
    let before = sandbox.main();
    let mut tower = Strict::new(&sandbox, &[]);
    lander.batch(&ground, &queue, &mut tower).await.unwrap();
    let (commit, together, checks) = tower.cleared.pop().unwrap();
    assert_eq!((commit.as_str(), together.len(), checks), (sandbox.main().as_str(), 2, 2));
    // A server that was killed in between asks afterwards.
    let unknown = "0123456789012345678901234567890123456789";
    let other = sandbox.branch("c", "main", &[("c", "x\n")]);
    let other = sandbox.run(&sandbox.repo(), &["rev-parse", &other.branch]);
    let has = lander.has(&ground, &[&commit, &before, unknown, &other]).await.unwrap();
    assert_eq!(has, [true, true, false, false]);
}

#[tokio::test]
async fn a_move_that_was_cleared_and_lost_is_recalled_and_cleared_anew() {
    let sandbox = Sandbox::new();
    let candidate = sandbox.branch("b", "main", &[("b", "b\n")]);
    let mut tower = Strict::new(&sandbox, &[]);
    // Another process commits between the clearance and the move, once.
    tower.at_clearance = |sandbox| {
        if sandbox.landed("other").is_none() {
            crate::sandbox::put(&sandbox.repo(), "other", "x\n");
            sandbox.commit(&sandbox.repo(), "meanwhile");
        }
    };
    sandbox.lander().batch(&sandbox.ground(&["true"]), std::slice::from_ref(&candidate), &mut tower).await.unwrap();
    assert_eq!((tower.cleared.len(), tower.recalled.clone()), (2, vec![vec!["l-b".to_owned()]]));
    let last = landed(tower.told.pop().unwrap().1);
    assert_eq!(tower.cleared[1].0, last.commit.as_str());
    sandbox.assert_clean();
}

#[tokio::test]
async fn a_slow_check_holds_up_no_other_target_of_the_repository() {
    let sandbox = Sandbox::new();
    sandbox.run(&sandbox.repo(), &["branch", "release/1"]);
    let (slow, quick) = (sandbox.branch("a", "main", &[("a", "x\n")]), sandbox.branch("b", "main", &[("b", "x\n")]));
    let (lander, go) = (sandbox.lander(), sandbox.path("go"));
    let hold = format!("while ! test -e {}; do sleep 0.01; done", go.display());
    let held = sandbox.ground(&[&hold]);
    let other = fleet_landing::Ground { target: Some("release/1".to_owned()), ..sandbox.ground(&["true"]) };
    let quick = async {
        landed(lander.attempt(&other, &quick).await.unwrap());
        std::fs::write(&go, "").unwrap();
    };
    let (slow, ()) = tokio::join!(lander.attempt(&held, &slow), quick);
    landed(slow.unwrap());
    sandbox.assert_clean();
}
