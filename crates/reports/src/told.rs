//! Which of the words that a session left are its report.
//!
//! What was handed over on purpose beats what lies about: the tool of the last process, then `result.json`, then a
//! marked block, then a result in the last words. What an earlier process submitted counts where its successor says
//! nothing better; unmarked last output counts where there is nothing else at all.

use types::{Claim, Said, Source, Told};

use crate::marked::read_marked;
use crate::result::read_result;
use crate::said::{Section, Sections as _};

/// The words that a session left.
#[derive(Debug, Clone, Copy, Default)]
pub struct Left<'a> {
    /// Submitted by its last process.
    pub submitted: Option<&'a Said>,
    /// Submitted by an earlier process, and not yet part of a report.
    pub submitted_before: Option<&'a Said>,
    /// The content of `result.json`.
    pub result: Option<&'a str>,
    /// What the last process said.
    pub texts: &'a str,
    /// The last of it; empty if it did not come to its end.
    pub last_words: &'a str,
}

/// Chooses what a session's report says; none if it left no word.
#[must_use]
pub fn told(left: &Left<'_>) -> Option<Told> {
    let submitted = |said: Option<&Said>| {
        let said = said.filter(|said| !said.is_empty())?.clone();
        Some(Told { source: Source::Submitted, said })
    };
    let marked = |text: &str| Some(Told { source: Source::MarkedText, said: read_marked(text).ok()? });
    submitted(left.submitted)
        .or_else(|| left.result.and_then(result))
        .or_else(|| marked(left.texts))
        .or_else(|| marked(left.last_words))
        .or_else(|| result(left.last_words).filter(is_whole))
        .or_else(|| submitted(left.submitted_before))
        .or_else(|| last_words(left.last_words))
}

fn result(text: &str) -> Option<Told> {
    let reading = read_result(text).ok()?;
    let told = Told { source: Source::ResultFile { salvaged: reading.salvaged() }, said: reading.said() };
    Some(told).filter(|told| !told.said.is_empty())
}

/// Output that looks a little like a result is not a result yet: it must say how far it got.
fn is_whole(told: &Told) -> bool {
    told.said.claim != Claim::Unclear
}

fn last_words(text: &str) -> Option<Told> {
    let mut said = Said::default();
    said.put(Section::Done, text);
    (!said.is_empty()).then_some(Told { source: Source::LastWords, said })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::samples::{any_text, said};
    use crate::write_marked;

    const RESULT: &str = r#"{"summary": "Added a cart.", "status": "completed"}"#;

    fn done(what: &str) -> Said {
        Said { what_done: what.to_owned(), ..Said::default() }
    }

    fn source(left: &Left<'_>) -> Option<Source> {
        told(left).map(|told| told.source)
    }

    #[test]
    fn what_was_handed_over_on_purpose_beats_what_lies_about() {
        let (first, earlier, block) = (done("submitted"), done("before"), write_marked(&said()));
        let all = Left {
            submitted: Some(&first),
            submitted_before: Some(&earlier),
            result: Some(RESULT),
            texts: &block,
            last_words: RESULT,
        };
        assert_eq!(told(&all), Some(Told { source: Source::Submitted, said: first.clone() }));
        let file = Left { submitted: None, ..all };
        assert_eq!(source(&file), Some(Source::ResultFile { salvaged: false }));
        let block = Left { result: None, ..file };
        assert_eq!(told(&block), Some(Told { source: Source::MarkedText, said: said() }));
        let spoken = Left { texts: "", ..block };
        assert_eq!(source(&spoken), Some(Source::ResultFile { salvaged: false }));
        let before = Left { last_words: "I am through.", ..spoken };
        assert_eq!(told(&before), Some(Told { source: Source::Submitted, said: earlier.clone() }));
        let words = Left { submitted_before: None, ..before };
        assert_eq!(told(&words), Some(Told { source: Source::LastWords, said: done("I am through.") }));
        assert_eq!(told(&Left { last_words: " \n", ..words }), None);
    }

    #[test]
    fn a_result_that_cannot_be_read_gives_way_and_one_that_can_be_saved_does_not() {
        let broken = r#"{"summary": "Added a cart.", "status": "blocked", "files_changed": ["a"#;
        let salvaged = told(&Left { result: Some(broken), last_words: "words", ..Left::default() }).unwrap();
        assert_eq!(salvaged.source, Source::ResultFile { salvaged: true });
        assert_eq!(salvaged.said.claim, Claim::Blocked);
        let unreadable = Left { result: Some("no JSON"), last_words: "words", ..Left::default() };
        assert_eq!(source(&unreadable), Some(Source::LastWords));
    }

    proptest! {
        #[test]
        fn an_agent_that_said_anything_has_said_something(texts in any_text(), last in any_text()) {
            let left = Left { texts: &texts, last_words: &last, ..Left::default() };
            let told = told(&left);
            prop_assert!(told.as_ref().is_none_or(|told| !told.said.is_empty()));
            if crate::cut::clean(&last).is_empty() {
                prop_assert!(told.is_none_or(|told| told.source == Source::MarkedText));
            } else {
                prop_assert!(told.is_some());
            }
        }
    }
}
