use fleet_git::{At, Attach, Checkout, Error, Submodules};

use crate::picture::{Picture, users_own};
use crate::sandbox::{Sandbox, put};

fn attach(sandbox: &Sandbox, name: &str, at: At) -> Attach {
    let path = sandbox.path("trees").join(name);
    Attach { path, at, checkout: Checkout::default(), submodules: Submodules::default() }
}

#[tokio::test]
async fn a_worktree_at_a_commit_can_be_put_on_a_new_branch_and_moved() {
    let sandbox = Sandbox::new();
    let (open, before) = (sandbox.open().await, users_own(&sandbox));
    let commit = open.resolve("main").await.unwrap();
    let tree = open.attach(&attach(&sandbox, "one", At::Commit(commit.clone()))).await.unwrap();
    let root = tree.root().unwrap().to_owned();
    assert_eq!(Picture::of(&root), Picture::of(&sandbox.repo()));
    assert!(tree.head().await.unwrap().branch().is_none());

    tree.switch_to_new(&"work/one".parse().unwrap(), &commit).await.unwrap();
    assert_eq!(sandbox.text(&root, &["status", "--porcelain", "--branch"]), "## work/one");
    let taken = tree.switch_to_new(&"main".parse().unwrap(), &commit).await;
    assert!(matches!(taken, Err(Error::BranchExists { .. })));
    assert_eq!(sandbox.text(&root, &["symbolic-ref", "HEAD"]), "refs/heads/work/one");

    put(&root, "new", b"new");
    sandbox.commit(&root, "new");
    let newer = tree.resolve("HEAD").await.unwrap();
    let other = open.attach(&attach(&sandbox, "two", At::Commit(commit.clone()))).await.unwrap();
    other.switch_to_new(&"work/two".parse().unwrap(), &newer).await.unwrap();
    assert!(other.root().unwrap().join("new").exists());
    other.detach_at(&commit).await.unwrap();
    assert!(!other.root().unwrap().join("new").exists() && !other.is_changed().await.unwrap());
    assert_eq!(users_own(&sandbox), before);
}

#[tokio::test]
async fn a_branch_that_another_worktree_has_is_refused_and_nothing_is_left() {
    let sandbox = Sandbox::new();
    let open = sandbox.open().await;
    assert!(open.attach(&attach(&sandbox, "main", At::Branch("main".parse().unwrap()))).await.is_err());
    assert!(open.list().await.unwrap().len() == 1 && !sandbox.path("trees/main").exists());
}

#[tokio::test]
async fn a_discarded_worktree_is_gone_and_the_users_own_is_never_discarded() {
    let sandbox = Sandbox::new();
    let (open, before) = (sandbox.open().await, users_own(&sandbox));
    let tree = sandbox.worktree("gone").await;
    open.discard(&tree).await.unwrap();
    open.discard(&tree).await.unwrap();
    assert!(!tree.exists() && open.list().await.unwrap().len() == 1);
    for own in [sandbox.repo(), sandbox.path(""), sandbox.repo().join(".git")] {
        assert!(matches!(open.discard(&own).await, Err(Error::NoWorktree { .. })), "{}", own.display());
    }
    assert_eq!(users_own(&sandbox), before);
}

#[tokio::test]
async fn what_git_knows_at_or_below_a_path_is_told() {
    let sandbox = Sandbox::new();
    let paths = ["a.txt", "src", "untracked", "*.txt", "sr"].map(Into::into);
    put(&sandbox.repo(), "untracked", b"u");
    let tracked = sandbox.open().await.tracked(&paths).await.unwrap();
    assert_eq!(tracked, [std::path::PathBuf::from("a.txt"), "src".into()]);
}

#[tokio::test]
async fn the_processes_that_work_under_a_lock_keep_it_open() {
    let sandbox = Sandbox::new();
    let (lock, seen) = (sandbox.path("lock"), sandbox.path("seen"));
    // A filter is run by the git that writes the files, and looks at what that one has open.
    let filter = format!("readlink /proc/$PPID/fd/0 > '{}'; cat", seen.display());
    sandbox.run(&sandbox.repo(), &["config", "--global", "filter.look.smudge", &filter]);
    put(&sandbox.repo(), ".gitattributes", b"a.txt filter=look\n");
    sandbox.commit(&sandbox.repo(), "look");
    let file = std::sync::Arc::new(std::fs::File::create(&lock).unwrap());
    let open = sandbox.open().await.keeping_open(file);
    let commit = open.resolve("main").await.unwrap();
    open.attach(&attach(&sandbox, "held", At::Commit(commit))).await.unwrap();
    assert_eq!(std::fs::read_to_string(seen).unwrap().trim(), lock.to_str().unwrap());
}
