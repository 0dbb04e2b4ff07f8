use std::sync::Arc;

use fleet_git::{Error, NewWorktree, Strategy};
use tokio::task::JoinSet;

use crate::picture::{Picture, users_own};
use crate::sandbox::{Sandbox, put};

#[tokio::test]
async fn a_worktree_has_all_files_a_branch_of_its_own_and_follows_nothing() {
    let sandbox = Sandbox::new();
    let config = std::fs::read(sandbox.repo().join(".git/config")).unwrap();
    let tree = sandbox.worktree("one").await;
    assert_eq!(Picture::of(&tree), Picture::of(&sandbox.repo()));
    assert_eq!(sandbox.text(&tree, &["symbolic-ref", "HEAD"]), "refs/heads/work/one");
    assert_eq!(sandbox.text(&tree, &["status", "--porcelain"]), "");
    assert_eq!(std::fs::read(sandbox.repo().join(".git/config")).unwrap(), config);
}

#[tokio::test(flavor = "multi_thread")]
async fn fifty_parallel_creations_from_a_remote_branch_succeed() {
    let sandbox = Sandbox::new();
    sandbox.run(&sandbox.repo(), &["clone", "-q", ".", "../clone"]);
    let open = Arc::new(sandbox.git.open(&sandbox.path("clone")).await.unwrap());
    let mut running = JoinSet::new();
    for number in 0..50 {
        let (open, new) = (Arc::clone(&open), sandbox.new_worktree(&format!("p{number}")));
        let new = NewWorktree { strategy: Strategy::New { base: "origin/main".to_owned() }, ..new };
        running.spawn(async move { open.create(&new).await.map(drop) });
    }
    for created in running.join_all().await {
        created.unwrap();
    }
    let listed = open.list().await.unwrap();
    assert_eq!(listed.len(), 51);
    assert!(listed.iter().skip(1).all(|one| one.path.join("src/b.txt").is_file() && one.branch.is_some()));
}

#[tokio::test]
async fn inheriting_starts_from_the_other_sessions_tip() {
    let sandbox = Sandbox::new();
    let first = sandbox.worktree("first").await;
    put(&first, "new.txt", b"new");
    sandbox.commit(&first, "work");
    let open = sandbox.open().await;
    let strategies =
        [Strategy::Inherit { from: "work/first".parse().unwrap() }, Strategy::InheritWorktree { from: first.clone() }];
    for (number, strategy) in strategies.into_iter().enumerate() {
        let new = NewWorktree { strategy, ..sandbox.new_worktree(&format!("heir{number}")) };
        let created = open.create(&new).await.unwrap();
        assert_eq!(created.base.as_str(), sandbox.text(&first, &["rev-parse", "HEAD"]));
        assert_eq!(std::fs::read(new.path.join("new.txt")).unwrap(), b"new");
    }
}

#[tokio::test]
async fn the_users_dirty_checkout_is_untouched_by_a_whole_life_of_a_worktree() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo();
    put(&repo, "a.txt", b"staged\n");
    sandbox.run(&repo, &["add", "a.txt"]);
    put(&repo, "a.txt", b"and changed again\n");
    put(&repo, "untracked", b"u");
    put(&repo, "x.log", b"ignored");
    let before = users_own(&sandbox);
    let tree = sandbox.worktree("life").await;
    put(&tree, "a.txt", b"work\n");
    let open = sandbox.git.open(&tree).await.unwrap();
    open.status(None).await.unwrap();
    open.commit_all("work", &fleet_git::Identity::fleet()).await.unwrap();
    let main = sandbox.open().await;
    main.remove(&tree, &crate::sandbox::whole("life"), |_| None).await.unwrap();
    main.restore(&crate::sandbox::named("life"), &sandbox.path("back")).await.unwrap();
    assert_eq!(users_own(&sandbox), before);
}

#[tokio::test]
async fn an_occupied_place_or_a_taken_branch_is_refused_and_nothing_is_left() {
    let sandbox = Sandbox::new();
    let open = sandbox.open().await;
    put(&sandbox.path("trees/full"), "mine", b"mine");
    assert!(matches!(open.create(&sandbox.new_worktree("full")).await, Err(Error::Occupied { .. })));
    assert_eq!(std::fs::read(sandbox.path("trees/full/mine")).unwrap(), b"mine");
    sandbox.run(&sandbox.repo(), &["branch", "work/taken"]);
    assert!(matches!(open.create(&sandbox.new_worktree("taken")).await, Err(Error::BranchExists { .. })));
    assert!(!sandbox.path("trees/taken").exists());
    let branches = sandbox.text(&sandbox.repo(), &["branch", "--format=%(refname:short)"]);
    assert_eq!(branches, "main\nwork/taken");
    assert_eq!(open.list().await.unwrap().len(), 1);
}

#[tokio::test]
async fn a_checkout_that_fails_leaves_neither_branch_nor_registration_nor_directory() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo();
    put(&repo, ".gitattributes", b"*.txt filter=broken\n");
    sandbox.commit(&repo, "filter");
    sandbox.run(&repo, &["config", "--global", "filter.broken.smudge", "false"]);
    sandbox.run(&repo, &["config", "--global", "filter.broken.required", "true"]);
    let open = sandbox.open().await;
    assert!(matches!(open.create(&sandbox.new_worktree("broken")).await, Err(Error::Failed(_))));
    assert_eq!(sandbox.text(&repo, &["branch", "--format=%(refname:short)"]), "main");
    assert_eq!(open.list().await.unwrap().len(), 1);
    assert!(!sandbox.path("trees/broken").exists());
}

#[tokio::test]
async fn a_repository_without_a_commit_says_so() {
    let sandbox = Sandbox::empty();
    std::fs::create_dir(sandbox.repo()).unwrap();
    sandbox.run(&sandbox.repo(), &["init", "-q"]);
    let error = sandbox.open().await.create(&sandbox.new_worktree("none")).await.unwrap_err();
    assert_eq!(error.to_string(), "cannot find commit `main`");
}

#[tokio::test]
async fn a_sparse_checkout_stays_sparse() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo();
    put(&repo, "big/file", b"big");
    sandbox.commit(&repo, "big");
    sandbox.run(&repo, &["sparse-checkout", "set", "src"]);
    let tree = sandbox.worktree("sparse").await;
    assert!(tree.join("src/b.txt").is_file() && !tree.join("big").exists());
    assert_eq!(sandbox.text(&tree, &["status", "--porcelain"]), "");
}
