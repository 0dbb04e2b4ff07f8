use serde_json::{Value, json};

use super::*;
use crate::dialect::Dialect;
use crate::heard::ParsedRequest;
use crate::request::Met;

fn request(words: &str) -> Request {
    let body = body(words);
    Request {
        met: Met::Nothing,
        number: 0,
        label: "ann".to_owned(),
        method: "POST".to_owned(),
        path: "/v1/messages".to_owned(),
        headers: [].into(),
        dialect: Dialect::Messages,
        heard: ParsedRequest::of(Dialect::Messages, &body),
        body,
    }
}

fn body(words: &str) -> Value {
    json!({"messages": [
        {"role": "user", "content": words},
        {"role": "assistant", "content": [{"type": "tool_use", "id": "c1", "name": "Bash", "input": {}}]},
        {"role": "user", "content": [
            {"type": "tool_result", "tool_use_id": "c1", "content": "fine"},
            {"type": "text", "text": "<system-reminder>look out</system-reminder>"},
        ]},
    ]})
}

fn taken(script: &mut Script, words: &str) -> Option<usize> {
    script.take(&request(words)).map(|(index, _)| index)
}

#[test]
fn turns_without_conditions_are_taken_in_order_once() {
    let mut script = Script::new().then(Refusal::Overloaded).then(Answer::new()).then(Answer::new());
    let taken: Vec<_> = (0..4).map(|_| taken(&mut script, "go")).collect();
    assert_eq!(taken, [Some(0), Some(1), Some(2), None]);
    assert_eq!(script.remaining(), 0);
}

#[test]
fn a_turn_with_a_condition_waits_for_its_request() {
    let mut script = Script::new()
        .then(Turn::from(Answer::new()).when(When::last_words("blue")))
        .then(Turn::from(Answer::new()).times(2));
    assert_eq!(taken(&mut script, "red"), Some(1));
    assert_eq!(taken(&mut script, "dark blue"), Some(0));
    assert_eq!(taken(&mut script, "blue again"), Some(1));
    assert_eq!(taken(&mut script, "blue once more"), None);
}

#[test]
fn a_turn_for_always_is_never_used_up_and_never_missed() {
    let mut script = Script::new().then(Turn::from(Answer::new()).always());
    assert!((0..5).all(|_| taken(&mut script, "go") == Some(0)));
    assert_eq!(script.remaining(), 0);
}

#[test]
fn conditions_read_the_request() {
    let request = request("go");
    for (holds, when) in [
        (true, When::last_words("go")),
        (false, When::last_words("look out")),
        (true, When::said("look out")),
        (false, When::said("elsewhere")),
        (true, When::answered("c1")),
        (false, When::answered("c2")),
        (true, When::label("ann")),
        (false, When::label("bob")),
        (true, When::holds_if(|request| request.results()["c1"] == "fine")),
    ] {
        assert_eq!(when.holds(&request), holds);
    }
}
