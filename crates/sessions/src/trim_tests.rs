use proptest::prelude::*;

use super::*;

fn one(name: usize, (day, kilobytes, live): (i64, u64, bool)) -> Found {
    Found {
        session: name.to_string(),
        spools: Vec::new(),
        last: Timestamp::from_second(day * DAY_SECS).unwrap(),
        bytes: kilobytes * 1_000,
        removable: (kilobytes * 1_000).saturating_sub(80_000),
        live,
    }
}

fn all() -> impl Strategy<Value = Vec<Found>> {
    let found = prop::collection::vec((0_i64..100, 0_u64..500, any::<bool>()), 0..20);
    found.prop_map(|found| found.into_iter().enumerate().map(|(name, made)| one(name, made)).collect())
}

fn day(day: i64) -> Timestamp {
    Timestamp::from_second(day * DAY_SECS).unwrap()
}

proptest! {
    #[test]
    fn what_goes_is_over_and_has_something_to_lose(found in all(), days in 1_u32..100, most in 0_u64..5_000_000) {
        let rules = Rules { days: Some(days), bytes_max: Some(most) };
        prop_assert!(plan(&found, rules, day(100)).iter().all(|one| !one.live && one.removable > 0));
    }

    #[test]
    fn everything_that_is_too_old_goes_and_without_another_reason_nothing_else(found in all(), days in 1_u32..100) {
        let gone = plan(&found, Rules { days: Some(days), bytes_max: None }, day(100));
        for one in found.iter().filter(|one| !one.live && one.removable > 0) {
            prop_assert_eq!(gone.contains(&one), one.last <= day(100 - i64::from(days)));
        }
    }

    #[test]
    fn the_oldest_go_until_there_is_room_and_no_further(found in all(), most in 0_u64..5_000_000) {
        let gone = plan(&found, Rules { days: None, bytes_max: Some(most) }, day(100));
        let total = |without: &[&Found]| {
            let all: u64 = found.iter().map(|one| one.bytes).sum();
            all - without.iter().map(|one| one.removable).sum::<u64>()
        };
        if let Some((_, before)) = gone.split_last() {
            prop_assert!(total(before) > most, "one went for nothing");
        }
        let stays = found.iter().filter(|one| !one.live && one.removable > 0 && !gone.contains(one));
        let youngest = gone.iter().map(|one| one.last).max();
        for one in stays {
            prop_assert!(total(&gone) <= most && youngest.is_none_or(|youngest| one.last >= youngest));
        }
    }

    #[test]
    fn nothing_goes_that_nobody_asked_for(found in all()) {
        let rules = Rules { days: None, bytes_max: None };
        prop_assert!(plan(&found, rules, day(100)).is_empty());
    }
}
