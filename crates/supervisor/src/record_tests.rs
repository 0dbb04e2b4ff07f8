use serde_json::{Value, json};

use super::*;

/// What shims of each version wrote, as they wrote it.
const RECORD_0: &str = include_str!("../tests/fixtures/record-0.json");
const RECORD_1: &str = include_str!("../tests/fixtures/record-1.json");
const EXIT_0: &str = include_str!("../tests/fixtures/exit-0.json");

fn value(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

#[test]
fn records_of_every_version_are_read_and_the_first_has_no_secret() {
    let first: Record = serde_json::from_str(RECORD_0).unwrap();
    assert_eq!((first.version, &first.secret, first.shim.pid), (0, &None, 23736));
    assert!(matches!(first.sandbox, Some(Sandboxed::Held { .. })), "{first:?}");
    let second: Record = serde_json::from_str(RECORD_1).unwrap();
    assert_eq!((second.version, second.secret.is_some()), (1, true));
    assert_eq!(serde_json::to_value(&second).unwrap(), value(RECORD_1));
    let exit: Exit = serde_json::from_str(EXIT_0).unwrap();
    assert_eq!(serde_json::to_value(&exit).unwrap(), value(EXIT_0));
}

#[test]
fn what_a_later_version_adds_or_says_in_another_way_hides_no_agent() {
    let known: Record = serde_json::from_str(RECORD_1).unwrap();
    let mut later = value(RECORD_1);
    later["version"] = json!(9);
    later["added"] = json!([1, 2]);
    later["shim"]["cgroup"] = json!("/fleet");
    assert_eq!(serde_json::from_value::<Record>(later.clone()).unwrap(), Record { version: 9, ..known.clone() });
    later["sandbox"] = json!({"kind": "machine", "vcpus": 2});
    later["started_at"] = json!(1_794_965_460);
    let read = serde_json::from_value::<Record>(later).unwrap();
    assert_eq!((read.shim, read.agent, read.sandbox), (known.shim, known.agent, None));
}

#[test]
fn what_is_missing_has_a_default_but_for_what_an_agent_is_ended_by() {
    let short = json!({
        "launch": "s-1/1", "boot": "b", "shim": {"pid": 1, "start_ticks": 2}, "agent": {"pid": 3, "start_ticks": 4},
    });
    let read: Record = serde_json::from_value(short.clone()).unwrap();
    assert_eq!((read.log_max, read.version, read.secret), (Launch::LOG_MAX, 0, None));
    for needed in ["launch", "boot", "shim", "agent"] {
        let mut less = short.clone();
        less.as_object_mut().unwrap().remove(needed);
        assert!(serde_json::from_value::<Record>(less).is_err(), "{needed}");
    }
    let exit = json!({
        "launch": "s-1/1", "end": {"kind": "exited", "code": 3}, "started_at": "2026-11-18T01:31:00Z",
        "ended_at": "2026-11-18T01:41:00Z", "capped": "third-stream", "why": "told by a later version",
    });
    let exit: Exit = serde_json::from_value(exit).unwrap();
    assert_eq!((exit.end, exit.stopped, exit.capped, exit.survivors), (End::Exited { code: 3 }, false, None, vec![]));
}
