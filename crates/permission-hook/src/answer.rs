//! What is printed for the hook of each agent.

use policy::{By, Call, OnAsk, SessionPermissions, Verdict};
use serde_json::{Value, json};

use crate::Agent;

/// Writes a verdict in the words of an agent.
pub(crate) fn answer(agent: Agent, fence: &SessionPermissions, call: &Call, verdict: &Verdict) -> String {
    match (verdict, agent, fence.on_ask) {
        // What touches nothing but the agent itself goes its usual way, questions to people included.
        (Verdict::Allow, Agent::Claude, _) if call.is_inward() => String::new(),
        (Verdict::Allow, Agent::Claude, _) => decision("allow", None),
        (Verdict::Allow, Agent::Codex, _) => String::new(),
        (Verdict::Allow, Agent::Gemini, _) => json!({}).to_string(),
        (Verdict::Ask { why, .. }, Agent::Claude, OnAsk::Defer) => decision("defer", Some(why)),
        (Verdict::Ask { by, why }, _, _) => deny(agent, &later(by, why)),
        (Verdict::Block { by, why }, _, _) => deny(agent, &no(by, why)),
    }
}

fn deny(agent: Agent, why: &str) -> String {
    match agent {
        Agent::Claude | Agent::Codex => decision("deny", Some(why)),
        Agent::Gemini => json!({"decision": "deny", "reason": why}).to_string(),
    }
}

fn decision(word: &str, why: Option<&str>) -> String {
    let mut decided = json!({"hookEventName": "PreToolUse", "permissionDecision": word});
    if let Some(why) = why {
        decided["permissionDecisionReason"] = Value::from(why);
    }
    json!({"hookSpecificOutput": decided}).to_string()
}

fn no(by: &By, why: &str) -> String {
    match by {
        By::Rule { name, .. } if name == why => {
            format!("Not allowed by the rule `{name}`. Do not try to get around it.")
        }
        By::Rule { name, .. } => format!("Not allowed by the rule `{name}`: {why}. Do not try to get around it."),
        By::Preset => format!("Not allowed for this session: {why}."),
        By::Person { handle } => format!("{handle} did not allow this: {why}."),
        By::SessionPermissions => format!("Refused: {why}."),
    }
}

fn later(by: &By, why: &str) -> String {
    let rule = match by {
        By::Rule { name, .. } => format!("the rule `{name}`"),
        By::Preset | By::Person { .. } | By::SessionPermissions => "its rules".to_owned(),
    };
    format!(
        "A person must allow this first, by {rule}: {why}. They are asked now. Go on with something else and make exactly \
         the same call again later; if nothing else is left to do, end your turn and say what you wait for."
    )
}
