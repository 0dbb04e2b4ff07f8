use proptest::prelude::*;
use types::{FileChange, LeftOut};

use super::*;
use crate::samples::{any_text, evidence, file, said};

fn differences(text: &str, paths: &[&str]) -> Vec<String> {
    let said = Said { files_changed: text.to_owned(), ..Said::default() };
    let evidence = Evidence { files: paths.iter().map(|path| file(path)).collect(), ..Evidence::default() };
    let short = |difference: &Discrepancy| match difference {
        Discrepancy::NotChanged { path } => format!("-{path}"),
        Discrepancy::NotNamed { path } => format!("+{path}"),
        Discrepancy::NoTools { server, .. } => format!("no {server}"),
        Discrepancy::More { count } => format!("{count} more"),
    };
    discrepancies(&said, &evidence).iter().map(short).collect()
}

#[test]
fn files_are_found_however_agents_write_them() {
    for text in [
        "src/a.rs\nREADME.md",
        "- `src/a.rs`: new, see docs/x.md\n- `README.md`",
        "* **src/a.rs** — the cart\n* README.md (one line)",
        "./src/a.rs, README.md.",
        "/tree/of/session/src/a.rs\n/tree/of/session/README.md",
        "M src/a.rs\nA README.md",
        "1. src/ - all of it\n2. README.md: why/how",
        "a.rs and README.md",
    ] {
        assert_eq!(differences(text, &["src/a.rs", "README.md"]), [""; 0], "{text}");
    }
    assert_eq!(differences("- my notes.txt", &["my notes.txt"]), ["-notes.txt"; 0], "a name may have a space");
    assert_eq!(differences("Makefile", &["Makefile"]), [""; 0]);
}

#[test]
fn what_only_one_of_them_shows_is_listed() {
    assert_eq!(differences("src/a.rs\nsrc/b.rs", &["src/b.rs", "src/c.rs"]), ["-src/a.rs", "+src/c.rs"]);
    assert_eq!(differences("None", &["src/c.rs"]), ["+src/c.rs"]);
    assert_eq!(differences("- src/old.rs -> src/new.rs", &["src/new.rs"]), ["-src/old.rs"]);
    assert_eq!(differences("No files and/or folders. See https://a.org/b.html, *.rs", &[]), [""; 0]);
}

#[test]
fn a_file_that_moved_may_go_by_both_its_names() {
    let kind = ChangeKind::Renamed { from: "src/old.rs".to_owned() };
    let moved = Evidence { files: vec![FileChange { kind, ..file("src/new.rs") }], ..Evidence::default() };
    let said = Said { files_changed: "src/old.rs -> src/new.rs".to_owned(), ..Said::default() };
    assert_eq!(discrepancies(&said, &moved), []);
}

#[test]
fn a_list_that_is_not_whole_contradicts_nobody() {
    let partly = Evidence { left_out: LeftOut { files: 9, commits: 0 }, ..evidence() };
    let said = Said { files_changed: format!("{}\nsrc/far.rs", said().files_changed), ..said() };
    assert_eq!(discrepancies(&said, &partly), []);
    assert_eq!(discrepancies(&said, &evidence()).len(), 1);
}

proptest! {
    #[test]
    fn any_words_are_compared_and_the_list_is_bounded(text in any_text(), files in 0..300usize) {
        let files = (0..files).map(|at| file(&format!("{at}/{at}.c"))).collect();
        let said = Said { files_changed: text, ..Said::default() };
        let found = discrepancies(&said, &Evidence { files, ..Evidence::default() });
        prop_assert!(found.len() <= DISCREPANCIES_MAX);
    }

    #[test]
    fn who_names_what_changed_is_not_contradicted(paths in prop::collection::btree_set("[a-z]{1,4}(/[a-z]{1,4}){0,2}\\.[a-z]{1,3}", 0..6)) {
        let paths: Vec<_> = paths.iter().map(String::as_str).collect();
        prop_assert_eq!(differences(&paths.join("\n"), &paths), [""; 0]);
    }
}
