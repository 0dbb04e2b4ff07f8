//! What an agent may do to the repository it works in: commit, branch, merge, rebase; not leave anything that is run
//! later by a process outside the sandbox.
//!
//! If the kernel cannot enforce a sandbox, these tests do nothing.

use api::devfleet::{CreateMission, DispatchMission, SessionDetail};
use serde_json::json;
use types::{MissionId, SessionId};

use crate::landing::{lands, main_log, program, rule};
use crate::sessions::{Work, git, launch};

/// Tries to leave something that runs, then works, and commits what came of both.
const AGENT: &str = r#"#!/bin/sh
own=$(git rev-parse --absolute-git-dir)
common=$own
test -e $own/objects/info/alternates && common=$(dirname "$(cat $own/objects/info/alternates)")
try() { what=$1; shift; if "$@" >/dev/null 2>>.codefleet/said; then echo "$what: done"; else echo "$what: refused"; fi; }
mkdir -p .codefleet
{
    try hook sh -c "echo 'touch $common/../ran' > $common/hooks/post-checkout"
    try new-hook sh -c "echo x > $common/hooks/pre-push"
    try config git config core.fsmonitor 'touch ran'
    try config-file sh -c "echo x >> $common/config"
    try move-config mv $common/config $common/other
    try other-settings sh -c "test $own = $common || echo ../x > $common/commondir"
    try link sh -c "test $own = $common && exit 1; ln -s $HOME/.profile $common/logs/link"
    try head sh -c "test $own = $common && exit 1; echo ref: refs/heads/x > $common/HEAD"
    try target sh -c "test $own = $common && exit 1; git --git-dir=$common update-ref refs/heads/packed HEAD~0"
    try object sh -c "test $own = $common && exit 1; echo x > $common/objects/x"
    try snapshot sh -c "test $own = $common && exit 1; mkdir -p $common/refs/fleet/snapshots"
    try registration sh -c "test $own = $common && exit 1; echo x >> $(echo $common/worktrees/*/HEAD)"
} > tried
{
    try add git add tried
    try commit git commit --quiet --message 'Say what was tried'
    try branch git branch side
    try switch git switch --quiet -c other
    echo one > one; try commit-other sh -c 'git add one && git commit --quiet -m one'
    try back git switch --quiet -
    echo two > two; try commit-two sh -c 'git add two && git commit --quiet -m two'
    try rebase git rebase --quiet other
    try merge git merge --quiet --no-ff -m merge other~1
    try cherry-pick git cherry-pick --keep-redundant-commits other
    try delete-branch git branch --quiet -D side
    try tag sh -c 'git tag t && git tag -d t'
    echo three >> two; try stash sh -c 'git stash --quiet && git stash pop --quiet'
    try checkout git checkout --quiet -- two
    try pack git pack-refs --all
    try fetch git fetch --quiet . other:fetched
    try reset git reset --quiet --hard HEAD
} > worked
git add worked && git commit --quiet --message 'Say what worked'
cat .codefleet/said
echo 'All done.'
"#;

const REFUSED: usize = 12;

async fn begin() -> Work {
    let launch = launch();
    let stub = launch.home().parent().unwrap().join("agy");
    program(&stub, AGENT);
    std::fs::create_dir_all(launch.home()).unwrap();
    let settings = format!("[agents.agy]\nbinary = '{}'\n", stub.display());
    #[expect(clippy::disallowed_methods, reason = "the test stands where a person would")]
    std::fs::write(launch.home().join("runtime.toml"), settings).unwrap();
    Work::begin(launch).await
}

async fn mission(work: &Work) -> MissionId {
    let asked =
        json!({ "project_id": work.project, "title": "Work", "detailed_prompt": "Work.", "mission_type": "implement" });
    work.call::<CreateMission>(asked).await.unwrap().id
}

/// Whether the kernel held all of it.
fn is_held(shown: &SessionDetail) -> bool {
    let said = shown.session.sandbox.as_deref().unwrap_or_default();
    said.starts_with("held: ") && !said.contains("protecting git's settings")
}

fn count(text: &str, word: &str) -> usize {
    text.lines().filter(|line| line.ends_with(word)).count()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_agent_leaves_no_hook_and_no_setting_and_its_commits_land() {
    let work = begin().await;
    git(&work.repository, &["branch", "packed"]);
    git(&work.repository, &["pack-refs", "--all"]);
    rule(&work, json!({ "checks": ["test -e tried"] })).await;
    let mission = mission(&work).await;
    let session = work.dispatch(&mission, json!({ "agent": "agy" })).await.unwrap();
    let shown = work.server().session_ended(&session).await;
    if !is_held(&shown) {
        return;
    }
    lands(&work, &mission).await;
    assert!(main_log(&work.repository).contains("Say what worked"));
    let [tried, worked] = ["tried", "worked"].map(|name| git(&work.repository, &["show", &format!("main:{name}")]));
    let log = &shown.session.output_log;
    assert_eq!(count(&tried, ": refused"), REFUSED, "{tried}{log}");
    assert_eq!((count(&worked, ": refused"), count(&worked, ": done")), (0, 17), "{worked}{log}");
    // The person's own git finds everything and runs nothing; no other branch of the agent's is there.
    git(&work.repository, &["checkout", "--quiet", "packed"]);
    assert_eq!(git(&work.repository, &["branch", "--list", "fetched", "other", "side"]).trim(), "");
    assert!(!work.repository.join("ran").exists());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn in_the_checkout_itself_it_leaves_none_either_and_commits() {
    let work = begin().await;
    let mission = mission(&work).await;
    let asked = json!({ "mission": mission, "agent": "agy", "in_place": true });
    let session: SessionId = work.call::<DispatchMission>(asked).await.unwrap().session_id.unwrap();
    let shown = work.server().session_ended(&session).await;
    if !is_held(&shown) {
        return;
    }
    let tried = git(&work.repository, &["show", "main:tried"]);
    let settings = tried.lines().take(5).collect::<Vec<_>>().join("\n");
    assert_eq!(count(&settings, ": refused"), 5, "{tried}{}", shown.session.output_log);
    let worked = git(&work.repository, &["show", "main:worked"]);
    assert_eq!(count(&worked, ": refused"), 0, "{worked}{}", shown.session.output_log);
    assert!(!work.repository.join(".git/commondir").exists());
}
