//! Who is said to act must be who acts; the owner alone may speak for others.

use api::Code;
use fleet_service::Caller;
use serde_json::{Value, json};
use testkit::owner;
use types::{Role, TeamName, Uid};

use crate::world::World;

fn uid(handle: &str) -> Uid {
    Uid::of(&"alpha".parse::<TeamName>().unwrap(), &handle.parse().unwrap())
}

fn task_from(from: &Uid) -> Value {
    json!({ "fromUid": from, "toHandle": "scout-1", "teamName": "alpha", "subject": "A task" })
}

async fn refusal(world: &World, caller: &Caller, input: Value) -> Code {
    let before = world.fleet.position();
    let refused = world.fleet.send(caller, "task_create", input).await.unwrap_err();
    assert_eq!(world.fleet.position(), before);
    refused.code
}

#[tokio::test]
async fn nobody_gives_a_task_in_the_name_of_another() {
    let world = World::new().await;
    for caller in [&world.lead, &world.worker] {
        let other = if caller == &world.lead { uid("scout-1") } else { uid("lead") };
        assert_eq!(refusal(&world, caller, task_from(&other)).await, Code::ACTOR_MISMATCH);
    }
}

#[tokio::test]
async fn a_handle_written_like_the_uid_of_another_does_not_make_one_the_other() {
    let world = World::new().await;
    let impostor = world.fleet.join("alpha", uid("lead").as_str(), Role::Worker).await;
    assert_eq!(refusal(&world, &impostor, task_from(&uid("lead"))).await, Code::ACTOR_MISMATCH);
    let own = impostor.member().unwrap().uid();
    assert!(world.fleet.send(&impostor, "task_create", task_from(&own)).await.is_ok());
}

#[tokio::test]
async fn the_owner_gives_a_task_in_anybodys_name_or_its_own() {
    let world = World::new().await;
    for (from, by) in [(uid("lead"), "lead"), (owner().member().unwrap().uid(), "owner")] {
        let task = world.fleet.json(&owner(), "task_create", task_from(&from)).await.unwrap();
        assert_eq!((&task["createdByHandle"], &task["teamName"]), (&json!(by), &json!("alpha")));
    }
    let nobody = world.fleet.send(&owner(), "task_create", task_from(&uid("nobody"))).await.unwrap_err();
    assert_eq!((nobody.code, nobody.message.as_str()), (Code::AGENT_NOT_FOUND, "Sender not found"));
}

#[tokio::test]
async fn a_task_goes_to_a_registered_member_of_its_team_alone() {
    let world = World::new().await;
    world.fleet.join("beta", "elsewhere", Role::Worker).await;
    for to in ["nobody", "elsewhere"] {
        let mut input = task_from(&uid("lead"));
        input["toHandle"] = to.into();
        let refused = world.fleet.send(&world.lead, "task_create", input).await.unwrap_err();
        assert_eq!((refused.code, refused.message), (Code::AGENT_NOT_FOUND, format!("Agent {to} not found")));
    }
}

#[tokio::test]
async fn a_team_that_is_not_the_tokens_is_refused_by_name() {
    let world = World::new().await;
    for name in ["team_agents", "task_list"] {
        let refused = world.fleet.send(&world.lead, name, json!({ "teamName": "beta" })).await.unwrap_err();
        assert_eq!(refused.code, Code::NOT_A_MEMBER);
        assert_eq!(refused.body(api::Dialect::ClaudeFleet)["team"], "beta");
        assert_eq!(refused.message, "Not a member of this team");
    }
}
