use types::{CheckOutcome, CheckRun, Commit, Said};

use super::*;
use crate::samples::{check, evidence, file};
use crate::{Section, Sections as _};

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
    let bounded = bounded(huge());
    let json = serde_json::to_string(&(&said, &bounded)).unwrap();
    assert!(json.len() < DOCUMENT_MAX, "{}", json.len());
}

#[test]
fn what_is_left_out_is_counted_and_no_check_is() {
    let (all, small) = (huge(), bounded(huge()));
    assert_eq!(small.checks.len(), all.checks.len());
    assert_eq!(small.commits.len() + small.left_out.commits, all.commits.len());
    assert_eq!(small.files.len() + small.left_out.files, all.files.len());
    assert_eq!(digest(&small).files_total, digest(&all).files_total);
    assert_eq!(bounded(small.clone()), small, "bounding twice changes nothing");
    assert_eq!(bounded(evidence()), evidence(), "what is small stays as it is");
}
