use proptest::prelude::*;

use super::*;

fn stepper(script: &str) -> Stepper {
    let order = Order { prompt: String::new(), session: "s".to_owned(), model: "sim".to_owned() };
    Stepper::new(order, Script::parse(script).unwrap())
}

/// Effects in few words: the kind of an event, or what is to be done.
fn words(effects: impl Iterator<Item = Effect>) -> Vec<String> {
    effects.map(|effect| word(&effect)).collect()
}

fn word(effect: &Effect) -> String {
    match effect {
        Effect::Print { line } => match serde_json::from_str::<Value>(line) {
            Ok(event) => event["text"].as_str().or(event["kind"].as_str()).unwrap_or_default().to_owned(),
            Err(_) => line.clone(),
        },
        Effect::Write { path, .. } => format!("write {path}"),
        Effect::Commit { message } => format!("commit {message}"),
        Effect::Sleep { ms } => format!("sleep {ms}"),
        Effect::Exit { code } => format!("exit {code}"),
        Effect::Listen | Effect::IgnoreTerm | Effect::ForkOff { .. } | Effect::Abort | Effect::Hang => {
            format!("{effect:?}").to_lowercase()
        }
    }
}

const ALL: &str = r#"
step = [
    { do = "say", text = "hello" },
    { do = "print", line = "no event" },
    { do = "write", path = "src/a.rs", text = "a" },
    { do = "pretend", path = "b.rs" },
    { do = "commit", message = "add a" },
    { do = "call", tool = "Read", answer = "content" },
    { do = "spend", input = 10, output = 2, dollars = 0.5 },
    { do = "sleep", ms = 5 },
    { do = "flood", lines = 2, every_ms = 1 },
    { do = "repeat", times = 2, step = [{ do = "say", text = "again" }] },
    { do = "retry", attempt = 1, delay_ms = 7, class = { name = "rate_limit" } },
    { do = "ignore_term" },
    { do = "fork_off", secs = 60 },
    { do = "finish", text = "well" },
    { do = "say", text = "never" },
]
"#;

#[test]
fn every_step_is_played_in_order_and_none_after_the_end() {
    let expected = "started, hello, no event, \
        tool_call, write src/a.rs, written, tool_call, written, tool_call, commit add a, committed, \
        tool_call, content, usage, sleep 5, line, and 1 more, sleep 1, line, and 0 more, sleep 1, \
        again, again, rate_limited, sleep 7, ignoreterm, forkoff { secs: 60 }, well, exit 0";
    assert_eq!(words(stepper(ALL)).join(", "), expected);
}

#[test]
fn the_result_tells_what_was_spent() {
    let printed = |effect| if let Effect::Print { line } = effect { Some(line) } else { None };
    let result = stepper(ALL).filter_map(printed).last().unwrap();
    let Event::Result(result) = serde_json::from_str(&result).unwrap() else { panic!("{result}") };
    let tokens = Tokens { input: 10, output: 2, ..Tokens::default() };
    assert_eq!(result.totals, Some(Totals { cost: 0.5.into(), tokens }));
    assert_eq!((result.ending, result.session), (Ending::Completed, Some("s".to_owned())));
}

#[test]
fn a_prompt_without_a_script_gets_honest_work() {
    let script = Script::of_prompt("Write a Poem\nabout rust, please!").unwrap();
    let order = Order { prompt: String::new(), session: "s".to_owned(), model: "sim".to_owned() };
    let words = words(Stepper::new(order, script)).join(", ");
    assert!(words.contains("write write-a-poem-about-rust.md"), "{words}");
    assert!(words.contains("commit add write-a-poem-about-rust.md"), "{words}");
    assert!(Script::of_prompt("!?").is_ok());
}

#[test]
fn what_it_hears_is_answered_before_it_goes_on() {
    let mut stepper = stepper("step = [{ do = \"listen\" }, { do = \"ask\", text = \"may I?\" }]");
    assert_eq!(words(stepper.by_ref().take(2)), ["started", "listen"]);
    stepper.hear(&serde_json::to_string(&Say::Message { id: "u".to_owned(), text: "hi".to_owned() }).unwrap());
    let heard = ["acknowledged", "heard: hi", "acknowledged", "asking", "listen"];
    assert_eq!(words(stepper.by_ref().take(5)), heard);
    stepper.hear(&serde_json::to_string(&Say::Deny { request: "ask-1".to_owned(), why: "no".to_owned() }).unwrap());
    assert_eq!(words(stepper), ["denied: no", "done", "exit 0"]);
}

#[test]
fn an_interrupt_ends_the_script() {
    let mut stepper = stepper("step = [{ do = \"listen\" }, { do = \"say\", text = \"never\" }]");
    assert_eq!(words(stepper.by_ref().take(2)), ["started", "listen"]);
    stepper.hear(&serde_json::to_string(&Say::Interrupt { id: "i".to_owned() }).unwrap());
    assert_eq!(words(stepper), ["acknowledged", "interrupted", "exit 0"]);
}

#[test]
fn a_long_flood_and_a_long_loop_take_no_room() {
    let script =
        format!("step = [{{ do = \"repeat\", times = {0}, step = [{{ do = \"flood\", lines = {0} }}] }}]", i64::MAX);
    let mut stepper = stepper(&script);
    assert_eq!(stepper.by_ref().take(10_000).count(), 10_000);
    assert!(stepper.steps.len() < 5 && stepper.due.len() < 5);
}

proptest! {
    #[test]
    fn any_line_may_be_heard(line in ".{0,40}") {
        let mut stepper = stepper("step = [{ do = \"listen\" }]");
        stepper.hear(&line);
        prop_assert_eq!(words(stepper).pop(), Some("exit 0".to_owned()));
    }

    #[test]
    fn any_script_is_read_or_refused(script in ".{0,80}") {
        let _: Result<Script, _> = Script::of_prompt(&format!("```sim\n{script}\n```"));
    }
}
