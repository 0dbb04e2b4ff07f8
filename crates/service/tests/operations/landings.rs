//! Landings by hand: which of them can be taken out or tried again, and what that means for their missions.

use api::Code;
use serde_json::{Value, json};
use store::Stamp;
use testkit::owner;
use types::{
    Handle, Holder, Landing, LandingRules, LandingState, LandingStateName, Mission, MissionState, Obstacle, ParkReason,
    Publication, StateName,
};

use crate::world::World;

const ID: &str = "d-x7k2m";

fn at() -> types::Timestamp {
    testkit::START
}

/// A landing of the world's mission.
fn landing(world: &World, state: LandingState) -> Landing {
    Landing {
        project: Some(world.project.clone()),
        session: "s-x7k2m".parse().unwrap(),
        rules: LandingRules { target: Some("main".to_owned()), ..LandingRules::default() },
        returns: 2,
        sent_back: Vec::new(),
        state,
        ..testkit::landing(world.mission.parse().unwrap(), at())
    }
}

/// One of every state.
fn states() -> [LandingState; 8] {
    let (since, commit, checks) = (at(), "c0ffee".to_owned(), Vec::new());
    let obstacle = Obstacle::Failed { why: "its branch is gone".to_owned() };
    [
        LandingState::Queued { since },
        LandingState::Review { since },
        LandingState::Waiting { since, why: "the checkout has changes".to_owned(), check: None },
        LandingState::Cleared { since, commit: commit.clone(), checks: checks.clone() },
        LandingState::Returned { since, obstacle: obstacle.clone() },
        LandingState::Stuck { since, obstacle },
        LandingState::Landed { at: since, commit, checks },
        LandingState::Dropped { at: since, by: Handle::owner(), why: String::new() },
    ]
}

fn on_its_way(landing: &Landing) -> MissionState {
    MissionState::Landing { landing: landing.id.clone(), session: landing.session.clone(), since: at() }
}

/// What the mission of a landing in this state is in, as Fleet itself puts it.
fn of(landing: &Landing) -> MissionState {
    let parked = |why| MissionState::Parked { why, until: None };
    let id = || landing.id.clone();
    match landing.state.name() {
        LandingStateName::Stuck => {
            let obstacle = Obstacle::Failed { why: "its branch is gone".to_owned() };
            parked(ParkReason::Stuck { landing: id(), obstacle })
        }
        LandingStateName::Dropped => {
            parked(ParkReason::Dropped { landing: id(), by: Handle::owner(), branch: landing.branch.clone() })
        }
        LandingStateName::Landed => MissionState::Draft,
        LandingStateName::Queued
        | LandingStateName::Review
        | LandingStateName::Waiting
        | LandingStateName::Cleared
        | LandingStateName::Returned => on_its_way(landing),
    }
}

/// A world with one landing, and its mission in a state.
async fn world_with(change: impl Fn(&mut Landing), state: LandingState, mission: Option<MissionState>) -> World {
    let world = World::new().await;
    let mut record = landing(&world, state);
    change(&mut record);
    let (record, mission) = (&record, &mission);
    let by = Stamp { at: at(), handle: Handle::owner(), team: record.team.clone() };
    let stored = world.fleet.service.store().transact(&by, |tx| async move {
        tx.insert(record)?;
        let held = tx.get::<Mission>(&record.mission).await?.unwrap();
        let state = mission.clone().unwrap_or_else(|| of(record));
        tx.update(&held, &Mission { state, ..held.record.clone() })
    });
    stored.await.unwrap();
    world
}

async fn call(world: &World, name: &str) -> Result<Value, api::Error> {
    world.fleet.json(&owner(), name, json!({ "landing": ID })).await
}

async fn mission(world: &World) -> MissionState {
    world.fleet.service.store().get::<Mission>(&world.mission.parse().unwrap()).await.unwrap().unwrap().state
}

#[tokio::test]
async fn what_has_not_landed_can_be_taken_out_and_its_mission_is_parked_with_the_reason() {
    for state in states() {
        let name = state.name();
        let world = world_with(|_| {}, state, None).await;
        let before = mission(&world).await;
        match (name, call(&world, "landing_drop").await) {
            (LandingStateName::Cleared | LandingStateName::Landed | LandingStateName::Dropped, Err(refused)) => {
                assert_eq!(refused.code, Code::LANDING_REFUSED, "{name:?}");
                assert_eq!(mission(&world).await, before, "{name:?}");
            }
            (_, Ok(dropped)) => {
                assert_eq!(dropped["status"], "dropped", "{name:?}");
                let MissionState::Parked { why, until: None } = mission(&world).await else { panic!("{name:?}") };
                let branch = "fleet/cart".to_owned();
                let expected = ParkReason::Dropped { landing: ID.parse().unwrap(), by: Handle::owner(), branch };
                assert_eq!(why, expected, "{name:?}");
            }
            (name, other) => panic!("{name:?}: {other:?}"),
        }
    }
}

#[tokio::test]
async fn what_waits_for_a_person_can_be_tried_again_and_its_mission_is_on_its_way() {
    for state in states() {
        let name = state.name();
        let world = world_with(|_| {}, state, None).await;
        let can =
            [LandingStateName::Review, LandingStateName::Waiting, LandingStateName::Stuck, LandingStateName::Dropped];
        match call(&world, "landing_retry").await {
            Ok(queued) => {
                assert!(can.contains(&name), "{name:?}");
                assert_eq!((queued["status"].as_str(), queued["returns"].as_u64()), (Some("queued"), Some(0)));
                assert_eq!(mission(&world).await.name(), StateName::Landing, "{name:?}");
            }
            Err(refused) => {
                assert!(!can.contains(&name), "{name:?}: {refused}");
                assert_eq!(refused.code, Code::LANDING_REFUSED);
            }
        }
    }
}

#[tokio::test]
async fn a_landing_whose_mission_went_another_way_is_not_tried_again() {
    let stuck = states()[5].clone();
    let world = world_with(|_| {}, stuck, Some(MissionState::Draft)).await;
    let refused = call(&world, "landing_retry").await.unwrap_err();
    assert!(refused.to_string().contains("went another way"), "{refused}");
    assert_eq!(mission(&world).await, MissionState::Draft);
}

#[tokio::test]
async fn what_its_agent_works_on_is_not_taken_out_under_it() {
    let holder = Holder::Session { session: "s-x7k2m".parse().unwrap(), handle: "ann".parse().unwrap() };
    let held = MissionState::Held { holder, generation: 2, since: at() };
    let world = world_with(|_| {}, states()[4].clone(), Some(held.clone())).await;
    let refused = call(&world, "landing_drop").await.unwrap_err();
    assert!(refused.to_string().contains("end its session first"), "{refused}");
    assert_eq!(mission(&world).await, held);
}

#[tokio::test]
async fn of_what_has_landed_a_push_that_was_refused_can_be_tried_again_and_nothing_else() {
    let landed = states()[6].clone();
    let refused = |landing: &mut Landing| {
        landing.publication = Some(Publication::Refused { at: at(), why: "protected".to_owned() });
    };
    let world = world_with(refused, landed.clone(), None).await;
    let told = call(&world, "landing_retry").await.unwrap_err();
    assert!(told.to_string().contains("asks for no push any more"), "{told}");
    let input = json!({ "project": world.project, "push": "origin" });
    world.fleet.json(&owner(), "project_update", input).await.unwrap();
    let tried = call(&world, "landing_retry").await.unwrap();
    assert_eq!((tried["status"].as_str(), tried["published"].as_str()), (Some("landed"), Some("pending")));
    let world = world_with(|_| {}, landed, None).await;
    assert!(call(&world, "landing_retry").await.is_err());
}
