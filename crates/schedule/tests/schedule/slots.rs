//! Slots: never more than there are, and none left free for nothing.

use fleet_schedule::{Busy, Candidate, Inputs, Place, Slot, Waiting, Why, decide};
use proptest::prelude::*;

use crate::floors::{any_floor, carried_out, is_free, of};

/// How many slots a candidate needs are taken, each with how many there are.
fn around(floor: &Inputs, candidate: &Candidate) -> [Option<(usize, u32)>; 4] {
    let taken = |is: &dyn Fn(&Busy) -> bool| floor.busy.iter().filter(|busy| is(busy)).count();
    let slots = &floor.slots;
    let project = candidate.project.as_ref();
    let project = project.and_then(|project| slots.projects.get(project).copied().or(slots.each_project));
    let agent = slots.agents.get(&candidate.agent).copied().or(slots.each_agent);
    [
        Some((floor.busy.len(), slots.fleet)),
        Some((taken(&|busy| busy.place == Place::Here), slots.node)),
        project.map(|most| (taken(&|busy| busy.project == candidate.project), most)),
        agent.map(|most| (taken(&|busy| busy.agent == candidate.agent), most)),
    ]
}

fn is_full((taken, most): (usize, u32)) -> bool {
    taken >= most as usize
}

proptest! {
    #[test]
    fn what_starts_never_takes_more_slots_than_there_are(floor in any_floor()) {
        let (after, plan) = carried_out(floor.clone());
        for started in plan.start {
            for (taken, most) in around(&after, of(&floor, &started)).into_iter().flatten() {
                prop_assert!(taken <= most as usize);
            }
        }
    }

    #[test]
    fn every_ready_mission_starts_or_waits_and_none_does_both(floor in any_floor()) {
        let plan = decide(&floor);
        let waiting = plan.wait.iter().map(|waiting| &waiting.mission);
        let mut named: Vec<_> = plan.start.iter().chain(waiting).cloned().collect();
        named.sort();
        // Numbered in this order.
        let ready: Vec<_> = floor.ready.iter().map(|candidate| candidate.mission.clone()).collect();
        prop_assert_eq!(named, ready);
    }

    #[test]
    fn a_mission_with_nothing_in_its_way_waits_only_if_a_slot_it_needs_is_taken_or_kept(floor in any_floor()) {
        let (after, plan) = carried_out(floor);
        for Waiting { mission, why } in &plan.wait {
            let waits = of(&after, mission);
            if !is_free(&after, waits) {
                continue;
            }
            if let Why::Kept { slot: Slot::Project(project), mission: other } = why {
                let other = of(&after, other);
                let project = Some(project.clone());
                prop_assert_eq!((&waits.project, &other.project), (&project, &project));
                let waited = after.now.as_second() - other.since.as_second();
                prop_assert!(waited >= i64::from(after.fairness.patience_secs));
                let [.., agents] = around(&after, other);
                prop_assert!(agents.is_some_and(|(taken, most)| most > 0 && taken >= most as usize));
            } else {
                prop_assert!(around(&after, waits).into_iter().flatten().any(is_full), "{}", why);
            }
        }
    }

    #[test]
    fn while_nobody_has_waited_for_too_long_no_slot_is_kept(mut floor in any_floor()) {
        floor.fairness.patience_secs = u32::MAX;
        let kept = |waiting: &Waiting| matches!(waiting.why, Why::Kept { .. });
        prop_assert!(!decide(&floor).wait.iter().any(kept));
    }

    #[test]
    fn a_full_slot_is_named_truly(floor in any_floor()) {
        let (after, plan) = carried_out(floor);
        for Waiting { mission, why } in &plan.wait {
            if let Why::Full { slot, most, .. } = why {
                let [fleet, node, project, agent] = around(&after, of(&after, mission));
                let named = match slot {
                    Slot::Fleet => fleet,
                    Slot::Node => node,
                    Slot::Project(_) => project,
                    Slot::Agent(_) => agent,
                };
                prop_assert!(named.is_some_and(|named| is_full(named) && named.1 == *most));
            }
        }
    }
}
