use fleet_workspaces::{Committed, Error, PullRequest};

use crate::sandbox::{Sandbox, folder, put, read, text};

#[tokio::test]
async fn work_is_seen_committed_and_counted() {
    let sandbox = Sandbox::new();
    let workspaces = sandbox.workspaces();
    let made = sandbox.prepare("work").await;
    assert_eq!(workspaces.commits(&made).await.unwrap(), 0);
    assert_eq!(workspaces.commit_all(&made, "nothing").await.unwrap(), Committed::Nothing);
    put(&folder(&made), "new", b"new");
    std::fs::remove_file(folder(&made).join("a.txt")).unwrap();
    assert_eq!(workspaces.status(&made).await.unwrap().changed, 2);
    let Committed::Commit(id) = workspaces.commit_all(&made, "--the work\n\nbody").await.unwrap() else { panic!() };
    assert_eq!(id, sandbox.text(&folder(&made), &["rev-parse", "HEAD"]));
    assert_eq!(sandbox.text(&folder(&made), &["log", "-1", "--format=%an %s"]), "Tester --the work");
    let status = workspaces.status(&made).await.unwrap();
    assert_eq!((status.changed, status.ahead, workspaces.commits(&made).await.unwrap()), (0, 1, 1));
}

#[tokio::test]
async fn what_the_recipe_brought_is_in_no_commit_that_fleet_makes() {
    let sandbox = Sandbox::with_recipe("copy = ['secrets', '.env']\nlink = ['cache']");
    for file in ["secrets/key", ".env", "cache/x"] {
        put(&sandbox.repo(), file, b"private");
    }
    let workspaces = sandbox.workspaces();
    let made = sandbox.prepare("private").await;
    assert_eq!(read(&made.path, "secrets/key"), "private");
    put(&folder(&made), "new", b"new");
    workspaces.commit_all(&made, "work").await.unwrap();
    let files = sandbox.text(&folder(&made), &["show", "--format=", "--name-only", "HEAD"]);
    assert_eq!(files, "new");
}

#[tokio::test]
async fn a_commit_on_a_machine_that_names_nobody_is_by_fleet() {
    let sandbox = Sandbox::new();
    put(&sandbox.path("home"), ".gitconfig", b"[gc]\nauto = 0\n");
    let made = sandbox.prepare("anonymous").await;
    put(&folder(&made), "new", b"new");
    sandbox.workspaces().commit_all(&made, "work").await.unwrap();
    assert_eq!(sandbox.text(&folder(&made), &["log", "-1", "--format=%an"]), "Fleet");
}

#[tokio::test]
async fn a_branch_is_pushed_under_its_name_and_never_by_force() {
    let sandbox = Sandbox::new();
    let workspaces = sandbox.workspaces();
    let made = sandbox.prepare("push").await;
    put(&folder(&made), "new", b"new");
    workspaces.commit_all(&made, "work").await.unwrap();
    let error = workspaces.push(&made).await.unwrap_err();
    assert!(error.to_string().contains("git remote add origin"), "{error}");

    sandbox.run(&sandbox.repo(), &["clone", "-q", "--bare", ".", "../remote.git"]);
    sandbox.run(&sandbox.repo(), &["remote", "add", "origin", &text(&sandbox.path("remote.git"))]);
    let remote = |what: &str| sandbox.text(&sandbox.path("remote.git"), &["rev-parse", what]);
    sandbox.run(&sandbox.path("remote.git"), &["branch", "-f", "devfleet/push", "main"]);
    workspaces.push(&made).await.unwrap();
    let pushed = sandbox.text(&folder(&made), &["rev-parse", "HEAD"]);
    assert_eq!(remote("devfleet/push"), pushed);

    sandbox.run(&folder(&made), &["commit", "-q", "--amend", "-m", "rewritten"]);
    sandbox.run(&sandbox.repo(), &["config", "remote.origin.push", "+refs/heads/*:refs/heads/*"]);
    let error = workspaces.push(&made).await.unwrap_err();
    assert!(matches!(error, Error::Git(git::Error::PushRejected { .. })), "{error}");
    assert_eq!(remote("devfleet/push"), pushed);
}

#[tokio::test]
async fn a_pull_request_is_asked_for_without_a_shell() {
    let sandbox = Sandbox::new();
    let made = sandbox.prepare("pr").await;
    let asked = PullRequest { title: "--$(touch x) \"q\"".to_owned(), body: "`b`\n;".to_owned(), ..Default::default() };
    let mut options = sandbox.options();
    options.variables.insert("PATH".into(), sandbox.path("bin").into());
    let workspaces = sandbox.workspaces_with(options);
    let error = workspaces.open_pr(&made, &asked).await.unwrap_err();
    assert!(matches!(error, Error::NoGh) && error.to_string().contains("gh auth login"), "{error}");

    let script = "#!/bin/sh\nfor arg in \"$@\"; do printf '%s\\n' \"[$arg]\"; done > args.log\necho noise\necho https://x/pull/1\n";
    put(&sandbox.path("bin"), "gh", script.as_bytes());
    let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    std::fs::set_permissions(sandbox.path("bin/gh"), mode).unwrap();
    assert_eq!(workspaces.open_pr(&made, &asked).await.unwrap(), "https://x/pull/1");
    let args = "[pr]\n[create]\n[--title=--$(touch x) \"q\"]\n[--body=`b`\n;]\n[--head=devfleet/pr]\n";
    assert_eq!(read(sandbox.repo(), "args.log"), args);
}

#[tokio::test]
async fn what_an_agent_left_is_kept_whatever_hooks_say_and_what_it_tells_fleet_stays_out() {
    let sandbox = Sandbox::new();
    let made = sandbox.prepare("left").await;
    let hooks = sandbox.repo().join(".git/hooks");
    put(&hooks, "pre-commit", b"#!/bin/sh\nexit 1\n");
    let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    std::fs::set_permissions(hooks.join("pre-commit"), mode).unwrap();
    put(&folder(&made), "new", b"one\ntwo\n");
    put(&folder(&made), ".codefleet/result.json", b"{}");
    let workspaces = sandbox.workspaces();
    assert!(workspaces.commit_all(&made, "asks").await.is_err(), "the hook has its say where an agent commits");
    let Committed::Commit(id) = workspaces.keep(&made, "Keep it").await.unwrap() else { panic!() };
    assert_eq!(workspaces.keep(&made, "Keep it").await.unwrap(), Committed::Nothing);
    let seen = workspaces.seen(&made, None).await.unwrap();
    let commits: Vec<_> = seen.commits.iter().map(|commit| (commit.oid.as_str(), commit.subject.as_str())).collect();
    assert_eq!((commits, seen.more_commits), (vec![(id.as_str(), "Keep it")], 0));
    let files: Vec<_> = seen.files.iter().map(|file| (file.path.as_str(), file.added, file.removed)).collect();
    assert_eq!(files, [("new", Some(2), Some(0))]);
}

#[tokio::test]
async fn only_a_plain_result_file_is_read_and_an_earlier_one_is_put_aside() {
    let sandbox = Sandbox::new();
    let made = sandbox.prepare("result").await;
    let workspaces = sandbox.workspaces();
    assert_eq!(workspaces.result(&made, 100).await, None);
    workspaces.put_result_aside(&made, 1).unwrap();
    put(&folder(&made), ".codefleet/result.json", b"0123456789");
    assert_eq!(workspaces.result(&made, 4).await.as_deref(), Some("0123"));
    workspaces.put_result_aside(&made, 1).unwrap();
    assert_eq!(workspaces.result(&made, 100).await, None);
    assert_eq!(read(&made.path, ".codefleet/result-1.json"), "0123456789");
    let link = folder(&made).join(".codefleet/result.json");
    std::os::unix::fs::symlink(folder(&made).join(".codefleet/result-1.json"), link).unwrap();
    assert_eq!(workspaces.result(&made, 100).await, None, "a link may lead anywhere");
}

#[tokio::test]
async fn a_report_is_neither_read_nor_moved_behind_a_link() {
    let sandbox = Sandbox::new();
    let made = sandbox.prepare("linked").await;
    let (workspaces, users) = (sandbox.workspaces(), sandbox.path("users"));
    put(&users, "result.json", b"the user's");
    let talk = folder(&made).join(".codefleet");
    std::os::unix::fs::symlink(&users, &talk).unwrap();
    assert_eq!(read(&made.path, ".codefleet/result.json"), "the user's", "by its path it is found");
    assert_eq!(workspaces.result(&made, 100).await, None);
    workspaces.put_result_aside(&made, 1).unwrap();
    assert_eq!(read(&users, "result.json"), "the user's");
    // The same file where no link leads to it.
    std::fs::remove_file(&talk).unwrap();
    std::fs::rename(&users, &talk).unwrap();
    assert_eq!(workspaces.result(&made, 100).await.as_deref(), Some("the user's"));
    std::fs::remove_file(talk.join("result.json")).unwrap();
    rustix::fs::mkfifoat(rustix::fs::CWD, talk.join("result.json"), rustix::fs::Mode::RUSR).unwrap();
    assert_eq!(workspaces.result(&made, 100).await, None, "Fleet does not wait for a pipe");
}

#[tokio::test]
async fn what_was_merged_into_a_branch_is_not_its_own_work() {
    let sandbox = Sandbox::new();
    let made = sandbox.prepare("merging").await;
    put(&sandbox.repo(), "others", b"others");
    sandbox.run(&sandbox.repo(), &["add", "others"]);
    sandbox.run(&sandbox.repo(), &["commit", "-q", "-m", "Others' work"]);
    put(&folder(&made), "own", b"own");
    let workspaces = sandbox.workspaces();
    workspaces.commit_all(&made, "Own work").await.unwrap();
    sandbox.run(&folder(&made), &["merge", "-q", "--no-edit", "main"]);
    let seen = workspaces.seen(&made, None).await.unwrap();
    let subjects: Vec<_> = seen.commits.iter().map(|commit| commit.subject.as_str()).collect();
    assert!(subjects.contains(&"Own work") && !subjects.contains(&"Others' work"), "{subjects:?}");
    assert_eq!(seen.files.iter().map(|file| file.path.as_str()).collect::<Vec<_>>(), ["own"]);
    // Once it has landed it is still what the session did.
    sandbox.run(&sandbox.repo(), &["merge", "-q", "--ff-only", "devfleet/merging"]);
    let landed = workspaces.seen(&made, None).await.unwrap();
    assert!(landed.commits.iter().any(|commit| commit.subject == "Own work"), "{landed:?}");
}

#[tokio::test]
async fn what_is_others_work_is_told_by_the_target_wherever_the_checkout_is() {
    let sandbox = Sandbox::new();
    let made = sandbox.prepare("merging").await;
    put(&sandbox.repo(), "others", b"others");
    sandbox.commit(&sandbox.repo(), "Others' work");
    sandbox.run(&folder(&made), &["merge", "-q", "--no-edit", "main"]);
    put(&folder(&made), "own", b"own");
    let workspaces = sandbox.workspaces();
    workspaces.commit_all(&made, "Own work").await.unwrap();
    // The user continues elsewhere, from before what the agent took over.
    sandbox.run(&sandbox.repo(), &["switch", "-q", "-c", "elsewhere", "HEAD~1"]);
    let files = async |target| {
        let seen = workspaces.seen(&made, target).await.unwrap();
        seen.files.into_iter().map(|file| file.path).collect::<Vec<_>>()
    };
    assert_eq!(files(Some("main")).await, ["own"]);
    // Where nothing says what others did, everything since the branch began is shown.
    assert_eq!(files(Some("no-such-branch")).await, ["others", "own"]);
    assert_eq!(files(None).await, ["others", "own"]);
}

#[tokio::test]
async fn what_was_looked_up_ahead_is_not_asked_again() {
    let sandbox = Sandbox::with_recipe("copy = ['.env']");
    let repo = sandbox.repo();
    let commit = sandbox.text(&repo, &["rev-parse", "HEAD"]).parse().unwrap();
    let (ahead, other) = (sandbox.workspaces(), sandbox.workspaces());
    ahead.look_ahead(repo.to_str(), &commit).await;
    // Without its objects git can answer nothing about them.
    std::fs::rename(repo.join(".git/objects"), sandbox.path("objects")).unwrap();
    std::fs::create_dir(repo.join(".git/objects")).unwrap();
    assert!(ahead.has_file(&repo, None, "fleet.toml").await.unwrap());
    assert_eq!(
        ahead.file_on(&repo, "main", "fleet.toml").await.unwrap().as_deref(),
        Some("[workspace]\ncopy = ['.env']\n")
    );
    assert!(other.has_file(&repo, None, "fleet.toml").await.is_err());
}
