use proptest::prelude::*;

use super::*;
use crate::samples::{any_text, evidence};

const WHOLE: &str = r#"{
  "summary": "Added retries to the client.",
  "status": "completed",
  "files_changed": ["src/client.py", "tests/test_client.py"],
  "tests": [
    {"command": "pytest -q", "status": "passed", "details": "31 passed"},
    {"command": "pytest -m slow", "status": "not_run", "details": ""}
  ],
  "commits": ["4be1c7d2a9"],
  "next_steps": ["Make the delay a setting"]
}"#;

fn read(text: &str) -> ResultReading {
    read_result(text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

fn repairs(text: &str) -> Vec<Repair> {
    read(text).repairs.into_iter().collect()
}

#[test]
fn a_result_as_the_schema_asks_for_it_is_read_in_full() {
    let reading = read(WHOLE);
    assert!(!reading.salvaged());
    insta::assert_json_snapshot!(reading.said());
    insta::assert_json_snapshot!("the_schema_that_agents_are_given", result_schema());
}

#[test]
fn lists_may_be_left_out_and_other_keys_are_ignored() {
    let reading = read(r#"{"summary": "a", "status": "completed_no_changes", "mood": 3, "tests": [{"command": "x"}]}"#);
    assert_eq!(reading.result.status, Some(ResultStatus::CompletedNoChanges));
    assert_eq!(reading.said().claim, Claim::NothingToDo);
    assert!(!reading.salvaged());
}

#[test]
fn who_is_blocked_says_why_among_the_errors() {
    let said = read(r#"{"summary": "No access to the registry", "status": "blocked"}"#).said();
    assert_eq!((said.claim, said.errors_encountered.as_str()), (Claim::Blocked, "No access to the registry"));
    assert_eq!(said.what_done, "");
}

#[test]
fn a_result_among_other_words_is_found() {
    let whole = read(WHOLE).result;
    for text in [
        format!("```json\n{WHOLE}\n```"),
        format!("Here {{as asked}} is the result:\n{WHOLE}\nBye {{}}."),
        format!(r#"{{"summary": "a draft", "status": "blocked"}} and then {WHOLE}"#),
    ] {
        let reading = read(&text);
        assert_eq!(reading.result, whole, "{text}");
        assert_eq!(reading.repairs, BTreeSet::from([Repair::Unwrapped]), "{text}");
    }
}

#[test]
fn commas_too_many_are_forgiven() {
    let text = WHOLE.replace("\"]\n}", "\",],\n}").replace("details\": \"\"}", "details\": \"\",}");
    assert_eq!(read(&text).result, read(WHOLE).result);
    assert_eq!(repairs(&text), [Repair::ExtraComma]);
    assert_eq!(repairs(&format!("```json\n{text}\n```")), [Repair::Unwrapped, Repair::ExtraComma]);
}

#[test]
fn of_a_result_that_is_cut_off_only_what_is_sure_is_kept() {
    let cut = |after: &str| read(&WHOLE[..WHOLE.find(after).unwrap() + after.len()]);
    let in_summary = cut("Added retr");
    assert_eq!((in_summary.result.summary.as_str(), in_summary.result.status), ("Added retr", None));
    assert_eq!(in_summary.said().claim, Claim::Unclear);
    let in_status = cut("\"completed");
    assert_eq!(in_status.result.status, None, "it might have gone on as completed_no_changes");
    let in_files = cut("tests/test_cl");
    assert_eq!(in_files.result.files_changed, ["src/client.py"]);
    let in_tests = cut("pytest -m slow\"");
    assert_eq!(in_tests.result.tests.len(), 1);
    assert!([in_summary, in_status, in_files, in_tests].iter().all(|found| found.repairs == [Repair::CutOff].into()));
}

#[test]
fn what_is_no_result_is_refused_with_its_reason() {
    let error = |text: &str| read_result(text).unwrap_err().to_string();
    assert_eq!(error(" \n"), "the result is empty");
    assert_eq!(error("I am done {really}"), "the result holds no JSON object with a \"summary\"");
    assert_eq!(error("[1]"), "the result holds no JSON object with a \"summary\"");
    assert_eq!(error(r#"{"summary": "a"}"#), "the result lacks \"status\"");
    assert_eq!(error(r#"{"status": "completed"}"#), "the result lacks \"summary\"");
    assert_eq!(error(r#"{"summary": 1, "status": "blocked"}"#), "summary must be a text, not a number");
    assert!(error(r#"{"summary": "a", "status": "done"}"#).ends_with("not \"done\""));
    assert_eq!(error(r#"{"summary": "a", "status": "blocked", "commits": "x"}"#), "commits must be a list, not a text");
    assert!(matches!(read_result(&"{".repeat(RESULT_MAX + 1)), Err(ResultError::TooLong { .. })));
}

#[test]
fn what_git_shows_takes_the_place_of_what_was_said() {
    let result = read(WHOLE).result.with_facts(&evidence());
    assert_eq!(result.files_changed, ["src/cart.rs", "src/main.rs"]);
    assert_eq!(result.commits, ["1f0c"]);
    assert_eq!(result.summary, "Added retries to the client.");
}

#[test]
fn work_without_a_word_is_a_result_and_no_work_is_none() {
    let result = WorkResult::from_evidence(&evidence()).unwrap();
    assert_eq!((result.status, result.commits.len()), (Some(ResultStatus::Completed), 1));
    assert_eq!(WorkResult::from_evidence(&Evidence::default()), None);
}

fn any_result() -> impl Strategy<Value = WorkResult> {
    let texts = || prop::collection::vec(any_text(), 0..3);
    let status =
        prop::sample::select(vec![ResultStatus::Completed, ResultStatus::CompletedNoChanges, ResultStatus::Blocked]);
    let test = (any_text(), any_text(), any_text()).prop_map(|(command, status, details)| TestClaim {
        command,
        status,
        details,
    });
    let tests = prop::collection::vec(test, 0..3);
    (any_text(), status, texts(), tests, texts(), texts()).prop_map(
        |(summary, status, files_changed, tests, commits, next_steps)| WorkResult {
            summary,
            status: Some(status),
            files_changed,
            tests,
            commits,
            next_steps,
        },
    )
}

proptest! {
    #[test]
    fn any_text_is_read_or_refused(text in any_text()) {
        let _ = read_result(&text);
        let _ = read_result(&format!("{{\"summary\": {text}"));
    }

    #[test]
    fn what_is_written_is_read_again(result in any_result()) {
        let reading = read(&write_result(&result));
        prop_assert!(!reading.salvaged());
        prop_assert_eq!(reading.result, result);
    }

    #[test]
    fn a_result_cut_off_anywhere_claims_nothing_new(result in any_result(), at in any::<prop::sample::Index>()) {
        let text = write_result(&result);
        let Ok(found) = read_result(&text[..text.floor_char_boundary(at.index(text.len()))]) else { return Ok(()) };
        prop_assert!(found.salvaged());
        prop_assert!(result.summary.starts_with(&found.result.summary));
        prop_assert!(found.result.status.is_none() || found.result.status == result.status);
        prop_assert!(result.files_changed.starts_with(&found.result.files_changed));
        prop_assert!(result.tests.starts_with(&found.result.tests));
        prop_assert!(result.commits.starts_with(&found.result.commits));
        prop_assert!(result.next_steps.starts_with(&found.result.next_steps));
    }
}
