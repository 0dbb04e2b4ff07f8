use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::Path;

use fleet_git::{Error, Head, Ignored, RestoredHead};

use crate::picture::{Picture, users_own, words_of_git};
use crate::sandbox::{Sandbox, named, odd_path, put, whole};

/// Takes everything away, restores it in the same place, and checks that nothing is missing.
async fn goes_and_comes_back(sandbox: &Sandbox, tree: &Path) {
    let open = sandbox.open().await;
    let (before, words) = (Picture::of(tree), words_of_git(sandbox, tree));
    open.remove(tree, &whole("s"), |_| None).await.unwrap();
    assert!(!tree.exists());
    sandbox.collect_garbage();
    let restored = open.restore(&named("s"), tree).await.unwrap();
    assert_eq!(Picture::of(tree), before);
    assert_eq!(words_of_git(sandbox, tree), words);
    assert_eq!(restored.head, RestoredHead::AsItWas);
    sandbox.run(&sandbox.repo(), &["fsck", "--strict", "--no-dangling"]);
}

#[tokio::test]
async fn staged_changed_untracked_and_ignored_files_come_back() {
    let sandbox = Sandbox::new();
    let tree = sandbox.worktree("w").await;
    put(&tree, "a.txt", b"staged\n");
    put(&tree, "only-staged", b"in the index alone\n");
    sandbox.run(&tree, &["add", "a.txt", "only-staged"]);
    put(&tree, "a.txt", b"and changed again\n");
    std::fs::remove_file(tree.join("only-staged")).unwrap();
    std::fs::remove_file(tree.join("src/b.txt")).unwrap();
    put(&tree, "deep/er/new", b"untracked");
    put(&tree, "x.log", b"ignored");
    std::fs::create_dir_all(tree.join("empty/inside")).unwrap();
    goes_and_comes_back(&sandbox, &tree).await;
    assert_eq!(sandbox.run(&tree, &["show", ":only-staged"]), b"in the index alone\n");
}

#[tokio::test]
async fn modes_links_and_odd_names_come_back() {
    let sandbox = Sandbox::new();
    let tree = sandbox.worktree("w").await;
    for (name, mode) in [("run.sh", 0o755), ("private", 0o600), ("group", 0o664), ("odd-x", 0o711), ("ro", 0o444)] {
        put(&tree, name, name.as_bytes());
        std::fs::set_permissions(tree.join(name), std::fs::Permissions::from_mode(mode)).unwrap();
    }
    symlink("a.txt", tree.join("link")).unwrap();
    symlink("/nowhere/at all\n", tree.join("dangling")).unwrap();
    symlink("../..", tree.join("src/up")).unwrap();
    symlink("x", tree.join(".gitmodules")).unwrap();
    for name in [&b"new\nline"[..], b"\xff\xfe", b"quo\"te", b"back\\slash", b" lead", b"-dash", b"git~1", b".GIT"] {
        put(&tree, odd_path(name), name);
    }
    put(&tree, ".Git/config", b"not git's");
    std::fs::create_dir(tree.join("closed")).unwrap();
    put(&tree, "closed/in", b"in");
    std::fs::set_permissions(tree.join("closed"), std::fs::Permissions::from_mode(0o500)).unwrap();
    goes_and_comes_back(&sandbox, &tree).await;
}

#[tokio::test]
async fn bytes_that_filters_would_change_come_back() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo();
    put(
        &repo,
        ".gitattributes",
        b"* text=auto\n*.crlf eol=crlf\n*.id ident\n*.up filter=up\n*.16 working-tree-encoding=UTF-16\n",
    );
    sandbox.run(&repo, &["config", "--global", "filter.up.clean", "tr a-z A-Z"]);
    sandbox.run(&repo, &["config", "--global", "filter.up.smudge", "tr A-Z a-z"]);
    put(&repo, "f.crlf", b"1\r\n2\r\n");
    put(&repo, "f.id", b"$Id$\n");
    sandbox.commit(&repo, "attributes");
    let tree = sandbox.worktree("w").await;
    put(&tree, "mixed.txt", b"a\r\nb\nc\r\n");
    put(&tree, "lf.crlf", b"only\nlf\n");
    put(&tree, "x.id", b"$Id: mine $\n");
    put(&tree, "x.up", b"MiXeD");
    put(&tree, "x.16", b"\xff\xfea\0");
    goes_and_comes_back(&sandbox, &tree).await;
}

#[tokio::test]
async fn a_nested_repository_comes_back_with_its_commits() {
    let sandbox = Sandbox::new();
    let tree = sandbox.worktree("w").await;
    for place in ["nested", "target/ignored-nested"] {
        let nested = tree.join(place);
        std::fs::create_dir_all(&nested).unwrap();
        sandbox.run(&nested, &["init", "-q"]);
        put(&nested, "work", b"unpushed");
        sandbox.commit(&nested, "inner");
        sandbox.run(&nested, &["pack-refs", "--all"]);
        put(&nested, "dirty", b"more");
    }
    goes_and_comes_back(&sandbox, &tree).await;
    for place in ["nested", "target/ignored-nested"] {
        assert_eq!(sandbox.text(&tree.join(place), &["log", "--format=%s"]), "inner");
        assert_eq!(sandbox.text(&tree.join(place), &["status", "--porcelain"]), "?? dirty");
    }
}

#[tokio::test]
async fn a_merge_and_a_rebase_under_way_come_back_and_can_be_ended() {
    let sandbox = Sandbox::new();
    let (one, two) = (sandbox.worktree("one").await, sandbox.worktree("two").await);
    put(&one, "a.txt", b"1\n");
    put(&two, "a.txt", b"2\n");
    sandbox.commit(&one, "one");
    sandbox.commit(&two, "two");
    sandbox.run(&sandbox.repo(), &["update-ref", "refs/heads/gone", "work/two"]);
    assert!(!sandbox.try_run(&one, &["merge", "-q", "gone"]).status.success());
    sandbox.run(&sandbox.repo(), &["branch", "-qD", "gone"]);
    goes_and_comes_back(&sandbox, &one).await;
    put(&one, "a.txt", b"settled\n");
    sandbox.commit(&one, "merged");

    let open = sandbox.open().await;
    assert!(!sandbox.try_run(&two, &["rebase", "-q", "work/one~1"]).status.success());
    let before = (Picture::of(&two), words_of_git(&sandbox, &two));
    open.remove(&two, &whole("rebase"), |_| None).await.unwrap();
    sandbox.collect_garbage();
    open.restore(&named("rebase"), &two).await.unwrap();
    assert_eq!((Picture::of(&two), words_of_git(&sandbox, &two)), before);
    sandbox.run(&two, &["rebase", "--abort"]);
    assert_eq!(std::fs::read(two.join("a.txt")).unwrap(), b"2\n");
}

#[tokio::test]
async fn commits_on_no_branch_survive_their_worktree() {
    let sandbox = Sandbox::new();
    let tree = sandbox.worktree("w").await;
    sandbox.run(&tree, &["checkout", "-q", "--detach"]);
    put(&tree, "lost", b"only a reflog knows");
    sandbox.commit(&tree, "left behind");
    let left = sandbox.text(&tree, &["rev-parse", "HEAD"]);
    sandbox.run(&tree, &["reset", "-q", "--hard", "HEAD~1"]);
    put(&tree, "now", b"now");
    sandbox.commit(&tree, "detached");
    goes_and_comes_back(&sandbox, &tree).await;
    assert_eq!(sandbox.text(&tree, &["cat-file", "-t", &left]), "commit");
}

#[tokio::test]
async fn an_unborn_branch_comes_back_unborn() {
    let sandbox = Sandbox::new();
    let tree = sandbox.worktree("w").await;
    sandbox.run(&tree, &["checkout", "-q", "--orphan", "fresh"]);
    put(&tree, "first", b"first");
    goes_and_comes_back(&sandbox, &tree).await;
    let head = sandbox.git.open(&tree).await.unwrap().head().await.unwrap();
    assert_eq!(head, Head::Unborn { name: "fresh".parse().unwrap() });
}

#[tokio::test]
async fn a_snapshot_changes_nothing_in_the_worktree_and_is_taken_under_a_name_once() {
    let sandbox = Sandbox::new();
    let tree = sandbox.worktree("w").await;
    put(&tree, "a.txt", b"changed\n");
    let open = sandbox.git.open(&tree).await.unwrap();
    let index = std::fs::read(open.git_dir().join("index")).unwrap();
    let before = (Picture::of(&tree), words_of_git(&sandbox, &tree));
    let snapshot = open.snapshot(&named("a/1"), &Ignored::Capture).await.unwrap();
    assert_eq!((Picture::of(&tree), words_of_git(&sandbox, &tree)), before);
    assert_eq!(std::fs::read(open.git_dir().join("index")).unwrap(), index);
    let parent = sandbox.text(&tree, &["rev-parse", "refs/fleet/snapshots/a/1^1"]);
    assert_eq!(parent, sandbox.text(&tree, &["rev-parse", "HEAD"]));
    assert_eq!(sandbox.run(&tree, &["show", "refs/fleet/snapshots/a/1:a.txt"]), b"changed\n");
    assert_eq!(open.snapshots().await.unwrap(), [(named("a/1"), snapshot.commit)]);
    let again = open.snapshot(&named("a/1"), &Ignored::Capture).await;
    assert!(matches!(again, Err(Error::SnapshotExists { .. })));
}

#[tokio::test]
async fn by_default_caches_are_left_out_and_other_ignored_files_are_kept() {
    let sandbox = Sandbox::new();
    let tree = sandbox.worktree("w").await;
    put(&tree, "target/debug/big", b"cache");
    put(&tree, "src/target", b"a file of that name that is not ignored as a directory");
    put(&tree, "secret.env", b"KEY=1");
    put(&tree, "node_modules/x", b"not ignored here, so no cache");
    let open = sandbox.git.open(&tree).await.unwrap();
    let kept = open.snapshot(&named("kept"), &Ignored::default()).await.unwrap();
    assert_eq!(kept.left_out, [Path::new("target")]);
    sandbox.open().await.restore(&named("kept"), &sandbox.path("kept")).await.unwrap();
    assert_eq!(Picture::of(&sandbox.path("kept")), Picture::of(&tree).without("target"));
    let less = open.snapshot(&named("less"), &Ignored::LeaveOut).await.unwrap();
    assert_eq!(less.left_out, [Path::new("secret.env"), Path::new("target")]);
}

#[tokio::test]
async fn a_restored_worktree_is_detached_where_its_branch_is_used_or_moved() {
    let sandbox = Sandbox::new();
    let tree = sandbox.worktree("w").await;
    let open = sandbox.git.open(&tree).await.unwrap();
    open.snapshot(&named("s"), &Ignored::Capture).await.unwrap();
    let restored = sandbox.open().await.restore(&named("s"), &sandbox.path("copy")).await.unwrap();
    assert_eq!(restored.head, RestoredHead::Detached { instead_of: "work/w".parse().unwrap() });
    assert_eq!(restored.worktree.head().await.unwrap().commit(), open.head().await.unwrap().commit());
    let taken = sandbox.open().await.restore(&named("s"), &tree).await;
    assert!(matches!(taken, Err(Error::Occupied { .. })));
    let missing = sandbox.open().await.restore(&named("no"), &sandbox.path("no")).await;
    assert!(matches!(missing, Err(Error::NoSnapshot { .. })));
}

#[tokio::test]
async fn the_users_own_checkout_can_be_captured_and_stays_as_it_is() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo();
    put(&repo, "a.txt", b"mine\n");
    sandbox.run(&repo, &["add", "a.txt"]);
    put(&repo, "untracked", b"mine too");
    let before = users_own(&sandbox);
    let open = sandbox.open().await;
    open.snapshot(&named("mine"), &Ignored::Capture).await.unwrap();
    let place = sandbox.path("copy");
    open.restore(&named("mine"), &place).await.unwrap();
    assert_eq!(users_own(&sandbox), before);
    assert_eq!(Picture::of(&place), before.0);
    assert_eq!(words_of_git(&sandbox, &place)[2..], words_of_git(&sandbox, &repo)[2..]);
}

#[tokio::test]
async fn a_restore_that_fails_half_way_leaves_nothing_behind_and_names_the_file() {
    let sandbox = Sandbox::new();
    let tree = sandbox.worktree("w").await;
    put(&tree, "z-last", b"its object will be gone");
    let open = sandbox.open().await;
    open.remove(&tree, &whole("s"), |_| None).await.unwrap();
    let id = sandbox.text(&sandbox.repo(), &["rev-parse", "refs/fleet/snapshots/s:z-last"]);
    std::fs::remove_file(sandbox.repo().join(".git/objects").join(&id[..2]).join(&id[2..])).unwrap();
    let error = open.restore(&named("s"), &tree).await.unwrap_err();
    assert!(error.to_string().contains("z-last"), "{error}");
    assert_eq!(open.list().await.unwrap().len(), 1);
    assert!(!tree.exists());
}

#[tokio::test]
async fn a_commit_that_is_no_snapshot_is_refused() {
    let sandbox = Sandbox::new();
    sandbox.run(&sandbox.repo(), &["update-ref", "refs/fleet/snapshots/fake", "main"]);
    sandbox.commit(&sandbox.repo(), "second");
    sandbox.run(&sandbox.repo(), &["update-ref", "refs/fleet/snapshots/child", "main"]);
    let open = sandbox.open().await;
    for name in ["fake", "child"] {
        let refused = open.restore(&named(name), &sandbox.path("no")).await;
        assert!(matches!(refused, Err(Error::ForeignSnapshot { .. })), "{refused:?}");
    }
    assert!(!sandbox.path("no").exists());
}
