use super::*;

fn asking(text: &str, choices: &[&str]) -> Asking {
    let choices = choices.iter().map(|choice| (*choice).to_owned()).collect();
    Asking { text: text.to_owned(), choices, free_text: true }
}

#[test]
fn a_question_is_known_by_its_words_and_choices_however_they_are_spaced() {
    let key = asking("Which port?", &["80", "8080"]).key();
    assert_eq!(asking("  Which \n port? ", &["80", " 8080"]).key(), key);
    for other in
        [asking("Which host?", &["80", "8080"]), asking("Which port?", &["80"]), asking("Which port? 80", &["8080"])]
    {
        assert_ne!(other.key(), key, "{other:?}");
    }
}
