use proptest::prelude::*;
use serde_json::json;

use super::*;
use crate::MissionState;

fn landing() -> LandingId {
    LandingId::from_code("x7k2m").unwrap()
}

fn handle() -> Handle {
    "ann".parse().unwrap()
}

fn trouble() -> DependencyTrouble {
    let (mission, with) = ("m-x7k2m".parse().unwrap(), vec!["m-p4qrs".parse().unwrap()]);
    DependencyTrouble::Conflict { mission, with, files: vec!["cart.rs".to_owned()] }
}

#[test]
fn dependencies_that_conflict_are_named_with_their_files_and_the_commands_that_help() {
    let expected = "the work of m-x7k2m conflicts with that of m-p4qrs in cart.rs, so there is nothing to start from; land \
                    both (`fleet land m-p4qrs`, then `fleet land m-x7k2m`, whose agent settles the conflict) and dispatch \
                    it again";
    assert_eq!(trouble().to_string(), expected);
}

fn reasons() -> [ParkReason; 8] {
    let text = "the quota is used up".to_owned();
    [
        ParkReason::Blocked { by: handle() },
        ParkReason::Account { class: FailureClass::Quota { resets_at: None }, text: text.clone() },
        ParkReason::Budget { text: text.clone() },
        ParkReason::Dependencies { trouble: trouble() },
        ParkReason::Dependencies {
            trouble: DependencyTrouble::BranchGone {
                mission: "m-x7k2m".parse().unwrap(),
                branch: "fleet/cart".to_owned(),
            },
        },
        ParkReason::Stuck { landing: landing(), obstacle: Obstacle::Failed { why: text.clone() } },
        ParkReason::Dropped { landing: landing(), by: handle(), branch: "fleet/cart".to_owned() },
        ParkReason::Recorded { landing: None, text },
    ]
}

/// The state of a mission as a record holds it.
fn read(why: &serde_json::Value) -> ParkReason {
    let stored = json!({ "name": "parked", "why": why, "until": null });
    let state: MissionState = serde_json::from_value(stored).unwrap();
    let MissionState::Parked { why, until: None } = state else { panic!("{state:?}") };
    why
}

#[test]
fn every_reason_reads_back_as_it_was_written() {
    for why in reasons() {
        let state = MissionState::Parked { why: why.clone(), until: None };
        let written = serde_json::to_string(&state).unwrap();
        assert_eq!(serde_json::from_str::<MissionState>(&written).unwrap(), state, "{written}");
        assert_eq!(read(&serde_json::to_value(&state).unwrap()["why"]), why);
    }
}

#[test]
fn a_reason_that_an_older_version_stored_as_text_still_tells_its_landing() {
    let fixture = include_str!("park_stored.json");
    let stored: Vec<MissionState> = serde_json::from_str(fixture).unwrap();
    let told = |state: &MissionState| {
        let MissionState::Parked { why, .. } = state else { panic!("{state:?}") };
        (why.landing().cloned(), why.to_string())
    };
    let told: Vec<(Option<LandingId>, String)> = stored.iter().map(told).collect();
    // Written again, they are what they were.
    assert_eq!(serde_json::to_value(&stored).unwrap(), serde_json::from_str::<serde_json::Value>(fixture).unwrap());
    let expected = [
        (Some(landing()), "landing `d-x7k2m`: it conflicts with the target branch in src/cart.rs"),
        (
            Some(landing()),
            "landing `d-x7k2m`: ann took it out of the queue; branch `fleet/cart` is kept, and nothing of it has landed",
        ),
        (None, "the quota is used up until 14:05"),
        (None, "landing `of nothing`: is no landing"),
    ];
    assert_eq!(told, expected.map(|(landing, text)| (landing, text.to_owned())));
}

#[test]
fn a_report_that_an_older_version_stored_as_text_is_known_as_one() {
    assert_eq!(read(&json!("reported blocked by ann")), ParkReason::Blocked { by: handle() });
}

#[test]
fn only_a_reason_about_a_landing_names_one_in_its_sentence() {
    for why in reasons() {
        let about = matches!(why, ParkReason::Stuck { .. } | ParkReason::Dropped { .. });
        assert_eq!(why.landing().is_some(), about, "{why:?}");
        assert_eq!(why.to_string().starts_with("landing `d-x7k2m`: "), about, "{why}");
    }
    assert_eq!(reasons()[0].to_string(), "reported blocked by ann");
    assert_eq!(reasons()[5].to_string(), "landing `d-x7k2m`: the quota is used up");
    assert_eq!(
        reasons()[6].to_string(),
        "landing `d-x7k2m`: ann removed it from the queue; branch `fleet/cart` is kept, and nothing of it has landed"
    );
}

proptest! {
    #[test]
    fn any_text_of_an_older_version_is_shown_as_it_was(text in "(landing `|reported blocked by )?(d-x7k2m)?(`: )?[a-z` :]{0,12}") {
        prop_assert_eq!(read(&json!(text)).to_string(), text);
    }
}
