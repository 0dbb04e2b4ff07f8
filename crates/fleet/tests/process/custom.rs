//! An agent that the page of the docs describes, added by its file alone, at work.

use std::os::unix::fs::PermissionsExt as _;
use std::process::Command;

use api::devfleet::{CreateMission, SessionStatus};
use serde_json::json;
use types::MissionId;

use crate::sessions::{Work, launch};

const PAGE: &str = include_str!("../../../../docs/agents.md");

/// The file that the page shows: an agent that commits its prompt.
pub(crate) fn file() -> &'static str {
    let from = PAGE.find("# $FLEET_HOME/agents/notes.toml").unwrap();
    PAGE[from..].split("```").next().unwrap()
}

/// What a file has in a commit with this message, on whichever branch it is.
#[expect(clippy::disallowed_methods, reason = "the test asks git what is in the repository")]
fn committed(work: &Work, message: &str, file: &str) -> Option<String> {
    let git = |arguments: &[&str]| {
        let output = Command::new("git").arg("-C").arg(&work.repository).args(arguments).output().unwrap();
        String::from_utf8(output.stdout).unwrap()
    };
    let commits = git(&["log", "--all", "--format=%H", &format!("--grep=^{message}$")]);
    let commit = commits.lines().next()?.to_owned();
    Some(git(&["show", &format!("{commit}:{file}")]))
}

/// States a mission of which a commit is due.
async fn mission(work: &Work, prompt: &str) -> MissionId {
    let asked = json!({
        "project_id": work.project, "title": "Work", "detailed_prompt": prompt, "mission_type": "implement",
    });
    work.call::<CreateMission>(asked).await.unwrap().id
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_agent_from_the_page_is_added_while_the_server_runs_and_commits_its_work() {
    let work = Work::begin(launch()).await;
    let length = work.server().log().length();
    let mission = mission(&work, "Note that the shop opens at nine.").await;
    let unknown = work.dispatch(&mission, json!({ "agent": "notes" })).await.unwrap_err();
    assert!(unknown.to_string().contains("notes"), "{unknown}");

    let draft = work.server().home().join("agents/notes.draft");
    #[expect(clippy::disallowed_methods, reason = "the test adds the file by hand, as a user does")]
    std::fs::write(&draft, file()).unwrap();
    #[expect(clippy::disallowed_methods, reason = "the test adds the file by hand, as a user does")]
    std::fs::rename(&draft, draft.with_extension("toml")).unwrap();
    work.server().log().line_after(length, "settings were changed").await;

    let session = work.dispatch(&mission, json!({ "agent": "notes" })).await.unwrap();
    let ended = work.server().session_ended(&session).await.session;
    assert_eq!(ended.status, SessionStatus::Completed, "{ended:#?}");
    let notes = committed(&work, "Add notes", "NOTES.md").expect("it committed nothing");
    assert!(notes.contains("the shop opens at nine"), "{notes}");
    let frames = work.server().session_transcript(&session).await;
    assert!(
        frames.iter().any(|frame| frame["text"].as_str().is_some_and(|text| text.contains("I wrote NOTES.md."))),
        "{frames:?}"
    );
    assert_eq!((ended.total_tokens, ended.total_cost_usd), (15, 0.0));
}

/// A stand-in for `agy`, which is in no registry: it says what it was given, commits it, and speaks plain words.
const AGY: &str = r#"#!/bin/sh
[ "$1" = -p ] && [ "$#" = 2 ] || { echo "unexpected: $*" >&2; exit 2; }
echo 'Looking around.'
printf '%s\n' "$2" > ASKED.md
git add ASKED.md && git commit --quiet --message 'Add what was asked' || exit 1
echo 'All done.'
"#;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn agy_is_run_as_its_contract_says_and_what_it_returns_decides() {
    let launch = launch();
    let stub = launch.home().parent().unwrap().join("agy");
    for (script, status) in
        [(AGY, SessionStatus::Completed), ("#!/bin/sh\necho sorry\nexit 1\n", SessionStatus::Failed)]
    {
        #[expect(clippy::disallowed_methods, reason = "the test stands where a person would")]
        std::fs::write(&stub, script).unwrap();
        std::fs::set_permissions(&stub, std::fs::Permissions::from_mode(0o755)).unwrap();
        let launch = crate::sessions::launch();
        std::fs::create_dir_all(launch.home()).unwrap();
        let settings = format!("[agents.agy]\nbinary = '{}'\n", stub.display());
        #[expect(clippy::disallowed_methods, reason = "the test stands where a person would")]
        std::fs::write(launch.home().join("runtime.toml"), settings).unwrap();
        let work = Work::begin(launch).await;
        let mission = mission(&work, "--help me to write").await;
        let session = work.dispatch(&mission, json!({ "agent": "agy" })).await.unwrap();
        let ended = work.server().session_ended(&session).await.session;
        assert_eq!(ended.status, status, "{ended:#?}");
        let asked = committed(&work, "Add what was asked", "ASKED.md");
        assert_eq!(asked.is_some_and(|asked| asked.contains("--help me to write")), status == SessionStatus::Completed);
    }
}
