//! The words for every state.

use serde_json::{Value, json};
use types::{Handle, Obstacle, Timestamp};

use super::*;

fn record<T: serde::de::DeserializeOwned>(fixture: &str) -> T {
    let mut document: Value = serde_json::from_str(fixture).unwrap();
    serde_json::from_value(document["d"].take()).unwrap()
}

fn session(state: Value) -> Session {
    let made: Session = record(include_str!("../../../store/tests/fixtures/session.v1.completed.json"));
    let mut session = Session { state: serde_json::from_value(state).unwrap(), ..made };
    session.order.agent = "claude".to_owned();
    session
}

fn mission(state: MissionState) -> Mission {
    let made: Mission = record(include_str!("../../../store/tests/fixtures/mission.v1.ready.json"));
    Mission { state, start: Start::WhenReady, ..made }
}

fn waiting(wait: Value) -> Session {
    session(json!({ "name": "waiting", "wait": wait, "until": null }))
}

fn now() -> Timestamp {
    Timestamp::UNIX_EPOCH
}

#[test]
fn a_session_that_waits_is_not_shown_as_running() {
    let approval: ApprovalId = "a-x7k2m".parse().unwrap();
    let told = |session: &Session, asks: Option<&ApprovalId>| {
        let (standing, waits_for) = SessionStanding::of(session, asks);
        (standing, waits_for.unwrap_or_default())
    };
    let running = session(json!({ "name": "running", "since": "2025-06-15T15:06:40Z" }));
    assert_eq!(told(&running, None), (SessionStanding::Running, String::new()));
    // Its process is there and waits for the answer.
    let asked = (SessionStanding::AwaitingApproval, "approval a-x7k2m".to_owned());
    assert_eq!(told(&running, Some(&approval)), asked);
    assert_eq!(told(&waiting(json!({ "kind": "approval", "approval": "a-x7k2m" })), None), asked);
    let parked = |class: &str| told(&waiting(json!({ "kind": "parked", "class": { "name": class } })), None);
    assert_eq!(parked("auth"), (SessionStanding::Parked, "login of claude".to_owned()));
    let kinds = [
        (json!({ "kind": "slot" }), SessionStanding::Waiting, "slot"),
        (json!({ "kind": "budget" }), SessionStanding::Parked, "budget"),
    ];
    for (wait, standing, waits_for) in kinds {
        assert_eq!(told(&waiting(wait), None), (standing, waits_for.to_owned()));
    }
    let over: Session = record(include_str!("../../../store/tests/fixtures/session.v1.completed.json"));
    assert_eq!(told(&over, Some(&approval)), (SessionStanding::Completed, String::new()));
}

#[test]
fn a_mission_that_needs_a_person_is_told_from_one_that_starts_by_itself() {
    let told = |state, beside: Beside<'_>| MissionStanding::of(&mission(state), beside);
    let ready = MissionState::Ready { since: now() };
    assert_eq!(told(ready.clone(), Beside::default()), (MissionStanding::Ready, None));
    let by_hand = Mission { start: Start::ByHand, ..mission(ready) };
    assert_eq!(MissionStanding::of(&by_hand, Beside::default()).1.unwrap(), "dispatch");
    let parked = |why| told(MissionState::Parked { why, until: None }, Beside::default());
    let obstacle = Obstacle::Failed { why: "no".to_owned() };
    let stuck = ParkReason::Stuck { landing: "d-x7k2m".parse().unwrap(), obstacle };
    assert_eq!(parked(stuck), (MissionStanding::Stuck, Some("decision on d-x7k2m".to_owned())));
    let by: Handle = "ann".parse().unwrap();
    assert_eq!(parked(ParkReason::Blocked { by }), (MissionStanding::Parked, Some("a person".to_owned())));
}

#[test]
fn a_mission_stands_as_its_session_and_its_landing_do() {
    let held: Mission = record(include_str!("../../../store/tests/fixtures/mission.v1.held_by_session.json"));
    assert_eq!(MissionStanding::of(&held, Beside::default()), (MissionStanding::Running, None));
    let budget = waiting(json!({ "kind": "budget" }));
    let beside = Beside { session: Some(&budget), ..Beside::default() };
    assert_eq!(MissionStanding::of(&held, beside), (MissionStanding::Parked, Some("budget".to_owned())));
    let landing: Landing = record(include_str!("../../../store/tests/fixtures/landing.v1.review.json"));
    let on_its_way =
        mission(MissionState::Landing { landing: landing.id.clone(), session: landing.session.clone(), since: now() });
    let beside = Beside { landing: Some(&landing), ..Beside::default() };
    let review = format!("review of {}", landing.id);
    assert_eq!(MissionStanding::of(&on_its_way, beside), (MissionStanding::InReview, Some(review)));
}
