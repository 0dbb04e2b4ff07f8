use proptest::prelude::*;

use super::*;
use crate::sim::ScriptError;

fn stepper(script: &str) -> Stepper {
    Stepper::new(order(false), Script::parse(script).unwrap())
}

fn of_prompt(prompt: &str) -> Result<Script, ScriptError> {
    Script::of_order(&Order { prompt: prompt.to_owned(), ..order(false) })
}

fn order(resumed: bool) -> Order {
    Order { prompt: String::new(), session: "s".to_owned(), model: "sim".to_owned(), resumed, ..Order::default() }
}

fn message(text: &str) -> String {
    serde_json::to_string(&Say::Message { id: text.to_owned(), text: text.to_owned() }).unwrap()
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
        Effect::Flood { number, session } => format!("flood {number} of {session}"),
        Effect::Write { path, .. } => format!("write {path}"),
        Effect::Commit { message } => format!("commit {message}"),
        Effect::Sleep { ms } => format!("sleep {ms}"),
        Effect::Exit { code } => format!("exit {code}"),
        Effect::Listen
        | Effect::Terminal
        | Effect::Try { .. }
        | Effect::IgnoreTerm
        | Effect::ForkOff { .. }
        | Effect::Abort
        | Effect::Hang => format!("{effect:?}").to_lowercase(),
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
        tool_call, content, usage, sleep 5, flood 1 of s, sleep 1, flood 2 of s, sleep 1, \
        again, again, rate_limited, sleep 7, ignoreterm, \
        tool_call, forkoff { secs: 60 }, left behind, well, exit 0";
    assert_eq!(words(stepper(ALL)).join(", "), expected);
}

#[test]
fn the_result_tells_what_was_spent() {
    let printed = |effect| if let Effect::Print { line } = effect { Some(line) } else { None };
    let result = stepper(ALL).filter_map(printed).last().unwrap();
    let Event::Result(result) = serde_json::from_str(&result).unwrap() else { panic!("{result}") };
    let tokens = Tokens { input: 10, output: 2, ..Tokens::default() };
    assert_eq!(result.totals, Some(Totals { cost: 0.5.into(), tokens, unpriced: 0 }));
    assert_eq!((result.ending, result.session), (Ending::Completed, Some("s".to_owned())));
}

#[test]
fn whoever_is_asked_nothing_answers_every_message_in_a_turn_of_its_own() {
    let mut stepper = Stepper::new(order(false), of_prompt(" ").unwrap());
    assert_eq!(words(stepper.by_ref().take(2)), ["started", "listen"]);
    for text in ["one", "two"] {
        stepper.hear(&message(text));
        let heard = format!("heard: {text}");
        assert_eq!(words(stepper.by_ref().take(5)), ["acknowledged", &heard, "acknowledged", "answered", "listen"]);
    }
    stepper.unheard();
    assert_eq!(words(stepper), ["standard input is closed", "exit 0"]);
}

#[test]
fn a_prompt_without_a_script_gets_honest_work() {
    let script = of_prompt("Write a Poem\nabout rust, please!").unwrap();
    let words = words(Stepper::new(order(false), script)).join(", ");
    assert!(words.contains("write write-a-poem-about-rust.md"), "{words}");
    assert!(words.contains("commit add write-a-poem-about-rust.md"), "{words}");
    assert!(of_prompt("!?").is_ok());
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
fn numbers_of_flood_lines_go_on_from_flood_to_flood() {
    let flood = "{ do = \"repeat\", times = 2, step = [{ do = \"flood\", lines = 2 }] }";
    let number = |effect| if let Effect::Flood { number, .. } = effect { Some(number) } else { None };
    let numbers: Vec<_> = stepper(&format!("step = [{flood}, {flood}]")).filter_map(number).collect();
    assert_eq!(numbers, (1..=8).collect::<Vec<_>>());
}

#[test]
fn whoever_speaks_before_a_broken_sleep_goes_on_is_answered_first() {
    let mut stepper = stepper("step = [{ do = \"sleep\", ms = 9 }]");
    let message = |id: &str| serde_json::to_string(&Say::Message { id: id.to_owned(), text: id.to_owned() }).unwrap();
    assert_eq!(words(stepper.by_ref().take(2)), ["started", "sleep 9"]);
    stepper.hear(&message("a"));
    stepper.woken(4);
    assert_eq!(words(stepper.by_ref().take(2)), ["acknowledged", "heard: a"]);
    stepper.hear(&message("b"));
    let rest = ["acknowledged", "acknowledged", "heard: b", "acknowledged", "sleep 4", "done", "exit 0"];
    assert_eq!(words(stepper), rest);
}

#[test]
fn a_resumed_script_plays_its_other_steps() {
    let play = |script: &str| words(Stepper::new(order(true), Script::parse(script).unwrap())).join(", ");
    let step = "step = [{ do = \"say\", text = \"never\" }]";
    assert_eq!(play(step), "started, resumed, resumed and finished, exit 0");
    assert_eq!(play(&format!("{step}\nresume = [{{ do = \"say\", text = \"on\" }}]")), "started, on, done, exit 0");
    assert_eq!(play(&format!("{step}\nresume = []")), "started, done, exit 0");
}

#[test]
fn a_message_that_comes_early_is_answered_at_once_and_need_not_be_said_again() {
    let mut stepper = stepper("step = [{ do = \"sleep\", ms = 9 }, { do = \"listen\" }, { do = \"listen\" }]");
    assert_eq!(words(stepper.by_ref().take(2)), ["started", "sleep 9"]);
    stepper.hear(&message("a"));
    stepper.woken(4);
    let heard = ["acknowledged", "heard: a", "acknowledged", "sleep 4", "listen"];
    assert_eq!(words(stepper.by_ref().take(5)), heard);
    stepper.hear(&message("b"));
    assert_eq!(words(stepper), ["acknowledged", "heard: b", "acknowledged", "done", "exit 0"]);
}

#[test]
fn a_question_is_not_answered_by_what_was_said_before_it() {
    let mut stepper = stepper("step = [{ do = \"ask\", text = \"may I?\" }, { do = \"listen\" }]");
    stepper.hear(&message("a"));
    let asked = ["started", "acknowledged", "heard: a", "acknowledged", "asking", "listen"];
    assert_eq!(words(stepper.by_ref().take(6)), asked);
    stepper.hear(&message("yes"));
    assert_eq!(words(stepper), ["acknowledged", "heard: yes", "acknowledged", "done", "exit 0"]);
}

#[test]
fn an_answer_may_be_quicker_than_the_one_who_waits_for_it() {
    let mut stepper = stepper("step = [{ do = \"ask\", text = \"may I?\" }]");
    assert_eq!(words(stepper.by_ref().take(2)), ["started", "asking"]);
    stepper.hear(&serde_json::to_string(&Say::Deny { request: "ask-1".to_owned(), why: "no".to_owned() }).unwrap());
    assert_eq!(words(stepper), ["denied: no", "done", "exit 0"]);
}

#[test]
fn an_interrupt_breaks_off_waiting_and_no_deed() {
    let mut stepper = stepper("step = [{ do = \"write\", path = \"a\", text = \"\" }, { do = \"sleep\", ms = 9 }]");
    assert_eq!(words(stepper.by_ref().take(2)), ["started", "tool_call"]);
    stepper.hear(&serde_json::to_string(&Say::Interrupt { id: "i".to_owned() }).unwrap());
    stepper.woken(9);
    stepper.hear(&message("too late"));
    assert_eq!(words(stepper), ["write a", "written", "acknowledged", "interrupted", "exit 0"]);
}

#[test]
fn a_deed_that_failed_is_told_and_ends_the_script() {
    let mut stepper = stepper(ALL);
    let deed = stepper.by_ref().find(|effect| matches!(effect, Effect::Commit { .. }));
    assert!(deed.is_some());
    stepper.went(Err("the hook says no".to_owned()));
    let told: Vec<_> = stepper.collect();
    let [Effect::Print { line: answer }, Effect::Print { line: result }, Effect::Exit { code: 1 }] = &told[..] else {
        panic!("{told:?}")
    };
    let text = "the hook says no".to_owned();
    let failed = Event::ToolResult { id: "call-3".to_owned(), text, end: CallEnd::Failed, within: None };
    assert_eq!(serde_json::from_str::<Event>(answer).unwrap(), failed);
    let Event::Result(result) = serde_json::from_str(result).unwrap() else { panic!("{result}") };
    assert_eq!(result.ending, Ending::Failed { class: FailureClass::Invalid });
    assert_eq!(result.text, "the hook says no");
}

#[test]
fn who_waits_for_a_word_when_nobody_speaks_any_more_ends_well() {
    let mut stepper = stepper("step = [{ do = \"listen\" }, { do = \"say\", text = \"never\" }]");
    assert_eq!(words(stepper.by_ref().take(2)), ["started", "listen"]);
    stepper.unheard();
    assert_eq!(words(stepper), ["standard input is closed", "exit 0"]);
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
    fn messages_are_answered_in_order_whenever_they_come(at in proptest::collection::vec(0..12_usize, 0..6)) {
        let mut stepper = stepper(ALL);
        let (mut told, mut said) = (Vec::new(), 0);
        for turn in 0..12 {
            for _ in at.iter().filter(|at| **at == turn) {
                said += 1;
                stepper.hear(&message(&said.to_string()));
            }
            told.extend(stepper.next());
        }
        told.extend(stepper);
        let heard: Vec<_> = words(told.into_iter()).into_iter().filter(|word| word.starts_with("heard: ")).collect();
        prop_assert_eq!(heard, (1..=said).map(|number| format!("heard: {number}")).collect::<Vec<_>>());
    }

    #[test]
    fn any_script_is_read_or_refused(script in ".{0,80}") {
        let _: Result<Script, _> = of_prompt(&format!("```sim\n{script}\n```"));
    }
}
