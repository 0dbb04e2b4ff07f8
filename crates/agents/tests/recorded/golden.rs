//! Every recording as events, line by line. `INSTA_UPDATE=always` writes what is read now.

use fleet_agents::{Event, Usage};

use crate::fixtures::{ALL, events};

#[test]
fn every_recording_is_read_as_it_was() {
    for (name, _) in ALL {
        let lines: Vec<_> = events(name).iter().map(|event| serde_json::to_string(event).unwrap()).collect();
        insta::assert_snapshot!(name, lines.join("\n"));
    }
}

#[test]
fn an_event_is_the_same_after_being_written() {
    for event in ALL.iter().flat_map(|(name, _)| events(name)) {
        let text = serde_json::to_string(&event).unwrap();
        assert_eq!(serde_json::from_str::<Event>(&text).unwrap(), event);
    }
}

#[test]
fn a_protocol_of_others_is_kept_line_by_line() {
    let raw = |event: &Event| matches!(event, Event::Raw { .. });
    assert!(events("claude-acp").iter().all(raw));
}

#[test]
fn the_context_is_told_with_every_call_and_after_every_compaction() {
    let told = |event: Event| if let Event::Usage(Usage { context, .. }) = event { context } else { None };
    let contexts: Vec<_> = events("claude-compact").into_iter().filter_map(told).collect();
    assert_eq!(contexts, [62_020, 94_020, 2_603, 100]);
}

#[test]
fn a_subagents_calls_do_not_fill_the_agents_context() {
    let usage = |event: Event| {
        if let Event::Usage(usage) = event { Some((usage.within.is_some(), usage.context)) } else { None }
    };
    let usages: Vec<_> = events("claude-subagent").into_iter().filter_map(usage).collect();
    assert_eq!(usages, [(false, Some(100)), (true, None), (true, None), (false, Some(100))]);
}

#[test]
fn the_window_is_known_from_the_first_result_on() {
    let window = |event: Event| if let Event::Usage(usage) = event { Some(usage.window) } else { None };
    let windows: Vec<_> = events("claude-stream-input").into_iter().filter_map(window).collect();
    assert_eq!(windows.first(), Some(&None));
    assert_eq!(windows.last(), Some(&Some(1_000_000)));
}
