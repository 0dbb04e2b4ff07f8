//! Who keeps the line in order finds the same missions to start, without looking at all of it.

use std::cell::Cell;

use fleet_schedule::{Candidate, Inputs, Why, decide, starts};
use proptest::prelude::*;

use crate::floors::{any_floor, candidate, carried_out, mission, open_floor};

fn in_order(floor: &Inputs) -> Vec<&Candidate> {
    let mut line: Vec<&Candidate> = floor.ready.iter().collect();
    line.sort_by_key(|candidate| floor.fairness.turn(candidate));
    line
}

proptest! {
    #[test]
    fn the_same_missions_start_in_the_same_order(floor in any_floor()) {
        prop_assert_eq!(starts(in_order(&floor), &floor).start, decide(&floor).start);
    }

    #[test]
    fn a_slot_that_is_lent_starts_whom_it_is_lent_to_and_keeps_nobody_else_out(
        floor in any_floor(),
        lent in prop::collection::btree_set((0..30usize).prop_map(mission), 0..4),
    ) {
        let with = Inputs { lent: lent.clone(), ..floor.clone() };
        let (before, after) = (decide(&floor), decide(&with));
        prop_assert_eq!(&starts(in_order(&with), &with).start, &after.start);
        for mission in &before.start {
            prop_assert!(after.start.contains(mission), "{mission} starts no more");
        }
        for mission in lent.iter().filter(|mission| with.ready.iter().any(|ready| ready.mission == **mission)) {
            // Nothing but slots is lent.
            let only_slots = matches!(before.why(mission), Some(Why::Starting | Why::Full { .. } | Why::Kept { .. }));
            prop_assert_eq!(after.start.contains(mission), only_slots, "{}", mission);
        }
    }

    #[test]
    fn nobody_who_could_start_by_the_passing_of_time_is_overslept_unless_all_slots_are_taken(floor in any_floor()) {
        let (short, whole) = (starts(in_order(&floor), &floor), decide(&floor));
        if short.wake_at != whole.wake_at {
            prop_assert_eq!(short.wake_at, None);
            // However long one waits, none starts on what is left.
            let (mut later, _) = carried_out(floor);
            later.now = whole.wake_at.unwrap();
            prop_assert!(decide(&later).start.is_empty());
        }
    }
}

#[test]
fn a_long_line_is_looked_at_no_further_than_there_is_room() {
    let floor = open_floor(3, Vec::new());
    let line: Vec<Candidate> = (0..10_000).map(candidate).collect();
    let looked = Cell::new(0);
    let found = starts(line.iter().inspect(|_| looked.set(looked.get() + 1)), &floor);
    assert_eq!((found.start.len(), looked.get()), (3, 4));
}
