//! Floors for tests, and a plain reading of them that owes nothing to the code under test.

use std::collections::BTreeSet;

use fleet_schedule::{
    Budget, Busy, Candidate, Dependency, Fairness, Inputs, Parking, Place, Plan, Scope, Slots, Stands, decide,
};
use proptest::collection::{btree_map, vec};
use proptest::option;
use proptest::prelude::*;
use proptest::sample::select;
use types::{Cost, FailureClass, ID_ALPHABET, Limits, MissionId, ParkedAccount, ProjectId, Spent, Start, Timestamp};

/// The n-th second of the tests' time.
pub(crate) fn at(second: i64) -> Timestamp {
    Timestamp::from_second(1_750_000_000 + second).unwrap()
}

fn code(number: usize) -> String {
    let letter = |shift: usize| ID_ALPHABET.chars().nth((number >> shift) & 15).unwrap();
    (0..5).rev().map(|digit| letter(digit * 4)).collect()
}

pub(crate) fn mission(number: usize) -> MissionId {
    MissionId::from_code(&code(number)).unwrap()
}

pub(crate) fn project(number: usize) -> ProjectId {
    ProjectId::from_code(&code(number)).unwrap()
}

/// A mission that could start at once if there were slots.
pub(crate) fn candidate(number: usize) -> Candidate {
    Candidate {
        mission: mission(number),
        project: None,
        agent: "a0".to_owned(),
        account: "x0".to_owned(),
        priority: 0,
        since: at(0),
        start: Start::WhenReady,
        not_before: None,
        budget: None,
        dependencies: Vec::new(),
    }
}

/// Inputs in which only the fleet's slots limit anything.
pub(crate) fn open_floor(fleet: u32, ready: Vec<Candidate>) -> Inputs {
    Inputs {
        now: at(0),
        ready,
        busy: Vec::new(),
        slots: Slots { fleet, node: u32::MAX, ..Slots::default() },
        lent: BTreeSet::new(),
        parked: Vec::new(),
        parking: Parking::Account,
        budgets: Vec::new(),
        fairness: Fairness::default(),
    }
}

fn any_project() -> impl Strategy<Value = Option<ProjectId>> {
    option::of((0..3usize).prop_map(project))
}

fn any_agent() -> impl Strategy<Value = String> {
    select(vec!["a0", "a1", "a2"]).prop_map(str::to_owned)
}

fn any_account() -> impl Strategy<Value = String> {
    select(vec!["x0", "x1"]).prop_map(str::to_owned)
}

fn any_dependency() -> impl Strategy<Value = Dependency> {
    let others = [
        Stands::Landing,
        Stands::Open,
        Stands::NeedsPerson,
        Stands::Draft,
        Stands::Cancelled,
        Stands::Failed,
        Stands::Missing,
    ];
    let stands = prop_oneof![9 => Just(Stands::Done), 1 => select(others.to_vec())];
    (90..99usize, stands).prop_map(|(on, stands)| Dependency { on: mission(on), stands })
}

pub(crate) fn any_candidate() -> impl Strategy<Value = Candidate> {
    let priority = prop_oneof![4 => -3..4i32, 1 => any::<i32>()];
    let start = prop_oneof![9 => Just(Start::WhenReady), 1 => Just(Start::ByHand)];
    let not_before = prop_oneof![3 => Just(None), 1 => (-60..60i64).prop_map(|second| Some(at(second)))];
    let whose = (any_project(), any_agent(), any_account());
    (whose, priority, -9000..100i64, start, not_before, vec(any_dependency(), 0..3)).prop_map(
        |((project, agent, account), priority, since, start, not_before, dependencies)| Candidate {
            project,
            agent,
            account,
            priority,
            since: at(since),
            start,
            not_before,
            dependencies,
            ..candidate(0)
        },
    )
}

fn any_busy() -> impl Strategy<Value = Busy> {
    (any_project(), any_agent(), any::<bool>()).prop_map(|(project, agent, here)| Busy {
        project,
        agent,
        place: if here { Place::Here } else { Place::Elsewhere },
    })
}

fn any_slots() -> impl Strategy<Value = Slots> {
    let projects = btree_map((0..3usize).prop_map(project), 0..4u32, 0..4);
    let agents = btree_map(any_agent(), 0..4u32, 0..4);
    let each = (option::of(0..4u32), option::of(0..4u32));
    (0..12u32, 0..12u32, projects, agents, each).prop_map(
        |(fleet, node, projects, agents, (each_project, each_agent))| Slots {
            fleet,
            node,
            projects,
            each_project,
            agents,
            each_agent,
        },
    )
}

fn any_parked() -> impl Strategy<Value = ParkedAccount> {
    (any_account(), option::of(-60..60i64), -99..0i64).prop_map(|(account, until, since)| ParkedAccount {
        account,
        class: FailureClass::Quota { resets_at: until.map(at) },
        text: "used up".to_owned(),
        until: until.map(at),
        since: at(since),
    })
}

fn any_budget() -> impl Strategy<Value = Budget> {
    let scope = prop_oneof![
        1 => Just(Scope::Fleet),
        3 => (0..3usize).prop_map(|number| Scope::Project(project(number))),
        6 => (0..30usize).prop_map(|number| Scope::Mission(mission(number))),
    ];
    // Most have something left.
    let ceiling = || option::of(prop_oneof![1 => 0..9u32, 6 => 9..99u32]);
    let ceilings = (ceiling(), ceiling(), ceiling(), ceiling());
    let spent = (0..10u64, 0..10u64, 0..10u64, 0..10u32);
    (scope, ceilings, spent, option::of(-60..60i64)).prop_map(|(scope, most, spent, resets_at)| Budget {
        scope,
        ceiling: Limits {
            turns_max: most.0,
            dollars_max: most.1.map(f64::from),
            tokens_max: most.2.map(u64::from),
            secs_max: most.3.map(u64::from),
        },
        spent: Spent {
            turns: spent.0,
            cost: Cost::from(f64::from(spent.3)),
            tokens: spent.1,
            secs: spent.2,
            unpriced: 0,
        },
        resets_at: resets_at.map(at),
    })
}

/// Any inputs at all.
pub(crate) fn any_floor() -> impl Strategy<Value = Inputs> {
    let parking = select(vec![Parking::Account, Parking::Fleet, Parking::Off]);
    let parked = prop_oneof![2 => Just(Vec::new()), 1 => vec(any_parked(), 0..3)];
    let fairness = (1..600u32, 0..200u16, select(vec![0, 3600, u32::MAX]))
        .prop_map(|(step_secs, priority_max, patience_secs)| Fairness { step_secs, priority_max, patience_secs });
    let lists = (vec(any_candidate(), 0..30), vec(any_busy(), 0..8), parked, vec(any_budget(), 0..4));
    (lists, any_slots(), parking, fairness).prop_map(|((ready, busy, parked, budgets), slots, parking, fairness)| {
        let numbered = |(number, candidate)| Candidate { mission: mission(number), ..candidate };
        let ready = ready.into_iter().enumerate().map(numbered).collect();
        Inputs { now: at(0), ready, busy, slots, lent: BTreeSet::new(), parked, parking, budgets, fairness }
    })
}

/// The candidate with an id.
pub(crate) fn of<'a>(floor: &'a Inputs, mission: &MissionId) -> &'a Candidate {
    floor.ready.iter().find(|candidate| candidate.mission == *mission).unwrap()
}

/// Returns whether nothing but slots blocks a mission.
pub(crate) fn is_free(floor: &Inputs, candidate: &Candidate) -> bool {
    let past = |until: Option<Timestamp>| until.is_some_and(|until| until <= floor.now);
    let parked = floor.parked.iter().filter(|parked| !past(parked.until)).any(|parked| match floor.parking {
        Parking::Off => false,
        Parking::Fleet => true,
        Parking::Account => parked.account == candidate.account,
    });
    let mut over = floor.budgets.iter().filter(|budget| match &budget.scope {
        Scope::Fleet => true,
        Scope::Project(project) => candidate.project.as_ref() == Some(project),
        Scope::Mission(mission) => candidate.mission == *mission,
    });
    candidate.start == Start::WhenReady
        && candidate.not_before.is_none_or(|until| past(Some(until)))
        && candidate.dependencies.iter().all(|dependency| dependency.stands == Stands::Done)
        && !parked
        && !over.any(|budget| is_spent(budget, past(budget.resets_at)))
}

fn is_spent(budget: &Budget, begun_anew: bool) -> bool {
    let ceiling = &budget.ceiling;
    let spent = if begun_anew { Spent::default() } else { budget.spent };
    ceiling.dollars_max.is_some_and(|most| spent.cost.dollars() >= most)
        || ceiling.tokens_max.is_some_and(|most| spent.tokens >= most)
        || ceiling.turns_max.is_some_and(|most| spent.turns >= u64::from(most))
        || ceiling.secs_max.is_some_and(|most| spent.secs >= most)
}

/// The inputs after their plan was carried out.
pub(crate) fn carried_out(mut floor: Inputs) -> (Inputs, Plan) {
    let plan = decide(&floor);
    let (started, ready) = floor.ready.into_iter().partition(|candidate| plan.start.contains(&candidate.mission));
    floor.ready = ready;
    let started: Vec<Candidate> = started;
    floor.busy.extend(started.into_iter().map(busy));
    (floor, plan)
}

/// A mission at work here.
pub(crate) fn busy(candidate: Candidate) -> Busy {
    Busy { project: candidate.project, agent: candidate.agent, place: Place::Here }
}

/// Returns whether a mission starts where only budgets could block it.
pub(crate) fn decided_by(budgets: &[Budget], candidate: Candidate) -> bool {
    !decide(&Inputs { budgets: budgets.to_vec(), ..open_floor(1, vec![candidate]) }).start.is_empty()
}
