//! Approvals: who may answer, what an answer is once it is given, and who sees which.

use api::Code;
use serde_json::{Value, json};
use testkit::{known, owner};
use types::{Approval, Role, SessionId, SessionStateName};

use crate::world::World;

const ID: &str = "a-x7k2m";

async fn call(world: &World, caller: &fleet_service::Caller, name: &str, input: Value) -> Result<Value, api::Error> {
    world.fleet.json(caller, name, input).await
}

async fn answer(world: &World, caller: &fleet_service::Caller, name: &str) -> Result<Value, api::Error> {
    call(world, caller, name, json!({ "approval": ID })).await
}

/// Ends the session that asks.
async fn end(world: &World) {
    let id: SessionId = world.session.parse().unwrap();
    let mut live = world.fleet.service.sessions().watch(&id).unwrap();
    world.fleet.json(&world.lead, "worker_dismiss", json!({ "handle": "scout-1" })).await.unwrap();
    live.wait_for(|live| live.session.state.name() == SessionStateName::Cancelled).await.unwrap();
}

#[tokio::test]
async fn an_answer_may_be_given_again_and_no_other_after_it() {
    for (first, status, other) in
        [("approval_allow", "allowed", "approval_deny"), ("approval_deny", "denied", "approval_allow")]
    {
        let world = World::new().await;
        let told = answer(&world, &world.lead, first).await.unwrap();
        assert_eq!((told["status"].as_str(), told["answered_by"].as_str()), (Some(status), Some("lead")));
        let position = world.fleet.position();
        assert_eq!(answer(&world, &owner(), first).await.unwrap(), told, "the first answer stands");
        assert_eq!(answer(&world, &world.lead, other).await.unwrap_err().code, Code::APPROVAL_SETTLED);
        assert_eq!(world.fleet.position(), position, "nothing was changed");
        assert_eq!(answer(&world, &world.lead, "approval_get").await.unwrap(), told);
    }
}

#[tokio::test]
async fn a_call_that_cannot_be_shown_whole_cannot_be_allowed_and_can_be_denied() {
    let world = World::new().await;
    let store = world.fleet.service.store();
    let stamp = store::Stamp {
        at: world.fleet.service.clock().now(),
        handle: types::Handle::owner(),
        team: "alpha".parse().unwrap(),
    };
    let hide = store.transact(&stamp, |tx| async move {
        let held = tx.get::<Approval>(&ID.parse().unwrap()).await?.unwrap();
        let wanted = types::WantedCall { hidden: Some("it is too long".to_owned()), ..held.record.wanted.clone() };
        tx.update(&held, &Approval { wanted, ..held.record.clone() })
    });
    hide.await.unwrap();
    let told = answer(&world, &world.lead, "approval_get").await.unwrap();
    assert_eq!(told["reason"], "[cannot be allowed: it is too long]");
    let refused = answer(&world, &world.lead, "approval_allow").await.unwrap_err();
    assert_eq!(
        (refused.code, answer(&world, &world.lead, "approval_get").await.unwrap()),
        (Code::APPROVAL_HIDDEN, told)
    );
    assert_eq!(answer(&world, &world.lead, "approval_deny").await.unwrap()["status"], "denied");
}

#[tokio::test]
async fn the_reason_of_a_refusal_is_kept_for_the_agent() {
    let world = World::new().await;
    let input = json!({ "approval": ID, "why": " Not before the release. " });
    let told = call(&world, &world.lead, "approval_deny", input).await.unwrap();
    assert_eq!(told["answer"], "Not before the release.");
}

#[tokio::test]
async fn no_agent_answers_neither_its_own_question_nor_anothers() {
    let world = World::new().await;
    let position = world.fleet.position();
    for (handle, role) in
        [("scout-1", Role::Worker), ("scout-1", Role::TeamLead), ("helper", Role::Worker), ("m", Role::Merger)]
    {
        for name in ["approval_allow", "approval_deny"] {
            let refused = answer(&world, &known("alpha", handle, role), name).await.unwrap_err();
            assert_eq!(refused.code, Code::ROLE_REFUSED, "{handle} as {role}");
        }
    }
    assert_eq!(world.fleet.position(), position, "nothing was changed");
    assert_eq!(answer(&world, &world.worker, "approval_get").await.unwrap()["status"], "waiting", "reading is free");
}

#[tokio::test]
async fn another_team_neither_sees_nor_answers_it() {
    let world = World::new().await;
    let stranger = known("beta", "boss", Role::TeamLead);
    for name in ["approval_get", "approval_allow", "approval_deny"] {
        assert_eq!(answer(&world, &stranger, name).await.unwrap_err().code, Code::APPROVAL_NOT_FOUND, "{name}");
    }
    for filter in [
        json!({}),
        json!({ "status": "waiting" }),
        json!({ "session_id": world.session }),
        json!({ "mission_id": world.mission }),
    ] {
        assert_eq!(call(&world, &stranger, "approval_list", filter.clone()).await.unwrap(), json!([]), "{filter}");
        let own = call(&world, &world.lead, "approval_list", filter.clone()).await.unwrap();
        assert_eq!(own[0]["id"], ID, "{filter}");
    }
}

#[tokio::test]
async fn what_is_listed_stands_as_asked_and_page_by_page() {
    let world = World::new().await;
    let list = async |filter: Value| call(&world, &owner(), "approval_list", filter).await.unwrap();
    assert_eq!(list(json!({ "status": "allowed" })).await, json!([]));
    answer(&world, &owner(), "approval_allow").await.unwrap();
    assert_eq!(list(json!({ "status": "waiting" })).await, json!([]));
    assert_eq!(list(json!({ "status": "allowed", "mission_id": world.mission })).await[0]["id"], ID);
    let stored = world.fleet.service.store().get::<Approval>(&ID.parse().unwrap()).await.unwrap().unwrap();
    for number in 2..7 {
        let id = format!("a-{}", number.to_string().repeat(5)).parse().unwrap();
        world.fleet.insert(&Approval { id, key: number.to_string(), ..stored.clone() }).await;
    }
    let pages = world.fleet.pages(&owner(), "approval_list", json!({ "limit": 4, "status": "allowed" })).await;
    assert_eq!(pages.iter().map(Vec::len).collect::<Vec<_>>(), [4, 2]);
}

#[tokio::test]
async fn nobody_is_asked_for_a_session_that_is_over() {
    let world = World::new().await;
    end(&world).await;
    let told = answer(&world, &owner(), "approval_get").await.unwrap();
    assert_eq!(told["status"], "lapsed");
    assert_eq!(answer(&world, &owner(), "approval_allow").await.unwrap_err().code, Code::APPROVAL_SETTLED);
    for (status, count) in [("waiting", 0), ("lapsed", 1)] {
        let listed = call(&world, &owner(), "approval_list", json!({ "status": status })).await.unwrap();
        assert_eq!(listed.as_array().unwrap().len(), count, "{status}");
    }
}

#[tokio::test]
async fn an_answer_is_told_in_the_feed_and_in_the_events_of_the_mission() {
    let world = World::new().await;
    answer(&world, &world.lead, "approval_allow").await.unwrap();
    let events = call(&world, &world.lead, "mission_events", json!({ "mission": world.mission })).await.unwrap();
    assert_eq!(events[0]["event_type"], "approval_moved", "{events}");
    assert!(events[0]["data"].as_str().unwrap().contains(r#""to":"allowed""#), "{events}");
}

#[tokio::test]
async fn an_approval_is_found_by_the_beginning_of_its_id() {
    let world = World::new().await;
    let found = call(&world, &world.lead, "id_resolve", json!({ "prefix": "a-x7" })).await.unwrap();
    assert_eq!((found["id"].as_str(), found["kind"].as_str()), (Some(ID), Some("approval")));
}
