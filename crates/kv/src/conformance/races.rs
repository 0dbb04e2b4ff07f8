//! Checks with many callers at once: one winner per race, nothing lost, nothing read too late.

use std::collections::HashSet;
use std::sync::Arc;

use tokio::task::JoinSet;

use crate::conformance::Place;
use crate::conformance::steps::{apply, fresh, key, read, text};
use crate::engine::{Commit, Engine, Expect, Operation, Outcome, Revision};

const WRITERS: usize = 16;
const STEPS: usize = 20;

pub async fn of_many_inserts_of_one_key_one_wins<P: Place>() {
    let (_place, engine) = fresh::<P>().await;
    let engine = Arc::new(engine);
    for round in 0..5 {
        let contested = key(&format!("round {round}"));
        let mut writers = JoinSet::new();
        for writer in 0..WRITERS {
            let (engine, contested) = (Arc::clone(&engine), contested.clone());
            writers.spawn(async move {
                let insert = Operation::put(&contested, Expect::Absent, writer.to_string());
                let outcome = engine.commit(insert.into()).await.unwrap();
                matches!(outcome, Outcome::Committed(_)).then_some(writer)
            });
        }
        let winners: Vec<usize> = writers.join_all().await.into_iter().flatten().collect();
        let [winner] = winners[..] else { panic!("one insert had to win, not {winners:?}") };
        assert_eq!(text(&*engine, &contested).await, Some(winner.to_string()));
    }
}

pub async fn sixteen_writers_count_without_losing_a_step<P: Place>() {
    let (_place, engine) = fresh::<P>().await;
    let engine = Arc::new(engine);
    let mut writers = JoinSet::new();
    for _ in 0..WRITERS {
        let engine = Arc::clone(&engine);
        writers.spawn(async move {
            let mut steps = Vec::new();
            while steps.len() < STEPS {
                steps.extend(increment(&*engine).await);
            }
            steps
        });
    }
    let steps = writers.join_all().await.concat();
    assert_eq!(text(&*engine, &key("counter")).await, Some((WRITERS * STEPS).to_string()));
    let replaced: HashSet<_> = steps.iter().map(|step| step.replaced).collect();
    let written: HashSet<_> = steps.iter().map(|step| step.written).collect();
    assert_eq!(replaced.len(), WRITERS * STEPS, "a revision was replaced by two winners");
    assert_eq!(written.len(), WRITERS * STEPS, "two winners were given one revision");
}

/// One increment that won: the revision it replaced and the one it wrote.
#[derive(Debug, Clone)]
struct Step {
    replaced: Option<Revision>,
    written: Revision,
}

/// Tries to add one to the counter, once.
async fn increment(engine: &impl Engine) -> Option<Step> {
    let row = read(engine, &key("counter")).await;
    let replaced = row.as_ref().map(|row| row.revision);
    let count = row.map_or(0, |row| std::str::from_utf8(&row.value).unwrap().parse::<usize>().unwrap());
    let expect = replaced.map_or(Expect::Absent, Expect::At);
    let put = Operation::put(&key("counter"), expect, (count + 1).to_string());
    match engine.commit(put.into()).await.unwrap() {
        Outcome::Committed(written) => Some(Step { replaced, written }),
        Outcome::Conflict { .. } => None,
    }
}

pub async fn a_read_after_an_acknowledgement_sees_the_commit<P: Place>() {
    let (_place, engine) = fresh::<P>().await;
    let engine = Arc::new(engine);
    let mut callers = JoinSet::new();
    for caller in 0..WRITERS {
        let engine = Arc::clone(&engine);
        callers.spawn(async move {
            let mine = key(&format!("caller {caller}"));
            for step in 0..STEPS {
                let revision = apply(&*engine, Operation::put(&mine, Expect::Anything, step.to_string())).await;
                let row = read(&*engine, &mine).await.expect("an acknowledged row is there");
                assert_eq!((row.revision, row.value), (revision, step.to_string().into()));
            }
        });
    }
    callers.join_all().await;
}

pub async fn two_commits_that_guard_each_other_never_both_apply<P: Place>() {
    let (_place, engine) = fresh::<P>().await;
    let engine = Arc::new(engine);
    for round in 0..STEPS {
        let (left, right) = (key(&format!("left {round}")), key(&format!("right {round}")));
        let mut rivals = JoinSet::new();
        for (mine, theirs) in [(left.clone(), right.clone()), (right, left)] {
            let engine = Arc::clone(&engine);
            let commit =
                Commit::from([Operation::check(&theirs, Expect::Absent), Operation::put(&mine, Expect::Absent, "x")]);
            rivals.spawn(async move { engine.commit(commit).await.unwrap() });
        }
        let outcomes = rivals.join_all().await;
        let applied = outcomes.iter().filter(|outcome| matches!(outcome, Outcome::Committed(_))).count();
        assert!(applied <= 1, "both applied in round {round}");
    }
}
