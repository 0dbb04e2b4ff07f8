//! What a provider refuses, and what happens to it.

use api::fleet::{ListParkedAccounts, UnparkAccount};
use runtime::Clock;
use serde_json::json;
use testkit::Cli;
use testkit::model::{Answer, Refusal, Script};

use super::matrix::{Capability, Cell};
use super::scene::{Scene, Wish};
use super::with_each_agent;
use crate::sessions::processes;

with_each_agent!(a_rate_limit_is_waited_for, a_full_context_is_begun_anew, a_quota_is_waited_for);

async fn a_rate_limit_is_waited_for(cli: Cli) -> Vec<(Capability, Cell)> {
    let script = Script::new().then(Refusal::RateLimited { retry_after: 1 }).then(Answer::new().text("Now."));
    let scene = Scene::new(cli, script).await;
    let (_, session) = scene.look_around("Look around.").await;
    let ended = scene.completed(&session).await;
    assert_eq!((ended.retry_count, scene.model.requests().len()), (0, 2), "{ended:#?}");
    scene.model.assert_done();
    vec![(Capability::RateLimit, Cell::Yes)]
}

async fn a_full_context_is_begun_anew(cli: Cli) -> Vec<(Capability, Cell)> {
    let full = Refusal::ContextTooLong { tokens: 2_000_000, limit: 1_000_000 };
    let script = Script::new().then(full).then(Answer::new().text("From the beginning."));
    let scene = Scene::new(cli, script).await;
    let (_, session) = scene.look_around("Look around.").await;
    let ended = scene.completed(&session).await;
    assert_eq!(ended.retry_count, 1, "{ended:#?}");
    scene.model.assert_done();
    vec![(Capability::ContextFull, Cell::Yes)]
}

/// Codex names the minute and Gemini the day on which it may continue, so the test does not wait for it.
async fn a_quota_is_waited_for(cli: Cli) -> Vec<(Capability, Cell)> {
    let resets_at = Clock::system().now().as_second() + 7200;
    let script = Script::new().then(Refusal::QuotaExceeded { resets_at }).then(Answer::new().text("Now."));
    // Claude Code believes what is told of a subscription only if it has one.
    let subscribed = [("ANTHROPIC_API_KEY", ""), ("CLAUDE_CODE_OAUTH_TOKEN", "none")];
    let wish = match cli {
        Cli::Claude => Wish { environment: &subscribed, ..Wish::default() },
        Cli::Codex => Wish::default(),
        // Over ACP a conversation is not taken up in the minute in which it was begun.
        Cli::Gemini => Wish { protocol: Some("exec"), ..Wish::default() },
    };
    let scene = Scene::with(cli, script, wish).await;
    let (_, session) = scene.look_around("Look around.").await;
    let server = scene.work.server();
    let parked = server.session_until(&session, |found| found.session.waits_until.is_some()).await.session;
    assert_eq!(processes(&session), [].into(), "it waits with a process: {parked:#?}");
    let accounts = scene.work.call::<ListParkedAccounts>(json!({})).await.unwrap().items;
    let account = accounts.first().expect("no account is parked");
    let until = account.until.expect("nobody knows until when").0.as_second();
    match cli {
        Cli::Claude => assert_eq!(until, resets_at),
        // Within the minute that it names, and a little later than sooner.
        Cli::Codex => assert!((until - resets_at).abs() <= 60, "{until} is not {resets_at}"),
        Cli::Gemini => assert!(until > resets_at - 7200, "{until} is over"),
    }
    scene.work.call::<UnparkAccount>(json!({ "account": account.account })).await.unwrap();
    let ended = scene.completed(&session).await;
    // One that was refused its first words has no conversation to continue with, and begins anew.
    let tries = if cli == Cli::Gemini { 2 } else { 1 };
    assert_eq!(ended.retry_count, tries, "{ended:#?}");
    scene.model.assert_done();
    vec![(Capability::Quota, Cell::Yes)]
}
