//! Properties of any output at all, well-formed or hostile.

use fleet_agents::agy::Agy;
use fleet_agents::claude::Claude;
use fleet_agents::codex::Codex;
use fleet_agents::gemini::Gemini;
use fleet_agents::opencode::Opencode;
use fleet_agents::shown::{devfleet, fleet};
use fleet_agents::sim::Sim;
use fleet_agents::{Account, Adapter, Event, Exit, Meter, Outcome, judge};
use proptest::prelude::*;
use serde_json::Value;

use crate::fixtures::{ALL, printed};

fn adapters() -> [Box<dyn Adapter>; 6] {
    [
        Box::new(Agy::default()),
        Box::new(Claude::default()),
        Box::new(Codex::default()),
        Box::new(Gemini::default()),
        Box::new(Opencode::default()),
        Box::new(Sim::default()),
    ]
}

/// Feeds everything and lets every reader see the result; returns how many events each line became.
fn feed(adapter: &dyn Adapter, lines: &[Vec<u8>]) -> Vec<usize> {
    let mut reader = adapter.reader();
    let mut account = Account::new(Meter::new());
    let (mut frames, mut journal) = (devfleet::Frames::default(), fleet::Lines::default());
    let mut counts = Vec::new();
    for line in lines {
        let events = reader.feed(line);
        for event in &events {
            account.read(event);
            frames.of(event);
            journal.of(event, types::Timestamp::UNIX_EPOCH);
        }
        counts.push(events.len());
    }
    let _: Outcome = judge(&account, Exit::Code { code: 0 }, None);
    counts
}

fn says_something(line: &[u8]) -> bool {
    !String::from_utf8_lossy(line).trim().is_empty()
}

/// A recorded line with one of its values replaced by another kind of value.
fn bent_line() -> impl Strategy<Value = Vec<u8>> {
    let lines: Vec<String> = ALL.iter().flat_map(|(_, text)| printed(text)).collect();
    let other = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        ".{0,9}".prop_map(Value::from),
        Just(serde_json::json!([])),
        Just(serde_json::json!({})),
    ];
    (prop::sample::select(lines), any::<prop::sample::Index>(), other).prop_map(|(line, at, other)| {
        let mut value: Value = serde_json::from_str(&line).unwrap();
        let mut places = Vec::new();
        collect(&value, &mut String::new(), &mut places);
        *value.pointer_mut(&places[at.index(places.len())]).unwrap() = other;
        value.to_string().into_bytes()
    })
}

pub(crate) fn collect(value: &Value, path: &mut String, places: &mut Vec<String>) {
    places.push(path.clone());
    let names: Vec<String> = match value {
        Value::Object(fields) => fields.keys().map(|key| key.replace('~', "~0").replace('/', "~1")).collect(),
        Value::Array(values) => (0..values.len()).map(|at| at.to_string()).collect(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => Vec::new(),
    };
    for name in names {
        let length = path.len();
        path.push('/');
        path.push_str(&name);
        collect(value.pointer(&path[length..]).unwrap(), path, places);
        path.truncate(length);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_bytes_are_read_and_none_are_dropped(lines in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..60), 0..20)) {
        for adapter in adapters() {
            for (line, count) in lines.iter().zip(feed(&*adapter, &lines)) {
                prop_assert_eq!(count > 0, says_something(line));
            }
        }
    }

    #[test]
    fn recorded_lines_with_a_value_of_another_kind_are_read_and_none_are_dropped(lines in prop::collection::vec(bent_line(), 1..8)) {
        for adapter in adapters() {
            prop_assert!(feed(&*adapter, &lines).into_iter().all(|count| count > 0));
        }
    }

    #[test]
    fn a_reader_that_goes_on_from_anothers_state_reads_the_same(
        fixture in prop::sample::select(ALL.to_vec()),
        cut in any::<prop::sample::Index>(),
    ) {
        let lines = printed(fixture.1);
        let (before, after) = lines.split_at(cut.index(lines.len() + 1));
        for adapter in adapters() {
            let mut whole = adapter.reader();
            let expected: Vec<Event> = lines.iter().flat_map(|line| whole.feed(line.as_bytes())).collect();
            let mut first = adapter.reader();
            let mut events: Vec<Event> = before.iter().flat_map(|line| first.feed(line.as_bytes())).collect();
            let stored = first.state().to_string();
            let mut second = adapter.reader_at(&serde_json::from_str(&stored).unwrap());
            events.extend(after.iter().flat_map(|line| second.feed(line.as_bytes())));
            prop_assert_eq!(events, expected);
            prop_assert_eq!(second.state(), whole.state());
        }
    }
}

#[test]
fn a_state_that_nobody_understands_counts_as_none() {
    for state in [Value::Null, serde_json::json!({"counted": 7}), serde_json::json!([7])] {
        for adapter in adapters() {
            assert_eq!(adapter.reader_at(&state).state(), adapter.reader().state());
        }
    }
}
