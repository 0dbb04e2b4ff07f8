//! What recordings cost: differences of running totals, over turns, resumes and forks.

use fleet_agents::{Adapter, Counting, Event, Meter, Price, Stop, Tokens, Totals, breached, claude::Claude};
use types::Limits;

use crate::fixtures::{account, adapter, events};

fn totals(dollars: f64, input: u64, output: u64) -> Totals {
    Totals { cost: dollars.into(), tokens: Tokens { input, output, ..Tokens::default() }, unpriced: 0 }
}

#[test]
fn a_run_costs_what_it_told() {
    let cached = Tokens { input: 1_400, output: 90, cache_read: 800, cache_write: 0 };
    let expected = Totals { cost: 0.00756.into(), tokens: cached, unpriced: 0 };
    assert_eq!(account("claude-commit", Meter::new()).meter.spent(), expected);
    assert_eq!(account("claude-max-budget", Meter::new()).meter.spent(), totals(0.24, 40_000, 4_000));
    assert_eq!(account("claude-fail-401", Meter::new()).meter.spent(), Totals::default());
}

#[test]
fn a_subagents_calls_are_part_of_the_cost() {
    assert_eq!(account("claude-subagent", Meter::new()).meter.spent(), totals(0.0032, 400, 80));
}

#[test]
fn turns_of_a_live_session_are_counted_once_each() {
    let mut meter = Meter::new();
    let mut spent = Vec::new();
    for event in events("claude-stream-input") {
        meter.read(&event);
        if let Event::Result(_) = event {
            spent.push(meter.spent());
        }
    }
    let expected =
        [totals(0.022, 5_000, 100), totals(0.0236, 5_200, 140), totals(0.0244, 5_300, 160), totals(0.0252, 5_400, 180)];
    assert_eq!(spent, expected);
}

#[test]
fn a_resumed_conversation_goes_on_with_its_totals() {
    let mut meter = account("claude-defer", Meter::new()).meter;
    assert_eq!(meter.spent(), totals(0.0008, 100, 20));
    meter.restarted(Claude::default().capabilities().counting);
    let meter = account("claude-defer-resumed", meter).meter;
    assert_eq!(meter.spent(), totals(0.0016, 200, 40), "both processes together, each counted once");
    assert_eq!(meter.seen(), Some(totals(0.0016, 200, 40)));
}

#[test]
fn a_fork_costs_only_what_comes_on_top() {
    // The recorded conversation had been begun and resumed before it was forked.
    let resumed = Meter::going_on_from(Some(totals(0.0008, 100, 20)));
    let resumed = account("claude-resume", resumed).meter;
    assert_eq!(resumed.spent(), totals(0.0008, 100, 20));
    let forked = account("claude-fork", Meter::going_on_from(resumed.seen())).meter;
    assert_eq!(forked.spent(), totals(0.0008, 100, 20));
}

#[test]
fn without_the_totals_before_it_the_agents_own_word_for_a_turn_counts() {
    let forked = account("claude-fork", Meter::going_on_from(None)).meter;
    assert_eq!(forked.spent(), totals(0.0008, 100, 20));
}

#[test]
fn an_agent_that_counts_anew_in_each_process_is_added_up() {
    let mut meter = account("claude-commit", Meter::new()).meter;
    let once = meter.spent();
    meter.restarted(Counting::PerProcess);
    assert_eq!(account("claude-commit", meter).meter.spent(), once.plus(once));
}

#[test]
fn tokens_of_a_turn_that_was_killed_count_when_the_next_process_counts_anew() {
    let mut meter = account("claude-sigterm", Meter::new()).meter;
    let killed = Totals { tokens: meter.unsettled(), ..Totals::default() };
    let once = account("claude-commit", Meter::new()).meter.spent();
    meter.restarted(Counting::PerProcess);
    let meter = account("claude-commit", meter).meter;
    assert_eq!((meter.spent(), meter.unsettled()), (once.plus(killed), Tokens::default()));
}

#[test]
fn totals_that_fall_are_a_new_count() {
    let meter = account("claude-max-budget", Meter::new()).meter;
    let meter = account("claude-subagent", meter).meter;
    assert_eq!(meter.spent(), totals(0.2432, 40_400, 4_080));
}

#[test]
fn tokens_of_a_turn_that_was_killed_are_known_and_unpriced() {
    let meter = account("claude-sigterm", Meter::new()).meter;
    assert_eq!(meter.spent(), Totals::default());
    assert_eq!(meter.unsettled(), Tokens { input: 100, output: 1, ..Tokens::default() });
    let meter = account("claude-commit", Meter::new()).meter;
    assert_eq!(meter.unsettled(), Tokens::default());
}

/// After which events a recording would have been stopped, and why.
fn stopped(name: &str, limits: Limits) -> Option<(usize, Stop)> {
    let mut meter = Meter::new();
    events(name).iter().enumerate().find_map(|(at, event)| {
        meter.read(event);
        Some((at, breached(&limits, &meter, 0)?))
    })
}

#[test]
fn a_ceiling_stops_a_run_with_the_first_call_above_it() {
    let none = Limits::default();
    let turns = |most| Limits { turns_max: Some(most), ..none };
    assert_eq!(stopped("claude-max-turns", turns(3)), None);
    assert_eq!(stopped("claude-max-turns", turns(2)), Some((7, Stop::MaxTurns)), "with the third call");
    assert_eq!(stopped("claude-subagent", turns(2)), None, "a subagent's calls are no turns of the agent");
    let tokens = |most| Limits { tokens_max: Some(most), ..none };
    assert_eq!(stopped("claude-max-turns", tokens(40_000)), Some((4, Stop::Budget)), "before the result tells them");
    assert_eq!(stopped("claude-commit", tokens(2_290)), Some((10, Stop::Budget)));
    assert_eq!(stopped("claude-commit", tokens(2_291)), None);
    let dollars = |most| Limits { dollars_max: Some(most), ..none };
    assert_eq!(stopped("claude-max-budget", dollars(0.2)).map(|(_, stop)| stop), Some(Stop::Budget));
    assert_eq!(stopped("claude-max-budget", dollars(0.25)), None);
}

#[test]
fn time_is_a_ceiling_too_and_money_is_named_first() {
    let time = Limits { secs_max: Some(60), ..Limits::default() };
    assert_eq!(breached(&time, &Meter::new(), 59), None);
    assert_eq!(breached(&time, &Meter::new(), 60), Some(Stop::Timeout));
    let both = Limits { dollars_max: Some(0.0), ..time };
    assert_eq!(breached(&both, &Meter::new(), 60), Some(Stop::Budget));
}

/// What an agent without cost reports has spent.
fn unpriced(input: u64, output: u64, cache_read: u64) -> Totals {
    let tokens = Tokens { input, output, cache_read, cache_write: 0 };
    Totals { tokens, unpriced: tokens.sum(), ..Totals::default() }
}

#[test]
fn tokens_of_agents_that_tell_no_cost_are_counted_and_never_taken_for_free() {
    for name in ["codex-commit", "codex-sandbox-worktree-commit", "gemini-commit"] {
        assert_eq!(account(name, Meter::new()).meter.spent(), unpriced(1_400, 90, 800), "{name}");
    }
    assert_eq!(account("opencode-commit", Meter::new()).meter.spent(), unpriced(1_400, 90, 800));
    assert_eq!(account("gemini-fail-429", Meter::new()).meter.spent(), Totals::default());
    assert_eq!(account("codex-fail-429", Meter::new()).meter.spent(), Totals::default());
}

#[test]
fn a_thread_of_codex_counts_on_over_resumes_and_forks_and_gemini_counts_anew() {
    let resumed = Meter::going_on_from(Some(unpriced(100, 20, 0)));
    let resumed = account("codex-resume", resumed).meter;
    assert_eq!(resumed.spent(), unpriced(100, 20, 0));
    let forked = account("codex-fork", Meter::going_on_from(resumed.seen())).meter;
    assert_eq!(forked.spent(), unpriced(100, 20, 0));
    let mut meter = account("gemini-resume", Meter::new()).meter;
    meter.restarted(adapter("gemini-resume").capabilities().counting);
    assert_eq!(account("gemini-resume", meter).meter.spent(), unpriced(200, 40, 0));
}

#[test]
fn a_price_in_the_settings_prices_what_has_none_and_nothing_else() {
    let price = Price { input: 1.0, output: 10.0, cache_read: Some(0.1), cache_write: None };
    let spent = |name: &str| {
        let mut meter = Meter::new();
        for mut event in events(name) {
            price.fill_in(&mut event);
            meter.read(&event);
        }
        meter.spent()
    };
    let dollars = (1_400.0 * 1.0 + 90.0 * 10.0 + 800.0 * 0.1) / 1e6;
    for name in ["codex-commit", "gemini-commit", "opencode-commit"] {
        assert_eq!((spent(name).cost, spent(name).unpriced), (dollars.into(), 0), "{name}");
    }
    assert_eq!(spent("claude-commit").cost, 0.00756.into(), "it told what it cost");
}

#[test]
fn steps_of_opencode_are_turns_that_fill_the_context() {
    let told = |event: &Event| if let Event::Usage(usage) = event { usage.context } else { None };
    let contexts: Vec<_> = events("opencode-commit").iter().filter_map(told).collect();
    assert_eq!(contexts, [2_000, 100, 100]);
    assert_eq!(account("opencode-commit", Meter::new()).meter.turns(), 3);
}
