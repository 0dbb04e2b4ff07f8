use std::time::Duration;

use serde_json::{Value, json};

use super::*;
use crate::launch::Signal;

/// What server and shim of version 0 said to each other, as they said it.
const REQUESTS: &str = include_str!("../tests/fixtures/requests-0.jsonl");
const REPLIES: &str = include_str!("../tests/fixtures/replies-0.jsonl");

fn usual() -> Stop {
    Stop::new(Signal::Interrupt, Duration::from_secs(7))
}

/// The same, from a client that has more to say.
fn with_more(line: &str) -> String {
    let mut said: Value = serde_json::from_str(line).unwrap();
    said["added"] = json!({"by": ["a", "later", "version"]});
    said.to_string()
}

#[test]
fn what_version_0_says_is_understood_and_still_said_so() {
    for line in REQUESTS.lines() {
        let request = decode_request(line.as_bytes(), usual()).unwrap();
        assert_eq!(encode(&request).unwrap(), format!("{line}\n").into_bytes());
    }
    for line in REPLIES.lines() {
        let reply: Reply = decode(line.as_bytes()).unwrap();
        assert_eq!(encode(&reply).unwrap(), format!("{line}\n").into_bytes());
    }
}

#[test]
fn fields_that_a_later_version_adds_are_passed_over() {
    for line in REQUESTS.lines() {
        let (now, later) = (line.to_owned(), with_more(line));
        let read = [&now, &later].map(|line| decode_request(line.as_bytes(), usual()).unwrap());
        assert_eq!(read[0], read[1], "{later}");
    }
    for line in REPLIES.lines() {
        let (now, later): (Reply, Reply) =
            (decode(line.as_bytes()).unwrap(), decode(with_more(line).as_bytes()).unwrap());
        assert_eq!(now, later);
    }
}

#[test]
fn a_request_to_stop_stops_whatever_else_it_says() {
    for line in [
        r#"{"op":"stop"}"#,
        r#"{"op":"stop","signal":"freeze","grace_ms":1}"#,
        r#"{"op":"stop","signal":["terminate"],"grace_ms":"soon","version":9}"#,
    ] {
        assert_eq!(decode_request(line.as_bytes(), usual()), Ok(Request::Stop(usual())), "{line}");
    }
}

#[test]
fn what_is_not_known_is_refused_with_the_version_of_whoever_does_not_know_it() {
    for line in [r#"{"op":"hibernate"}"#, r#"{"op":"signal","signal":"freeze"}"#, "{}", "stop", ""] {
        let Err(Refusal::NotUnderstood { why }) = decode_request(line.as_bytes(), usual()) else { panic!("{line}") };
        assert!(why.contains("version is 1"), "{why}");
    }
    let refused: Reply = decode(br#"{"reply":"refused","why":{"kind":"too-tired","since":1}}"#).unwrap();
    assert_eq!(refused, Reply::Refused { why: Refusal::Unknown });
}

#[test]
fn a_client_says_who_it_is_first_and_to_a_shim_that_does_not_ask_nothing_of_it() {
    let secret = Secret::random();
    let said = encode_request(Some(&secret), &Request::Ping).unwrap();
    let mut lines = said.split_inclusive(|byte| *byte == b'\n');
    let hello: Hello = decode(lines.next().unwrap()).unwrap();
    assert!(secret.is(&hello.secret) && hello.version == VERSION);
    assert_eq!(lines.next(), Some(&b"{\"op\":\"ping\"}\n"[..]));
    assert_eq!(encode_request(None, &Request::Ping).unwrap(), b"{\"op\":\"ping\"}\n");
}
