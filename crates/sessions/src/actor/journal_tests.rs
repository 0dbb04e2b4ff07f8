use policy::Dialect;
use serde_json::json;

use super::*;

fn judged(command: &str, verdict: Verdict) -> Judged {
    let call = Call::of(Dialect::Claude, "Bash", &json!({"command": command}));
    Judged::new(Timestamp::UNIX_EPOCH, None, &call, verdict)
}

fn blocked(command: &str) -> Judged {
    judged(command, Verdict::Block { by: By::Preset, why: "no".to_owned() })
}

fn asked(command: &str) -> Judged {
    judged(command, Verdict::Ask { by: By::Preset, why: "may it?".to_owned() })
}

fn slice(judged: Vec<Judged>, next: u64, more: bool) -> Slice {
    Slice { judged, unread: 0, next, more }
}

#[test]
fn a_flood_of_refused_calls_makes_so_many_records_and_a_count_of_the_rest() {
    let mut journal = Journal::default();
    for look in 1..=10 {
        journal.take(slice(vec![blocked("rm -rf /"); 1_000], look, true), OnAsk::Refuse);
    }
    assert_eq!((journal.backlog.len(), journal.dropped), (RECORDS_MAX as usize, 10_000 - u64::from(RECORDS_MAX)));
    assert!(journal.lost().unwrap().0.contains("9800 calls"), "{:?}", journal.lost());
}

#[test]
fn a_flood_of_questions_asks_few_and_leaves_room_for_what_was_refused() {
    let mut journal = Journal::default();
    let questions: Vec<Judged> = (0..1_000).map(|number| asked(&format!("git push {number}"))).collect();
    journal.take(slice(questions, 1, true), OnAsk::Refuse);
    assert_eq!((journal.backlog.len(), journal.dropped), (WAITING_MAX, 1_000 - WAITING_MAX as u64));
    journal.take(slice(vec![blocked("rm")], 2, false), OnAsk::Refuse);
    assert_eq!(journal.backlog.len(), WAITING_MAX + 1);
}

#[test]
fn a_journal_has_an_end_and_what_is_behind_it_is_told() {
    let mut journal = Journal::default();
    journal.take(slice(vec![blocked("a")], BYTES_MAX - 1, true), OnAsk::Refuse);
    assert!(journal.more && journal.closed.is_none() && journal.lost().is_none());
    journal.take(slice(vec![blocked("b")], BYTES_MAX, true), OnAsk::Refuse);
    assert!(!journal.more && journal.lost().unwrap().0.contains("longer than 64 MB"));
    // One that ends there is whole.
    let mut whole = Journal::default();
    whole.take(slice(vec![blocked("b")], BYTES_MAX, false), OnAsk::Refuse);
    assert!(whole.closed.is_none());
}

#[test]
fn calls_that_the_agent_tells_of_itself_are_remembered_the_last_of_them() {
    let mut journal = Journal::default();
    let questions: Vec<Judged> = (0..1_000).map(|number| asked(&format!("git push {number}"))).collect();
    journal.take(slice(questions, 1, false), OnAsk::Defer);
    assert_eq!((journal.backlog.len(), journal.asked.len(), journal.dropped), (0, ASKED_MAX, 0));
    assert_eq!(journal.asked.back().unwrap().call.command.as_deref(), Some("git push 999"));
}

#[test]
fn what_is_kept_of_a_refused_call_is_short() {
    let long = "x".repeat(1 << 20);
    let call = Call::of(Dialect::Claude, &long, &json!({"command": long}));
    let refused = Refused::new(String::new(), Timestamp::UNIX_EPOCH, &long, &call, &By::Preset, &long);
    for text in [&refused.key, &refused.tool, &refused.what, &refused.why] {
        assert!(text.chars().count() <= TEXT_MAX + 1, "{}", text.len());
    }
}
