//! A worker's branch goes to a remote, and a pull request is asked for by the program for it.

use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};

use api::Code;
use api::claude_fleet::{OpenPullRequest, PushWorktree, SpawnWorker};
use config::Environment;
use serde_json::json;

use crate::sessions::{Work, git, launch};

/// A program that writes down its arguments and prints an address.
const STUB: &str = "#!/bin/sh
for word in \"$0\" \"$@\"; do printf '%s\\n' \"$word\"; done > \"${0%/*}/asked\"
echo 'Creating pull request'
echo https://forge.example/shop/pull/7
";

/// A server that finds git, a shell and nothing else on its PATH but what is put into the returned folder; with a
/// worker that has committed something, whose repository has a remote.
async fn begun() -> (Work, PathBuf, PathBuf) {
    let launch = launch();
    let folder = launch.home().parent().unwrap().to_owned();
    let programs = folder.join("programs");
    std::fs::create_dir(&programs).unwrap();
    let path = Environment::of_process().get("PATH").unwrap().to_owned();
    for name in ["git", "sh"] {
        let found = path.split(':').map(|folder| Path::new(folder).join(name)).find(|program| program.exists());
        symlink(found.unwrap(), programs.join(name)).unwrap();
    }
    let work = Work::begin(launch.env("PATH", programs.display())).await;
    let remote = folder.join("remote.git");
    git(&work.repository, &["clone", "--quiet", "--bare", ".", remote.to_str().unwrap()]);
    git(&work.repository, &["remote", "add", "origin", remote.to_str().unwrap()]);
    let input = json!({ "handle": "ann", "agent": "sim", "initialPrompt": "Write it", "workingDir": work.repository });
    let session = work.call::<SpawnWorker>(input).await.unwrap().id;
    work.server().session_says(&session, "Wrote and committed").await;
    (work, programs, remote)
}

fn ask() -> serde_json::Value {
    json!({ "handle": "ann", "title": "--Add \"it\" $(now)", "body": "Because.\n\nIt is `good`.", "base": "main" })
}

#[expect(clippy::disallowed_methods, reason = "the test stands where a person would")]
fn install(programs: &Path, name: &str) {
    std::fs::write(programs.join(name), STUB).unwrap();
    std::fs::set_permissions(programs.join(name), std::fs::Permissions::from_mode(0o755)).unwrap();
}

#[expect(clippy::disallowed_methods, reason = "a test reads what the program wrote")]
fn asked(programs: &Path) -> String {
    std::fs::read_to_string(programs.join("asked")).unwrap()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_pull_request_is_asked_for_of_what_was_pushed_and_a_missing_program_is_named() {
    let (work, programs, remote) = begun().await;
    work.call::<PushWorktree>(json!({ "handle": "ann" })).await.unwrap();
    let branches = git(&remote, &["for-each-ref", "--format=%(refname:short)", "refs/heads/devfleet"]);
    let branch = branches.trim();
    assert_eq!(git(&remote, &["rev-parse", branch]), git(&work.repository, &["rev-parse", branch]));

    let missing = work.call::<OpenPullRequest>(ask()).await.unwrap_err();
    assert_eq!(missing.code, Code::WORKSPACE_REFUSED);
    assert!(missing.message.contains("neither `gh` nor `glab` is on PATH"), "{missing:?}");
    assert!(missing.message.contains("gh auth login"), "{missing:?}");

    install(&programs, "gh");
    let opened = work.call::<OpenPullRequest>(ask()).await.unwrap();
    assert_eq!(opened.pr_url, "https://forge.example/shop/pull/7");
    let expected = format!(
        "{}\npr\ncreate\n--title=--Add \"it\" $(now)\n--body=Because.\n\nIt is `good`.\n--head={branch}\n--base=main\n",
        programs.join("gh").display()
    );
    assert_eq!(asked(&programs), expected);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_remote_at_gitlab_is_asked_by_its_own_program() {
    let (work, programs, remote) = begun().await;
    // Git pushes to the folder; the address that it is known by is GitLab's.
    let known = format!("url.{}.pushInsteadOf", remote.display());
    git(&work.repository, &["config", &known, "https://gitlab.example/ann/shop.git"]);
    git(&work.repository, &["config", "remote.origin.url", "https://gitlab.example/ann/shop.git"]);
    // GitHub's is there too, and not asked.
    install(&programs, "gh");
    install(&programs, "glab");
    assert_eq!(work.call::<OpenPullRequest>(ask()).await.unwrap().pr_url, "https://forge.example/shop/pull/7");
    assert!(asked(&programs).contains("\nmr\ncreate\n--title=--Add"), "{}", asked(&programs));
}
