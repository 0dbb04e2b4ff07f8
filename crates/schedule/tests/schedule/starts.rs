//! Who keeps the line in order finds the same missions to start, without looking at all of it.

use std::cell::Cell;

use fleet_schedule::{Candidate, Floor, decide, starts};
use proptest::prelude::*;

use crate::floors::{any_floor, candidate, carried_out, open_floor};

fn in_order(floor: &Floor) -> Vec<&Candidate> {
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
    fn nobody_who_could_start_by_the_passing_of_time_is_overslept_unless_all_slots_are_taken(floor in any_floor()) {
        let (short, whole) = (starts(in_order(&floor), &floor), decide(&floor));
        if short.wake_at != whole.wake_at {
            prop_assert_eq!(short.wake_at, None);
            // However long one waits, nobody starts on what is left.
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
