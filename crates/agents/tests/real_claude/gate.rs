//! A program judges every call of it before it runs, and lets nothing through by failing.

use fleet_agents::{ApprovalChannel, Ask, Brief, Conversation, Event, Meter, Outcome};
use serde_json::{Value, json};
use testkit::model::{Answer, Request, Script, Turn, When};

use crate::agent::{Gone, Place};

/// Says no to what has the word in it, and writes every question down beside the repository.
const WARDEN: &str = r#"
question=$(cat)
printf '%s\n' "$question" >> ../asked.ndjson
case "$question" in
*forbidden*) decision='"deny","permissionDecisionReason":"that word is forbidden here"' ;;
*) decision='"allow"' ;;
esac
printf '{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":%s}}' "$decision"
"#;

fn program(script: &str) -> ApprovalChannel {
    ApprovalChannel::Program { argv: ["/bin/sh", "-c", script].map(str::to_owned).into() }
}

fn touch(name: &str) -> Value {
    json!({"command": format!("touch {name}")})
}

/// Touches a file that may be there and one that may not, each as a call of its own.
fn two_touches() -> Script {
    Script::new()
        .then(Answer::new().call_as("toolu_plain", "Bash", touch("plain.txt")))
        .then(Answer::new().call_as("toolu_forbidden", "Bash", touch("forbidden.txt")))
        .then(Answer::new().text("I am through."))
}

fn brief(place: &Place, gate: ApprovalChannel) -> Brief {
    // What is allowed without a question is judged all the same.
    Brief { gate, allowed_tools: vec!["Bash".to_owned()], ..place.brief("Touch two files.") }
}

fn there(place: &Place) -> (bool, bool) {
    let file = |name: &str| place.repository().join(name).exists();
    (file("plain.txt"), file("forbidden.txt"))
}

#[expect(clippy::disallowed_methods, reason = "the test reads what its own program wrote")]
fn asked(place: &Place) -> Vec<Value> {
    let text = std::fs::read_to_string(place.repository().join("../asked.ndjson")).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[expect(clippy::disallowed_methods, reason = "the test stands where a person or a repository would")]
fn settle(folder: &std::path::Path, settings: &Value) {
    std::fs::create_dir_all(folder).unwrap();
    std::fs::write(folder.join("settings.json"), settings.to_string()).unwrap();
}

#[tokio::test]
async fn a_call_that_is_denied_does_not_run_though_its_tool_is_allowed() {
    let place = Place::new(two_touches()).await;
    let gone = place.start(&brief(&place, program(WARDEN)), Meter::new()).await.finish().await;
    assert!(matches!(gone.outcome, Outcome::Succeeded { .. }), "{gone:#?}");
    assert_eq!(there(&place), (true, false));
    let questions = asked(&place);
    assert_eq!(questions.len(), 2);
    assert_eq!(questions[1]["tool_use_id"], "toolu_forbidden");
    let told = place.model.request(2).await;
    let result = told.results().get("toolu_forbidden").cloned().unwrap_or_default();
    assert!(result.contains("that word is forbidden here"), "{result}");
}

#[tokio::test]
async fn settings_of_a_person_or_of_the_repository_do_not_switch_the_gate_off() {
    let place = Place::new(two_touches()).await;
    let open = json!({"disableAllHooks": true, "permissions": {"allow": ["Bash"], "defaultMode": "bypassPermissions"}});
    settle(&place.home().join(".claude"), &open);
    settle(&place.repository().join(".claude"), &open);
    place.start(&brief(&place, program(WARDEN)), Meter::new()).await.finish().await;
    assert_eq!(there(&place), (true, false));
}

#[tokio::test]
async fn a_gate_that_is_missing_or_breaks_or_hangs_lets_nothing_through() {
    let missing = ApprovalChannel::Program { argv: vec!["/nowhere/gate".to_owned()] };
    for broken in [missing, program("exit 1"), program("kill -9 $$"), program("exec sleep 1000")] {
        let place = Place::new(two_touches()).await;
        // The real time is generous; this test does not wait for it.
        let sooner = |argument: &str| argument.replace(r#""timeout":300"#, r#""timeout":1"#);
        let gone = place.start_changed(&brief(&place, broken.clone()), Meter::new(), sooner).await.finish().await;
        assert_eq!(there(&place), (false, false), "{broken:?}: {gone:#?}");
    }
}

#[tokio::test]
async fn calls_of_a_subagent_are_judged_too() {
    let task = json!({"description": "Touch", "prompt": "Touch the file.", "subagent_type": "general-purpose"});
    // It runs beside the call that sent it, so each has turns of its own, in any order.
    let by = |answer: Answer, sub: bool| {
        let is_sub = |request: &Request| !request.texts().iter().any(|text| text.contains("Touch two files."));
        Turn::from(answer).when(When::holds_if(move |request| is_sub(request) == sub))
    };
    let script = Script::new()
        .then(by(Answer::new().call("Agent", task), false))
        .then(by(Answer::new().call_as("toolu_sub", "Bash", touch("forbidden.txt")), true))
        .then(by(Answer::new().text("It could not be done."), true))
        .then(by(Answer::new().text("I am through."), false).always());
    let place = Place::new(script).await;
    let gone = place.start(&brief(&place, program(WARDEN)), Meter::new()).await.finish().await;
    assert_eq!(there(&place), (false, false), "{gone:#?}");
    let sub = asked(&place).into_iter().find(|question| question["tool_use_id"] == "toolu_sub");
    let sub = sub.unwrap_or_else(|| panic!("the subagent's call was not judged: {gone:#?}"));
    assert!(sub["agent_id"].is_string(), "{sub}");
}

/// Puts off what has the word in it until there is a file that says yes.
const LATER: &str = r#"
case "$(cat)" in
*forbidden*) if test -e ../yes; then decision=allow; else decision=defer; fi ;;
*) decision=allow ;;
esac
printf '{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"%s"}}' "$decision"
"#;

fn deferred(gone: &Gone) -> Option<&Value> {
    gone.events.iter().find_map(|event| {
        let Event::Asking { ask: Ask::Deferred { input, .. }, .. } = event else { return None };
        Some(input)
    })
}

#[tokio::test]
async fn a_call_that_is_put_off_ends_the_process_and_runs_when_it_was_allowed() {
    let place = Place::new(two_touches()).await;
    let session = "d980bb8c-a731-44d0-9e81-f7d7615da45d".to_owned();
    let mut first = brief(&place, program(LATER));
    first.conversation = Conversation::New { session: Some(session.clone()) };
    let gone = place.start(&first, Meter::new()).await.finish().await;
    assert_eq!(deferred(&gone).map(|input| &input["command"]), Some(&json!("touch forbidden.txt")), "{gone:#?}");
    assert_eq!(there(&place), (true, false));

    #[expect(clippy::disallowed_methods, reason = "the test is the person who says yes")]
    std::fs::write(place.repository().join("../yes"), "").unwrap();
    let mut again = brief(&place, program(LATER));
    (again.conversation, again.prompt) = (Conversation::Resume { session }, String::new());
    let gone = place.start(&again, gone.account.meter).await.finish().await;
    assert!(matches!(&gone.outcome, Outcome::Succeeded { text, .. } if text == "I am through."), "{gone:#?}");
    assert_eq!(there(&place), (true, true));
    place.model.assert_done();
}
