use proptest::{prop_assert, prop_assert_eq, proptest};

use super::*;

fn seconds(text: &str) -> Option<u32> {
    Seconds::parse(text).ok().map(u32::from)
}

#[test]
fn seconds_may_have_a_fraction_which_counts_as_a_whole_one() {
    for (text, expected) in
        [("2", 2), ("2.0", 2), ("60.00", 60), ("0.5", 1), ("2.01", 3), ("0", 0), ("4294967295.0", u32::MAX)]
    {
        assert_eq!(seconds(text), Some(expected), "{text}");
    }
    for text in ["", ".", "2.", ".5", "-1", "+1", "1e3", "2.0.0", "nan", "inf", "2s", "4294967295.5", "4294967296"] {
        assert_eq!(seconds(text), None, "{text}");
    }
}

#[test]
fn parking_has_three_names() {
    for parking in [Parking::Account, Parking::Fleet, Parking::Off] {
        assert_eq!(Parking::parse(parking.as_str()), Ok(parking));
    }
    assert_eq!(Parking::parse("on"), Err("takes account, fleet or off".to_owned()));
}

#[test]
fn an_agents_name_is_short_and_plain() {
    for name in ["claude", "a", "gpt-5_x", &"n".repeat(32)] {
        assert!(is_agent_name(name), "{name}");
    }
    for name in ["", "Claude", "my agent", "a.b", "a/b", "é", &"n".repeat(33)] {
        assert!(!is_agent_name(name), "{name}");
    }
}

#[test]
fn the_known_patterns_are_accepted_and_useless_ones_are_not() {
    for pattern in [git::Pattern::MISSIONS, git::Pattern::WORKERS, git::Pattern::STAGES] {
        assert_eq!(branch_pattern_fault(pattern), None, "{pattern}");
    }
    for pattern in ["", "x", "{task}", "{session}/{nope}", "-{session}", "../{session}", "a b/{short}", "{short}/"] {
        assert!(branch_pattern_fault(pattern).is_some(), "{pattern}");
    }
}

proptest! {
    #[test]
    fn a_pattern_that_is_accepted_makes_branches(
        pattern in r"([a-z._/-]|\{session\}|\{short\}|\{task\}|\{agent\}|\{x\}|HEAD|refs|\.lock){1,8}"
    ) {
        if branch_pattern_fault(&pattern).is_none() {
            prop_assert!(pattern.parse::<git::Pattern>().is_ok(), "{}", pattern);
        }
    }

    #[test]
    fn whole_seconds_are_read_as_they_are(number: u32) {
        prop_assert_eq!(seconds(&number.to_string()), Some(number));
        prop_assert_eq!(seconds(&format!("{number}.0")), Some(number));
    }

    #[test]
    fn no_text_makes_seconds_panic(text: String) {
        let _ = seconds(&text);
        let _ = branch_pattern_fault(&text);
    }
}
