use proptest::prelude::*;
use serde_json::json;

use super::*;
use crate::said::TEXT_MAX;
use crate::samples::{any_said, any_text, said};

fn input(said: &Said) -> Value {
    Section::ALL.into_iter().map(|section| (section.key().to_owned(), json!(said.text(section)))).collect()
}

#[test]
fn a_preview_may_be_left_out_and_nothing_else() {
    for section in Section::ALL {
        let mut input = input(&said());
        input.as_object_mut().unwrap().remove(section.key());
        let read = read_submitted(&input);
        if section == Section::Preview {
            assert_eq!(read, Ok(Said { preview_url: String::new(), ..said() }));
        } else {
            assert_eq!(read, Err(SubmitError::Missing { fields: vec![section.key()] }));
        }
    }
}

#[test]
fn what_is_wrong_is_said_by_name() {
    let with = |key: &str, value: Value| {
        let mut input = input(&said());
        input[key] = value;
        read_submitted(&input).unwrap_err().to_string()
    };
    assert_eq!(with("files_changed", json!(["a"])), "files_changed must be a text, not a list");
    assert_eq!(with("preview_url", json!(3)), "preview_url must be a text, not a number");
    assert_eq!(with("mood", json!("fine")), "a report has no field \"mood\"");
    assert!(read_submitted(&json!({"what_done": "a"})).unwrap_err().to_string().contains("files_changed, what_open"));
    assert_eq!(read_submitted(&json!([])), Err(SubmitError::NotAnObject { found: "a list" }));
    assert_eq!(read_submitted(&input(&Said::default())), Err(SubmitError::Empty));
    assert!(matches!(read_submitted_text("{"), Err(SubmitError::NotJson { .. })));
}

#[test]
fn a_text_that_is_too_long_is_cut_and_says_so() {
    let long = Said { what_done: "ä".repeat(TEXT_MAX), ..said() };
    let read = read_submitted(&input(&long)).unwrap();
    assert!(read.what_done.len() <= TEXT_MAX && read.what_done.contains("[cut by Fleet: "));
}

proptest! {
    #[test]
    fn any_text_is_read_or_refused(text in any_text()) {
        let _ = read_submitted_text(&text);
    }

    #[test]
    fn what_is_submitted_is_what_is_kept(said in any_said()) {
        prop_assert_eq!(read_submitted_text(&input(&said).to_string()), Ok(said));
    }
}
