//! Calls that a rule or a preset does not let through, and calls that a person is asked about.

use std::collections::BTreeSet;

use api::claude_fleet::ListViolations;
use api::fleet::{ApprovalStatus, DenyApproval, GetApproval};
use serde_json::json;
use testkit::Cli;
use testkit::model::{Act, Answer, Script};
use types::RuleId;

use super::matrix::{Capability, Cell};
use super::scene::{RULE, Scene, TOUCH};
use super::with_each_agent;
use crate::approvals::asked;
use crate::follow::{fleet, output};

with_each_agent!(a_rule_and_a_preset_keep_calls_from_being_made, a_person_is_asked_and_heeded);

fn shell(id: &str, command: &str) -> Answer {
    Answer::new().text(&format!("I do `{command}`.")).act_as(id, Act::shell(command))
}

/// Among them are commands that agents take to be harmless and would rather not ask about.
async fn a_rule_and_a_preset_keep_calls_from_being_made(cli: Cli) -> Vec<(Capability, Cell)> {
    let script = Script::new()
        .then(shell("c_fine", "touch fine.txt"))
        .then(shell("c_blocked", "touch blocked.txt"))
        .then(shell("c_sum", "expr 20000 + 22222"))
        .then(shell("c_beyond", "cp fine.txt beyond.txt"))
        .then(shell("c_count", "seq 70007 70007"))
        .then(Answer::new().text("That was all."));
    let scene = Scene::new(cli, script).await;
    let rule = scene.rule("block", "regex:^(touch blocked|expr )").await;
    let (_, session) = scene.run("Make files.", json!({ "tool_preset": TOUCH })).await;
    let ended = scene.completed(&session).await;
    assert_eq!(scene.files(&ended), ["fine.txt"]);
    assert_eq!(ended.calls.as_deref(), Some("enforced"));

    let violations = scene.work.call::<ListViolations>(json!({ "sessionId": session })).await.unwrap().items;
    let held = |by: Option<&RuleId>| {
        let held = violations.iter().filter(|held| held.rule_id.as_ref() == by).map(|held| held.operation.as_str());
        held.collect::<BTreeSet<_>>()
    };
    assert_eq!(held(Some(&rule)), ["touch blocked.txt", "expr 20000 + 22222"].into(), "{violations:#?}");
    assert_eq!(held(None), ["cp fine.txt beyond.txt", "seq 70007 70007"].into(), "{violations:#?}");
    assert!(!scene.told("c_sum").contains("42222") && !scene.told("c_count").contains("70007\n"));
    let reason = match cli {
        Cli::Claude => {
            assert!(scene.told("c_blocked").contains(RULE), "{}", scene.told("c_blocked"));
            assert!(scene.told("c_beyond").contains("is not one of this session's commands"));
            Cell::Yes
        }
        // Their protocols have a no, and no place for a reason.
        Cli::Codex | Cli::Gemini => {
            assert!(!scene.told("c_blocked").contains(RULE), "{}", scene.told("c_blocked"));
            Cell::No("it is only told that it is")
        }
    };
    scene.model.assert_done();
    vec![(Capability::Blocked, Cell::Yes), (Capability::Beyond, Cell::Yes), (Capability::Reason, reason)]
}

async fn a_person_is_asked_and_heeded(cli: Cli) -> Vec<(Capability, Cell)> {
    let script = Script::new()
        .then(shell("c_yes", "touch yes.txt"))
        .then(shell("c_no", "touch no.txt"))
        .then(Answer::new().text("That was all."));
    let scene = Scene::new(cli, script).await;
    let rule = scene.rule("ask", "touch *").await;
    let (mission, session) = scene.run("Make files.", json!({})).await;

    let first = asked(scene.work.server(), &session).await;
    assert_eq!((first.command.as_deref(), first.rule_id.as_ref()), (Some("touch yes.txt"), Some(&rule)));
    assert_eq!(first.mission_id.as_ref(), Some(&mission));
    let running = scene.work.server().session_until(&session, |_| true).await.session;
    let folder = std::path::PathBuf::from(running.work_dir.unwrap());
    assert!(!folder.join("yes.txt").exists(), "it did not wait");
    let said = output(fleet(&scene.work, &["approvals", "allow", first.id.as_str()])).await;
    assert_eq!(said.0, Some(0), "{said:?}");

    let second = asked(scene.work.server(), &session).await;
    assert_eq!(second.command.as_deref(), Some("touch no.txt"));
    assert!(folder.join("yes.txt").exists(), "it was not made before the next call: {}", scene.told("c_yes"));
    let no = json!({ "approval": second.id, "why": "not before the release" });
    scene.work.call::<DenyApproval>(no).await.unwrap();

    let ended = scene.completed(&session).await;
    assert_eq!(scene.files(&ended), ["yes.txt"]);
    let stands = async |approval| scene.work.call::<GetApproval>(json!({ "approval": approval })).await.unwrap().status;
    assert_eq!((stands(first.id).await, stands(second.id).await), (ApprovalStatus::Allowed, ApprovalStatus::Denied));
    scene.model.assert_done();
    vec![(Capability::Allowed, Cell::Yes), (Capability::Denied, Cell::Yes)]
}
