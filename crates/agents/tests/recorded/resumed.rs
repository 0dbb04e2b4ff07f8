//! A stream of frames that is interrupted anywhere, any number of times, equals the uninterrupted one.

use fleet_agents::shown::devfleet::Frame;
use fleet_agents::shown::place::{Place, Placed};
use fleet_agents::sim::Sim;
use fleet_agents::{Adapter, Ending, Event, Totals, TurnResult};
use proptest::prelude::*;

use crate::fixtures::{ALL, adapter, printed};

/// The frames of two processes that wrote this, for a reader that has seen everything up to a position.
fn shown(adapter: &dyn Adapter, runs: &[Vec<String>; 2], after: Place) -> Vec<(Place, Frame)> {
    let mut frames = Vec::new();
    for (run, lines) in (1..).zip(runs) {
        // The output of an earlier process is not read again.
        if run < after.run {
            continue;
        }
        let (mut reader, mut placed, mut end) = (adapter.reader(), Placed::new(run, after), 0);
        for line in lines {
            end += line.len() as u64 + 1;
            frames.extend(placed.line(&reader.feed(line.as_bytes()), end));
        }
    }
    frames
}

/// Reads in pieces of these lengths, each of which begins behind the last frame of the one before.
fn in_pieces(adapter: &dyn Adapter, runs: &[Vec<String>; 2], cuts: &[usize]) -> Vec<(Place, Frame)> {
    let mut seen: Vec<(Place, Frame)> = Vec::new();
    for cut in cuts.iter().copied().chain([usize::MAX]) {
        let after = seen.last().map(|(place, _)| *place).unwrap_or_default();
        // A client has only the text of a place.
        let after = after.to_string().parse().unwrap();
        seen.extend(shown(adapter, runs, after).into_iter().take(cut));
    }
    seen
}

/// Something that the scripted agent says: words, and turns that end with words that were said, or with others.
fn told() -> impl Strategy<Value = Event> {
    let word = prop::sample::select(vec!["one", "two", "one two", "three"]);
    prop_oneof![
        word.clone().prop_map(|text| Event::Text { text: text.to_owned(), within: None }),
        word.prop_map(|text| Event::Result(turn(text))),
    ]
}

fn turn(text: &str) -> TurnResult {
    TurnResult {
        ending: Ending::Completed,
        text: text.to_owned(),
        session: None,
        turns: None,
        duration_ms: None,
        totals: Some(Totals::default()),
        turn: None,
        denials: Vec::new(),
        structured: None,
    }
}

fn by_sim(events: &[Event]) -> Vec<String> {
    events.iter().map(|event| serde_json::to_string(event).unwrap()).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_recorded_stream_in_pieces_is_the_whole(
        first in prop::sample::select(ALL.to_vec()),
        second in prop::sample::select(ALL.to_vec()),
        cuts in prop::collection::vec(0_usize..6, 0..20),
    ) {
        let runs = [printed(first.1), printed(second.1)];
        let adapter = adapter(first.0);
        prop_assert_eq!(in_pieces(&*adapter, &runs, &cuts), shown(&*adapter, &runs, Place::default()));
    }

    #[test]
    fn a_scripted_stream_in_pieces_is_the_whole(
        first in prop::collection::vec(told(), 0..12),
        second in prop::collection::vec(told(), 0..12),
        cuts in prop::collection::vec(0_usize..4, 0..20),
    ) {
        let runs = [by_sim(&first), by_sim(&second)];
        let sim = Sim::default();
        prop_assert_eq!(in_pieces(&sim, &runs, &cuts), shown(&sim, &runs, Place::default()));
    }
}

#[test]
fn every_frame_of_the_recordings_has_a_place_of_its_own_and_they_ascend() {
    let mut within_a_line = 0;
    for (name, text) in ALL {
        let shown = shown(&*adapter(name), &[printed(text), Vec::new()], Place::default());
        assert!(shown.windows(2).all(|two| two[0].0 < two[1].0), "{name}");
        within_a_line += shown.iter().filter(|(place, _)| place.frames > 0).count();
    }
    assert!(within_a_line > 0, "no recording has a line of several frames");
}
