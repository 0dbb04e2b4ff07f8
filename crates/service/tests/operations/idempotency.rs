//! Every operation that takes an idempotency key: sent twice, it is carried out once.

use api::Code;
use fleet_service::{Binding, Given};
use serde_json::{Value, json};

use crate::world::{World, asks_too_much};

fn keyed(input: Value, key: &str) -> Given {
    let Value::Object(fields) = input else { panic!("no object") };
    Given { key: Some(key.to_owned()), ..Given::from(fields) }
}

fn takes_keys(binding: &&Binding) -> bool {
    binding.spec.takes_keys() && binding.tool.is_none()
}

#[tokio::test]
async fn a_call_that_is_sent_twice_is_carried_out_once_and_answered_twice() {
    let (mut world, mut carried_out) = (World::new().await, 0);
    for binding in testkit::bindings().filter(takes_keys) {
        let whole = world.fleet.position();
        let input = world.input(binding, &world.lead);
        let first = world.fleet.give(&world.lead, binding.name, keyed(input.clone(), "k-1")).await;
        let between = world.fleet.position();
        let again = world.fleet.give(&world.lead, binding.name, keyed(input.clone(), "k-1")).await;
        match (first, again) {
            (Ok(first), Ok(again)) => {
                carried_out += 1;
                assert_eq!((again.body, again.warnings), (first.body, first.warnings), "{}", binding.name);
                assert!(again.replayed && !first.replayed, "{}", binding.name);
                assert_eq!(world.fleet.position(), between, "{} changed something again", binding.name);
            }
            // Without an effect there is nothing that could happen twice.
            (Err(first), Err(again)) => {
                assert!(asks_too_much(&first), "{}: {first}", binding.name);
                assert_eq!(again.code, first.code, "{}", binding.name);
                assert_eq!(world.fleet.position(), whole, "{} was refused and changed something", binding.name);
            }
            (first, again) => panic!("{}: {first:?}, then {again:?}", binding.name),
        }
        if world.fleet.position() != whole {
            world = World::new().await;
        }
    }
    assert!(carried_out > 25, "only {carried_out}");
}

/// The control: without a key the same call is carried out as often as it is sent.
#[tokio::test]
async fn a_key_belongs_to_one_input_of_one_caller_and_without_it_calls_repeat() {
    let world = World::new().await;
    let said = |title: &str| json!({ "project_id": world.project, "title": title, "detailed_prompt": "p" });
    let send = async |caller, given| world.fleet.give(caller, "mission_create", given).await;
    let count = async || {
        let list = world.fleet.json(&testkit::owner(), "mission_list", json!({})).await.unwrap();
        list.as_array().unwrap().len()
    };
    let (before, owner) = (count().await, testkit::owner());
    send(&world.lead, keyed(said("cart"), "k")).await.unwrap();
    let reused = send(&world.lead, keyed(said("till"), "k")).await.unwrap_err();
    assert_eq!(reused.code, Code::IDEMPOTENCY_KEY_REUSED);
    assert_eq!(count().await, before + 1);
    send(&owner, keyed(said("cart"), "k")).await.unwrap();
    send(&world.lead, keyed(said("cart"), "another")).await.unwrap();
    for _ in 0..2 {
        let Value::Object(fields) = said("cart") else { unreachable!() };
        send(&world.lead, Given::from(fields)).await.unwrap();
    }
    assert_eq!(count().await, before + 5);
}

#[tokio::test]
async fn of_many_calls_with_one_key_at_once_a_single_one_is_carried_out() {
    let world = World::new().await;
    let said = json!({ "project_id": world.project, "title": "only one", "detailed_prompt": "p" });
    let calls = (0..20).map(|_| world.fleet.give(&world.lead, "mission_create", keyed(said.clone(), "k")));
    for answer in futures::future::join_all(calls).await {
        assert!(answer.as_ref().map_or_else(|error| error.code == Code::IDEMPOTENCY_KEY_BUSY, |_| true), "{answer:?}");
    }
    let list = world.fleet.json(&world.lead, "mission_list", json!({})).await.unwrap();
    let made = list.as_array().unwrap().iter().filter(|mission| mission["title"] == "only one").count();
    assert_eq!(made, 1);
}
