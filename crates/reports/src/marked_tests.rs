use proptest::prelude::*;

use super::*;
use crate::samples::{any_said, any_text, said};

fn block(body: &str) -> String {
    format!("{MARK_START}\n{body}\n{MARK_END}")
}

#[test]
fn a_block_as_agents_are_told_to_write_it_is_read_in_full() {
    let text = "All done. Here is my report:\r\n---DEVFLEET-REPORT-START---\r\n## Files Changed\r\n- `src/auth.py`: login\r\n\
                - `tests/test_auth.py`: new\r\n\r\n## What's Done\r\n* Login with a token\r\n\r\n## What's Open\r\nPassword \
                reset\r\n\r\n## What's Tested\r\npytest, 14 passed\r\n\r\n## What's Not Tested\r\nLoad\r\n\r\n## Next \
                Steps\r\n1. Reset by mail\r\n\r\n## Errors & Human Input Needed\r\n- Needs an SMTP account\r\n\r\n## \
                Preview\r\n- URL: http://localhost:4321\r\n---DEVFLEET-REPORT-END---\r\nBye.";
    insta::assert_json_snapshot!(read_marked(text).unwrap());
}

#[test]
fn headings_are_known_in_every_spelling() {
    for (heading, section) in [
        ("## FILES CHANGED", Section::FilesChanged),
        ("##What’s done:", Section::Done),
        ("# What is open", Section::Open),
        ("### whats tested", Section::Tested),
        ("**What‘s Not Tested**", Section::Untested),
        ("  ## 6. Next steps", Section::NextSteps),
        ("## Errors & Human Input Needed", Section::Errors),
        ("## Errors and human input needed", Section::Errors),
        ("## Errors Encountered", Section::Errors),
        ("**What's Open:**", Section::Open),
        ("**What's Open**:", Section::Open),
    ] {
        let read = read_marked(&block(&format!("{heading}\nwords"))).unwrap();
        assert_eq!(read.text(section), "words", "{heading}");
    }
}

#[test]
fn the_last_whole_block_counts() {
    let [first, second] = ["first", "second"].map(|word| block(&format!("## What's Done\n{word}")));
    let done = |text: &str| read_marked(text).map(|said| said.what_done);
    assert_eq!(done(&format!("{first}\n{second}")).as_deref(), Ok("second"));
    assert_eq!(done(&format!("{first}\n{MARK_START}\n## What's Done\nhalf")).as_deref(), Ok("first"));
    assert_eq!(done(&format!("{MARK_START}\n## What's Done\nhalf\n{second}")).as_deref(), Ok("second"));
    let prose = format!("{first}\nThe report stands between {MARK_START} and {MARK_END}.");
    assert_eq!(done(&prose).as_deref(), Ok("first"), "marks that are only spoken of hold no report");
}

#[test]
fn nothing_that_was_said_is_lost() {
    let read =
        read_marked(&block("It went well.\n## What's Done\na\n## Notes\nb\n## Next Steps\nc\n## What's Done\nd"));
    let read = read.unwrap();
    assert_eq!(read.what_done, "It went well.\n\na\n## Notes\nb\n\nd");
    assert_eq!(read.next_steps, "c");
}

#[test]
fn a_fence_around_the_block_is_no_part_of_it() {
    let read = read_marked(&block("```markdown\n## What's Done\na\n## Next Steps\nb\n```")).unwrap();
    assert_eq!((read.what_done.as_str(), read.next_steps.as_str()), ("a", "b"));
}

#[test]
fn what_is_no_report_is_refused_with_its_reason() {
    for (text, error) in [
        (String::new(), MarkedError::NoBlock),
        (MARK_END.to_owned(), MarkedError::NoBlock),
        (format!("{MARK_END}\n{MARK_START}\n## What's Done\na"), MarkedError::NotEnded),
        (block("I did it."), MarkedError::NoHeading),
        (block("## What's Done\n\n## Preview\nnone"), MarkedError::Empty),
    ] {
        assert_eq!(read_marked(&text), Err(error), "{text}");
    }
}

#[test]
fn a_report_is_written_under_the_headings_that_agents_are_told() {
    insta::assert_snapshot!(write_marked(&said()));
}

proptest! {
    #[test]
    fn any_text_is_read_or_refused(text in any_text()) {
        if let Ok(said) = read_marked(&text) {
            prop_assert!(!said.is_empty());
        }
    }

    #[test]
    fn what_is_written_is_read_again(said in any_said(), before in any_text(), after in "[a-z\n]{0,20}") {
        prop_assert_eq!(read_marked(&write_marked(&said)), Ok(said.clone()));
        let among = format!("{before}\n{}{after}", write_marked(&said));
        prop_assert_eq!(read_marked(&among), Ok(said));
    }
}
