//! What a person's answer to a question means: a choice by its number or its words, or free text. Pure.

/// Returns the answer that is stored; none if it differs from all choices and the question allows no other.
pub(crate) fn chosen(choices: &[String], free_text: bool, answer: &str) -> Option<String> {
    let answer = answer.trim();
    // Words come before numbers: a choice may be a number itself.
    let by_words = || choices.iter().find(|choice| choice.trim().eq_ignore_ascii_case(answer));
    let by_number = || choices.get(answer.parse::<usize>().ok()?.checked_sub(1)?);
    let is_free = (free_text || choices.is_empty()) && !answer.is_empty();
    by_words().or_else(by_number).cloned().or_else(|| is_free.then(|| answer.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_choice_is_named_by_its_words_or_its_number_and_words_come_first() {
        let choices = ["80", "1", "Neither of them"].map(str::to_owned);
        for (answer, expected) in [
            ("80", Some("80")),
            ("1", Some("1")),
            ("3", Some("Neither of them")),
            (" neither OF them ", Some("Neither of them")),
            ("2", Some("1")),
            ("4", None),
            ("0", None),
            ("8080", None),
            ("", None),
        ] {
            assert_eq!(chosen(&choices, false, answer).as_deref(), expected, "{answer:?}");
        }
    }

    #[test]
    fn free_text_is_an_answer_where_it_is_allowed_or_there_is_nothing_to_choose() {
        let choices = ["yes".to_owned()];
        assert_eq!(chosen(&choices, true, " later "), Some("later".to_owned()));
        assert_eq!(chosen(&[], false, "later"), Some("later".to_owned()));
        assert_eq!(chosen(&[], true, "  "), None);
    }
}
