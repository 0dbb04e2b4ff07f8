//! Who goes first.

use fleet_schedule::{Candidate, Inputs, Slot, Waiting, Why, decide};
use proptest::prelude::*;
use proptest::sample::Index;

use crate::floors::{any_floor, of};

/// Priority and what waiting adds to it, in thousandths of a second rather than points, so that nothing is rounded.
fn weight(floor: &Inputs, candidate: &Candidate) -> i64 {
    let most = i64::from(floor.fairness.priority_max);
    let priority = i64::from(candidate.priority).clamp(-most, most);
    let waited = floor.now.as_millisecond() - candidate.since.as_millisecond();
    priority * i64::from(floor.fairness.step_secs) * 1000 + waited
}

/// Returns whether one goes before another: the weightier, then the older, then the lesser id.
fn before(floor: &Inputs, one: &Candidate, other: &Candidate) -> bool {
    let key = |candidate: &Candidate| (-weight(floor, candidate), candidate.since, candidate.mission.clone());
    key(one) < key(other)
}

fn needs(candidate: &Candidate, slot: &Slot) -> bool {
    match slot {
        Slot::Fleet | Slot::Node => true,
        Slot::Project(project) => candidate.project.as_ref() == Some(project),
        Slot::Agent(agent) => candidate.agent == *agent,
    }
}

fn shuffle<T>(list: &mut [T], swaps: &[(Index, Index)]) {
    if !list.is_empty() {
        for (one, other) in swaps {
            list.swap(one.index(list.len()), other.index(list.len()));
        }
    }
}

proptest! {
    #[test]
    fn the_plan_does_not_depend_on_the_order_in_which_things_are_listed(
        floor in any_floor(),
        swaps in prop::collection::vec(any::<(Index, Index)>(), 40),
    ) {
        let mut mixed = floor.clone();
        shuffle(&mut mixed.ready, &swaps);
        shuffle(&mut mixed.busy, &swaps);
        shuffle(&mut mixed.parked, &swaps);
        shuffle(&mut mixed.budgets, &swaps);
        for candidate in &mut mixed.ready {
            shuffle(&mut candidate.dependencies, &swaps);
        }
        prop_assert_eq!(decide(&mixed), decide(&floor));
    }

    #[test]
    fn missions_start_in_the_order_of_priority_and_waiting(floor in any_floor()) {
        let plan = decide(&floor);
        for pair in plan.start.windows(2) {
            prop_assert!(before(&floor, of(&floor, &pair[0]), of(&floor, &pair[1])));
        }
    }

    #[test]
    fn a_slot_that_a_mission_waits_for_goes_to_nobody_behind_it(floor in any_floor()) {
        let plan = decide(&floor);
        for Waiting { mission, why } in &plan.wait {
            if let Why::Full { slot, .. } | Why::Kept { slot, .. } = why {
                let waits = of(&floor, mission);
                let mut rivals = plan.start.iter().map(|id| of(&floor, id)).filter(|other| needs(other, slot));
                prop_assert!(rivals.all(|rival| before(&floor, rival, waits)));
            }
        }
    }

    #[test]
    fn who_is_ahead_is_counted_among_those_who_wait_for_the_same_slot(floor in any_floor()) {
        let plan = decide(&floor);
        for Waiting { mission, why } in &plan.wait {
            if let Why::Full { slot, ahead, .. } = why {
                let waits = of(&floor, mission);
                let same = |why: &Why| matches!(why, Why::Full { slot: other, .. } | Why::Kept { slot: other, .. } if other == slot);
                let rivals = plan.wait.iter().filter(|other| same(&other.why));
                let first = rivals.filter(|other| before(&floor, of(&floor, &other.mission), waits)).count();
                prop_assert_eq!(*ahead as usize, first);
            }
        }
    }

    #[test]
    fn who_goes_before_whom_does_not_change_while_both_wait(mut floor in any_floor(), later in 0..9_000i64) {
        // One slot at a time shows the whole order.
        floor.fairness.patience_secs = u32::MAX;
        floor.parked.clear();
        floor.budgets.clear();
        for candidate in &mut floor.ready {
            candidate.not_before = None;
        }
        let now = decide(&floor);
        floor.now = crate::floors::at(later);
        prop_assert_eq!(decide(&floor), now);
    }
}
