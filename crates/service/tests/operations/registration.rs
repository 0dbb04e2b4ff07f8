//! Who may register which agent.

use api::Code;
use fleet_service::Caller;
use serde_json::{Value, json};
use testkit::{anonymous, fleet, known, owner};
use types::Role;

fn asks(handle: &str, team: &str, role: Role) -> Value {
    json!({ "handle": handle, "teamName": team, "agentType": role })
}

#[tokio::test]
async fn registration_is_closed_to_whoever_has_no_token_until_it_is_opened_and_when_it_is_closed_again() {
    let fleet = fleet().await;
    for open in [false, true, false] {
        fleet.set(|settings| settings.open_registration = open);
        let before = fleet.position();
        let answer = fleet.json(&anonymous(), "auth", asks("scout", "alpha", Role::TeamLead)).await;
        match answer {
            Ok(agent) => assert!(open && agent["agentType"] == "team-lead"),
            Err(refused) => {
                assert!(!open, "{refused}");
                assert_eq!((refused.code, fleet.position()), (Code::REGISTRATION_CLOSED, before));
            }
        }
    }
}

#[tokio::test]
async fn the_owner_registers_anyone_as_anything_but_an_owner() {
    let fleet = fleet().await;
    for role in Role::ALL {
        let answer = fleet.json(&owner(), "auth", asks("x", "any", role)).await;
        assert_eq!(answer.is_ok(), role != Role::Owner, "{role}");
    }
    let named = fleet.send(&owner(), "auth", asks("owner", "any", Role::Worker)).await.unwrap_err();
    assert_eq!(named.code, Code::ROLE_REFUSED);
}

#[tokio::test]
async fn a_lead_registers_those_of_its_team_who_do_not_lead_and_everyone_renews_what_they_are() {
    let fleet = fleet().await;
    let allowed = |caller: &Caller, team: &str, handle: &str, role: Role| {
        let member = caller.member().unwrap();
        let itself = handle == member.handle.as_str() && team == member.team.as_str() && role == member.role;
        let leads = [Role::TeamLead, Role::Coordinator];
        itself || (leads.contains(&member.role) && team == member.team.as_str() && !leads.contains(&role))
    };
    for calls in Role::ALL.into_iter().filter(|role| *role != Role::Owner) {
        let caller = known("alpha", "me", calls);
        for asked in Role::ALL.into_iter().filter(|role| *role != Role::Owner) {
            for (handle, team) in [("me", "alpha"), ("me", "beta"), ("other", "alpha"), ("other", "beta")] {
                let before = fleet.position();
                let answer = fleet.send(&caller, "auth", asks(handle, team, asked)).await;
                assert_eq!(
                    answer.is_ok(),
                    allowed(&caller, team, handle, asked),
                    "{calls} asks for {handle} of {team} as {asked}"
                );
                assert!(answer.is_ok() || fleet.position() == before);
            }
        }
    }
}

#[tokio::test]
async fn registering_again_keeps_the_uid_and_the_first_day_and_gives_a_new_role() {
    let fleet = fleet().await;
    let first = fleet.json(&owner(), "auth", asks("x", "alpha", Role::Worker)).await.unwrap();
    fleet.clock.advance(std::time::Duration::from_secs(60));
    let second = fleet.json(&owner(), "auth", asks("x", "alpha", Role::Monitor)).await.unwrap();
    assert_eq!(first["uid"], second["uid"]);
    assert_ne!(first["token"], second["token"]);
    let agents = fleet.json(&owner(), "team_agents", json!({ "teamName": "alpha" })).await.unwrap();
    let expected = json!([{
        "uid": first["uid"], "handle": "x", "teamName": "alpha", "agentType": "monitor",
        "createdAt": "2026-01-02T03:04:05.000Z", "lastSeen": "2026-01-02T03:05:05.000Z",
    }]);
    assert_eq!(agents, expected);
    let health = fleet.json(&anonymous(), "health", json!({})).await.unwrap();
    assert_eq!(health["agents"], 1);
}

#[tokio::test]
async fn an_answer_to_a_registration_has_the_keys_of_the_contract_in_its_order() {
    let fleet = fleet().await;
    let agent = fleet.json(&owner(), "auth", json!({ "handle": "x", "teamName": "alpha" })).await.unwrap();
    let keys: Vec<_> = agent.as_object().unwrap().keys().map(String::as_str).collect();
    assert_eq!(keys, ["uid", "handle", "teamName", "agentType", "token"]);
    assert_eq!(agent["agentType"], "worker");
}
