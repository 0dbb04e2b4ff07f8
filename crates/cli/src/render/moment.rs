//! Points in time as people read them: how long ago, or in how long; in detail, also the date and the time.
//!
//! The contracts write a time in three ways (ISO, ISO without a zone, milliseconds since 1970). They are recognised
//! here and nowhere else.

use api::quantity;
use serde_json::Value;
use types::Timestamp;

/// Fleet has seen no time before this number of milliseconds.
const EARLIEST_MILLIS: i64 = 1_000_000_000_000;
/// What may enclose a word in a sentence.
const PUNCTUATION: [char; 7] = ['.', ',', ';', ':', '(', ')', '!'];

/// Reads the time that a member of an object holds, if it holds one.
pub(crate) fn of(name: &str, value: &Value) -> Option<Timestamp> {
    match value {
        Value::String(text) => parse(text),
        Value::Number(number) if is_name(name) => {
            let millis = number.as_i64().filter(|millis| *millis >= EARLIEST_MILLIS)?;
            Timestamp::from_millisecond(millis).ok()
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_) => None,
    }
}

/// Says how long ago a time was, or in how long it will be.
pub(crate) fn relative(at: Timestamp, now: Timestamp) -> String {
    match span(at, now) {
        (_, 0) => "now".to_owned(),
        (true, secs) => format!("in {}", quantity::whole_duration(secs)),
        (false, secs) => format!("{} ago", quantity::whole_duration(secs)),
    }
}

/// Says the same with the date and the time.
pub(crate) fn whole(at: Timestamp, now: Timestamp) -> String {
    format!("{} ({})", relative(at, now), at.strftime("%Y-%m-%d %H:%M:%S UTC"))
}

/// Puts spans in the place of the times in a sentence of the server: `since 2026-…` becomes `for 3 min`.
pub(crate) fn spoken(sentence: &str, now: Timestamp) -> String {
    let mut words: Vec<String> = Vec::new();
    for word in sentence.split(' ') {
        let bare = word.trim_matches(PUNCTUATION);
        let Some(at) = parse(bare).filter(|_| bare.contains('T')) else {
            words.push(word.to_owned());
            continue;
        };
        let (ahead, secs) = span(at, now);
        let said = match (words.last().map(String::as_str), ahead) {
            (Some("since"), false) if secs == 0 => "for a moment".to_owned(),
            (Some("since"), false) => format!("for {}", quantity::whole_duration(secs)),
            (Some("until"), true) => format!("for another {}", quantity::whole_duration(secs)),
            (Some("at"), _) if secs == 0 => "just now".to_owned(),
            (Some("at"), _) => relative(at, now),
            _ => {
                words.push(word.replace(bare, &relative(at, now)));
                continue;
            }
        };
        words.pop();
        words.push(word.replace(bare, &said));
    }
    words.join(" ")
}

/// Writes the times of an answer as ISO, in whichever way they came.
pub(crate) fn as_iso(value: &mut Value) {
    match value {
        Value::Object(members) => {
            for (name, value) in members.iter_mut() {
                match of(name, value).filter(|_| is_name(name)) {
                    Some(at) => *value = Value::from(format!("{at:.3}")),
                    None => as_iso(value),
                }
            }
        }
        Value::Array(items) => items.iter_mut().for_each(as_iso),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

/// Whether it lies ahead, and by how many seconds; what lies ahead is rounded up, so that `in 2 h` is not said too early.
fn span(at: Timestamp, now: Timestamp) -> (bool, u64) {
    let millis = at.as_millisecond() - now.as_millisecond();
    let secs = millis.unsigned_abs();
    if millis > 0 { (true, secs.div_ceil(1_000)) } else { (false, secs / 1_000) }
}

/// Returns whether a member is a time by its name.
fn is_name(name: &str) -> bool {
    let name = crate::field::kebab(name);
    name.ends_with("-at") || matches!(name.as_str(), "timestamp" | "since" | "until" | "last-seen" | "removed-after")
}

fn parse(text: &str) -> Option<Timestamp> {
    let looks_so = matches!(text.as_bytes(), [first, .., last] if first.is_ascii_digit() && text.len() >= 19
        && (last.is_ascii_digit() || *last == b'Z'));
    if !looks_so {
        return None;
    }
    text.parse().or_else(|_| format!("{text}Z").parse()).ok()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn at(text: &str) -> Timestamp {
        text.parse().unwrap()
    }

    #[test]
    fn every_way_to_write_a_time_is_read() {
        let expected = Some(at("2026-01-02T03:04:05Z"));
        assert_eq!(of("x", &json!("2026-01-02T03:04:05.000Z")), expected);
        assert_eq!(of("x", &json!("2026-01-02 03:04:05")), expected);
        assert_eq!(of("createdAt", &json!(1_767_323_045_000_i64)), expected);
        for (name, value) in
            [("tokens", json!(1_767_323_045_000_i64)), ("port_at", json!(80)), ("title", json!("2026"))]
        {
            assert_eq!(of(name, &value), None, "{name}: {value}");
        }
    }

    #[test]
    fn a_time_is_shown_by_its_distance() {
        let now = at("2026-01-02T03:04:05Z");
        for (time, expected) in [
            ("2026-01-02T03:04:04.500Z", "now"),
            ("2026-01-02T03:04:00Z", "5 s ago"),
            ("2026-01-02T03:01:00Z", "3 min ago"),
            ("2025-12-30T03:04:05Z", "3 d ago"),
            ("2026-01-02T05:04:04Z", "in 1 h"),
            ("2026-01-02T05:04:05Z", "in 2 h"),
        ] {
            assert_eq!(relative(at(time), now), expected, "{time}");
        }
        assert_eq!(whole(at("2026-01-02T03:01:00Z"), now), "3 min ago (2026-01-02 03:01:00 UTC)");
    }

    #[test]
    fn the_times_in_a_sentence_are_said_as_spans() {
        let now = at("2026-01-02T03:04:05Z");
        for (written, said) in [
            ("ann has worked on it since 2026-01-02T03:01:00Z, in s-x.", "ann has worked on it for 3 min, in s-x."),
            ("It was done at 2026-01-02T03:04:05Z: ann said so.", "It was done just now: ann said so."),
            ("It is tried again at 2026-01-02T03:05:05Z.", "It is tried again in 1 min."),
            ("ann cancelled it at 2026-01-02T01:00:00Z; retry.", "ann cancelled it 2 h ago; retry."),
            ("It is parked until 2026-01-02T03:14:05Z: quota.", "It is parked for another 10 min: quota."),
            ("It waited until 2026-01-02T03:01:00Z.", "It waited until 3 min ago."),
            ("At 12:00 of 2026-01-02 nothing was.", "At 12:00 of 2026-01-02 nothing was."),
        ] {
            assert_eq!(spoken(written, now), said);
        }
    }

    #[test]
    fn times_become_iso_for_programs_and_nothing_else_changes() {
        let mut answer = json!([{
            "created_at": "2026-01-02 03:04:05", "updatedAt": 1_767_323_045_000_i64, "title": "2026-01-02 03:04:05",
            "inner": { "ended_at": null, "since": "2026-01-02T03:04:05.000Z" },
        }]);
        as_iso(&mut answer);
        let iso = "2026-01-02T03:04:05.000Z";
        let expected = json!([{
            "created_at": iso, "updatedAt": iso, "title": "2026-01-02 03:04:05",
            "inner": { "ended_at": null, "since": iso },
        }]);
        assert_eq!(answer, expected);
    }
}
