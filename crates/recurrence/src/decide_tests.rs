use proptest::prelude::*;
use types::Overlap;

use super::*;

fn at(text: &str) -> Timestamp {
    text.parse().unwrap()
}

fn schedule(cron: &str, catch_up: CatchUp, fired_at: Option<Timestamp>) -> Schedule {
    Schedule { catch_up, fired_at, ..Schedule::new(cron.to_owned(), at("2026-01-01T00:00:00Z")) }
}

fn decided(schedule: &Schedule, now: Timestamp) -> Decision {
    decide(&Cron::of(schedule).unwrap(), schedule, schedule.since.unwrap(), now)
}

#[test]
fn a_schedule_is_not_due_for_times_before_it_was_put_in_force() {
    let fresh = schedule("0 9 * * *", CatchUp::All, None);
    let decision = decided(&fresh, at("2026-01-01T08:00:00Z"));
    assert_eq!(decision, Decision { run: vec![], handled: None, next: Some(at("2026-01-01T09:00:00Z")) });
}

#[test]
fn what_was_missed_while_no_server_ran_is_skipped_or_made_up_for_as_the_schedule_says() {
    let (last, now) = (Some(at("2026-01-02T09:00:00Z")), at("2026-01-05T12:00:00Z"));
    let latest = at("2026-01-05T09:00:00Z");
    let skip = decided(&schedule("0 9 * * *", CatchUp::Skip, last), now);
    assert_eq!(skip, Decision { run: vec![], handled: Some(latest), next: Some(at("2026-01-06T09:00:00Z")) });
    assert_eq!(decided(&schedule("0 9 * * *", CatchUp::Once, last), now).run, [latest]);
    let all = decided(&schedule("0 9 * * *", CatchUp::All, last), now).run;
    assert_eq!(all, [at("2026-01-03T09:00:00Z"), at("2026-01-04T09:00:00Z"), latest]);
}

#[test]
fn a_time_is_on_time_for_a_minute() {
    let last = Some(at("2026-01-02T09:00:00Z"));
    let daily = schedule("0 9 * * *", CatchUp::Skip, last);
    assert_eq!(decided(&daily, at("2026-01-03T09:01:00Z")).run, [at("2026-01-03T09:00:00Z")]);
    assert_eq!(decided(&daily, at("2026-01-03T09:01:01Z")).run, []);
}

#[test]
fn after_a_year_of_every_minute_only_the_newest_are_made_up_for() {
    let busy = schedule("* * * * *", CatchUp::All, Some(at("2026-01-01T00:00:00Z")));
    assert_eq!(decided(&busy, at("2027-01-01T00:00:30Z")).run.len(), CATCH_UP_MAX);
}

proptest! {
    /// However a server sleeps and wakes, no time is run twice or out of order, and one that is awake runs every time.
    #[test]
    fn each_time_is_run_at_most_once_and_on_time_ones_always(
        steps in proptest::collection::vec(1..4_000_i64, 1..40),
        catch_up in proptest::sample::select(vec![CatchUp::Skip, CatchUp::Once, CatchUp::All]),
        expression in proptest::sample::select(vec!["*/7 * * * *", "30 2 * * *", "0 */3 * * *"]),
    ) {
        let mut now = at("2026-03-28T20:00:00Z");
        let mut one = Schedule {
            since: Some(now),
            time_zone: Some("Europe/Berlin".to_owned()),
            overlap: Overlap::Allow,
            ..schedule(expression, catch_up, None)
        };
        let mut run = Vec::new();
        for step in steps {
            let before = now;
            now = now.checked_add(jiff::SignedDuration::from_secs(step)).unwrap();
            let decision = decided(&one, now);
            if step <= 60 {
                let due = Cron::of(&one).unwrap().last_until(now).filter(|due| *due > before);
                prop_assert!(due.is_none_or(|due| decision.run.contains(&due)));
            }
            one.fired_at = decision.handled.or(one.fired_at);
            prop_assert!(decision.next.is_some_and(|next| next > now));
            run.extend(decision.run);
        }
        prop_assert!(run.windows(2).all(|pair| pair[0] < pair[1]), "{:?}", run);
    }
}
