use std::os::unix::process::ExitStatusExt as _;

use super::*;

const UP: &str = r#"{ do = "say", text = "up" }"#;

#[test]
fn a_polite_signal_ends_it_at_once_whatever_it_does() {
    let world = World::new();
    for deed in [
        r#"{ do = "hang" }"#,
        r#"{ do = "sleep", ms = 600000 }"#,
        r#"{ do = "listen" }"#,
        r#"{ do = "flood", lines = 9000000000, every_ms = 1 }"#,
    ] {
        for (signal, code) in [(Signal::TERM, 143), (Signal::INT, 130)] {
            let mut agent = world.play(&[UP, deed]);
            agent.until_it_says("up");
            agent.signal(signal);
            // Its input stays open: the signal alone ends it.
            assert_eq!(agent.child.wait().unwrap().code(), Some(code), "{deed}");
        }
    }
}

#[test]
fn a_polite_signal_ends_it_before_it_has_an_order() {
    let world = World::new();
    let mut agent = world.start_without_order();
    while !takes_signals(&agent) {
        std::thread::yield_now();
    }
    agent.signal(Signal::TERM);
    assert_eq!(agent.child.wait().unwrap().code(), Some(143));
}

/// Whether SIGTERM and SIGINT have handlers, by what the kernel says.
fn takes_signals(agent: &Agent) -> bool {
    let status = read(Path::new(&format!("/proc/{}/status", agent.child.id()))).unwrap();
    let caught = status.lines().find_map(|line| line.strip_prefix("SigCgt:")).unwrap();
    let caught = u64::from_str_radix(caught.trim(), 16).unwrap();
    [2, 15].iter().all(|signal| caught & 1 << (signal - 1) != 0)
}

#[test]
fn one_that_ignores_the_polite_signal_lives_on() {
    let world = World::new();
    let ignore = r#"{ do = "ignore_term" }"#;
    let mut agent = world.play(&[ignore, UP, r#"{ do = "repeat", times = 2, step = [{ do = "listen" }] }"#]);
    agent.until_it_says("up");
    agent.signal(Signal::TERM);
    agent.message("still there?");
    agent.until_it_says("heard: text of still there?");
    agent.signal(Signal::TERM);
    agent.signal(Signal::INT);
    assert_eq!(agent.child.wait().unwrap().code(), Some(130));
}

#[test]
fn a_crash_is_a_death_by_a_signal_in_the_middle_of_a_turn() {
    let world = World::new();
    let mut agent = world.play(&[UP, r#"{ do = "crash" }"#]);
    assert!(matches!(agent.rest().last(), Some(Event::Text { .. })));
    assert_eq!(agent.end().0.signal(), Some(Signal::KILL.as_raw()));
}

#[test]
fn every_other_way_to_end_returns_what_the_script_says() {
    let world = World::new();
    for (step, code) in [
        (r#"{ do = "finish", text = "well" }"#, 0),
        (r#"{ do = "fail", class = { name = "auth" }, text = "no key" }"#, 1),
        (r#"{ do = "vanish" }"#, 0),
        (r#"{ do = "vanish", code = 77 }"#, 77),
    ] {
        assert_eq!(world.play(&[step]).code(), Some(code), "{step}");
    }
}

#[test]
fn a_resumed_agent_plays_its_other_steps() {
    let world = World::new();
    let script = "```sim\nstep = [{ do = \"crash\" }]\nresume = [{ do = \"finish\", text = \"on\" }]\n```";
    assert_eq!(last_words(&world.start(script, true).rest()), ("on".to_owned(), true));
    assert!(last_words(&world.start("no script", true).rest()).1);
    assert_eq!(std::fs::read_dir(world.folder.path()).unwrap().count(), 0);
}

#[test]
fn what_is_no_order_is_refused_in_one_line() {
    let world = World::new();
    let broken = r#"{"prompt": "```sim\nstep = [\n```", "session": "s", "model": "sim"}"#;
    for (line, expected) in [
        ("what is this?", "first line of standard input is not an order"),
        (r#"{"prompt": "x"}"#, "missing field `session`"),
        (broken, "the script is malformed"),
    ] {
        let mut agent = world.start_without_order();
        agent.write(line);
        assert!(agent.rest().is_empty());
        let (status, errors) = agent.end();
        assert_eq!(status.code(), Some(2), "{line}");
        assert!(errors.starts_with("sim-agent: ") && errors.contains(expected), "{errors}");
        assert_eq!(errors.matches('\n').count(), 1, "{errors}");
    }
    let (status, errors) = world.start_without_order().end();
    assert_eq!(status.code(), Some(2));
    assert!(errors.contains("there is no order"), "{errors}");
}

#[test]
fn arguments_are_refused() {
    let world = World::new();
    let output =
        world.command(PROBE).args([fleet_scripted_agent::WORD, "--fast"]).stdin(Stdio::null()).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("takes no arguments"));
}
