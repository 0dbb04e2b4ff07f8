use agents::sim::FloodLine;

use super::*;

fn lines(events: &[Event]) -> Vec<FloodLine> {
    let line = |event: &Event| if let Event::Text { text, .. } = event { FloodLine::of_text(text) } else { None };
    events.iter().filter_map(line).collect()
}

#[test]
fn lines_are_numbered_without_gaps_and_name_their_session() {
    let world = World::new();
    let flood = r#"{ do = "flood", lines = 5000 }"#;
    let mut agent = world.play(&[flood, r#"{ do = "say", text = "halftime" }"#, flood]);
    let lines = lines(&agent.rest());
    let numbers: Vec<u64> = lines.iter().map(|line| line.number).collect();
    assert_eq!(numbers, (1..=10_000).collect::<Vec<_>>());
    assert!(lines.iter().all(|line| line.session == "s-1"));
}

#[test]
fn lines_carry_the_time_at_which_each_was_printed() {
    let world = World::new();
    let before = now_us();
    let mut agent = world.play(&[r#"{ do = "flood", lines = 6, every_ms = 10 }"#]);
    let lines = lines(&agent.rest());
    let times: Vec<u64> = [before].into_iter().chain(lines.iter().map(|line| line.at_us)).chain([now_us()]).collect();
    assert!(times.is_sorted(), "{times:?}");
    let spent = lines[5].at_us - lines[0].at_us;
    assert!(spent >= 5 * 10_000, "{spent} us for five pauses of 10 ms");
}

#[expect(clippy::disallowed_methods, reason = "the test compares with the time of the agent, which is the machine's")]
fn now_us() -> u64 {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    u64::try_from(since.unwrap().as_micros()).unwrap()
}
