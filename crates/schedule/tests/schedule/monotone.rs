//! More room never means less work.

use fleet_schedule::{Floor, decide};
use proptest::prelude::*;
use proptest::sample::Index;

use crate::floors::any_floor;

/// Frees a slot: an agent ends, or one of the limits is raised.
fn with_more_room(mut floor: Floor, which: usize, pick: Index) -> Floor {
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
        _ => slots.agents.values_mut().nth(pick.index(3)),
    };
    limit.into_iter().for_each(|limit| *limit += 1);
    floor
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn a_slot_that_becomes_free_never_makes_fewer_missions_start(
        floor in any_floor(),
        which in 0..5usize,
        pick in any::<Index>(),
    ) {
        let before = decide(&floor).start.len();
        prop_assert!(decide(&with_more_room(floor, which, pick)).start.len() >= before);
    }
}
