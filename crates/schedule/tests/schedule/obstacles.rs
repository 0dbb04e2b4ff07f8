//! What is in a mission's way keeps it from starting, and is what it is told.

use fleet_schedule::{Waiting, Why, decide};
use proptest::prelude::*;
use types::Timestamp;

use crate::floors::{any_floor, at, is_free, of};

proptest! {
    #[test]
    fn nothing_starts_that_has_something_in_its_way(floor in any_floor()) {
        for started in decide(&floor).start {
            prop_assert!(is_free(&floor, of(&floor, &started)));
        }
    }

    #[test]
    fn only_those_with_nothing_else_in_their_way_are_said_to_wait_for_a_slot(floor in any_floor()) {
        for Waiting { mission, why } in decide(&floor).wait {
            let for_slot = matches!(why, Why::Full { .. } | Why::Kept { .. });
            prop_assert_eq!(for_slot, is_free(&floor, of(&floor, &mission)), "{}", why);
        }
    }

    #[test]
    fn what_is_told_is_what_lasts_longest(mut floor in any_floor()) {
        for Waiting { mission, why } in decide(&floor).wait {
            if let Some(until) = end(&why) {
                // Nothing else is in its way once that is gone, and something is until then.
                floor.now = until.unwrap_or(Timestamp::MAX);
                prop_assert_eq!(is_free(&floor, of(&floor, &mission)), until.is_some(), "{}", why);
                floor.now = Timestamp::from_nanosecond(floor.now.as_nanosecond() - 1).unwrap();
                prop_assert!(!is_free(&floor, of(&floor, &mission)), "{}", why);
                floor.now = at(0);
            }
        }
    }
}

/// When what is in a mission's way goes away by itself, if ever; none for a slot.
fn end(why: &Why) -> Option<Option<Timestamp>> {
    match why {
        Why::BackOff { until } => Some(Some(*until)),
        Why::Account { parked } => Some(parked.until),
        Why::Budget { resets_at, .. } => Some(*resets_at),
        Why::ByHand | Why::Dependency { .. } => Some(None),
        Why::Full { .. } | Why::Kept { .. } => None,
        Why::Draft
        | Why::Starting
        | Why::Held { .. }
        | Why::Parked { .. }
        | Why::Asking { .. }
        | Why::Landing { .. }
        | Why::SentBack { .. }
        | Why::Done { .. }
        | Why::Failed { .. }
        | Why::Approval { .. }
        | Why::Waits { .. }
        | Why::Cancelled { .. } => panic!("no reason of a ready mission: {why}"),
    }
}
