//! Rules about what agents may do: who may make them, which are taken, and what is told of a call.

use api::Code;
use serde_json::{Value, json};
use testkit::{Fleet, fleet, known, owner};
use types::{Event, Role};

async fn made(fleet: &Fleet, by: &fleet_service::Caller, rule: Value) -> String {
    let made = fleet.json(by, "policy_create", rule).await.unwrap();
    made["id"].as_str().unwrap().to_owned()
}

/// The decision about a call, and by which rule.
async fn judged(fleet: &Fleet, by: &fleet_service::Caller, call: Value) -> (String, Value) {
    let verdict = fleet.json(by, "policy_evaluate", call).await.unwrap();
    (verdict["decision"].as_str().unwrap().to_owned(), verdict["ruleId"].clone())
}

#[tokio::test]
async fn a_rule_is_made_shown_changed_and_removed_and_each_of_it_is_in_the_feed() {
    let fleet = fleet().await;
    let lead = fleet.join("alpha", "lead", Role::TeamLead).await;
    let tail = fleet.service.store().tail(fleet.service.store().position());
    let rule = json!({ "name": "No pushes", "decision": "block", "command": "git push *", "priority": 3 });
    let id = made(&fleet, &lead, rule).await;
    let shown = fleet.json(&lead, "policy_get", json!({ "id": id })).await.unwrap();
    let expected = json!({ "id": id, "name": "No pushes", "decision": "block", "tool": null, "command": "git push *",
        "path": null, "host": null, "reason": null, "priority": 3, "enabled": true, "teamName": "alpha", "projectId": null,
        "createdBy": "lead", "createdAt": 1_767_323_045_000_u64, "updatedAt": 1_767_323_045_000_u64 });
    assert_eq!(shown, expected);

    fleet.clock.advance(std::time::Duration::from_secs(1));
    let change = json!({ "id": id, "decision": "ask", "reason": "A lead pushes." });
    let changed = fleet.json(&lead, "policy_update", change.clone()).await.unwrap();
    assert_eq!((&changed["decision"], &changed["command"]), (&json!("ask"), &json!("git push *")));
    assert_eq!(changed["updatedAt"], 1_767_323_046_000_u64);
    // Nothing changes, and nothing is told of it.
    fleet.json(&lead, "policy_update", change).await.unwrap();
    fleet.json(&lead, "policy_delete", json!({ "id": id })).await.unwrap();
    for (name, input) in [("policy_get", json!({ "id": id })), ("policy_delete", json!({ "id": id }))] {
        assert_eq!(fleet.json(&lead, name, input).await.unwrap_err().code, Code::POLICY_NOT_FOUND, "{name}");
    }
    assert_eq!(fleet.json(&lead, "policy_list", json!({})).await, Ok(json!([])));

    let id = || id.parse().unwrap();
    let expected =
        [Event::RuleCreated { rule: id() }, Event::RuleUpdated { rule: id() }, Event::RuleDeleted { rule: id() }];
    assert_eq!(rule_events(tail).await, expected);
}

/// What is told of rules, until one is removed.
async fn rule_events(mut tail: store::Tail) -> Vec<Event> {
    let mut told = Vec::new();
    loop {
        for event in &tail.next().await.unwrap().change.events {
            let is_end = matches!(event, Event::RuleDeleted { .. });
            if is_end || matches!(event, Event::RuleCreated { .. } | Event::RuleUpdated { .. }) {
                told.push(event.clone());
            }
            if is_end {
                return told;
            }
        }
    }
}

#[tokio::test]
async fn nobody_but_those_who_lead_makes_or_loosens_a_rule() {
    let fleet = fleet().await;
    let lead = fleet.join("alpha", "lead", Role::TeamLead).await;
    let rule = json!({ "name": "No pushes", "decision": "block", "command": "git push *" });
    let id = made(&fleet, &lead, rule.clone()).await;
    for role in [Role::Worker, Role::Monitor, Role::Notifier, Role::Merger] {
        let member = known("alpha", role.as_str(), role);
        let loosened = json!({ "id": id, "enabled": false });
        for (name, input) in [
            ("policy_create", rule.clone()),
            ("policy_update", loosened),
            ("policy_delete", json!({ "id": id })),
            ("policy_violations", json!({})),
        ] {
            let refused = fleet.json(&member, name, input).await.unwrap_err();
            assert_eq!(refused.code, Code::ROLE_REFUSED, "{name} by {role}");
        }
        assert!(fleet.json(&member, "policy_get", json!({ "id": id })).await.is_ok());
    }
    // Another team's lead neither sees nor touches it, nor makes one for this team.
    let stranger = known("beta", "lead", Role::TeamLead);
    for name in ["policy_get", "policy_delete", "policy_update"] {
        let refused = fleet.json(&stranger, name, json!({ "id": id })).await.unwrap_err();
        assert_eq!(refused.code, Code::POLICY_NOT_FOUND, "{name}");
    }
    let mut for_them = rule;
    for_them["teamName"] = json!("alpha");
    assert_eq!(fleet.json(&stranger, "policy_create", for_them.clone()).await.unwrap_err().code, Code::NOT_A_MEMBER);
    assert_eq!(fleet.json(&owner(), "policy_create", for_them).await.unwrap()["teamName"], "alpha");
}

#[tokio::test]
async fn a_pattern_that_cannot_be_read_is_refused_with_its_place() {
    let fleet = fleet().await;
    let lead = fleet.join("alpha", "lead", Role::TeamLead).await;
    for (rule, told) in [
        (json!({ "command": "regex:git (push" }), "unclosed group, at character 5"),
        (json!({ "command": "regex:(a{1000}){1000}" }), "too large"),
        (json!({ "tool": "Bash(git" }), "bracket"),
        (json!({ "host": "" }), "host"),
        (json!({ "path": "x".repeat(501) }), "path"),
        (json!({}), "about something"),
    ] {
        let mut rule = rule;
        (rule["name"], rule["decision"]) = (json!("x"), json!("block"));
        let refused = fleet.json(&lead, "policy_create", rule.clone()).await.unwrap_err();
        assert_eq!(refused.code, Code::FIELDS_INVALID, "{rule}");
        assert!(refused.body(api::Dialect::ClaudeFleet).to_string().contains(told), "{rule}: {refused:?}");
    }
    let id = made(&fleet, &lead, json!({ "name": "x", "decision": "ask", "tool": "Web*" })).await;
    let refused = fleet.json(&lead, "policy_update", json!({ "id": id, "path": "regex:[" })).await.unwrap_err();
    assert_eq!(refused.code, Code::FIELDS_INVALID);
}

#[tokio::test]
async fn a_call_is_judged_by_the_rules_of_the_team_and_the_project_and_by_a_preset() {
    let fleet = fleet().await;
    let lead = fleet.join("alpha", "lead", Role::TeamLead).await;
    let project = fleet.project(&lead, "shop").await;
    let push = || json!({ "tool": "Bash", "command": "make && git push" });
    assert_eq!(judged(&fleet, &lead, push()).await, ("allow".to_owned(), Value::Null));
    let rule = made(&fleet, &lead, json!({ "name": "x", "decision": "block", "command": "git push *" })).await;
    assert_eq!(judged(&fleet, &lead, push()).await, ("block".to_owned(), json!(rule)));
    assert_eq!(judged(&fleet, &known("beta", "lead", Role::TeamLead), push()).await.0, "allow");

    let fetch = || json!({ "tool": "WebFetch", "address": "https://a.example/x" });
    let rule = json!({ "name": "x", "decision": "ask", "host": "*.example", "projectId": project });
    let rule = made(&fleet, &lead, rule).await;
    assert_eq!(judged(&fleet, &lead, fetch()).await.0, "allow");
    let mut there = fetch();
    there["projectId"] = json!(project);
    assert_eq!(judged(&fleet, &lead, there.clone()).await, ("ask".to_owned(), json!(rule)));
    there["preset"] = json!("review");
    assert_eq!(judged(&fleet, &lead, there).await, ("block".to_owned(), Value::Null));

    let write = json!({ "tool": "Write", "path": "/etc/passwd", "preset": "implement" });
    assert_eq!(judged(&fleet, &lead, write).await.0, "block");
    let odd = json!({ "tool": "Read", "preset": "nothing" });
    assert_eq!(fleet.json(&lead, "policy_evaluate", odd).await.unwrap_err().code, Code::FIELDS_INVALID);
}

#[tokio::test]
async fn what_was_stopped_is_listed_and_counted() {
    let world = crate::world::World::new().await;
    let listed = world.fleet.json(&world.lead, "policy_violations", json!({})).await.unwrap();
    assert_eq!((&listed[0]["ruleId"], &listed[0]["sessionId"]), (&json!(world.rule), &json!(world.session)));
    for filter in [json!({ "sessionId": world.session }), json!({ "ruleId": world.rule })] {
        assert_eq!(world.fleet.json(&world.lead, "policy_violations", filter).await, Ok(listed.clone()));
    }
    for filter in [json!({ "missionId": world.mission }), json!({ "sessionId": world.session, "ruleId": "g-zzzzz" })] {
        assert_eq!(world.fleet.json(&world.lead, "policy_violations", filter).await, Ok(json!([])));
    }
    let stats = world.fleet.json(&world.worker, "policy_stats", json!({})).await.unwrap();
    let by_rule = json!([{ "ruleId": world.rule, "name": crate::world::SECRET, "count": 1 }]);
    let expected = json!({ "totalRules": 1, "enabledRules": 1, "byDecision": { "block": 1, "ask": 0, "allow": 0 },
        "totalViolations": 1, "violationsByRule": by_rule });
    assert_eq!(stats, expected);
}

#[tokio::test]
async fn a_team_has_no_more_rules_than_every_call_can_be_held_against() {
    let fleet = fleet().await;
    let lead = fleet.join("alpha", "lead", Role::TeamLead).await;
    let rule = json!({ "name": "x", "decision": "block", "command": "a", "enabled": false });
    for _ in 0..200 {
        made(&fleet, &lead, rule.clone()).await;
    }
    assert_eq!(fleet.json(&lead, "policy_create", rule.clone()).await.unwrap_err().code, Code::POLICIES_FULL);
    let others = known("beta", "lead", Role::TeamLead);
    assert!(fleet.json(&others, "policy_create", rule).await.is_ok());
}
