//! A checkout that goes forward with its branch, the lock that guards it, and scratch worktrees.

use std::path::PathBuf;

use fleet_git::{Apart, At, Attach, Checkout, Error, Follow, Oid, Submodules, Tip};

use crate::sandbox::{Sandbox, put};

/// A commit on top of `main` with these files, on the branch `next`.
async fn ahead(sandbox: &Sandbox, files: &[(&str, &[u8])]) -> (Oid, Oid) {
    let tree = sandbox.worktree("next").await;
    for (path, bytes) in files {
        put(&tree, path, bytes);
    }
    sandbox.commit(&tree, "next");
    let open = sandbox.open().await;
    (open.resolve("main").await.unwrap(), open.resolve("work/next").await.unwrap())
}

#[tokio::test]
async fn tips_are_found_with_their_checkouts_and_no_neighbour_by_name() {
    let sandbox = Sandbox::new();
    let (main, next) = ahead(&sandbox, &[("new", b"x\n")]).await;
    let open = sandbox.open().await;
    let [on_main, work, none] = ["main", "work/next", "work"].map(|name| name.parse().unwrap());
    let found = open.tips(&[on_main, work, none]).await.unwrap();
    let tip = |commit: &Oid, path: PathBuf| Tip { commit: commit.clone(), checkout: Some(path) };
    let expected = [("main", tip(&main, sandbox.repo())), ("work/next", tip(&next, sandbox.path("trees/next")))];
    assert_eq!(found, expected.into_iter().map(|(name, tip)| (name.parse().unwrap(), tip)).collect());
    let apart = [open.apart_from(&main, &next).await, open.apart_from(&next, &main).await];
    assert_eq!(apart.map(Result::unwrap), [Apart::Ahead { commits: 1 }, Apart::Contained]);
    assert_eq!(open.head_branch().await.unwrap(), "main".parse().ok());
}

#[tokio::test]
async fn a_branch_moves_with_its_checkout_and_meanwhile_nobody_commits_or_switches() {
    let sandbox = Sandbox::new();
    let (from, to) = ahead(&sandbox, &[("a.txt", b"new\n"), ("new", b"x\n")]).await;
    let (open, repo) = (sandbox.open().await, sandbox.repo());
    let prepared = open.prepare("refs/heads/main", &from, &to).await.unwrap().unwrap();
    assert!(!sandbox.try_run(&repo, &["commit", "-q", "--allow-empty", "-m", "mine"]).status.success());
    assert!(!sandbox.try_run(&repo, &["checkout", "-q", "-b", "mine"]).status.success());
    assert_eq!(open.follow(&from, &to).await.unwrap(), Follow::Done);
    prepared.commit().await.unwrap();
    assert_eq!(
        (sandbox.text(&repo, &["status", "--porcelain"]), open.resolve("main").await.unwrap()),
        (String::new(), to)
    );
}

#[tokio::test]
async fn a_move_that_is_given_up_leaves_the_branch_and_no_lock() {
    let sandbox = Sandbox::new();
    let (from, to) = ahead(&sandbox, &[("new", b"x\n")]).await;
    let open = sandbox.open().await;
    open.prepare("refs/heads/main", &from, &to).await.unwrap().unwrap().abort().await;
    drop(open.prepare("refs/heads/main", &from, &to).await.unwrap().unwrap());
    // Dropped, git takes its lock away in its own time; the next caller waits.
    open.prepare("refs/heads/main", &from, &to).await.unwrap().unwrap().commit().await.unwrap();
    let lost = open.prepare("refs/heads/main", &from, &to).await.unwrap();
    assert_eq!(lost.err(), Some(Some(to)));
}

#[tokio::test]
async fn nothing_of_the_users_is_overwritten_not_even_what_is_ignored() {
    let sandbox = Sandbox::new();
    let tree = sandbox.worktree("next").await;
    put(&tree, "secret.env", b"theirs\n");
    put(&tree, "new", b"theirs\n");
    sandbox.run(&tree, &["add", "-f", "secret.env"]);
    sandbox.commit(&tree, "next");
    let open = sandbox.open().await;
    let (from, to) = (open.resolve("main").await.unwrap(), open.resolve("work/next").await.unwrap());
    for (path, bytes) in [("secret.env", b"mine\n"), ("new", b"mine\n")] {
        put(&sandbox.repo(), path, bytes);
        assert_eq!(open.follow(&from, &to).await.unwrap(), Follow::InTheWay(vec![path.into()]));
        assert_eq!(std::fs::read(sandbox.repo().join(path)).unwrap(), bytes);
        std::fs::remove_file(sandbox.repo().join(path)).unwrap();
    }
    assert_eq!(open.follow(&from, &to).await.unwrap(), Follow::Done);
    assert_eq!(open.staged_apart(&to).await.unwrap(), Vec::<PathBuf>::new());
    assert_eq!(open.staged_apart(&from).await.unwrap(), open.touched(&from, &to).await.unwrap());
}

#[tokio::test]
async fn a_look_tells_changes_unfinished_merges_and_a_detached_head() {
    let sandbox = Sandbox::new();
    let open = sandbox.open().await;
    put(&sandbox.repo(), "a.txt", b"mine\n");
    put(&sandbox.repo(), "x.log", b"ignored\n");
    put(&sandbox.repo(), "new", b"new\n");
    std::fs::write(sandbox.repo().join(".git/MERGE_HEAD"), "").unwrap();
    let look = open.see(true).await.unwrap();
    assert_eq!(look.changed, [PathBuf::from("a.txt"), PathBuf::from("MERGE_HEAD")]);
    assert_eq!((look.untracked, look.branch), (vec![PathBuf::from("new")], "main".parse().ok()));
    std::fs::remove_file(sandbox.repo().join(".git/MERGE_HEAD")).unwrap();
    sandbox.run(&sandbox.repo(), &["checkout", "-q", "--detach"]);
    let look = open.see(false).await.unwrap();
    assert_eq!((look.branch, look.untracked), (None, vec![]));
}

#[tokio::test]
async fn a_scratch_worktree_is_put_to_any_commit_and_the_users_checkout_is_not() {
    let sandbox = Sandbox::new();
    let (from, to) = ahead(&sandbox, &[("new", b"x\n")]).await;
    let open = sandbox.open().await;
    let path = sandbox.path("scratch");
    let attach = Attach {
        path: path.clone(),
        at: At::Commit(from),
        checkout: Checkout::default(),
        submodules: Submodules::Leave,
    };
    let scratch = open.attach(&attach).await.unwrap();
    put(&path, "a.txt", b"broken\n");
    put(&path, "junk/x", b"x\n");
    put(&path, "target/cache", b"x\n");
    scratch.force_to(&to).await.unwrap();
    scratch.clear_untracked().await.unwrap();
    let look = scratch.see(true).await.unwrap();
    assert_eq!((look.commit, look.changed, look.untracked), (Some(to.clone()), vec![], vec![]));
    assert!(path.join("target/cache").exists() && !path.join("junk").exists());
    assert!(matches!(open.force_to(&to).await, Err(Error::NoWorktree { .. })));
    assert!(matches!(open.clear_untracked().await, Err(Error::NoWorktree { .. })));
}
