//! Rule: every error code has a page, and every page is about a code.
//!
//! The codes are those of the generated `contract/errors.json`; without that file there is nothing to check yet.

use std::collections::BTreeSet;

use serde::Deserialize;

use super::Complaint;
use super::tree::Tree;

const LIST: &str = "contract/errors.json";
const FOLDER: &str = "docs/errors/";
const RULE: &str = "error-pages";

#[derive(Deserialize)]
struct Entry {
    code: String,
}

pub(super) fn check(tree: &Tree) -> Vec<Complaint> {
    let Some(list) = tree.text(LIST) else { return Vec::new() };
    let entries: Vec<Entry> = match serde_json::from_str(list) {
        Ok(entries) => entries,
        Err(error) => {
            let message = format!("is not an array of objects with a `code`: {error}");
            return vec![Complaint::new(LIST, error.line(), RULE, message)];
        }
    };
    let codes: BTreeSet<&str> = entries.iter().map(|entry| entry.code.as_str()).collect();
    let files = tree.files.iter().filter_map(|file| file.path.strip_prefix(FOLDER));
    let pages: BTreeSet<&str> = files.map(|file| file.strip_suffix(".md").unwrap_or(file)).collect();
    let missing = codes.difference(&pages).map(|code| {
        Complaint::new(&format!("{FOLDER}{code}.md"), 1, RULE, "is missing: say what happened and what to try")
    });
    let stale = pages
        .difference(&codes)
        .map(|page| Complaint::new(&format!("{FOLDER}{page}.md"), 1, RULE, format!("no error has the code {page}")));
    missing.chain(stale).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn files(files: &[(&str, &str)]) -> Vec<String> {
        check(&Tree::of(files)).into_iter().map(|complaint| complaint.file).collect()
    }

    #[test]
    fn a_missing_page_and_a_page_too_many_are_found() {
        let tree = [
            (LIST, "[{\"code\": \"FLEET-1\", \"kind\": \"conflict\"}, {\"code\": \"FLEET-2\"}]"),
            ("docs/errors/FLEET-2.md", "# FLEET-2\n"),
            ("docs/errors/FLEET-3.md", "# FLEET-3\n"),
        ];
        assert_eq!(files(&tree), ["docs/errors/FLEET-1.md", "docs/errors/FLEET-3.md"]);
    }

    #[test]
    fn a_list_of_another_shape_is_a_complaint_about_the_list() {
        assert_eq!(files(&[(LIST, "{\"codes\": []}")]), [LIST]);
    }

    #[test]
    fn without_a_list_there_is_nothing_to_check() {
        assert_eq!(files(&[("docs/errors/FLEET-3.md", "")]), [""; 0]);
    }
}
