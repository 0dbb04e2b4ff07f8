use proptest::prelude::*;

use super::*;

#[test]
fn names_of_the_contracts_are_branches() {
    for name in ["devfleet/1a2b3c4d", "worker/1a2b3c4d", "codex/wrr-implement/w_0123456789ab", "main", "ümlaut/ß"] {
        assert_eq!(name.parse::<BranchName>().unwrap().reference(), format!("refs/heads/{name}"));
    }
}

#[test]
fn options_climbs_and_tricks_are_refused_by_name() {
    for name in [
        "",
        "-b",
        "--upload-pack=x",
        "../x",
        "a/../b",
        "a..b",
        "a b",
        "a\nb",
        "a\0b",
        "a~1",
        "a^",
        "a:b",
        "a?",
        "a*",
        "[a",
        "a\\b",
        "@",
        "a@{1}",
        "/a",
        "a/",
        "a//b",
        ".a",
        "a/.b",
        "a.",
        "a.lock",
        "a.lock/b",
        "HEAD",
    ] {
        let error = name.parse::<BranchName>().unwrap_err();
        assert!(error.to_string().starts_with("cannot use `"), "{error}");
    }
}

#[test]
fn a_refusal_prints_on_one_line_and_stays_short() {
    let error = format!("a\n{}", "x".repeat(500)).parse::<SnapshotName>().unwrap_err().to_string();
    assert!(!error.contains('\n') && error.len() < 200, "{error}");
}

proptest! {
    #[test]
    fn whatever_is_accepted_stays_below_its_folder(name in "\\PC{0,40}") {
        if let Ok(branch) = name.parse::<BranchName>() {
            prop_assert!(!branch.as_str().starts_with('-'));
            prop_assert!(branch.as_str().split('/').all(|part| !matches!(part, "" | "." | "..")));
        }
    }
}
