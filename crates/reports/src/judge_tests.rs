use proptest::prelude::*;
use types::CheckOutcome;

use super::*;
use crate::samples::{check, evidence, report, said};

const ALL_DUE: Expectation = Expectation { commit_due: true, checks_due: true };
const NONE_DUE: Expectation = Expectation { commit_due: false, checks_due: false };

fn reasons(said: Option<&Said>, evidence: &Evidence, expectation: Expectation) -> Vec<Reason> {
    match judge(said, evidence, expectation) {
        Verdict::Done => Vec::new(),
        Verdict::NotDone(reasons) => reasons,
    }
}

#[test]
fn commits_and_green_checks_are_done_with_or_without_words() {
    assert_eq!(judge(Some(&said()), &evidence(), ALL_DUE), Verdict::Done);
    assert_eq!(judge(None, &evidence(), ALL_DUE), Verdict::Done);
}

#[test]
fn to_say_done_without_a_commit_is_not_done() {
    let none = Evidence { commits: Vec::new(), files: Vec::new(), ..evidence() };
    assert_eq!(reasons(Some(&said()), &none, ALL_DUE), [Reason::NoCommit { kept: false }]);
    let kept = Evidence { uncommitted_kept: true, ..none.clone() };
    assert_eq!(reasons(Some(&said()), &kept, ALL_DUE), [Reason::NoCommit { kept: true }]);
    let idle = Said { claim: Claim::NothingToDo, ..said() };
    assert_eq!(reasons(Some(&idle), &none, ALL_DUE), [Reason::NothingToDo]);
}

#[test]
fn a_commit_that_changes_nothing_is_no_work() {
    let empty = Evidence { files: Vec::new(), ..evidence() };
    assert_eq!(reasons(Some(&said()), &empty, ALL_DUE), [Reason::NothingChanged]);
}

#[test]
fn a_check_that_is_red_missing_or_not_run_is_not_done() {
    for outcome in [
        CheckOutcome::Failed { code: 1 },
        CheckOutcome::TimedOut,
        CheckOutcome::NotStarted { why: "no shell".to_owned() },
    ] {
        let red = Evidence { checks: vec![check(CheckOutcome::Passed), check(outcome.clone())], ..evidence() };
        let reason = Reason::CheckRed { command: "cargo test".to_owned(), outcome };
        assert_eq!(reasons(Some(&said()), &red, ALL_DUE), [reason]);
    }
    let none = Evidence { checks: Vec::new(), ..evidence() };
    assert_eq!(reasons(Some(&said()), &none, ALL_DUE), [Reason::ChecksMissing]);
    assert_eq!(reasons(Some(&said()), &none, Expectation { checks_due: false, ..ALL_DUE }), []);
}

#[test]
fn who_says_blocked_is_not_done_whatever_is_there() {
    let blocked = Said { claim: Claim::Blocked, ..said() };
    let why = said().errors_encountered;
    assert_eq!(reasons(Some(&blocked), &evidence(), ALL_DUE), [Reason::Blocked { why }]);
}

#[test]
fn missions_that_only_look_need_a_report_and_no_commit() {
    for kind in ["review", "explore", "test"] {
        let expectation = Expectation::of(&kind.to_owned().into(), true);
        assert_eq!(judge(Some(&said()), &Evidence::default(), expectation), Verdict::Done, "{kind}");
        assert_eq!(reasons(None, &Evidence::default(), expectation), [Reason::NoReport], "{kind}");
        assert_eq!(reasons(Some(&Said::default()), &Evidence::default(), expectation), [Reason::NoReport], "{kind}");
    }
    for kind in ["implement", "fix", "full", "scaffold", ""] {
        assert_eq!(Expectation::of(&kind.to_owned().into(), true), ALL_DUE, "{kind}");
        assert!(!Expectation::of(&kind.to_owned().into(), false).checks_due);
    }
}

#[test]
fn reasons_are_sentences_for_people() {
    let red = Evidence { checks: vec![check(CheckOutcome::Failed { code: 101 })], ..Evidence::default() };
    let sentences: Vec<_> = reasons(None, &red, ALL_DUE).iter().map(ToString::to_string).collect();
    insta::assert_snapshot!(sentences.join("\n"), @r"
    a commit is due and there is none
    the check `cargo test` failed with exit code 101
    ");
}

fn any_evidence() -> impl Strategy<Value = Evidence> {
    let outcome = prop::sample::select(vec![
        CheckOutcome::Passed,
        CheckOutcome::Failed { code: 1 },
        CheckOutcome::TimedOut,
        CheckOutcome::NotStarted { why: String::new() },
    ]);
    let checks = prop::collection::vec(outcome.prop_map(check), 0..3);
    (any::<[bool; 3]>(), checks).prop_map(|([commits, files, uncommitted_kept], checks): (_, Vec<CheckRun>)| Evidence {
        commits: if commits { evidence().commits } else { Vec::new() },
        files: if files { evidence().files } else { Vec::new() },
        checks,
        uncommitted_kept,
        ..Evidence::default()
    })
}

fn any_report() -> impl Strategy<Value = Option<Said>> {
    let claims = vec![Claim::Done, Claim::NothingToDo, Claim::Blocked, Claim::Unclear];
    prop::option::of(prop::sample::select(claims).prop_map(|claim| Said { claim, ..said() }))
}

proptest! {
    #[test]
    fn done_means_that_all_that_is_due_is_there(
        said in any_report(),
        evidence in any_evidence(),
        commit_due in any::<bool>(),
        checks_due in any::<bool>(),
    ) {
        match judge(said.as_ref(), &evidence, Expectation { commit_due, checks_due }) {
            Verdict::Done => {
                prop_assert!(!commit_due || (!evidence.commits.is_empty() && !evidence.files.is_empty()));
                prop_assert!(!checks_due || !evidence.checks.is_empty());
                prop_assert!(evidence.checks.iter().all(|check| check.outcome == CheckOutcome::Passed));
                prop_assert!(said.is_none_or(|said| said.claim != Claim::Blocked));
            }
            Verdict::NotDone(reasons) => prop_assert!(!reasons.is_empty()),
        }
    }

    #[test]
    fn where_a_commit_is_due_no_words_make_work_done(said in any_report(), evidence in any_evidence()) {
        let silent = judge(None, &evidence, ALL_DUE);
        let spoken = judge(said.as_ref(), &evidence, ALL_DUE);
        prop_assert!(spoken != Verdict::Done || silent == Verdict::Done);
    }

    #[test]
    fn what_is_said_of_files_decides_nothing(files_changed in "\\PC{0,30}", evidence in any_evidence()) {
        let other = Said { files_changed, ..said() };
        for expectation in [ALL_DUE, NONE_DUE] {
            prop_assert_eq!(judge(Some(&other), &evidence, expectation), judge(Some(&said()), &evidence, expectation));
        }
    }
}

#[test]
fn checks_that_ran_later_decide_anew_and_nothing_else_is_forgotten() {
    let fresh = Report { evidence: Evidence { checks: Vec::new(), ..evidence() }, ..report(Some(Verdict::Done)) };
    let red = checked(&fresh, vec![check(CheckOutcome::Failed { code: 1 })]);
    let [Reason::CheckRed { command, .. }] = &not_done(&red)[..] else { panic!("{red:?}") };
    assert_eq!(command, "cargo test");
    let green = checked(&red, vec![check(CheckOutcome::Passed)]);
    assert_eq!((green.verdict.clone(), green.evidence.checks.len()), (Some(Verdict::Done), 1));
    let blocked = report(Some(Verdict::NotDone(vec![Reason::Blocked { why: "no key".to_owned() }])));
    assert_eq!(not_done(&checked(&blocked, vec![check(CheckOutcome::Passed)])).len(), 1, "{blocked:?}");
    assert_eq!(checked(&report(None), vec![check(CheckOutcome::Passed)]).verdict, None);
}

fn not_done(report: &Report) -> Vec<Reason> {
    match &report.verdict {
        Some(Verdict::NotDone(reasons)) => reasons.clone(),
        Some(Verdict::Done) | None => Vec::new(),
    }
}
