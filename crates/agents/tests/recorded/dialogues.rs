//! Conversations in two directions, replayed: what the agent sent is heard, and what would be sent and told is compared.

use fleet_agents::{Dialogue, Event, Opening, Out, Say, Spoken};
use proptest::prelude::*;
use serde_json::{Value, json};

macro_rules! recordings {
    ($($name:literal: $spoken:expr),* $(,)?) => {
        [$(($name, $spoken, include_str!(concat!("../../fixtures/", $name, ".ndjson")))),*]
    };
}

const ALL: [(&str, Spoken, &str); 5] = recordings![
    "claude-acp": Spoken::Acp,
    "codex-acp": Spoken::Acp,
    "codex-app-server": Spoken::Codex,
    "gemini-acp": Spoken::Acp,
    "opencode-acp": Spoken::Acp,
];

/// What was recorded, as direction and message.
fn messages(text: &str) -> Vec<(bool, Value)> {
    let message = |line: &str| {
        let line: Value = serde_json::from_str(line).unwrap();
        (line["dir"] == "out", line["msg"].clone())
    };
    text.lines().map(message).collect()
}

/// The opening with which the recorded client began.
fn opening(recorded: &[(bool, Value)]) -> Opening {
    let prompt = prompts(recorded).next().unwrap();
    let begun = recorded.iter().find(|(_, message)| message["params"]["cwd"].is_string()).unwrap();
    let cwd = begun.1["params"]["cwd"].as_str().unwrap();
    let server = fleet_agents::McpServer {
        name: "demo".to_owned(),
        transport: fleet_agents::McpTransport::Stdio {
            command: "python3".to_owned(),
            args: vec!["/tools/mcp_demo.py".to_owned()],
            env: std::collections::BTreeMap::new(),
        },
    };
    Opening { prompt, prompt_id: Some("first".to_owned()), cwd: cwd.into(), mcp: vec![server], ..Opening::default() }
}

fn prompts(recorded: &[(bool, Value)]) -> impl Iterator<Item = String> {
    let text = |(_, message): &(bool, Value)| {
        let params = &message["params"];
        let blocks = params.get("prompt").or(params.get("input"))?;
        Some(blocks[0]["text"].as_str()?.to_owned())
    };
    recorded.iter().filter(|(out, _)| !out).filter_map(text)
}

/// The recorded clients refused what deletes.
fn decide(dialogue: &mut dyn Dialogue, out: Vec<Out>, log: &mut Vec<Out>) {
    for out in out {
        let answer = match &out {
            Out::Judge(asked) if asked.input.to_string().contains("rm -f") => {
                Some(Say::Deny { request: asked.request.clone(), why: "nothing is deleted here".to_owned() })
            }
            Out::Judge(asked) => Some(Say::Allow { request: asked.request.clone(), input: asked.input.clone() }),
            Out::Send(_) | Out::Tell(_) | Out::Over => None,
        };
        log.push(out);
        if let Some(answer) = answer {
            let more = dialogue.say(&answer);
            decide(dialogue, more, log);
        }
    }
}

fn replay(spoken: Spoken, text: &str) -> Vec<Out> {
    let recorded = messages(text);
    let mut dialogue = spoken.dialogue(opening(&recorded));
    let mut log = Vec::new();
    let opened = dialogue.open();
    decide(&mut *dialogue, opened, &mut log);
    let mut told = 0;
    for (out, message) in &recorded {
        let next = match message["method"].as_str() {
            _ if *out => dialogue.hear(message),
            Some("session/cancel" | "turn/interrupt") => dialogue.say(&Say::Interrupt { id: "stop".to_owned() }),
            Some("session/prompt" | "turn/start") => {
                told += 1;
                let text = message.pointer("/params/prompt/0/text").or(message.pointer("/params/input/0/text"));
                let say = Say::Message { id: format!("m-{told}"), text: text.unwrap().as_str().unwrap().to_owned() };
                if told == 1 { Vec::new() } else { dialogue.say(&say) }
            }
            Some(_) | None => Vec::new(),
        };
        decide(&mut *dialogue, next, &mut log);
    }
    log
}

fn line(out: &Out) -> String {
    match out {
        Out::Send(message) => format!("> {message}"),
        Out::Tell(event) => format!("  {}", serde_json::to_string(event).unwrap()),
        Out::Judge(asked) => format!("? {} {} {}", asked.request, asked.tool, asked.input),
        Out::Over => ".".to_owned(),
    }
}

fn sent(log: &[Out]) -> Vec<Value> {
    log.iter().filter_map(|out| if let Out::Send(message) = out { Some(message.clone()) } else { None }).collect()
}

/// Whether everything in `part` is in `whole`, too.
fn contains(whole: &Value, part: &Value) -> bool {
    match (whole, part) {
        (Value::Object(whole), Value::Object(part)) => {
            part.iter().all(|(key, part)| whole.get(key).is_some_and(|whole| contains(whole, part)))
        }
        (Value::Array(whole), Value::Array(part)) => {
            whole.len() == part.len() && whole.iter().zip(part).all(|(whole, part)| contains(whole, part))
        }
        (whole, part) => whole == part,
    }
}

#[test]
fn every_conversation_goes_as_it_was_recorded() {
    for (name, spoken, text) in ALL {
        let lines: Vec<String> = replay(spoken, text).iter().map(line).collect();
        insta::assert_snapshot!(name, lines.join("\n"));
    }
}

#[test]
fn what_a_client_was_seen_to_send_is_among_what_is_sent() {
    // The client of the app-server used another policy, and served tools itself.
    for (name, spoken, text) in ALL.into_iter().filter(|(_, spoken, _)| *spoken == Spoken::Acp) {
        let sent = sent(&replay(spoken, text));
        for (out, mut message) in messages(text) {
            // Numbers differ once an agent was asked to continue after a refusal.
            if message["method"].is_string() {
                message.as_object_mut().unwrap().remove("id");
            }
            assert!(out || sent.iter().any(|sent| contains(sent, &message)), "{name}: {message} is not sent");
        }
    }
}

/// A message that may be one of the recorded ones with a value of another kind.
fn message() -> impl Strategy<Value = Value> {
    // What a server takes back needs no answer.
    let recorded: Vec<Value> = ALL
        .iter()
        .flat_map(|(_, _, text)| messages(text))
        .filter(|(out, message)| *out && message["method"] != "serverRequest/resolved")
        .map(|(_, message)| message)
        .collect();
    let questions: Vec<Value> =
        recorded.iter().filter(|message| message["method"].is_string() && !message["id"].is_null()).cloned().collect();
    let other = prop_oneof![Just(Value::Null), Just(json!(7)), Just(json!("x")), Just(json!([])), Just(json!({}))];
    let bent = (prop::sample::select(recorded.clone()), any::<prop::sample::Index>(), other).prop_map(
        |(mut message, at, other)| {
            let mut places = Vec::new();
            crate::properties::collect(&message, &mut String::new(), &mut places);
            *message.pointer_mut(&places[at.index(places.len())]).unwrap() = other;
            message
        },
    );
    prop_oneof![
        4 => prop::sample::select(recorded),
        3 => prop::sample::select(questions),
        3 => bent,
        2 => (1_u64..9).prop_map(|id| json!({"id": id, "result": {"protocolVersion": 1, "sessionId": "s", "thread": {"id": "s"}, "turn": {"id": "t"}}})),
        1 => (1_u64..9).prop_map(|id| json!({"id": id, "result": {"stopReason": "end_turn"}})),
    ]
}

#[derive(Debug, Clone)]
enum Step {
    Hear(Value),
    Answer { yes: bool, first: bool },
    Message,
    Interrupt,
    Close,
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        12 => message().prop_map(Step::Hear),
        3 => (any::<bool>(), any::<bool>()).prop_map(|(yes, first)| Step::Answer { yes, first }),
        2 => Just(Step::Message),
        1 => Just(Step::Interrupt),
        1 => Just(Step::Close),
    ]
}

/// Whether a message asks for an answer.
fn asks(message: &Value) -> bool {
    message["method"].is_string() && (message["id"].is_string() || message["id"].is_number())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 512, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn whatever_comes_in_whatever_order_every_question_is_answered_exactly_once(
        spoken in prop::sample::select(ALL.map(|(_, spoken, _)| spoken).to_vec()),
        steps in prop::collection::vec(step(), 0..40),
    ) {
        let opening = Opening { prompt: "go".to_owned(), cwd: "/repo".into(), ..Opening::default() };
        let mut dialogue = spoken.dialogue(opening);
        let (mut log, mut asked) = (dialogue.open(), Vec::new());
        for step in steps {
            let open: Vec<_> = log.iter().filter_map(|out| if let Out::Judge(asked) = out { Some(asked.clone()) } else { None }).collect();
            log.extend(match step {
                Step::Hear(message) => {
                    asked.extend(asks(&message).then(|| message["id"].clone()));
                    dialogue.hear(&message)
                }
                Step::Answer { yes, first } => {
                    let Some(asked) = (if first { open.first() } else { open.last() }) else { continue };
                    let request = asked.request.clone();
                    dialogue.say(&if yes {
                        Say::Allow { request, input: asked.input.clone() }
                    } else {
                        Say::Deny { request, why: "no".to_owned() }
                    })
                }
                Step::Message => dialogue.say(&Say::Message { id: "m".to_owned(), text: "t".to_owned() }),
                Step::Interrupt => dialogue.say(&Say::Interrupt { id: "i".to_owned() }),
                Step::Close => dialogue.close(),
            });
        }
        log.extend(dialogue.stop());
        let answers: Vec<Value> = sent(&log).into_iter().filter(|sent| sent["method"].is_null()).map(|sent| sent["id"].clone()).collect();
        for id in &asked {
            let count = |ids: &[Value]| ids.iter().filter(|other| *other == id).count();
            prop_assert_eq!(count(&answers), count(&asked), "{} in {:?}", id, log);
        }
        prop_assert_eq!(answers.len(), asked.len());
        for out in &log {
            if let Out::Tell(event) = out {
                let written = serde_json::to_string(event).unwrap();
                prop_assert_eq!(&serde_json::from_str::<Event>(&written).unwrap(), event);
            }
        }
    }
}
