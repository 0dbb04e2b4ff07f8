//! Rule: no lint is switched off silently and no test is switched off at all.

use super::Complaint;
use super::rust::words;
use super::tree::Tree;

pub(super) fn check(tree: &Tree) -> Vec<Complaint> {
    let mut complaints = Vec::new();
    for file in &tree.rust {
        for attribute in &file.attributes {
            if switches_lint_off(&attribute.text) {
                let message = "use #[expect(…, reason = \"…\")]: it goes away when its cause does";
                complaints.push(Complaint::new(&file.path, attribute.line, "allow", message));
            }
            if switches_test_off(&attribute.text) {
                let message = "a test runs or is removed";
                complaints.push(Complaint::new(&file.path, attribute.line, "ignored-test", message));
            }
        }
    }
    complaints
}

fn switches_lint_off(attribute: &str) -> bool {
    words(attribute).any(|(at, word)| word == "allow" && attribute[at + word.len()..].trim_start().starts_with('('))
}

fn switches_test_off(attribute: &str) -> bool {
    let mut words = words(attribute).map(|(_, word)| word);
    match words.next() {
        Some("ignore") => true,
        Some("cfg_attr") => words.any(|word| word == "ignore"),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rules(text: &str) -> Vec<&'static str> {
        let tree = Tree::of(&[("crates/x/src/lib.rs", text)]);
        check(&tree).into_iter().map(|complaint| complaint.rule).collect()
    }

    #[test]
    fn a_lint_switched_off_is_found_in_every_form() {
        for text in
            ["#[allow(dead_code)]\nfn a() {}\n", "#![allow(dead_code)]\n", "#[cfg_attr(test, allow(dead_code))]\n"]
        {
            assert_eq!(rules(text), ["allow"], "{text}");
        }
    }

    #[test]
    fn a_test_switched_off_is_found_in_every_form() {
        for text in ["#[test]\n#[ignore]\nfn a() {}\n", "#[ignore = \"slow\"]\n", "#[cfg_attr(miri, ignore)]\n"] {
            assert_eq!(rules(text), ["ignored-test"], "{text}");
        }
    }

    #[test]
    fn an_expectation_and_a_word_in_a_string_or_comment_pass() {
        let text = "#[expect(dead_code, reason = \"ignore\")]\n#[arg(allow_hyphen_values)]\n// #[allow(x)]\nconst A: &str = \"#[ignore]\";\n";
        assert_eq!(rules(text), [""; 0]);
    }
}
