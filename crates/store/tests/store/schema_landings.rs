//! The stored form of landings, in every state, and as the first version wrote them.

use types::{CheckOutcome, CheckRun, LandMode, Landing, LandingRules, LandingState, Obstacle, Publication, Timestamp};

use crate::schema::{assert_newest, text};

fn at() -> Timestamp {
    "2025-06-15T15:06:40Z".parse().unwrap()
}

fn later() -> Timestamp {
    "2025-06-16T09:00:00Z".parse().unwrap()
}

/// A landing of which everything was said.
fn whole(state: LandingState) -> Landing {
    Landing {
        id: "d-x7k2m".parse().unwrap(),
        team: "alpha".parse().unwrap(),
        project: Some("p-x7k2m".parse().unwrap()),
        folder: text("/srv/shop"),
        mission: "m-x7k2m".parse().unwrap(),
        session: "s-x7k2m".parse().unwrap(),
        branch: text("devfleet/s-x7k2m"),
        title: text("Add a cart"),
        rules: LandingRules {
            mode: Some(LandMode::Review),
            target: Some(text("main")),
            pinned: Some(text("main")),
            checks: vec![text("make test")],
            check_timeout_secs: Some(60),
            push: Some(text("origin")),
            pr: true,
        },
        returns: 1,
        sent_back: Vec::new(),
        state,
        publication: None,
        created_at: at(),
        updated_at: later(),
    }
}

fn run(outcome: CheckOutcome, said: &str) -> CheckRun {
    CheckRun {
        command: text("make test"),
        outcome,
        output_tail: text(said),
        duration_ms: 7,
        sandbox: None,
        refused: Vec::new(),
    }
}

#[tokio::test]
async fn a_landing_in_every_state_is_read_and_written_as_its_fixture_has_it() {
    let since = at();
    let commit = || text("0123456789012345678901234567890123456789");
    let green = || vec![run(CheckOutcome::Passed, "ok")];
    let conflict = Obstacle::Conflict { files: vec![text("cart.rs")] };
    let red = Obstacle::Red { check: run(CheckOutcome::Failed { code: 2 }, "1 failed") };
    let refused = Publication::Refused { at: later(), why: text("pre-receive hook declined") };
    let landed = whole(LandingState::Landed { at: since, commit: commit(), checks: green() });
    let (by, why) = ("ann".parse().unwrap(), text("its mission went another way"));
    let fixtures = [
        (include_str!("../fixtures/landing.v1.queued.json"), whole(LandingState::Queued { since })),
        (include_str!("../fixtures/landing.v1.review.json"), whole(LandingState::Review { since })),
        (
            include_str!("../fixtures/landing.v1.waiting.json"),
            whole(LandingState::Waiting { since, why: text("the checkout has changes"), check: None }),
        ),
        (
            include_str!("../fixtures/landing.v1.cleared.json"),
            whole(LandingState::Cleared { since, commit: commit(), checks: green() }),
        ),
        (
            include_str!("../fixtures/landing.v1.returned.json"),
            whole(LandingState::Returned { since, obstacle: conflict }),
        ),
        (include_str!("../fixtures/landing.v1.stuck.json"), whole(LandingState::Stuck { since, obstacle: red })),
        (include_str!("../fixtures/landing.v1.landed.json"), Landing { publication: Some(refused), ..landed }),
        (include_str!("../fixtures/landing.v1.dropped.json"), whole(LandingState::Dropped { at: since, by, why })),
    ];
    for (fixture, landing) in &fixtures {
        assert_newest(fixture, landing).await;
    }
}

#[tokio::test]
async fn a_landing_that_says_no_more_than_the_first_ones_did_is_written_as_they_were() {
    let state = LandingState::Dropped { at: at(), by: "ann".parse().unwrap(), why: String::new() };
    let rules = LandingRules { mode: Some(LandMode::Auto), checks: vec![text("make test")], ..LandingRules::default() };
    let landing = Landing { rules, ..whole(state) };
    assert_newest(include_str!("../fixtures/landing.v1.first.json"), &landing).await;
}
