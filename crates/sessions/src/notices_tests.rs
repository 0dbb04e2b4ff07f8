use types::FailureClass;

use super::*;
use crate::memory::MemoryFiles;

fn notice(run: u32, offset: u64, text: &str) -> Notice {
    Notice { run, offset, text: text.to_owned() }
}

#[test]
fn notices_are_read_back_in_order_and_one_that_a_crash_cut_off_is_left_out() {
    let (files, path) = (MemoryFiles::default(), Path::new("/notices.jsonl"));
    let mut known = Vec::new();
    assert!(add(&files, path, &mut known, notice(1, 10, "one\ntwo")).unwrap());
    files.append(path, "{\"run\":1,\"off").unwrap();
    assert!(add(&files, path, &mut known, notice(2, 0, "three")).unwrap());
    assert_eq!(read(&files, path).unwrap(), [notice(1, 10, "one\ntwo"), notice(2, 0, "three")]);
}

#[test]
fn an_agent_that_gives_reason_for_notices_without_end_gets_a_bounded_number_of_bounded_ones() {
    let (files, path) = (MemoryFiles::default(), Path::new("/notices.jsonl"));
    let mut known = Vec::new();
    for number in 0..COUNT_MAX + 5 {
        let kept = add(&files, path, &mut known, notice(1, 0, &"x".repeat(CHARS_MAX + number))).unwrap();
        assert_eq!(kept, number < COUNT_MAX);
    }
    let kept = read(&files, path).unwrap();
    assert!(kept.len() == COUNT_MAX && kept.iter().all(|notice| notice.text.len() == CHARS_MAX));
}

#[test]
fn a_process_that_broke_off_is_shown_with_the_last_lines_of_its_errors_and_nothing_twice() {
    let trouble = |text: &str| Trouble { class: FailureClass::Crash, text: text.to_owned() };
    let errors: String = (1..=30).map(|line| format!("line {line}\n")).collect();
    let said = broke_off(&trouble("the process returned 3"), &errors, None);
    let lines: Vec<&str> = said.lines().collect();
    assert_eq!(lines[0], "its process failed (crash): the process returned 3; its standard error ends:");
    assert_eq!((lines.len(), lines[1], lines[20]), (LINES_MAX + 1, "line 11", "line 30"));
    assert_eq!(broke_off(&trouble("boom"), "boom\n", None), "its process failed (crash): boom");
    let next = Some(Timestamp::UNIX_EPOCH);
    assert_eq!(
        broke_off(&trouble("boom"), "", next),
        "its process failed (crash): boom; the next process starts at 1970-01-01T00:00:00Z"
    );
}

#[test]
fn what_a_person_told_an_agent_is_repeated_in_full() {
    assert_eq!(told(None, "Use tabs.\nThen commit."), "its agent continues, and is told:\nUse tabs.\nThen commit.");
}
