use proptest::prelude::*;

use super::*;

fn times(text: &str, zone: &str, after: &str, count: usize) -> Vec<String> {
    let cron = Cron::parse(text, Some(zone)).unwrap();
    let mut time: Timestamp = after.parse().unwrap();
    let mut next = || {
        time = cron.next_after(time).unwrap();
        cron.at(time).strftime("%a %m-%d %H:%M %:z").to_string()
    };
    (0..count).map(|_| next()).collect()
}

#[test]
fn names_ranges_steps_lists_and_nicknames_are_understood_and_weekdays_are_those_of_cron() {
    let begin = "2026-01-01T00:00:00Z"; // a Thursday
    assert_eq!(
        times("0 9 * * 1-5", "UTC", begin, 3),
        ["Thu 01-01 09:00 +00:00", "Fri 01-02 09:00 +00:00", "Mon 01-05 09:00 +00:00"]
    );
    assert_eq!(times("0 9 * * MON", "UTC", begin, 1), ["Mon 01-05 09:00 +00:00"]);
    assert_eq!(times("0 9 * * 0", "UTC", begin, 1), times("0 9 * * 7", "UTC", begin, 1));
    assert_eq!(times("*/20 8,9 * jan *", "UTC", begin, 4)[2..], ["Thu 01-01 08:40 +00:00", "Thu 01-01 09:00 +00:00"]);
    assert_eq!(times("@daily", "UTC", begin, 1), ["Fri 01-02 00:00 +00:00"]);
    // Either day is enough, as in cron.
    assert_eq!(times("0 0 13 * fri", "UTC", begin, 2), ["Fri 01-02 00:00 +00:00", "Fri 01-09 00:00 +00:00"]);
}

#[test]
fn a_time_that_daylight_saving_skips_comes_at_once_and_one_that_it_repeats_comes_once() {
    // In Berlin 02:00 becomes 03:00 on March 29, and 03:00 becomes 02:00 on October 25.
    assert_eq!(
        times("30 2 * * *", "Europe/Berlin", "2026-03-28T00:00:00Z", 3),
        ["Sat 03-28 02:30 +01:00", "Sun 03-29 03:00 +02:00", "Mon 03-30 02:30 +02:00"]
    );
    assert_eq!(
        times("30 2 * * *", "Europe/Berlin", "2026-10-24T12:00:00Z", 2),
        ["Sun 10-25 02:30 +02:00", "Mon 10-26 02:30 +01:00"]
    );
    // What is due every hour follows the hours that there are.
    assert_eq!(times("0 * * * *", "Europe/Berlin", "2026-10-24T23:30:00Z", 3).len(), 3);
}

#[test]
fn what_is_no_schedule_is_refused_with_what_is_wrong() {
    let refused = |text: &str, zone| Cron::parse(text, zone).unwrap_err().to_string();
    assert!(refused("* * * *", None).contains("has 4 fields"));
    assert!(refused("0 0 0 * * *", None).contains("has 6 fields"));
    assert!(refused("61 * * * *", None).contains("`61 * * * *` is not a schedule: "));
    assert!(refused("* * * * banana", None).contains("is not a schedule"));
    assert!(refused("@sometimes", None).contains("is not a schedule"));
    assert_eq!(refused("0 0 30 2 *", None), "`0 0 30 2 *` is never due");
    assert!(refused("0 9 * * *", Some("Mars/Olympus")).contains("is not a time zone"));
}

proptest! {
    #[test]
    fn no_text_makes_it_panic_and_every_time_it_names_is_later(text in ".{0,40}", fields in "([0-9*/,-]{1,4} ){4}[0-7*]") {
        let start: Timestamp = "2026-03-28T12:34:56Z".parse().unwrap();
        for text in [text, fields] {
            if let Ok(cron) = Cron::parse(&text, Some("Europe/Berlin")) {
                let next = cron.next_after(start).unwrap();
                prop_assert!(next > start);
                prop_assert_eq!(cron.last_until(next), Some(next));
            }
        }
    }
}
