//! Missions, reports and evidence for tests: fixed ones, and any at all for properties.

use proptest::prelude::*;
use serde_json::json;
use types::{
    Author, ChangeKind, CheckOutcome, CheckRun, Commit, Evidence, FileChange, Handle, Mission, Report, Said, Source,
    TeamName, Timestamp, Told, Verdict,
};

use crate::{MARK_END, MARK_START, Section, Sections as _};

/// Read from JSON, as the store has it: a mission that gains a field is still a mission.
pub(crate) fn mission() -> Mission {
    let at = "2025-06-15T15:06:40Z";
    let mission = json!({
        "id": "m-zzaaa", "project": null, "number": 7, "team": TeamName::default_team(), "title": "Add a cart",
        "prompt": "Add a cart to the shop.", "acceptance": "The tests pass.", "kind": "implement",
        "state": {"name": "draft"}, "priority": 0, "tags": [], "depends_on": [], "parent": null, "assignee": null,
        "created_by": Handle::owner(), "start": "by_hand", "model": null, "allowed_tools": null,
        "limits": {"turns_max": null, "dollars_max": null}, "schedule": null, "callback_url": null,
        "retry": {"times_max": 0, "automatic": false}, "holders": 0, "created_at": at, "updated_at": at,
    });
    serde_json::from_value(mission).unwrap()
}

pub(crate) fn said() -> Said {
    Said {
        files_changed: "- src/cart.rs (new)\n- src/main.rs".to_owned(),
        what_done: "Added a cart.".to_owned(),
        what_open: "Taxes.".to_owned(),
        what_tested: "cargo test: 12 passed".to_owned(),
        what_untested: "None".to_owned(),
        next_steps: "Add taxes.".to_owned(),
        errors_encountered: "Which tax rate applies?".to_owned(),
        preview_url: "http://localhost:4321/cart".to_owned(),
        ..Said::default()
    }
}

pub(crate) fn file(path: &str) -> FileChange {
    FileChange { path: path.to_owned(), kind: ChangeKind::Modified, added: Some(3), removed: Some(1) }
}

pub(crate) fn check(outcome: CheckOutcome) -> CheckRun {
    let output_tail = "running 12 tests\ntest cart::total ... FAILED".to_owned();
    CheckRun {
        command: "cargo test".to_owned(),
        outcome,
        output_tail,
        duration_ms: 900,
        sandbox: None,
        refused: Vec::new(),
    }
}

/// A commit of two files, with a green check.
pub(crate) fn evidence() -> Evidence {
    Evidence {
        commits: vec![Commit { oid: "1f0c".to_owned(), subject: "Add a cart".to_owned() }],
        files: vec![file("src/cart.rs"), file("src/main.rs")],
        checks: vec![check(CheckOutcome::Passed)],
        ..Evidence::default()
    }
}

/// A report of a session, judged so.
pub(crate) fn report(verdict: Option<Verdict>) -> Report {
    let at = Timestamp::UNIX_EPOCH;
    Report {
        id: "r-x7k2m".parse().unwrap(),
        team: TeamName::default_team(),
        project: None,
        mission: Some(mission().id),
        author: Author::Session { session: "s-x7k2m".parse().unwrap(), run: 1 },
        said: Some(Told { source: Source::Submitted, said: said() }),
        evidence: evidence(),
        verdict,
        discrepancies: Vec::new(),
        created_at: at,
        updated_at: at,
    }
}

/// Text that looks like what the readers look for, and text that does not.
pub(crate) fn any_text() -> impl Strategy<Value = String> {
    let lines = prop_oneof![
        "\\PC{0,20}",
        any::<String>(),
        "[\\\\ ]{0,3}#{1,4} ?(What’s|WHAT'S|whats|Next) (Done|OPEN|Not Tested|steps)",
        "\\*\\*Errors & Human Input Needed:?\\*\\*",
        "\\\\{0,2}-{3,5}DEVFLEET-REPORT-(START|END)---",
        Just(MARK_START.to_owned()),
        Just(MARK_END.to_owned()),
        "[\\[\\]{},:\"]{0,6}",
        "\"(summary|status|tests)\": ?\"?[a-z]{0,5}\"?,?",
    ];
    prop::collection::vec(lines, 0..8).prop_map(|lines| lines.join("\n"))
}

/// A report that says something, in the form in which reports are kept.
pub(crate) fn any_said() -> impl Strategy<Value = Said> {
    let address = prop_oneof![Just(String::new()), "https?://[a-z]{1,9}(:[0-9]{2,4})?/\\PC{0,9}"];
    (prop::collection::vec(any_text(), 7), address).prop_filter_map("an empty report is none", |(texts, address)| {
        let mut said = Said::default();
        for (section, text) in Section::ALL.into_iter().zip(texts.iter().chain([&address])) {
            said.put(section, text);
        }
        (!said.is_empty()).then_some(said)
    })
}
