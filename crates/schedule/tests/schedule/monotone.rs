//! More slots go to the first in the queue.

use std::collections::BTreeSet;

use fleet_schedule::{Inputs, decide};
use proptest::prelude::*;
use proptest::sample::Index;
use types::MissionId;

use crate::floors::{any_floor, of};

/// Frees a slot: an agent ends, or one of the limits is raised.
fn with_more_room(mut floor: Inputs, which: usize, pick: Index) -> Inputs {
    let slots = &mut floor.slots;
    let limit = match which {
        0 => {
            if !floor.busy.is_empty() {
                floor.busy.remove(pick.index(floor.busy.len()));
            }
            None
        }
        1 => Some(&mut slots.fleet),
        2 => Some(&mut slots.node),
        3 => slots.projects.values_mut().nth(pick.index(3)),
        // An agent kind with a limit of zero has no slot reserved; opening it is more than a slot.
        _ => slots.agents.values_mut().filter(|most| **most > 0).nth(pick.index(3)),
    };
    limit.into_iter().for_each(|limit| *limit += 1);
    floor
}

/// The first in the queue that starts with one set of inputs and waits with the other.
fn first_difference(one: &Inputs, other: &Inputs) -> Option<MissionId> {
    let starts = |floor| decide(floor).start.into_iter().collect::<BTreeSet<_>>();
    let differ = &starts(one) ^ &starts(other);
    differ.into_iter().min_by_key(|mission| one.fairness.turn(of(one, mission)))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    /// How many start is not promised: the first may take, with the slot that became free, two others that two
    /// behind it would have shared.
    #[test]
    fn a_slot_that_becomes_free_goes_to_the_first_in_line_who_can_use_it(
        floor in any_floor(),
        which in 0..5usize,
        pick in any::<Index>(),
    ) {
        let roomier = with_more_room(floor.clone(), which, pick);
        if let Some(first) = first_difference(&floor, &roomier) {
            prop_assert!(decide(&roomier).start.contains(&first));
        }
    }

    #[test]
    fn a_slot_of_the_whole_fleet_that_becomes_free_never_makes_fewer_missions_start(floor in any_floor()) {
        let mut roomier = floor.clone();
        roomier.slots.fleet += 1;
        roomier.slots.node += 1;
        prop_assert!(decide(&roomier).start.len() >= decide(&floor).start.len());
    }
}
