//! What a session fails of, how often it is tried again, and what it waits for.

use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;

use api::claude_fleet::SpawnWorker;
use api::devfleet::{CancelSession, ListSessions, SessionStatus};
use api::fleet::{ListParkedAccounts, UnparkAccount};
use runtime::Clock;
use serde_json::json;
use testkit::Launch;

use crate::sessions::{Work, git, launch, processes, script, words};

const HANG: &str = "{ do = 'hang' }";

/// Says in the settings that another program plays `claude`.
#[expect(clippy::disallowed_methods, reason = "the test stands where a person would")]
pub(crate) fn played_by(launch: Launch, program: &str) -> Launch {
    std::fs::create_dir_all(launch.home()).unwrap();
    std::fs::write(launch.home().join("runtime.toml"), format!("[agents.claude]\nbinary = '{program}'\n")).unwrap();
    launch
}

/// Writes a program of shell words beside the home.
#[expect(clippy::disallowed_methods, reason = "the test stands where a person would")]
fn program(launch: &Launch, words: &str) -> PathBuf {
    let path = launch.home().parent().unwrap().join("played");
    std::fs::write(&path, format!("#!/bin/sh\n{words}\n")).unwrap();
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o700)).unwrap();
    path
}

/// A quota that is used up for so many seconds.
pub(crate) fn used_up_for(secs: i64) -> String {
    let resets_at = Clock::system().now().as_second() + secs;
    let resets_at = types::Timestamp::from_second(resets_at).unwrap();
    let fail =
        format!("{{ do = 'fail', text = 'no quota left', class = {{ name = 'quota', resets_at = '{resets_at}' }} }}");
    script(&["{ do = 'say', text = 'begun' }", &fail])
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_agent_that_crashes_again_and_again_is_given_up() {
    let launch = launch();
    let crashing = program(&launch, "echo said before the end >&2; exit 3");
    let work = Work::begin(played_by(launch, crashing.to_str().unwrap())).await;
    let (mission, session) = work.run_with("Do it", json!({ "agent": "claude" })).await;
    let ended = work.server().session_ended(&session).await;
    let ended = ended.session;
    assert_eq!((ended.status, ended.retry_count, ended.exit_code), (SessionStatus::Failed, 2, Some(3)), "{ended:#?}");
    assert_eq!(ended.error_type, "unknown_early_exit");
    assert!(ended.error_log.contains("said before the end"), "{ended:#?}");
    assert_eq!(work.status(&mission).await, "failed");
    assert!(!work.spool(&mission, &session, 4).exists());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[expect(clippy::disallowed_methods, reason = "the test stands where a person would")]
async fn an_agent_without_its_program_or_login_is_refused_before_anything_is_started() {
    let folder = tempfile::tempdir().unwrap();
    let stub = folder.path().join("gemini");
    std::fs::write(&stub, "#!/bin/sh\nexit 0\n").unwrap();
    std::fs::set_permissions(&stub, std::fs::Permissions::from_mode(0o700)).unwrap();
    let launch = played_by(launch(), "/nowhere/claude");
    let settings = launch.home().join("runtime.toml");
    let more = format!("[agents.claude]\nbinary = '/nowhere/claude'\n[agents.gemini]\nbinary = '{}'\n", stub.display());
    std::fs::write(settings, more).unwrap();
    let work = Work::begin(launch.env("HOME", folder.path().to_str().unwrap())).await;
    let mission = work.mission("Do it").await;
    let refused = work.dispatch(&mission, json!({ "agent": "claude" })).await.unwrap_err();
    assert_eq!(refused.code, api::Code::AGENT_UNREADY, "{refused:?}");
    assert!(refused.message.contains("/nowhere/claude") && refused.hints[0].contains("[agents.claude]"), "{refused:?}");
    let refused = work.dispatch(&mission, json!({ "agent": "gemini" })).await.unwrap_err();
    assert_eq!(refused.code, api::Code::AGENT_UNREADY, "{refused:?}");
    assert!(refused.message.contains("not logged in") && refused.hints[0].contains("Log in: `"), "{refused:?}");
    let spawned = json!({ "handle": "scout", "agent": "claude", "workingDir": work.repository });
    let refused = work.call::<SpawnWorker>(spawned).await.unwrap_err();
    assert_eq!(refused.code, api::Code::AGENT_UNREADY, "{refused:?}");
    let sessions = work.call::<ListSessions>(json!({})).await.unwrap();
    assert!(sessions.items.is_empty(), "nothing was started: {sessions:?}");
    assert_eq!(work.status(&mission).await, "draft");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_setup_that_fails_is_the_reason_of_the_session() {
    let work = Work::begin(launch()).await;
    let recipe = "[workspace]\nsetup = [\"echo no compiler here; exit 7\"]\n";
    #[expect(clippy::disallowed_methods, reason = "the test stands where a person would")]
    std::fs::write(work.repository.join("fleet.toml"), recipe).unwrap();
    git(&work.repository, &["add", "fleet.toml"]);
    git(&work.repository, &["commit", "--quiet", "--message=recipe"]);
    let (mission, session) = work.run("Do it").await;
    let ended = work.server().session_ended(&session).await.session;
    assert_eq!((ended.status, ended.error_type.as_str()), (SessionStatus::Failed, "not_started"), "{ended:#?}");
    for part in ["exit code 7", "no compiler here"] {
        assert!(ended.last_error.contains(part), "{}", ended.last_error);
    }
    assert_eq!(work.status(&mission).await, "failed");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_folder_without_git_is_refused_with_a_hint_and_works_in_place() {
    let launch = launch();
    let folder = launch.home().parent().unwrap().join("plain");
    std::fs::create_dir(&folder).unwrap();
    let work = Work::on(launch, folder.clone()).await;
    let refused = work.dispatch(&work.mission("Do it").await, json!({})).await.unwrap_err();
    assert_eq!(refused.code, api::Code::WORKSPACE_REFUSED, "{refused}");
    assert!(refused.message.contains("git init") && refused.hints[0].contains("--in-place"), "{refused:?}");
    let prompt = script(&["{ do = 'write', path = 'a.txt', text = 'a' }"]);
    let (mission, session) = work.run_with(&prompt, json!({ "in_place": true })).await;
    let ended = work.server().session_ended(&session).await.session;
    assert_eq!(ended.status, SessionStatus::Completed, "{ended:#?}");
    assert!(folder.join("a.txt").exists());
    assert_eq!(work.status(&mission).await, "completed");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_used_up_account_parks_everybody_on_it_until_it_is_reset() {
    let mut work = Work::begin(launch()).await;
    let (mission, first) = work.run(&used_up_for(4)).await;
    let parked = work.server().session_until(&first, |found| found.session.waits_until.is_some()).await.session;
    assert_eq!((parked.status, parked.last_error.as_str()), (SessionStatus::Running, "no quota left"));
    assert_eq!(processes(&first), [].into());
    let accounts = work.call::<ListParkedAccounts>(json!({})).await.unwrap().items;
    assert_eq!(accounts.len(), 1, "{accounts:?}");
    let (other, second) = work.run("Do it").await;
    let waiting = work.server().session_until(&second, |found| found.session.waits_until.is_some()).await.session;
    assert_eq!(waiting.waits_until, parked.waits_until, "it waits for the same account");
    assert!(!work.spool(&other, &second, 1).join("shim.json").exists(), "it was started on an account without quota");
    work.restart().await;
    for (mission, session) in [(mission, first), (other, second)] {
        let ended = work.server().session_ended(&session).await.session;
        assert_eq!(ended.status, SessionStatus::Completed, "{ended:#?}");
        assert!(Some(ended.ended_at.unwrap().0) >= parked.waits_until.map(|until| until.0), "it went on too early");
        assert_eq!(work.status(&mission).await, "completed");
    }
    assert!(work.call::<ListParkedAccounts>(json!({})).await.unwrap().items.is_empty());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn whoever_waits_for_an_account_can_be_woken_or_called_off() {
    let work = Work::begin(launch()).await;
    let (_, first) = work.run(&used_up_for(3_600)).await;
    let waits = |found: &api::devfleet::SessionDetail| found.session.waits_until.is_some();
    work.server().session_until(&first, waits).await;
    let (mission, second) = work.run("Do it").await;
    work.server().session_until(&second, waits).await;
    assert_ne!(work.status(&mission).await, "draft");
    work.call::<CancelSession>(json!({ "session": second })).await.unwrap();
    let ended = work.server().session_ended(&second).await.session;
    assert_eq!(ended.status, SessionStatus::Cancelled);
    assert_eq!(work.status(&mission).await, "failed", "a mission waits that nobody will wake");
    let account = work.call::<ListParkedAccounts>(json!({})).await.unwrap().items.remove(0).account;
    assert!(work.call::<UnparkAccount>(json!({ "account": account })).await.unwrap().was_parked);
    let ended = work.server().session_ended(&first).await.session;
    assert_eq!(ended.status, SessionStatus::Completed, "{ended:#?}");
    let said = words(&work.server().session_transcript(&first).await);
    assert_eq!(said, ["begun", "no quota left", "resumed", "resumed and finished"]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn whoever_wakes_does_not_take_back_a_mission_that_was_given_to_another() {
    let work = Work::begin(launch()).await;
    let (mission, first) = work.run(&used_up_for(3_600)).await;
    let waits = |found: &api::devfleet::SessionDetail| found.session.waits_until.is_some();
    work.server().session_until(&first, waits).await;
    let second = work.dispatch(&mission, json!({})).await.unwrap();
    work.server().session_until(&second, waits).await;
    let account = work.call::<ListParkedAccounts>(json!({})).await.unwrap().items.remove(0).account;
    work.call::<UnparkAccount>(json!({ "account": account })).await.unwrap();
    let ended = work.server().session_ended(&first).await.session;
    assert_eq!((ended.status, ended.error_type.as_str()), (SessionStatus::Failed, "interrupted"), "{ended:#?}");
    assert!(ended.last_error.contains(mission.as_str()), "{}", ended.last_error);
    assert!(!work.spool(&mission, &first, 2).join("shim.json").exists(), "two agents were on one mission");
    work.server().session_until(&second, |found| found.session.retry_count > 0 || !waits(found)).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn without_parking_a_used_up_account_is_a_failure() {
    let work = Work::begin(launch().env("FLEET_PARKING", "off")).await;
    let (mission, session) = work.run(&used_up_for(3_600)).await;
    let ended = work.server().session_ended(&session).await.session;
    let told = (ended.status, ended.error_type.as_str(), ended.retry_count);
    assert_eq!(told, (SessionStatus::Failed, "rate_limit_exhausted", 0), "{ended:#?}");
    assert_eq!(work.status(&mission).await, "failed");
    let (_, next) = work.run(&script(&["{ do = 'say', text = 'begun' }", HANG])).await;
    work.server().session_says(&next, "begun").await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_provider_that_slows_down_is_tried_again_as_often_as_asked() {
    let work = Work::begin(launch()).await;
    let limited = script(&["{ do = 'fail', class = { name = 'rate_limit' } }"]);
    let (_, never) = work.run_with(&limited, json!({ "max_retries": 0 })).await;
    let (_, again) = work.run_with(&limited, json!({ "max_retries": 1, "retry_initial_delay": 0.1 })).await;
    let ended = work.server().session_ended(&never).await.session;
    let told = (ended.status, ended.error_type.as_str(), ended.retry_count);
    assert_eq!(told, (SessionStatus::Failed, "rate_limit_exhausted", 0), "{ended:#?}");
    let ended = work.server().session_ended(&again).await.session;
    assert_eq!((ended.status, ended.retry_count), (SessionStatus::Completed, 1), "{ended:#?}");
}
