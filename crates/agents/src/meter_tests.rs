use proptest::prelude::*;

use super::*;
use crate::{Ending, Price, TurnResult, Usage, breached};
use types::{Limits, Spent};

const PRICE: Price = Price { input: 3.0, output: 15.0, cache_read: Some(0.3), cache_write: Some(3.75) };

/// What an agent does.
#[derive(Debug, Clone, Copy)]
enum Deed {
    /// Calls its model.
    Call(Tokens),
    /// Reports its totals, which are so many thousandths of what the settings say.
    Tell(u64),
}

fn tokens() -> impl Strategy<Value = Tokens> {
    (0..90_000_u64, 1..9_000_u64, 0..90_000_u64, 0..9_000_u64)
        .prop_map(|(input, output, cache_read, cache_write)| Tokens { input, output, cache_read, cache_write })
}

fn deeds() -> impl Strategy<Value = Vec<Deed>> {
    let deed = prop_oneof![4 => tokens().prop_map(Deed::Call), 1 => (700..1_500_u64).prop_map(Deed::Tell)];
    prop::collection::vec(deed, 0..30)
}

fn call(tokens: Tokens) -> Event {
    let mut event = Event::Usage(Usage { tokens, ..Usage::default() });
    PRICE.fill_in(&mut event);
    event
}

fn telling(totals: Totals) -> Event {
    Event::Result(TurnResult {
        ending: Ending::Completed,
        text: String::new(),
        session: None,
        turns: None,
        duration_ms: None,
        totals: Some(totals),
        turn: None,
        denials: Vec::new(),
        structured: None,
    })
}

/// The agent's own count.
#[derive(Default)]
struct Agent {
    totals: Totals,
    since: Tokens,
}

impl Agent {
    fn does(&mut self, deed: Deed) -> Event {
        match deed {
            Deed::Call(tokens) => {
                self.since = self.since.plus(tokens);
                call(tokens)
            }
            Deed::Tell(thousandths) => {
                let cost = PRICE.of(self.since).nanodollars() * thousandths / 1_000;
                let added = Totals { cost: Cost::from_nanodollars(cost), tokens: self.since, unpriced: 0 };
                (self.totals, self.since) = (self.totals.plus(added), Tokens::default());
                telling(self.totals)
            }
        }
    }
}

fn in_all(meter: &Meter) -> Spent {
    meter.spending().in_all(0)
}

/// Rounding to whole billionths, once a call.
fn is_close(one: Cost, other: Cost) -> bool {
    one.nanodollars().abs_diff(other.nanodollars()) <= 30
}

proptest! {
    #[test]
    fn what_is_told_is_exact_and_calls_since_cost_what_the_settings_say(deeds in deeds()) {
        let (mut meter, mut agent) = (Meter::new(), Agent::default());
        for deed in deeds {
            meter.read(&agent.does(deed));
            prop_assert_eq!(meter.spent().cost, agent.totals.cost, "what was told is what was told");
            let expected = agent.totals.cost.plus(PRICE.of(agent.since));
            prop_assert!(is_close(in_all(&meter).cost, expected), "{:?} {expected:?}", in_all(&meter));
            prop_assert_eq!(in_all(&meter).tokens, agent.totals.tokens.plus(agent.since).sum());
        }
    }

    #[test]
    fn nothing_is_forgotten_when_a_process_dies_between_two_tellings(
        deeds in deeds(),
        counting in prop_oneof![Just(Counting::PerProcess), Just(Counting::AcrossResumes)],
    ) {
        let (mut meter, mut agent) = (Meter::new(), Agent::default());
        deeds.into_iter().for_each(|deed| meter.read(&agent.does(deed)));
        let before = in_all(&meter);
        meter.restarted(counting);
        prop_assert_eq!(in_all(&meter), before);
    }

    #[test]
    fn those_who_share_a_budget_pass_it_by_less_than_a_call_each(
        calls in prop::collection::vec((0..4_usize, tokens()), 1..80),
        most in 0.01..4.0_f64,
    ) {
        // No total is reported in all that time, as in one long turn.
        let mut meters = vec![(Meter::new(), false); 4];
        let mut last = [Cost::default(); 4];
        for (who, tokens) in calls {
            if meters[who].1 {
                continue;
            }
            meters[who].0.read(&call(tokens));
            last[who] = PRICE.of(tokens);
            let sum = meters.iter().fold(Spent::default(), |sum, (meter, _)| sum.plus(in_all(meter)));
            // Each of them looks when a call of its own is over, as `check_budget` of crate `sessions` does.
            meters[who].1 = sum.cost >= Cost::from(most);
        }
        let sum = meters.iter().fold(Spent::default(), |sum, (meter, _)| sum.plus(in_all(meter)));
        let over = last.iter().fold(Cost::from(most), |sum, cost| sum.plus(*cost));
        prop_assert!(sum.cost <= over, "{sum:?} of {most}");
    }
}

#[test]
fn a_ceiling_in_dollars_holds_before_the_turn_is_over() {
    let limits = Limits { dollars_max: Some(0.5), ..Limits::default() };
    let mut meter = Meter::new();
    let thirty_cents = Tokens { output: 20_000, ..Tokens::default() };
    meter.read(&call(thirty_cents));
    assert_eq!(breached(&limits, &meter, 0), None);
    meter.read(&call(thirty_cents));
    assert_eq!(breached(&limits, &meter, 0), Some(crate::Stop::Budget));
    // It was less than the settings say.
    meter.read(&telling(Totals { cost: 0.4.into(), tokens: thirty_cents.plus(thirty_cents), unpriced: 0 }));
    assert_eq!(breached(&limits, &meter, 0), None);
}

#[test]
fn a_ceiling_is_reached_to_the_billionth() {
    // What is left of five cents after four, in fractions, is a little more than a cent.
    let limits = Limits { dollars_max: Some(0.05 - 0.04), ..Limits::default() };
    let mut meter = Meter::new();
    meter.read(&telling(Totals { cost: 0.01.into(), ..Totals::default() }));
    assert_eq!(breached(&limits, &meter, 0), Some(crate::Stop::Budget));
}

#[test]
fn without_prices_money_is_known_when_it_is_told() {
    let mut meter = Meter::new();
    meter.read(&Event::Usage(Usage { tokens: Tokens { output: 9, ..Tokens::default() }, ..Usage::default() }));
    assert_eq!(in_all(&meter), Spent { tokens: 9, turns: 1, ..Spent::default() });
}
