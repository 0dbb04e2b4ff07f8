use proptest::prelude::*;

use super::*;

#[test]
fn dollars_of_a_stream_lose_the_noise_of_their_arithmetic() {
    assert_eq!(Cost::from(0.007_560_000_000_000_001), Cost::from(0.00756));
    assert_eq!(serde_json::to_string(&Cost::from(0.025_199_999_999_999_993)).unwrap(), "0.0252");
}

#[test]
fn what_is_no_amount_counts_as_none() {
    assert_eq!(Cost::from(f64::NAN), Cost::default());
    assert_eq!(Cost::from(-1.0), Cost::default());
    assert_eq!(Cost::from(f64::INFINITY).nanodollars, u64::MAX);
}

fn any_totals() -> impl Strategy<Value = Totals> {
    (any::<u32>(), any::<[u32; 5]>()).prop_map(|(nanodollars, [input, output, cache_read, cache_write, unpriced])| {
        Totals {
            cost: Cost { nanodollars: nanodollars.into() },
            tokens: Tokens {
                input: input.into(),
                output: output.into(),
                cache_read: cache_read.into(),
                cache_write: cache_write.into(),
            },
            unpriced: unpriced.into(),
        }
    })
}

proptest! {
    #[test]
    fn a_difference_is_what_was_added(a in any_totals(), b in any_totals()) {
        prop_assert_eq!(a.plus(b).since(a), Some(b));
    }

    #[test]
    fn money_survives_being_written(totals in any_totals()) {
        let text = serde_json::to_string(&totals).unwrap();
        prop_assert_eq!(serde_json::from_str::<Totals>(&text).unwrap(), totals);
    }
}

#[test]
fn a_cost_is_known_if_every_token_has_a_price() {
    let tokens = Tokens { input: 7, ..Tokens::default() };
    assert!(Spending::default().has_known_cost());
    let told = Totals { cost: Cost::from(0.5), tokens, unpriced: 0 };
    assert!(Spending { spent: told, unsettled: tokens, ..Spending::default() }.has_known_cost());
    assert!(!Spending { spent: Totals { unpriced: 7, ..told }, ..Spending::default() }.has_known_cost());
    let running = Spending { unsettled: tokens, ..Spending::default() };
    assert!(!running.has_known_cost());
    assert!(Spending { estimated: Cost::from(0.1), ..running }.has_known_cost());
}
