//! One mission and one thing in its way at a time.

use std::collections::BTreeSet;

use types::{FailureClass, Handle, Limits, MissionState, ParkReason, ParkedAccount, Proof, Spent, Start};

use super::*;
use crate::{Budget, Dependency, Fairness, Parking, Scope, Slots, Stands};

fn at(second: i64) -> Timestamp {
    Timestamp::from_second(1_750_000_000 + second).unwrap()
}

fn id(code: &str) -> MissionId {
    MissionId::from_code(code).unwrap()
}

fn floor() -> Inputs {
    let candidate = Candidate {
        mission: id("aaaaa"),
        project: None,
        agent: "claude".to_owned(),
        account: "claude".to_owned(),
        priority: 0,
        since: at(0),
        start: Start::WhenReady,
        not_before: None,
        budget: None,
        dependencies: Vec::new(),
    };
    Inputs {
        now: at(0),
        ready: vec![candidate],
        busy: Vec::new(),
        slots: Slots { fleet: 1, node: 1, ..Slots::default() },
        lent: BTreeSet::new(),
        parked: Vec::new(),
        parking: Parking::default(),
        budgets: Vec::new(),
        fairness: Fairness::default(),
    }
}

fn with(change: impl FnOnce(&mut Candidate)) -> Plan {
    let mut floor = floor();
    change(&mut floor.ready[0]);
    decide(&floor)
}

#[test]
fn a_mission_with_nothing_in_its_way_starts() {
    let plan = decide(&floor());
    assert_eq!(plan, Plan { start: vec![id("aaaaa")], ..Plan::default() });
    assert_eq!(plan.why(&id("aaaaa")), Some(Why::Starting));
    assert_eq!(plan.why(&id("zzzzz")), None);
}

#[test]
fn a_mission_that_failed_starts_again_at_its_time_and_not_before() {
    let plan = with(|candidate| candidate.not_before = Some(at(5)));
    assert_eq!((plan.start.len(), plan.wake_at), (0, Some(at(5))));
    assert_eq!(plan.why(&id("aaaaa")), Some(Why::BackOff { until: at(5) }));
    assert_eq!(with(|candidate| candidate.not_before = Some(at(0))).start.len(), 1);
}

#[test]
fn of_several_dependencies_the_hardest_is_named() {
    let link = |code, stands| Dependency { on: id(code), stands };
    let plan = with(|candidate| {
        candidate.not_before = Some(at(5));
        candidate.dependencies = vec![
            link("bbbbb", Stands::Done),
            link("ccccc", Stands::Open),
            link("eeeee", Stands::Failed),
            link("ddddd", Stands::Failed),
        ];
    });
    let expected = Why::Dependency { dependency: link("ddddd", Stands::Failed), more: 2 };
    assert_eq!((plan.why(&id("aaaaa")), plan.wake_at), (Some(expected), None));
}

#[test]
fn only_a_dependency_that_is_done_lets_a_mission_start() {
    let by = Handle::owner();
    let done = MissionState::Done { at: at(0), proof: Proof::Stated { by: by.clone() } };
    let others = [
        Some(MissionState::Draft),
        Some(MissionState::Ready { since: at(0) }),
        Some(MissionState::Parked { why: ParkReason::Budget { text: String::new() }, until: None }),
        Some(MissionState::Cancelled { at: at(0), by }),
        None,
    ];
    let starts = |state: Option<&MissionState>| {
        let dependency = Dependency::new(id("bbbbb"), state);
        !with(|candidate| candidate.dependencies = vec![dependency]).start.is_empty()
    };
    assert!(starts(Some(&done)));
    assert!(others.iter().all(|state| !starts(state.as_ref())));
}

#[test]
fn an_hour_of_waiting_makes_up_for_six_points_of_priority() {
    let mut floor = floor();
    let older = Candidate { since: at(-3601), ..floor.ready[0].clone() };
    floor.ready = vec![older, Candidate { mission: id("bbbbb"), priority: 6, ..floor.ready[0].clone() }];
    assert_eq!(decide(&floor).start, [id("aaaaa")]);
    floor.ready[1].priority = 7;
    assert_eq!(decide(&floor).start, [id("bbbbb")]);
}

#[test]
fn a_ready_mission_is_explained_by_the_plan_and_any_other_by_its_state() {
    assert_eq!(crate::why(&MissionState::Ready { since: at(0) }), None);
    assert_eq!(crate::why(&MissionState::Draft), Some(Why::Draft));
}

#[test]
fn an_account_is_good_again_at_the_time_it_was_parked_until() {
    let class = FailureClass::Quota { resets_at: Some(at(5)) };
    let (account, text) = ("claude".to_owned(), "used up".to_owned());
    let mut floor = floor();
    floor.parked = vec![ParkedAccount { account, class, text, until: Some(at(5)), since: at(0) }];
    let plan = decide(&floor);
    assert_eq!((plan.start.len(), plan.wake_at), (0, Some(at(5))));
    floor.now = at(5);
    assert_eq!(decide(&floor).start.len(), 1);
}

#[test]
fn a_budget_of_nothing_is_not_opened_by_its_reset() {
    let ceiling = |dollars| Limits { dollars_max: Some(dollars), ..Limits::default() };
    let budget = |dollars| Budget {
        scope: Scope::Fleet,
        ceiling: ceiling(dollars),
        spent: Spent { cost: 1.0.into(), ..Spent::default() },
        resets_at: Some(at(5)),
    };
    let planned = |budget: Budget, now| decide(&Inputs { budgets: vec![budget], now, ..floor() });
    assert_eq!((planned(budget(1.0), at(0)).wake_at, planned(budget(0.0), at(0)).wake_at), (Some(at(5)), None));
    assert_eq!((planned(budget(1.0), at(5)).start.len(), planned(budget(0.0), at(5)).start.len()), (1, 0));
}

#[test]
fn in_a_full_fleet_only_those_start_that_somebody_lends_its_slot() {
    let mut floor = floor();
    floor.slots.fleet = 0;
    floor.ready.push(Candidate { mission: id("bbbbb"), ..floor.ready[0].clone() });
    assert!(decide(&floor).start.is_empty());
    floor.lent.insert(id("bbbbb"));
    let plan = decide(&floor);
    assert_eq!(plan.start, [id("bbbbb")]);
    assert!(matches!(plan.why(&id("aaaaa")), Some(Why::Full { ahead: 0, .. })), "{plan:?}");
}
