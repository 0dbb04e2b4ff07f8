//! The bridge as a real process, with an agent on its other side.
#![expect(clippy::unwrap_used, clippy::panic, reason = "a test speaks by panicking")]

use std::io::{BufRead as _, BufReader, Lines, Read as _, Write as _};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::Duration;

use agents::bridge::Said;
use agents::{Ask, CallEnd, Conversation, Ending, Event, FailureClass, Loading, Opening, Say, Stage};
use policy::{AnswerKey, Call, Dialect, JOURNAL_FILE, Judged, OnAsk, PERMISSIONS_FILE, SessionPermissions, Verdict};
use rustix::process::{Pid, Signal, kill_process, test_kill_process};
use serde_json::json;
use tempfile::TempDir;

const PROBE: &str = env!("CARGO_BIN_EXE_bridge-probe");

/// The folder of a session.
struct World {
    folder: TempDir,
}

impl World {
    /// A world whose permissions have these tools; none allows everything.
    fn with(tools: Option<&[&str]>) -> Self {
        let world = Self { folder: tempfile::tempdir().unwrap() };
        let tools = tools.map(|tools| tools.iter().map(|tool| (*tool).to_owned()).collect());
        world.fence(SessionPermissions { tools, ..SessionPermissions::open(world.folder.path().into()) });
        world
    }

    fn fence(&self, fence: SessionPermissions) {
        fence.save(&self.folder.path().join(PERMISSIONS_FILE)).unwrap();
    }

    /// A world in which a person is asked about every command.
    fn asking() -> Self {
        let world = Self::with(None);
        let rule = json!({"id": "g-bbbbb", "team": "default", "name": "Ask me", "decision": "ask", "about": {"command": "*"},
            "enabled": true, "created_by": "ann", "created_at": "2026-01-01T00:00:00Z", "updated_at": "2026-01-01T00:00:00Z"});
        let rules = vec![serde_json::from_value(rule).unwrap()];
        world.fence(SessionPermissions {
            rules,
            on_ask: OnAsk::Wait,
            ..SessionPermissions::open(world.folder.path().into())
        });
        world
    }

    fn judged(&self) -> Vec<Judged> {
        Judged::read(&self.folder.path().join(JOURNAL_FILE), 0).unwrap().judged
    }

    #[expect(clippy::disallowed_methods, reason = "a test starts what it looks at")]
    fn start(&self, agent: &[&str]) -> Bridge {
        let mut command = Command::new(PROBE);
        command
            .env_clear()
            .arg(fleet_bridge::WORD)
            .args(["acp", "--private"])
            .arg(self.folder.path())
            .arg("--")
            .args(agent);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let lines = BufReader::new(child.stdout.take().unwrap()).lines();
        Bridge { input: child.stdin.take(), lines, child }
    }

    /// Starts a bridge to the stub with this behaviour, and sends it the prompt.
    fn talk(&self, manner: &str) -> Bridge {
        let mut bridge = self.start(&[PROBE, "stub", manner]);
        bridge.open(&opening());
        bridge
    }
}

fn opening() -> Opening {
    Opening { prompt: "go".to_owned(), prompt_id: Some("m-0".to_owned()), cwd: "/".into(), ..Opening::default() }
}

/// A bridge that runs; it ends with the test.
struct Bridge {
    child: Child,
    input: Option<ChildStdin>,
    lines: Lines<BufReader<ChildStdout>>,
}

impl Drop for Bridge {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Bridge {
    fn open(&mut self, opening: &Opening) {
        self.write(&serde_json::to_string(opening).unwrap());
    }

    fn write(&mut self, line: &str) {
        writeln!(self.input.as_mut().unwrap(), "{line}").unwrap();
    }

    fn say(&mut self, say: &Say) {
        self.write(&serde_json::to_string(say).unwrap());
    }

    fn next(&mut self) -> Option<Event> {
        self.lines.next().map(|line| serde_json::from_str(&line.unwrap()).unwrap())
    }

    /// Reads until an event is the one; returns those before it, and it.
    fn until(&mut self, is: impl Fn(&Event) -> bool) -> Vec<Event> {
        let mut events = Vec::new();
        while let Some(event) = self.next() {
            events.push(event);
            if events.last().is_some_and(&is) {
                return events;
            }
        }
        panic!("it never came: {events:?}");
    }

    fn until_result(&mut self) -> Vec<Event> {
        self.until(|event| matches!(event, Event::Result(_)))
    }

    fn signal(&self, signal: Signal) {
        kill_process(Pid::from_child(&self.child), signal).unwrap();
    }

    /// Says nothing more, and waits for the end: the code, and what was complained of.
    fn end(mut self) -> (Option<i32>, String) {
        drop(self.input.take());
        let mut errors = String::new();
        self.child.stderr.take().unwrap().read_to_string(&mut errors).unwrap();
        (self.child.wait().unwrap().code(), errors)
    }
}

fn texts(events: &[Event]) -> Vec<&str> {
    events
        .iter()
        .filter_map(|event| if let Event::Text { text, .. } = event { Some(text.trim()) } else { None })
        .collect()
}

fn ending(events: &[Event]) -> Ending {
    let Some(Event::Result(result)) = events.last() else { panic!("{events:?}") };
    result.ending.clone()
}

/// Waits until a process is gone, which takes no longer than its parent takes to collect it.
#[expect(clippy::disallowed_methods, reason = "what the kernel says of a process is no file of a user")]
fn is_gone(pid: &str) -> bool {
    let pid = Pid::from_raw(pid.parse().unwrap()).unwrap();
    (0..200).any(|_| {
        // tidy: sleep because no event reports the end of a process that is not a child of ours.
        std::thread::sleep(Duration::from_millis(10));
        let state = std::fs::read_to_string(format!("/proc/{}/stat", pid.as_raw_nonzero())).unwrap_or_default();
        test_kill_process(pid).is_err() || state.contains(") Z ")
    })
}

#[test]
fn a_call_that_the_fence_lets_through_runs_and_is_in_the_journal() {
    let world = World::with(Some(&["Bash(make *)"]));
    let mut bridge = world.talk("obliging");
    let events = bridge.until_result();
    assert_eq!((texts(&events), ending(&events)), (vec!["yes"], Ending::Completed));
    assert!(matches!(&events[0], Event::Started(started) if started.session.as_deref() == Some("s-1")));
    assert_eq!(events[1], Event::Acknowledged { id: "m-0".to_owned(), stage: Stage::Begun });
    let judged = world.judged();
    assert_eq!((judged[0].verdict.clone(), judged[0].call.what().as_str()), (Verdict::Allow, "make it"));
    let (code, errors) = bridge.end();
    assert_eq!(code, Some(0));
    assert!(errors.contains("the stub complains"), "{errors}");
}

#[test]
fn a_call_that_the_fence_does_not_let_through_is_refused_and_told() {
    let world = World::with(Some(&["Read"]));
    let mut bridge = world.talk("obliging");
    let events = bridge.until_result();
    assert_eq!(texts(&events), ["no"]);
    assert!(events.iter().any(|event| matches!(event, Event::ToolResult { end: CallEnd::Denied, .. })), "{events:?}");
    assert!(matches!(world.judged()[0].verdict, Verdict::Block { .. }));
}

#[test]
fn without_a_fence_nothing_is_allowed() {
    let world = World { folder: tempfile::tempdir().unwrap() };
    let events = world.talk("obliging").until_result();
    assert_eq!(texts(&events), ["no"]);
}

#[test]
fn a_person_is_asked_where_the_fence_says_so_and_the_agent_waits_for_the_answer() {
    for (allow, chosen) in [(true, "yes"), (false, "no")] {
        let world = World::asking();
        let mut bridge = world.talk("obliging");
        let asked = bridge.until(|event| matches!(event, Event::Asking { .. }));
        let Some(Event::Asking { request, ask: Ask::Permission { tool, input, .. } }) = asked.last().cloned() else {
            panic!()
        };
        assert_eq!((tool.as_str(), &input), ("Bash", &json!({"command": "make it"})));
        bridge.say(&if allow { Say::Allow { request, input } } else { Say::Deny { request, why: "no".to_owned() } });
        assert_eq!(texts(&bridge.until_result()), [chosen]);
    }
}

/// What is asked, and whether there is a yes to it: the option that the agent is told, if it is told one in time.
fn asked(bridge: &mut Bridge) -> (String, serde_json::Value) {
    let asked = bridge.until(|event| matches!(event, Event::Asking { .. }));
    match asked.last().cloned() {
        Some(Event::Asking { request, ask: Ask::Permission { input, .. } }) => (request, input),
        other => panic!("{other:?}"),
    }
}

fn call(command: &str) -> Call {
    Call::of(Dialect::Claude, "Bash", &json!({"command": command}))
}

const KEY: &str = "the key of the server";

#[test]
fn a_yes_counts_only_with_a_proof_by_the_server_for_this_very_call() {
    let world = World::asking();
    let (own, other) = (AnswerKey::of(KEY).unwrap(), AnswerKey::of("a key of an agent").unwrap());
    let mut bridge = world.start(&[PROBE, "stub", "obliging"]);
    bridge.open(&Opening { answer_key: Some(KEY.to_owned()), ..opening() });
    let (request, input) = asked(&mut bridge);
    let allow = || Say::Allow { request: request.clone(), input: input.clone() };
    let proofs = [
        None,
        Some(String::new()),
        Some(other.prove(&request, &call("make it"))),
        Some(own.prove("ask-2", &call("make it"))),
        Some(own.prove(&request, &call("make it harmless"))),
    ];
    for proof in proofs {
        bridge.write(&serde_json::to_string(&Said { say: allow(), proof }).unwrap());
        assert!(matches!(bridge.next(), Some(Event::Raw { line }) if line.contains("dropped")));
    }
    let proof = Some(own.prove(&request, &call("make it")));
    bridge.write(&serde_json::to_string(&Said { say: allow(), proof }).unwrap());
    assert_eq!(texts(&bridge.until_result()), ["yes"]);
}

#[test]
fn a_server_that_gives_no_key_is_believed_as_before_keys() {
    let world = World::asking();
    let mut bridge = world.talk("obliging");
    let (request, input) = asked(&mut bridge);
    bridge.say(&Say::Allow { request, input });
    assert_eq!(texts(&bridge.until_result()), ["yes"]);
}

#[test]
fn an_agent_cannot_answer_itself_through_the_input_of_its_bridge() {
    for key in [None, Some(KEY.to_owned())] {
        let world = World::asking();
        let journal = world.folder.path().join(JOURNAL_FILE);
        let mut bridge = world.start(&[PROBE, "stub", "forging", journal.to_str().unwrap()]);
        bridge.open(&Opening { answer_key: key.clone(), ..opening() });
        let (request, _) = asked(&mut bridge);
        let tried = bridge.until(|event| matches!(event, Event::Text { .. }));
        // A bridge is closed to all but the administrator of the machine, who reaches the pipe. Without a key the answer
        // is believed then, so the attack is a real one; with a key it is dropped.
        match (texts(&tried)[0], key) {
            ("kept out", _) => {
                bridge.say(&Say::Deny { request, why: "no".to_owned() });
                assert_eq!(texts(&bridge.until_result()), ["no"]);
            }
            (_, None) => assert_eq!(texts(&bridge.until_result()), ["yes"]),
            (_, Some(_)) => {
                let dropped = |event: &Event| matches!(event, Event::Raw { line } if line.contains("dropped"));
                if !tried.iter().any(dropped) {
                    bridge.until(dropped);
                }
                bridge.say(&Say::Deny { request, why: "no".to_owned() });
                assert_eq!(texts(&bridge.until_result()), ["no"]);
            }
        }
    }
}

#[test]
fn what_a_later_server_says_is_passed_over_or_understood_without_what_is_new() {
    let world = World::asking();
    let mut bridge = world.start(&[PROBE, "stub", "obliging"]);
    let mut later = serde_json::to_value(opening()).unwrap();
    later["temper"] = json!("mild");
    bridge.write(&later.to_string());
    let (request, _) = asked(&mut bridge);
    bridge.write(&json!({"say": "ponder", "request": request}).to_string());
    bridge.write(&json!({"say": "deny", "request": request, "why": "no", "politely": true}).to_string());
    assert_eq!(texts(&bridge.until_result()), ["no"]);
}

#[test]
fn what_nobody_can_answer_any_more_is_refused() {
    let world = World::asking();
    let mut bridge = world.talk("obliging");
    bridge.until(|event| matches!(event, Event::Asking { .. }));
    drop(bridge.input.take());
    assert_eq!(texts(&bridge.until_result()), ["no"]);
    assert_eq!(bridge.end().0, Some(0));
}

#[test]
fn what_was_said_is_worked_off_before_the_agent_goes() {
    let mut bridge = World::with(None).talk("obliging");
    bridge.say(&Say::Message { id: "m-1".to_owned(), text: "more".to_owned() });
    drop(bridge.input.take());
    bridge.until_result();
    let events = bridge.until_result();
    assert!(events.contains(&Event::Acknowledged { id: "m-1".to_owned(), stage: Stage::Finished }), "{events:?}");
    assert_eq!(bridge.end().0, Some(0));
}

#[test]
fn an_interrupt_ends_the_turn_and_not_the_agent() {
    let mut bridge = World::with(None).talk("slow");
    bridge.until(|event| matches!(event, Event::Text { .. }));
    bridge.say(&Say::Interrupt { id: "i".to_owned() });
    assert_eq!(ending(&bridge.until_result()), Ending::Failed { class: FailureClass::Interrupted });
    bridge.say(&Say::Message { id: "m-1".to_owned(), text: "more".to_owned() });
    bridge.until(|event| matches!(event, Event::Text { .. }));
}

#[test]
fn a_signal_stops_the_turn_and_the_bridge_says_so() {
    for (signal, code) in [(Signal::TERM, 143), (Signal::INT, 130)] {
        let mut bridge = World::with(None).talk("slow");
        bridge.until(|event| matches!(event, Event::Text { .. }));
        bridge.signal(signal);
        assert_eq!(ending(&bridge.until_result()), Ending::Failed { class: FailureClass::Interrupted });
        assert_eq!(bridge.end().0, Some(code));
    }
}

#[test]
fn an_agent_that_does_not_go_is_made_to_and_its_work_counts_all_the_same() {
    let mut bridge = World::with(None).talk("deaf");
    assert_eq!(ending(&bridge.until_result()), Ending::Completed);
    assert_eq!(bridge.end().0, Some(0));
}

#[test]
fn what_the_agent_started_in_its_group_goes_with_it() {
    let mut bridge = World::with(None).talk("parent");
    let events = bridge.until_result();
    let pid = texts(&events)[0].to_owned();
    assert_eq!(bridge.end().0, Some(0));
    assert!(is_gone(&pid), "{pid} is left behind");
}

#[test]
fn the_bridge_ends_with_its_agent_and_with_its_code() {
    let mut bridge = World::with(None).talk("dying");
    while bridge.next().is_some() {}
    assert_eq!(bridge.end().0, Some(3));
}

#[test]
fn an_agent_that_cannot_be_started_is_told_of() {
    let world = World::with(None);
    let mut bridge = world.start(&["/no/such/agent"]);
    bridge.open(&opening());
    assert_eq!(ending(&bridge.until_result()), Ending::Failed { class: FailureClass::NotStarted });
    assert_eq!(bridge.end().0, Some(1));
}

#[test]
fn an_agent_that_never_answers_is_given_up() {
    let world = World::with(None);
    let mut bridge = world.start(&[PROBE, "stub", "mute"]);
    bridge.open(&Opening { ready_secs_max: 1, ..opening() });
    assert_eq!(ending(&bridge.until_result()), Ending::Failed { class: FailureClass::NotStarted });
    assert_eq!(bridge.end().0, Some(0));
}

#[test]
fn a_conversation_that_must_wait_says_so_and_can_be_called_off() {
    let world = World::with(None);
    let mut bridge = world.start(&[PROBE, "stub"]);
    let conversation = Conversation::Resume { session: "s-1".to_owned() };
    bridge.open(&Opening { conversation, loading: Loading::NextMinute, ..opening() });
    assert!(matches!(bridge.next(), Some(Event::Raw { line }) if line.contains("taken up in")));
    bridge.signal(Signal::TERM);
    assert_eq!(bridge.end().0, Some(143));
}

#[test]
fn a_bridge_that_is_called_in_a_wrong_way_says_how() {
    let world = World::with(None);
    let (code, errors) = world.start(&[]).end();
    assert_eq!(code, Some(2));
    assert!(errors.contains("acp|codex"), "{errors}");
    let (code, errors) = world.start(&[PROBE, "stub"]).end();
    assert_eq!(code, Some(2));
    assert!(errors.contains("not an opening"), "{errors}");
}
