//! A session's own git directory: what its agent does there reaches the repository when it is taken over, and only its
//! branch.

use std::path::{Path, PathBuf};

use fleet_git::{Committed, Error, Identity, NewWorktree, Repository, Strategy, Submodules};

use crate::sandbox::{Sandbox, named, put, whole};

/// A worktree with a git directory of its own.
pub(crate) async fn enter(sandbox: &Sandbox, name: &str) -> (Repository, PathBuf) {
    let path = sandbox.worktree(name).await;
    let made = sandbox.open().await.worktree(&path).await.unwrap();
    made.give_private(&place(sandbox, name)).await.unwrap();
    (made, path)
}

pub(crate) fn place(sandbox: &Sandbox, name: &str) -> PathBuf {
    sandbox.path("private").join(name)
}

#[tokio::test]
async fn what_an_agent_commits_is_in_the_repository_when_it_is_taken_over_and_not_before() {
    let sandbox = Sandbox::new();
    let (made, tree) = enter(&sandbox, "one").await;
    let repo = sandbox.repo();
    assert_eq!(sandbox.text(&tree, &["status", "--porcelain"]), "");
    assert_eq!(sandbox.text(&tree, &["branch", "--show-current"]), "work/one");
    let main = sandbox.text(&repo, &["rev-parse", "main"]);
    put(&tree, "new.txt", b"new");
    sandbox.commit(&tree, "work");
    let done = sandbox.text(&tree, &["rev-parse", "HEAD"]);
    assert_eq!(sandbox.text(&repo, &["rev-parse", "work/one"]), main);
    assert!(!sandbox.try_run(&repo, &["cat-file", "-e", &done]).status.success());

    made.take_over().await.unwrap();
    assert_eq!(sandbox.text(&repo, &["rev-parse", "work/one"]), done);
    assert_eq!(sandbox.text(&repo, &["show", "work/one:new.txt"]), "new");
    sandbox.run(&repo, &["fsck", "--strict", "--no-dangling"]);
    let status = made.status(None).await.unwrap();
    assert_eq!((status.changed, status.head.commit().unwrap().as_str()), (0, done.as_str()));
}

#[tokio::test]
async fn an_agent_commits_as_its_user_though_it_keeps_the_settings_of_the_user_from_git() {
    let sandbox = Sandbox::new();
    // Said of one folder: the session's git directory is elsewhere.
    let elsewhere = sandbox.path("home").join("work.inc");
    std::fs::write(&elsewhere, "[user]\nemail = ann@work.example\n").unwrap();
    let condition = format!("includeIf.gitdir:{}/.path", sandbox.repo().display());
    sandbox.run(&sandbox.repo(), &["config", "--global", &condition, &elsewhere.display().to_string()]);
    let (_, tree) = enter(&sandbox, "one").await;
    let alone = |args: &[&str]| {
        let mut command = std::process::Command::new("git");
        command.args(args).current_dir(&tree).env_clear().env("PATH", std::env::var_os("PATH").unwrap());
        command.env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_NOSYSTEM", "1").output().unwrap()
    };
    let done = alone(&["commit", "-q", "--allow-empty", "-m", "work"]);
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    assert_eq!(sandbox.text(&tree, &["log", "-1", "--format=%an <%ae>"]), "Tester <ann@work.example>");
    // What the repository says counts before.
    sandbox.run(&sandbox.repo(), &["config", "user.name", "Ann"]);
    let (_, other) = enter(&sandbox, "two").await;
    sandbox.commit(&other, "work");
    assert_eq!(sandbox.text(&other, &["log", "-1", "--format=%an <%ae>"]), "Ann <ann@work.example>");
}

#[tokio::test]
async fn an_agent_uses_git_as_ever_and_moves_nothing_but_its_branch() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo();
    sandbox.run(&repo, &["branch", "other"]);
    sandbox.run(&repo, &["tag", "-a", "-m", "x", "v1"]);
    sandbox.run(&repo, &["pack-refs", "--all"]);
    let (made, tree) = enter(&sandbox, "one").await;
    let before = sandbox.run(&repo, &["for-each-ref", "--exclude=refs/heads/work/one"]);
    assert_eq!(sandbox.text(&tree, &["diff", "main"]), "");
    assert_eq!(sandbox.text(&tree, &["describe"]), "v1");
    put(&tree, "a.txt", b"mine\n");
    sandbox.commit(&tree, "mine");
    // It branches, merges, rebases, stashes, moves and deletes branches, and replaces commits.
    sandbox.run(&tree, &["switch", "-q", "-c", "side", "main"]);
    put(&tree, "side", b"side");
    sandbox.commit(&tree, "side");
    sandbox.run(&tree, &["switch", "-q", "work/one"]);
    sandbox.run(&tree, &["merge", "-q", "--no-edit", "side"]);
    sandbox.run(&tree, &["branch", "-f", "main", "work/one"]);
    sandbox.run(&tree, &["update-ref", "refs/heads/other", "HEAD"]);
    sandbox.run(&tree, &["update-ref", "refs/fleet/snapshots/forged", "HEAD"]);
    sandbox.run(&tree, &["replace", "HEAD", "HEAD~1"]);
    sandbox.run(&tree, &["tag", "-d", "v1"]);
    put(&tree, "a.txt", b"stashed\n");
    sandbox.run(&tree, &["stash", "-q"]);
    made.take_over().await.unwrap();
    assert_eq!(sandbox.run(&repo, &["for-each-ref", "--exclude=refs/heads/work/one"]), before);
    let tip = sandbox.text(&tree, &["rev-parse", "refs/heads/work/one"]);
    assert_eq!(sandbox.text(&repo, &["rev-parse", "work/one"]), tip);
    assert!(made.resolve("HEAD").await.unwrap().as_str() == tip);
}

#[tokio::test]
async fn left_over_work_is_committed_in_both_and_the_agent_goes_on_from_there() {
    let sandbox = Sandbox::new();
    let (made, tree) = enter(&sandbox, "one").await;
    put(&tree, "staged", b"staged");
    sandbox.run(&tree, &["add", "staged"]);
    put(&tree, "staged", b"and changed");
    put(&tree, "untracked", b"untracked");
    let Committed::Commit(kept) = made.keep_all_but(&[], "keep", Some(&Identity::fleet())).await.unwrap() else {
        panic!("there was something to keep");
    };
    assert_eq!(sandbox.text(&sandbox.repo(), &["rev-parse", "work/one"]), kept.as_str());
    assert_eq!(sandbox.text(&tree, &["rev-parse", "HEAD"]), kept.as_str());
    assert_eq!(sandbox.text(&tree, &["status", "--porcelain"]), "");
    assert_eq!(sandbox.text(&sandbox.repo(), &["show", "work/one:staged"]), "and changed");
    put(&tree, "more", b"more");
    sandbox.commit(&tree, "more");
    made.take_over().await.unwrap();
    let tip = sandbox.text(&tree, &["rev-parse", "HEAD"]);
    assert_eq!(sandbox.text(&sandbox.repo(), &["rev-parse", "work/one"]), tip);
}

#[tokio::test]
async fn a_merge_under_way_is_seen_and_committed_with_both_parents() {
    let sandbox = Sandbox::new();
    let (made, tree) = enter(&sandbox, "one").await;
    put(&tree, "a.txt", b"mine\n");
    sandbox.commit(&tree, "mine");
    sandbox.run(&tree, &["switch", "-q", "-c", "side", "main"]);
    put(&tree, "a.txt", b"theirs\n");
    sandbox.commit(&tree, "theirs");
    sandbox.run(&tree, &["switch", "-q", "work/one"]);
    assert!(!sandbox.try_run(&tree, &["merge", "side"]).status.success());
    assert_eq!(made.status(None).await.unwrap().conflicted, 1);
    let unsettled = made.keep_all_but(&[], "keep", Some(&Identity::fleet())).await.unwrap();
    assert!(matches!(unsettled, Committed::Unsettled(_)));
    put(&tree, "a.txt", b"both\n");
    sandbox.run(&tree, &["add", "a.txt"]);
    assert!(matches!(made.keep_all_but(&[], "keep", None).await.unwrap(), Committed::Commit(_)));
    let parents = sandbox.text(&sandbox.repo(), &["rev-list", "--parents", "-1", "work/one"]);
    assert_eq!(parents.split(' ').count(), 3);
    assert!(!sandbox.try_run(&tree, &["merge", "--abort"]).status.success(), "nothing is under way any more");
}

#[tokio::test]
async fn everything_of_a_session_comes_back_with_its_snapshot() {
    let sandbox = Sandbox::new();
    let open = sandbox.open().await;
    let (_, tree) = enter(&sandbox, "one").await;
    put(&tree, "done", b"done");
    sandbox.commit(&tree, "done");
    let amended = sandbox.text(&tree, &["rev-parse", "HEAD"]);
    sandbox.run(&tree, &["commit", "-q", "--amend", "-m", "amended"]);
    sandbox.run(&tree, &["switch", "-q", "-c", "side"]);
    put(&tree, "side", b"side");
    sandbox.commit(&tree, "side");
    let side = sandbox.text(&tree, &["rev-parse", "side"]);
    sandbox.run(&tree, &["switch", "-q", "work/one"]);
    put(&tree, "a.txt", b"stashed\n");
    sandbox.run(&tree, &["stash", "-q"]);
    put(&tree, "staged", b"staged");
    sandbox.run(&tree, &["add", "staged"]);
    let tip = sandbox.text(&tree, &["rev-parse", "HEAD"]);

    open.remove(&tree, &whole("s"), |_| None).await.unwrap();
    assert!(!place(&sandbox, "one").exists() && !tree.exists());
    sandbox.collect_garbage();
    let restored = open.restore(&named("s"), &tree).await.unwrap().worktree;
    restored.give_private(&place(&sandbox, "one")).await.unwrap();
    assert_eq!(sandbox.text(&tree, &["rev-parse", "HEAD", "side"]), format!("{tip}\n{side}"));
    assert_eq!(sandbox.text(&tree, &["status", "--porcelain"]), "A  staged");
    assert_eq!(sandbox.text(&tree, &["show", ":staged"]), "staged");
    sandbox.run(&tree, &["cat-file", "-e", &amended]);
    sandbox.run(&tree, &["reset", "-q", "--hard"]);
    sandbox.run(&tree, &["stash", "pop", "-q"]);
    assert_eq!(std::fs::read(tree.join("a.txt")).unwrap(), b"stashed\n");
}

#[tokio::test]
async fn a_directory_is_made_ready_again_with_what_the_repository_has_by_then() {
    let sandbox = Sandbox::new();
    let (made, tree) = enter(&sandbox, "one").await;
    put(&tree, "mine", b"mine");
    sandbox.commit(&tree, "mine");
    let mine = sandbox.text(&tree, &["rev-parse", "HEAD"]);
    put(&sandbox.repo(), "theirs", b"theirs");
    sandbox.commit(&sandbox.repo(), "theirs");
    let own = place(&sandbox, "one");
    std::fs::write(own.join("commondir"), "/elsewhere\n").unwrap();
    std::fs::write(own.join("config"), "[core]\n\tfsmonitor = evil\n").unwrap();
    std::fs::write(tree.join(".git"), "gitdir: /elsewhere\n").unwrap();
    assert_eq!(made.give_private(&own).await.unwrap(), own);
    assert_eq!(sandbox.text(&tree, &["rev-parse", "HEAD"]), mine);
    let main = sandbox.text(&sandbox.repo(), &["rev-parse", "main"]);
    assert_eq!(sandbox.text(&tree, &["rev-parse", "main"]), main);
    assert_eq!(sandbox.text(&tree, &["config", "core.fsmonitor"]), "false");
    sandbox.run(&tree, &["merge", "-q", "--no-edit", "main"]);
}

#[tokio::test]
async fn a_branch_that_the_user_moved_meanwhile_is_left_to_the_user() {
    let sandbox = Sandbox::new();
    let (made, tree) = enter(&sandbox, "one").await;
    put(&tree, "mine", b"mine");
    sandbox.commit(&tree, "mine");
    let mine = sandbox.text(&tree, &["rev-parse", "HEAD"]);
    sandbox.commit(&sandbox.repo(), "another");
    sandbox.run(&sandbox.repo(), &["update-ref", "refs/heads/work/one", "main"]);
    assert!(matches!(made.take_over().await, Err(Error::BranchMoved { .. })));
    let main = sandbox.text(&sandbox.repo(), &["rev-parse", "main"]);
    assert_eq!(sandbox.text(&sandbox.repo(), &["rev-parse", "work/one"]), main);
    // What the session has is in its snapshot all the same.
    sandbox.open().await.remove(&tree, &whole("s"), |_| None).await.unwrap();
    sandbox.collect_garbage();
    sandbox.run(&sandbox.repo(), &["cat-file", "-e", &mine]);
}

#[tokio::test]
async fn a_worktree_inherits_what_another_session_committed() {
    let sandbox = Sandbox::new();
    let (made, tree) = enter(&sandbox, "one").await;
    put(&tree, "mine", b"mine");
    sandbox.commit(&tree, "mine");
    made.take_over().await.unwrap();
    let strategy = Strategy::Inherit { from: "work/one".parse().unwrap() };
    let created = sandbox.open().await.create(&NewWorktree { strategy, ..sandbox.new_worktree("two") }).await.unwrap();
    created.worktree.give_private(&place(&sandbox, "two")).await.unwrap();
    assert_eq!(std::fs::read(sandbox.path("trees/two/mine")).unwrap(), b"mine");
    assert_eq!(sandbox.text(&sandbox.path("trees/two"), &["log", "-1", "--format=%s"]), "mine");
}

#[tokio::test]
async fn a_shallow_a_sparse_and_a_sha256_repository_work() {
    let sandbox = Sandbox::new();
    put(&sandbox.repo(), "deep/file", b"deep");
    sandbox.commit(&sandbox.repo(), "second");
    let from = format!("file://{}", sandbox.repo().display());
    let shallow = sandbox.path("shallow");
    sandbox.run(&sandbox.path("home"), &["clone", "-q", "--depth=1", &from, shallow.to_str().unwrap()]);
    sandbox.run(&shallow, &["sparse-checkout", "set", "--no-cone", "/*", "!/deep/"]);
    let other = sandbox.path("other");
    sandbox.run(&sandbox.path("home"), &["init", "-q", "--object-format=sha256", other.to_str().unwrap()]);
    put(&other, "a", b"a");
    sandbox.commit(&other, "first");
    for repo in [shallow, other] {
        let open = sandbox.git.open(&repo).await.unwrap();
        let name = repo.file_name().unwrap().to_str().unwrap();
        open.create(&sandbox.new_worktree(name)).await.unwrap();
        let tree = sandbox.path("trees").join(name);
        let made = open.worktree(&tree).await.unwrap();
        made.give_private(&place(&sandbox, name)).await.unwrap();
        assert_eq!(sandbox.text(&tree, &["status", "--porcelain"]), "", "{name}");
        assert!(!tree.join("deep").exists());
        put(&tree, "new", b"new");
        sandbox.commit(&tree, "new");
        made.take_over().await.unwrap();
        assert_eq!(sandbox.text(&repo, &["show", &format!("work/{name}:new")]), "new");
        if name == "shallow" {
            assert_eq!(sandbox.text(&repo, &["show", "work/shallow:deep/file"]), "deep");
        }
        open.remove(&tree, &whole(name), |_| None).await.unwrap();
        sandbox.run(&repo, &["fsck", "--no-dangling"]);
    }
}

#[tokio::test]
async fn a_submodules_own_commits_move_with_their_worktree() {
    let sandbox = Sandbox::new();
    sandbox.run(&sandbox.repo(), &["clone", "-q", "--bare", ".", "../lib.git"]);
    sandbox.run(&sandbox.repo(), &["submodule", "--quiet", "add", "../lib.git", "lib"]);
    sandbox.commit(&sandbox.repo(), "submodule");
    let open = sandbox.open().await;
    let new = NewWorktree { submodules: Submodules::Init, ..sandbox.new_worktree("one") };
    let made = open.create(&new).await.unwrap().worktree;
    made.give_private(&place(&sandbox, "one")).await.unwrap();
    let lib = new.path.join("lib");
    put(&lib, "inner.txt", b"inner");
    sandbox.commit(&lib, "unpushed");
    let head = sandbox.text(&lib, &["rev-parse", "HEAD"]);
    assert!(place(&sandbox, "one").join("modules/lib").is_dir());
    open.remove(&new.path, &whole("s"), |_| None).await.unwrap();
    let restored = open.restore(&named("s"), &new.path).await.unwrap().worktree;
    restored.give_private(&place(&sandbox, "one")).await.unwrap();
    assert_eq!(sandbox.text(&lib, &["rev-parse", "HEAD"]), head);
    assert_eq!(sandbox.text(&lib, &["rev-parse", "--show-toplevel"]), lib.to_str().unwrap());
    assert!(Path::new(&sandbox.text(&lib, &["rev-parse", "--absolute-git-dir"])).starts_with(place(&sandbox, "one")));
}

#[tokio::test]
async fn a_commit_of_a_server_that_was_killed_over_it_is_given_back_by_the_next_one() {
    let sandbox = Sandbox::new();
    let (made, tree) = enter(&sandbox, "one").await;
    put(&tree, "left", b"left");
    // As far as it came: everything is committed in the registration, and the session does not know.
    let saved: Vec<_> = ["HEAD", "index", "refs/heads/work/one"]
        .map(|name| (name, std::fs::read(place(&sandbox, "one").join(name)).unwrap()))
        .into();
    let record = std::fs::read_to_string(made.git_dir().join("fleet.git")).unwrap();
    let Committed::Commit(kept) = made.keep_all_but(&[], "keep", Some(&Identity::fleet())).await.unwrap() else {
        panic!("there was something to keep");
    };
    for (name, bytes) in saved {
        std::fs::write(place(&sandbox, "one").join(name), bytes).unwrap();
    }
    let record = record.replace("\"committing\":false", "\"committing\":true");
    std::fs::write(made.git_dir().join("fleet.git"), record).unwrap();
    assert_eq!(sandbox.text(&tree, &["status", "--porcelain"]), "?? left");

    assert_eq!(made.keep_all_but(&[], "keep", Some(&Identity::fleet())).await.unwrap(), Committed::Nothing);
    assert_eq!(sandbox.text(&tree, &["rev-parse", "HEAD"]), kept.as_str());
    assert_eq!(sandbox.text(&sandbox.repo(), &["rev-parse", "work/one"]), kept.as_str());
    assert_eq!(sandbox.text(&tree, &["status", "--porcelain"]), "");
}

#[tokio::test]
async fn contents_of_git_lfs_are_taken_over_and_only_under_their_own_names() {
    let sandbox = Sandbox::new();
    let (made, tree) = enter(&sandbox, "one").await;
    // The SHA-256 of `hello` and a line break.
    let good = "lfs/objects/58/91/5891b5b522d5df086d0ff0b110fbd9d21bb4fc7163af34d08286a2e846f6be03";
    let false_name = format!("lfs/objects/ab/cd/abcd{}", "0".repeat(60));
    put(&place(&sandbox, "one"), good, b"hello\n");
    put(&place(&sandbox, "one"), &false_name, b"evil\n");
    put(&tree, "pointer", b"pointer");
    sandbox.commit(&tree, "pointer");
    made.take_over().await.unwrap();
    assert_eq!(std::fs::read(sandbox.repo().join(".git").join(good)).unwrap(), b"hello\n");
    assert!(!sandbox.repo().join(".git").join(false_name).exists());
}

#[tokio::test]
async fn a_worktree_that_an_agent_of_an_older_version_worked_in_goes_on_with_all_it_had() {
    let sandbox = Sandbox::new();
    let tree = sandbox.worktree("one").await;
    put(&tree, "a.txt", b"mine\n");
    sandbox.commit(&tree, "mine");
    put(&sandbox.repo(), "a.txt", b"theirs\n");
    sandbox.commit(&sandbox.repo(), "theirs");
    assert!(!sandbox.try_run(&tree, &["merge", "main"]).status.success());
    put(&tree, "staged", b"staged");
    sandbox.run(&tree, &["add", "staged"]);
    let asked = || {
        ["status", "log -1 --format=%H", "reflog", "diff --cached"]
            .map(|args| sandbox.text(&tree, &args.split(' ').collect::<Vec<_>>()))
    };
    let before = asked();
    assert!(before[0].contains("You have unmerged paths"));
    let made = sandbox.open().await.worktree(&tree).await.unwrap();
    made.give_private(&place(&sandbox, "one")).await.unwrap();
    assert_eq!(asked(), before);
    sandbox.run(&tree, &["merge", "--abort"]);
    made.take_over().await.unwrap();
    assert_eq!(made.status(None).await.unwrap().conflicted, 0);
}
