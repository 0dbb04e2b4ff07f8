use std::sync::mpsc;

use futures::FutureExt as _;
use futures::stream::{FuturesUnordered, StreamExt as _};
use proptest::prelude::{Just, Strategy as _};
use proptest::{prop_assert_eq, proptest};

use super::*;

const START: Timestamp = Timestamp::constant(1_800_000_000, 0);

fn seconds(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}

fn shuffled() -> impl proptest::strategy::Strategy<Value = Vec<u64>> {
    Just((1_u64..=20).collect::<Vec<_>>()).prop_shuffle()
}

proptest! {
    #[test]
    fn a_manual_clock_wakes_sleepers_in_the_order_of_their_deadlines(naps in shuffled(), step in 1_u64..=20) {
        let clock = Clock::manual(START);
        let (woken, order) = mpsc::channel();
        let mut sleepers: FuturesUnordered<_> = naps
            .into_iter()
            .map(|nap| clock.sleep(seconds(nap)).map({
                let woken = woken.clone();
                move |()| woken.send(nap).unwrap()
            }))
            .collect();

        // Polled once, so that all of them have gone to sleep.
        assert!(sleepers.next().now_or_never().is_none());
        for _ in 0..20_u64.div_ceil(step) {
            clock.advance(seconds(step));
            while sleepers.next().now_or_never().flatten().is_some() {}
        }
        prop_assert_eq!(order.try_iter().collect::<Vec<_>>(), (1..=20).collect::<Vec<_>>());
    }

    #[test]
    fn a_manual_clock_shows_exactly_what_it_was_advanced_by(steps in proptest::collection::vec(0_u32..100_000, 0..20)) {
        let clock = Clock::manual(START);
        let clone = clock.clone();
        let total: u32 = steps.iter().sum();
        for step in steps {
            clock.advance(Duration::from_millis(step.into()));
        }
        prop_assert_eq!(clone.monotonic(), Duration::from_millis(total.into()));
        prop_assert_eq!(clone.now(), START + Duration::from_millis(total.into()));
    }
}

#[test]
fn a_sleeper_wakes_at_its_deadline_and_not_before() {
    let clock = Clock::manual(START);
    let mut nap = Box::pin(clock.sleep_until(START + seconds(10)));
    assert!(nap.as_mut().now_or_never().is_none());
    clock.advance(Duration::from_millis(9_999));
    assert!(nap.as_mut().now_or_never().is_none());
    clock.advance(Duration::from_millis(1));
    assert!(nap.as_mut().now_or_never().is_some());
}

#[test]
fn what_is_past_is_not_waited_for() {
    let clock = Clock::manual(START);
    assert!(clock.sleep(Duration::ZERO).now_or_never().is_some());
    assert!(clock.sleep_until(START - seconds(1)).now_or_never().is_some());
    assert!(Clock::system().sleep_until(START - seconds(900_000_000)).now_or_never().is_some());
}

#[test]
fn a_dropped_sleeper_is_forgotten() {
    let clock = Clock::manual(START);
    let mut nap = Box::pin(clock.sleep(seconds(5)));
    assert!(nap.as_mut().now_or_never().is_none());
    assert_eq!(clock.sleepers(), 1);
    drop(nap);
    assert_eq!(clock.sleepers(), 0);
}

#[test]
fn a_timeout_ends_what_takes_too_long_and_only_that() {
    let clock = Clock::manual(START);
    assert_eq!(clock.timeout(seconds(1), async { 7 }).now_or_never(), Some(Ok(7)));
    let mut late = Box::pin(clock.timeout(seconds(1), std::future::pending::<()>()));
    assert!(late.as_mut().now_or_never().is_none());
    clock.advance(seconds(1));
    assert_eq!(late.as_mut().now_or_never(), Some(Err(Elapsed)));
}

#[test]
fn the_end_of_time_is_no_panic() {
    let clock = Clock::manual(START);
    clock.advance(Duration::MAX);
    clock.advance(Duration::MAX);
    assert_eq!(clock.now(), Timestamp::MAX);
}

#[test]
fn a_system_clock_goes_forward_and_cannot_be_moved() {
    let clock = Clock::system();
    clock.advance(seconds(1_000_000));
    let before = clock.monotonic();
    assert!(clock.now() > START - seconds(900_000_000) && before < seconds(1_000_000));
    assert!(clock.monotonic() >= before);
}
