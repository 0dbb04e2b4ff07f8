use types::CheckOutcome;

use super::*;
use crate::samples::{check, evidence, file};
use crate::{Said, Section};

/// What a document of the store may hold.
const DOCUMENT_MAX: usize = 350_000;

fn huge() -> Evidence {
    let output_tail = "\u{1b}[31m\"\n".repeat(5_000);
    Evidence {
        commits: vec![Commit { oid: "f".repeat(64), subject: "\"".repeat(2000) }; 1000],
        files: (0..3_000).map(|at| file(&format!("a/very/long/\"path\"/{at}"))).collect(),
        checks: vec![CheckRun { output_tail, ..check(CheckOutcome::TimedOut) }; 30],
        ..evidence()
    }
}

#[test]
fn the_longest_report_with_its_evidence_fits_a_document() {
    let mut said = Said::default();
    for section in Section::ALL {
        said.put(section, &"\"\n".repeat(20_000));
    }
    let bounded = huge().bounded();
    let json = serde_json::to_string(&(&said, &bounded)).unwrap();
    assert!(json.len() < DOCUMENT_MAX, "{}", json.len());
}

#[test]
fn what_is_left_out_is_counted_and_no_check_is() {
    let (all, bounded) = (huge(), huge().bounded());
    assert_eq!(bounded.checks.len(), all.checks.len());
    assert_eq!(bounded.commits.len() + bounded.left_out.commits, all.commits.len());
    assert_eq!(bounded.files.len() + bounded.left_out.files, all.files.len());
    assert_eq!(bounded.digest().files_total, all.digest().files_total);
    assert_eq!(bounded.clone().bounded(), bounded, "bounding twice changes nothing");
    assert_eq!(evidence().bounded(), evidence(), "what is small stays as it is");
}
