use std::os::fd::AsFd as _;
use std::sync::Arc;

use fleet_git::{BranchFate, Error, Remove};
use tokio::task::JoinSet;

use crate::picture::Picture;
use crate::sandbox::{Sandbox, named, put, whole};

#[tokio::test]
async fn a_worktree_in_use_is_never_removed() {
    let sandbox = Sandbox::new();
    let tree = sandbox.worktree("w").await;
    let (main, open) = (sandbox.open().await, sandbox.git.open(&tree).await.unwrap());
    let before = Picture::of(&tree);
    let held = open.hold().unwrap();
    assert!(matches!(main.remove(&tree, &whole("a"), |_| None).await, Err(Error::InUse { .. })));
    drop(held);
    let busy = main.remove(&tree, &whole("a"), |_| Some("an agent runs".to_owned())).await.unwrap_err();
    assert!(busy.to_string().ends_with("an agent runs"), "{busy}");
    sandbox.run(&tree, &["worktree", "lock", "--reason", "mine", "."]);
    let locked = main.remove(&tree, &whole("a"), |_| None).await.unwrap_err();
    assert!(locked.to_string().contains("mine"), "{locked}");
    assert_eq!(Picture::of(&tree), before);
    assert_eq!(main.snapshots().await.unwrap(), []);
    sandbox.run(&tree, &["worktree", "unlock", "."]);
    main.remove(&tree, &whole("a"), |_| None).await.unwrap();
    assert!(!tree.exists() && main.list().await.unwrap().len() == 1);
}

#[tokio::test]
async fn the_users_checkout_and_foreign_directories_are_refused() {
    let sandbox = Sandbox::new();
    let main = sandbox.open().await;
    for path in [sandbox.repo(), sandbox.path("home"), sandbox.path("nowhere")] {
        assert!(matches!(main.remove(&path, &whole("a"), |_| None).await, Err(Error::NoWorktree { .. })));
    }
    assert!(sandbox.repo().join("a.txt").is_file());
}

#[tokio::test]
async fn a_worktree_that_became_a_repository_of_its_own_is_refused() {
    let sandbox = Sandbox::new();
    let tree = sandbox.worktree("w").await;
    std::fs::remove_file(tree.join(".git")).unwrap();
    sandbox.run(&tree, &["init", "-q"]);
    sandbox.commit(&tree, "mine");
    let refused = sandbox.open().await.remove(&tree, &whole("a"), |_| None).await;
    assert!(matches!(refused, Err(Error::NoWorktree { .. })));
    assert_eq!(sandbox.text(&tree, &["log", "--format=%s"]), "mine");
}

#[tokio::test]
async fn a_worktree_that_holds_another_one_is_refused() {
    let sandbox = Sandbox::new();
    let tree = sandbox.worktree("w").await;
    sandbox.run(&tree, &["worktree", "add", "-q", "-b", "inner", "inner"]);
    let refused = sandbox.open().await.remove(&tree, &whole("a"), |_| None).await.unwrap_err();
    assert!(refused.to_string().contains("lies in it"), "{refused}");
}

#[tokio::test]
async fn a_directory_that_somebody_deleted_is_removed_from_the_list_and_its_index_is_kept() {
    let sandbox = Sandbox::new();
    let tree = sandbox.worktree("w").await;
    put(&tree, "staged", b"staged");
    sandbox.run(&tree, &["add", "staged"]);
    std::fs::remove_dir_all(&tree).unwrap();
    let main = sandbox.open().await;
    main.remove(&tree, &whole("a"), |_| None).await.unwrap();
    assert_eq!(main.list().await.unwrap().len(), 1);
    sandbox.collect_garbage();
    main.restore(&named("a"), &tree).await.unwrap();
    assert_eq!(sandbox.run(&tree, &["show", ":staged"]), b"staged");
}

#[tokio::test]
async fn a_branch_goes_only_if_asked_and_contained_elsewhere() {
    let sandbox = Sandbox::new();
    let main = sandbox.open().await;
    let ask = |name: &str, branch| Remove { branch, ..whole(name) };
    let branches = || sandbox.text(&sandbox.repo(), &["branch", "--format=%(refname:short)"]);

    let kept = sandbox.worktree("kept").await;
    main.remove(&kept, &ask("kept", BranchFate::Keep), |_| None).await.unwrap();
    let own = sandbox.worktree("own").await;
    put(&own, "x", b"x");
    sandbox.commit(&own, "only here");
    let removal = main.remove(&own, &ask("own", BranchFate::DeleteIfContained), |_| None).await.unwrap();
    assert_eq!(removal.deleted_branch, None);
    let contained = sandbox.worktree("contained").await;
    let removal = main.remove(&contained, &ask("contained", BranchFate::DeleteIfContained), |_| None).await.unwrap();
    assert_eq!(removal.deleted_branch, Some("work/contained".parse().unwrap()));
    assert_eq!(branches(), "main\nwork/kept\nwork/own");
    main.restore(&named("contained"), &contained).await.unwrap();
    assert_eq!(branches(), "main\nwork/contained\nwork/kept\nwork/own");
}

#[tokio::test]
async fn a_hold_that_a_process_inherited_outlives_the_one_who_took_it() {
    let sandbox = Sandbox::new();
    let tree = sandbox.worktree("w").await;
    let (main, open) = (sandbox.open().await, sandbox.git.open(&tree).await.unwrap());
    let hold = open.hold().unwrap();
    let inherited = hold.as_fd().try_clone_to_owned().unwrap();
    let mut agent = std::process::Command::new("sleep").arg("1000").stdin(inherited).spawn().unwrap();
    drop(hold);
    assert!(matches!(main.remove(&tree, &whole("a"), |_| None).await, Err(Error::InUse { .. })));
    agent.kill().unwrap();
    agent.wait().unwrap();
    main.remove(&tree, &whole("a"), |_| None).await.unwrap();
}

#[tokio::test]
async fn a_removal_is_refused_when_its_snapshot_fails() {
    let sandbox = Sandbox::new();
    let tree = sandbox.worktree("w").await;
    let main = sandbox.open().await;
    let objects = sandbox.repo().join(".git/objects");
    // The first object that is new cannot be written: a file is where its folder would be. No other object may have
    // made that folder already.
    let folder = (0..).map(|number| {
        put(&tree, "new", format!("not stored anywhere yet: {number}").as_bytes());
        objects.join(&sandbox.text(&tree, &["hash-object", "new"])[..2])
    });
    let folder = folder.into_iter().find(|folder| !folder.exists()).unwrap();
    put(&objects, folder.file_name().unwrap().to_str().unwrap(), b"in the way");
    let before = Picture::of(&tree);
    assert!(matches!(main.remove(&tree, &whole("a"), |_| None).await, Err(Error::Failed(_))));
    assert_eq!(Picture::of(&tree), before);
    assert_eq!(main.snapshots().await.unwrap(), []);
    std::fs::remove_file(&folder).unwrap();
    main.remove(&tree, &whole("a"), |_| None).await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn creations_and_removals_at_once_do_not_meet() {
    let sandbox = Sandbox::new();
    let open = Arc::new(sandbox.open().await);
    for number in 0..8 {
        sandbox.worktree(&format!("old{number}")).await;
    }
    let mut running = JoinSet::new();
    for number in 0..8 {
        let (removing, creating) = (Arc::clone(&open), Arc::clone(&open));
        let (old, how) = (sandbox.path(&format!("trees/old{number}")), whole(&format!("old{number}")));
        let new = sandbox.new_worktree(&format!("new{number}"));
        running.spawn(async move { removing.remove(&old, &how, |_| None).await.map(drop) });
        running.spawn(async move { creating.create(&new).await.map(drop) });
    }
    for done in running.join_all().await {
        done.unwrap();
    }
    let names: Vec<_> = open.list().await.unwrap().into_iter().skip(1).map(|one| one.path).collect();
    assert!(names.len() == 8 && names.iter().all(|path| path.to_str().unwrap().contains("new")), "{names:?}");
    assert_eq!(open.snapshots().await.unwrap().len(), 8);
}
