use super::*;
use crate::request::Request;

fn events(answer: &Answer, request: &Request) -> usize {
    answer.steps(request).iter().filter(|step| matches!(step, Step::Event(_))).count()
}

#[test]
fn a_cut_answer_ends_after_the_events_it_may_send() {
    for dialect in Dialect::ALL {
        let request = Request::for_test(dialect, "m", &[]);
        let answer = Answer::new().text("never heard, not even when it comes in pieces").cut_after(1);
        assert_eq!(events(&answer, &request), 1, "{dialect:?}");
        assert!(matches!(answer.steps(&request).last(), Some(Step::Cut)), "{dialect:?}");
    }
}

#[test]
fn a_held_answer_has_begun() {
    for dialect in Dialect::ALL {
        let request = Request::for_test(dialect, "m", &[]);
        let steps = Answer::new().text("late").held(&Hold::new()).steps(&request);
        assert!(matches!(steps.as_slice(), [Step::Event(_), Step::Hold(_), Step::Event(_), ..]), "{dialect:?}");
    }
}

#[test]
fn a_window_is_told_where_a_provider_has_words_for_it() {
    let window = |used_percent| Window { used_percent, resets_at: 9 };
    let status = |used| {
        let headers = window(used).headers(Dialect::Messages);
        headers.into_iter().find(|(name, _)| name == "anthropic-ratelimit-unified-status").unwrap().1
    };
    assert_eq!([10, 90, 100].map(status), ["allowed", "allowed_warning", "rejected"]);
    let told = Answer::new().window(window(40)).header("x-extra", 1).headers(Dialect::Responses);
    let pair = |name: &str, value: &str| (name.to_owned(), value.to_owned());
    let expected = [
        pair("x-codex-primary-used-percent", "40"),
        pair("x-codex-primary-window-minutes", "300"),
        pair("x-codex-primary-reset-at", "9"),
        pair("x-extra", "1"),
    ];
    assert_eq!(told, expected);
    assert_eq!(window(40).headers(Dialect::Gemini), []);
}
