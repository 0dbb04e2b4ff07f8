//! The page of each error code: what happened, what to do. Crate `cli` checks that its commands are accepted.

use api::Code;

/// Words that blame, beg or say nothing.
const UNHELPFUL: [&str; 5] = ["unable", "bad", "illegal", "please", "unknown error"];

#[test]
fn a_page_has_its_code_and_two_sections_that_say_something() {
    for code in Code::ALL {
        let (title, happened, to_do) = sections(*code);
        assert_eq!(title, format!("# {}", code.as_str()));
        for section in [happened, to_do] {
            assert!(section.len() >= 80, "{} says little: {section:?}", code.as_str());
            assert!(!section.contains("\n#"), "{} has another section", code.as_str());
        }
    }
}

#[test]
fn a_page_says_what_happened_in_a_few_sentences() {
    for code in Code::ALL {
        let (_, happened, _) = sections(*code);
        let sentences = happened.replace('\n', " ").split(". ").count();
        assert!((2..=4).contains(&sentences) && happened.ends_with('.'), "{}: {sentences}", code.as_str());
    }
}

#[test]
fn a_page_says_what_to_do_in_steps_and_names_a_command() {
    for code in Code::ALL {
        let (_, _, to_do) = sections(*code);
        assert!(to_do.lines().all(|line| line.starts_with("- ") || line.starts_with("  ")), "{}", code.as_str());
        assert!(commands(*code).next().is_some(), "{} names no command", code.as_str());
    }
}

#[test]
fn a_page_has_no_unhelpful_word() {
    for code in Code::ALL {
        let page = code.page().to_lowercase();
        let words: Vec<_> = page.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
        let text = format!(" {} ", words.join(" "));
        let found = UNHELPFUL.into_iter().find(|word| text.contains(&format!(" {word} ")));
        assert_eq!(found, None, "{}", code.as_str());
    }
}

/// The title and the two sections of a page.
fn sections(code: Code) -> (&'static str, &'static str, &'static str) {
    let (title, rest) = code.page().split_once("\n\n## What happened\n\n").unwrap_or_default();
    let (happened, to_do) = rest.split_once("\n\n## What to do\n\n").unwrap_or_default();
    (title, happened, to_do.trim_end())
}

/// The commands on a page, without `fleet`.
fn commands(code: Code) -> impl Iterator<Item = &'static str> {
    code.page().split('`').skip(1).step_by(2).filter_map(|typed| typed.strip_prefix("fleet "))
}
