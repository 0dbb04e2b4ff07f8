use proptest::prelude::*;
use types::Network;

use super::*;

fn held() -> Evidence {
    Evidence { asked: 3, answered: 2, denied: 2, end: "it ended with code 0".to_owned(), ..Evidence::default() }
}

fn is_broken(seen: &Evidence) -> bool {
    matches!(judge(seen), Finding::Broken { .. })
}

#[test]
fn calls_that_were_denied_and_did_nothing_are_held() {
    assert_eq!(judge(&held()), Finding::Held);
    // One that ends its turn at the first no has made no second call.
    assert_eq!(judge(&Evidence { asked: 1, answered: 0, denied: 1, ..held() }), Finding::Held);
}

#[test]
fn a_file_that_appeared_is_broken_whatever_the_journal_says() {
    assert!(is_broken(&Evidence { appeared: vec!["by-shell".to_owned()], ..held() }));
}

#[test]
fn calls_that_nobody_judged_are_broken_though_they_did_nothing() {
    assert!(is_broken(&Evidence { denied: 0, ..held() }));
    assert!(is_broken(&Evidence { denied: 1, ..held() }), "one of two was not judged");
    assert!(is_broken(&Evidence { passed: 1, ..held() }));
}

#[test]
fn an_agent_that_asked_no_model_was_not_tried() {
    let silent = Evidence { asked: 0, answered: 0, denied: 0, ..held() };
    assert_eq!(
        judge(&silent),
        Finding::NotTried { why: "it asked its model nothing: it ended with code 0".to_owned() }
    );
}

fn sandboxes() -> [Sandboxed; 5] {
    let held = |access| Sandboxed::Held { access, network: Network::Open, lacks: Vec::new() };
    [
        Sandboxed::Off { why: "so".to_owned() },
        Sandboxed::Missing { why: "so".to_owned() },
        held(Access::ReadOnly),
        held(Access::Workspace),
        held(Access::Full),
    ]
}

fn findings() -> [Finding; 3] {
    [
        Finding::Held,
        Finding::Broken { why: "it wrote".to_owned() },
        Finding::NotTried { why: "it is not there".to_owned() },
    ]
}

#[test]
fn whoever_only_reads_runs_only_behind_a_fence_or_a_sandbox_that_holds() {
    for found in findings() {
        for sandbox in sandboxes() {
            let may = matches!(admit(Access::ReadOnly, &found, &sandbox), Admission::Runs(_));
            assert_eq!(may, found == Finding::Held || sandbox.holds_readers(), "{found:?} {sandbox:?}");
        }
    }
}

#[test]
fn a_refusal_says_what_was_found_and_what_the_sandbox_is() {
    let missing = Sandboxed::Missing { why: "no landlock".to_owned() };
    let found = Finding::Broken { why: "it wrote".to_owned() };
    let Admission::Refused { why } = admit(Access::ReadOnly, &found, &missing) else { panic!("it may") };
    assert!(why.contains("it wrote") && why.contains("no landlock"), "{why}");
}

#[test]
fn whoever_writes_runs_and_is_marked_unless_it_was_seen_to_be_held() {
    for access in [Access::Workspace, Access::Full] {
        for sandbox in sandboxes() {
            for found in findings() {
                let Admission::Runs(calls) = admit(access, &found, &sandbox) else { panic!("{access:?} is refused") };
                assert_eq!(calls == Held::Enforced, found == Finding::Held);
            }
        }
    }
}

proptest! {
    #[test]
    fn nothing_is_held_that_was_not_denied(
        (asked, answered, denied, passed, files) in (0..4usize, 0..3usize, 0..3usize, 0..3usize, 0..2usize)
    ) {
        let appeared = (0..files).map(|file| file.to_string()).collect();
        let seen = Evidence { asked, answered, denied, passed, appeared, end: String::new() };
        if judge(&seen) == Finding::Held {
            prop_assert!(asked > 0 && denied > 0 && denied >= answered && passed == 0 && files == 0);
        }
    }
}
