//! When to look again although nothing has happened.

use fleet_schedule::{Inputs, decide};
use proptest::prelude::*;
use types::{MissionId, Timestamp};

use crate::floors::{any_floor, at, carried_out, is_free};

fn free_ones(floor: &Inputs) -> Vec<MissionId> {
    floor.ready.iter().filter(|candidate| is_free(floor, candidate)).map(|free| free.mission.clone()).collect()
}

proptest! {
    #[test]
    fn nothing_could_start_before_the_time_to_wake(floor in any_floor(), moment in 0.0..1.0f64) {
        let (mut after, plan) = carried_out(floor);
        let end = plan.wake_at.unwrap_or(at(1_000_000));
        let span = end.as_second() - after.now.as_second();
        after.now = at((span as f64 * moment) as i64);
        prop_assert!(decide(&after).start.is_empty());
    }

    #[test]
    fn at_the_time_to_wake_somebody_more_could_start(floor in any_floor()) {
        let (mut after, plan) = carried_out(floor);
        let before = free_ones(&after);
        if let Some(wake_at) = plan.wake_at {
            prop_assert!(wake_at > after.now);
            after.now = wake_at;
            prop_assert!(free_ones(&after).len() > before.len());
        }
    }

    #[test]
    fn without_a_time_to_wake_nobody_more_could_ever_start(floor in any_floor()) {
        let (mut after, plan) = carried_out(floor);
        if plan.wake_at.is_none() {
            let before = free_ones(&after);
            after.now = Timestamp::MAX;
            prop_assert_eq!(free_ones(&after), before);
        }
    }
}
