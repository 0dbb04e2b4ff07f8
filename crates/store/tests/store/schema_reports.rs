//! The stored form of reports and of what sessions at work have submitted.

use fleet_store::by;
use types::{
    Author, ChangeKind, CheckOutcome, CheckRun, Claim, Commit, Discrepancy, Evidence, Failure, FileChange, LeftOut,
    MissionState, Reason, Report, Said, Source, Submission, Timestamp, Tokens, Told, Verdict,
};

use crate::schema::{assert_newest, full, text};
use crate::support::{open, stamp};

fn at(second: i64) -> Timestamp {
    Timestamp::from_second(1_750_000_000 + second).unwrap()
}

fn said() -> Said {
    Said {
        claim: Claim::Done,
        files_changed: text("- src/cart.rs"),
        what_done: text("Added a cart."),
        what_open: text("Taxes."),
        what_tested: text("cargo test"),
        what_untested: text("None"),
        next_steps: text("Add taxes."),
        errors_encountered: text("Which rate?"),
        preview_url: text("http://localhost:4321/"),
    }
}

/// A report of which everything is known.
fn whole() -> Report {
    let file = |path: &str, kind| FileChange { path: text(path), kind, added: Some(3), removed: None };
    Report {
        id: "r-x7k2m".parse().unwrap(),
        team: "alpha".parse().unwrap(),
        project: Some("p-x7k2m".parse().unwrap()),
        mission: Some("m-x7k2m".parse().unwrap()),
        author: Author::Session { session: "s-x7k2m".parse().unwrap(), run: 2 },
        said: Some(Told { source: Source::ResultFile { salvaged: true }, said: said() }),
        evidence: Evidence {
            commits: vec![Commit { oid: text("1f0c"), subject: text("Add a cart") }],
            files: vec![
                file("src/cart.rs", ChangeKind::Added),
                file("src/main.rs", ChangeKind::Renamed { from: text("src/old.rs") }),
            ],
            checks: vec![CheckRun {
                command: text("cargo test"),
                outcome: CheckOutcome::Failed { code: 101 },
                output_tail: text("1 failed"),
                duration_ms: 900,
                sandbox: None,
                refused: Vec::new(),
            }],
            uncommitted_kept: true,
            cost: 0.25.into(),
            cost_unknown: true,
            tokens: Tokens { input: 1, output: 2, cache_read: 3, cache_write: 4 },
            turns: 5,
            duration_ms: 6_000,
            left_out: LeftOut { commits: 7, files: 8 },
        },
        verdict: Some(Verdict::NotDone(vec![Reason::CheckRed {
            command: text("cargo test"),
            outcome: CheckOutcome::Failed { code: 101 },
        }])),
        discrepancies: vec![Discrepancy::NotNamed { path: text("src/main.rs") }],
        created_at: at(0),
        updated_at: at(1),
    }
}

/// A report of which as little as possible is known.
fn bare() -> Report {
    Report {
        id: "r-abcde".parse().unwrap(),
        project: None,
        mission: None,
        author: Author::Agent { handle: "scout-1".parse().unwrap(), generation: 3 },
        said: None,
        evidence: Evidence::default(),
        verdict: None,
        discrepancies: Vec::new(),
        ..whole()
    }
}

#[tokio::test]
async fn a_report_is_kept_as_it_was_ever_written() {
    assert_newest(include_str!("../fixtures/report.v1.whole.json"), &whole()).await;
    assert_newest(include_str!("../fixtures/report.v1.bare.json"), &bare()).await;
}

#[tokio::test]
async fn what_was_submitted_is_kept_as_it_was_ever_written() {
    let submission = Submission { session: "s-x7k2m".parse().unwrap(), run: 2, said: said(), at: at(0) };
    assert_newest(include_str!("../fixtures/submission.v1.json"), &submission).await;
}

#[tokio::test]
async fn a_mission_that_is_not_done_says_why_for_ever() {
    let reasons = vec![Reason::NoCommit { kept: false }, Reason::Blocked { why: text("no key") }];
    let failure = Failure::NotDone { session: "s-x7k2m".parse().unwrap(), reasons };
    let mission = full(MissionState::Failed { at: at(0), failure });
    assert_newest(include_str!("../fixtures/mission.v1.failed_not_done.json"), &mission).await;
}

#[tokio::test]
async fn the_newest_report_of_each_group_is_found_first() {
    let store = open(kv::MemEngine::new(), 1).await;
    let older = whole();
    let newer = Report { id: "r-22222".parse().unwrap(), created_at: at(9), ..whole() };
    let elsewhere = Report { created_at: at(99), ..bare() };
    let (first, second, third) = (&newer, &older, &elsewhere);
    let put = store.transact(stamp(), |tx| async move {
        for report in [first, second, third] {
            tx.insert(report)?;
        }
        Ok::<_, fleet_store::Error>(())
    });
    put.await.unwrap();
    let (mission, session) = ("m-x7k2m".parse().unwrap(), "s-x7k2m".parse().unwrap());
    let project = "p-x7k2m".parse().unwrap();
    for group in [by::report::mission(&mission), by::report::session(&session), by::report::project(&project)] {
        assert_eq!(store.latest_report(group).await.unwrap().as_ref(), Some(&newer));
    }
    assert_eq!(store.latest_report(by::report::all()).await.unwrap(), Some(elsewhere));
    assert_eq!(store.latest_report(by::report::mission(&"m-22222".parse().unwrap())).await.unwrap(), None);
}
