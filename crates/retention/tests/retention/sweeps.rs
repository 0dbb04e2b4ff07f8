//! Nothing that is needed goes, and what is kept stays bounded.

use std::collections::BTreeMap;
use std::time::Duration;

use fleet_retention::Mode;
use proptest::prelude::*;
use types::{Execution, ExecutionState, Handle, Mission, MissionState, Origin, Session};

use crate::world::{DAY, World, done, landing_of, mission, mission_id, session, session_id};

#[tokio::test]
async fn each_kind_goes_at_its_own_age() {
    let world = World::new().await;
    let now = world.clock.now();
    for number in 0..3 {
        let mission = mission(number, now, done(now));
        let session = session(number, &mission, now, false);
        world.add(&mission, &session, landing_of(&mission, &session, now, number > 0)).await;
    }
    let due = world.sweep(Mode::Look).await;
    assert_eq!((due["worktrees"], due["branches"], due["missions"]), (2, 0, 0), "landed worktrees are due at once");
    assert_eq!(world.sweep(Mode::Remove).await["worktrees"], 2);
    for (days, name, count) in [
        (8, "feed", 2),
        (7, "branches", 2),
        (16, "worktrees", 1),
        (60, "events", 3),
        (0, "files", 0),
        (275, "missions", 3),
        (0, "landings", 0),
    ] {
        world.pass(days);
        let (due, gone) = (world.sweep(Mode::Look).await, world.sweep(Mode::Remove).await);
        assert_eq!((due[name], gone[name]), (count, count), "{name}: {gone:?}");
    }
    assert!(world.missions().await.is_empty() && world.sessions().await.is_empty());
    assert!(world.outside.files.lock().unwrap().is_empty() && world.outside.worktrees.lock().unwrap().is_empty());
    // The branch of what did not land stays.
    assert_eq!(world.outside.branches.lock().unwrap().len(), 1);
    assert_eq!(world.sweep(Mode::Remove).await.values().sum::<u64>(), 0, "nothing goes twice");
}

#[tokio::test]
async fn an_execution_goes_when_it_ended_long_ago_and_one_that_runs_never_does() {
    let world = World::new().await;
    let now = world.clock.now();
    for (id, state) in [
        ("e-endgd", ExecutionState::Cancelled { at: now, by: Handle::owner() }),
        ("e-runs2", ExecutionState::Running { since: now }),
    ] {
        world.execute(id, state).await;
    }
    world.pass(300);
    assert_eq!(world.sweep(Mode::Remove).await["executions"], 0);
    world.pass(100);
    assert_eq!(world.sweep(Mode::Remove).await["executions"], 1);
    assert!(world.store.get::<Execution>(&"e-runs2".parse().unwrap()).await.unwrap().is_some());
}

#[tokio::test]
async fn a_question_goes_when_it_is_old_and_its_session_is_over_and_not_before() {
    let world = World::new().await;
    let now = world.clock.now();
    for (number, is_live) in [(1, false), (2, true)] {
        let mission = mission(number, now, done(now));
        let session = session(number, &mission, now, is_live);
        world.ask(number, &session).await;
        world.add(&mission, &session, landing_of(&mission, &session, now, true)).await;
        if is_live {
            world.outside.live.lock().unwrap().insert(session.id.clone());
        }
    }
    world.pass(80);
    assert_eq!(world.sweep(Mode::Remove).await["questions"], 0);
    world.pass(20);
    assert_eq!(world.sweep(Mode::Look).await["questions"], 1);
    assert_eq!(world.sweep(Mode::Remove).await["questions"], 1);
    assert_eq!(world.sweep(Mode::Remove).await["questions"], 0, "that of a session at work stays");
}

#[tokio::test]
async fn what_is_kept_for_ever_stays() {
    let world = World::new().await;
    world.set(|settings| {
        settings.keep_landed_worktrees = true;
        settings.worktree_keep_days = 0;
        settings.landed_branch_keep_days = 0;
        settings.history_keep_days = 0;
        settings.record_keep_days = 0;
        settings.feed_keep_days = 0;
    });
    let now = world.clock.now();
    let mission = mission(1, now, done(now));
    let session = session(1, &mission, now, false);
    world.add(&mission, &session, landing_of(&mission, &session, now, true)).await;
    world.pass(10_000);
    assert_eq!(world.sweep(Mode::Remove).await.values().sum::<u64>(), 0);
}

#[tokio::test]
async fn half_a_year_of_work_leaves_as_much_as_a_quarter_of_it() {
    let world = World::new().await;
    world.set(|settings| {
        settings.history_keep_days = 10;
        settings.record_keep_days = 30;
    });
    let mut rows = Vec::new();
    for day in 0..180 {
        let now = world.clock.now();
        for number in [day * 2, day * 2 + 1] {
            let mission = mission(number, now, done(now));
            let session = session(number, &mission, now, false);
            world.add(&mission, &session, landing_of(&mission, &session, now, true)).await;
        }
        world.pass(1);
        if day % 10 == 9 {
            world.sweep(Mode::Remove).await;
            rows.push(world.engine.rows());
        }
    }
    let (half, end) = (rows[rows.len() / 2], *rows.last().unwrap());
    assert!(end <= half + half / 20, "rows after 90 days: {half}, after 180: {end}; {rows:?}");
    assert!(world.missions().await.len() <= 2 * 31, "{}", world.missions().await.len());
    assert!(world.outside.files.lock().unwrap().len() <= 2 * 11);
    assert!(world.outside.branches.lock().unwrap().len() <= 2 * 15);
}

/// A mission of a random fleet.
#[derive(Debug, Clone)]
struct Drawn {
    /// How many days ago it was made, and ended.
    age: u64,
    over: bool,
    live: bool,
    /// Which of those before it it waits for.
    depends_on: Option<usize>,
    parent: Option<usize>,
    goes_on_from: Option<usize>,
}

fn drawn() -> impl Strategy<Value = Vec<Drawn>> {
    let other = || prop::option::weighted(0.4, 0_usize..40);
    let one = (0_u64..800, prop::bool::weighted(0.8), prop::bool::weighted(0.1), other(), other(), other());
    let one = one.prop_map(|(age, over, live, depends_on, parent, goes_on_from)| Drawn {
        age,
        over,
        live,
        depends_on,
        parent,
        goes_on_from,
    });
    prop::collection::vec(one, 1..40)
}

async fn keeps_what_is_needed(fleet: Vec<Drawn>) {
    let world = World::new().await;
    let end = world.clock.now();
    let mut missions = BTreeMap::new();
    let mut sessions = BTreeMap::new();
    for (number, drawn) in fleet.iter().enumerate() {
        let at = end.checked_sub(Duration::from_secs(drawn.age * DAY)).unwrap();
        let before = |other: &Option<usize>| other.filter(|other| *other < number);
        let state = if drawn.over { done(at) } else { MissionState::Ready { since: at } };
        let mission = Mission {
            depends_on: before(&drawn.depends_on).map(mission_id).into_iter().collect(),
            parent: before(&drawn.parent).map(mission_id),
            ..mission(number, at, state)
        };
        let origin = before(&drawn.goes_on_from).map_or(Origin::New, |of| Origin::Continue { of: session_id(of) });
        let session = Session { origin, ..session(number, &mission, at, drawn.live) };
        world.add(&mission, &session, landing_of(&mission, &session, end, false)).await;
        missions.insert(mission.id.clone(), mission);
        sessions.insert(session.id.clone(), session);
    }
    world.sweep(Mode::Remove).await;
    let (kept_missions, kept_sessions) = (world.missions().await, world.sessions().await);
    let cutoff = end.checked_sub(Duration::from_secs(365 * DAY)).unwrap();
    for (number, drawn) in fleet.iter().enumerate() {
        let mission = &missions[&mission_id(number)];
        if !drawn.over || mission.created_at >= cutoff {
            assert!(kept_missions.contains(&mission.id), "{number} was removed: {drawn:?}");
            for needed in mission.depends_on.iter() {
                assert!(kept_missions.contains(needed), "a dependency of {number} was removed");
            }
        }
        let mut session = Some(&sessions[&session_id(number)]);
        if session.is_some_and(|session| session.state.is_live() || session.created_at >= cutoff) {
            while let Some(one) = session {
                assert!(kept_sessions.contains(&one.id), "the lineage of session {number} was removed");
                assert!(!one.state.is_live() || world.outside.files.lock().unwrap().contains(&one.id));
                session = one.origin.parent().map(|parent| &sessions[parent]);
            }
        }
        // Work that did not land keeps its branch.
        assert!(world.outside.branches.lock().unwrap().contains(&format!("devfleet/{}", session_id(number))));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]
    #[test]
    fn nothing_goes_that_something_live_or_young_needs(fleet in drawn()) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
        runtime.block_on(keeps_what_is_needed(fleet));
    }
}
