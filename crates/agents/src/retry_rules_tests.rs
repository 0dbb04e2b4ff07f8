use proptest::prelude::*;

use super::*;

#[test]
fn every_failure_has_its_policy() {
    let at = Timestamp::from_second(1_794_790_000).unwrap();
    let account = Scope::Account;
    for (class, expected) in [
        (FailureClass::RateLimit, RetryRule::BackOff(RATE_LIMIT)),
        (FailureClass::Quota { resets_at: Some(at) }, RetryRule::Park { until: Some(at), scope: account }),
        (FailureClass::Quota { resets_at: None }, RetryRule::Park { until: None, scope: account }),
        (FailureClass::Overloaded, RetryRule::BackOff(OVERLOADED)),
        (FailureClass::Auth, RetryRule::Park { until: None, scope: account }),
        (FailureClass::ContextFull, RetryRule::StartAnew { times_max: 3 }),
        (FailureClass::NoSession, RetryRule::StartAnew { times_max: 1 }),
        (FailureClass::Crash, RetryRule::Resume { times_max: 2 }),
        (FailureClass::Stale, RetryRule::Resume { times_max: 2 }),
        (FailureClass::Timeout, RetryRule::GiveUp),
        (FailureClass::Budget, RetryRule::GiveUp),
        (FailureClass::MaxTurns, RetryRule::GiveUp),
        (FailureClass::Denied, RetryRule::GiveUp),
        (FailureClass::Interrupted, RetryRule::GiveUp),
        (FailureClass::Invalid, RetryRule::GiveUp),
    ] {
        assert_eq!(retry_rule(&class), expected, "{}", class.as_str());
    }
}

#[test]
fn waits_double_up_to_the_longest_and_then_there_is_none() {
    let back_off = BackOff { first_ms: 10, longest_ms: 50, times_max: 4 };
    let waits: Vec<_> = (0..6).map(|failures| back_off.delay_ms(failures, 0.0)).collect();
    assert_eq!(waits, [None, Some(10), Some(20), Some(40), Some(50), None]);
    assert_eq!(back_off.delay_ms(2, 1.0), Some(25));
}

#[test]
fn the_word_for_a_class_is_the_one_it_is_written_with() {
    for class in [FailureClass::ContextFull, FailureClass::NoSession, FailureClass::Quota { resets_at: None }] {
        assert_eq!(serde_json::to_value(&class).unwrap()["name"], class.as_str());
    }
}

proptest! {
    #[test]
    fn a_wait_never_passes_the_longest_by_more_than_a_quarter(
        first_ms: u64, longest_ms in 0..u64::MAX / 2, times_max: u32, failures: u32, chance: f64,
    ) {
        let back_off = BackOff { first_ms, longest_ms, times_max };
        if let Some(wait) = back_off.delay_ms(failures, chance) {
            // Large waits are rounded, because they are not counted in whole numbers any more.
            prop_assert!(wait as f64 <= longest_ms as f64 * 1.250_001);
        }
    }
}
