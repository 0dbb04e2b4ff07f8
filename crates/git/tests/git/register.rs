//! Worktrees that are registered without git are what git would have made, and are git's business where there is more
//! to them.

use std::collections::BTreeMap;
use std::path::Path;

use fleet_git::{At, Attach, Checkout, Submodules};

use crate::sandbox::Sandbox;

/// The registration of a worktree, file by file; the name of its folder is replaced by `NAME`.
fn registration(sandbox: &Sandbox, name: &str) -> BTreeMap<String, String> {
    let folder = sandbox.repo().join(".git/worktrees").join(name);
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let files = entries.filter(|path| path.is_file());
    let text = |path: &Path| std::fs::read_to_string(path).unwrap().replace(name, "NAME");
    files.map(|path| (path.file_name().unwrap().to_string_lossy().into_owned(), text(&path))).collect()
}

fn attach(sandbox: &Sandbox, name: &str, at: At) -> Attach {
    Attach {
        path: sandbox.path("trees").join(name),
        at,
        checkout: Checkout::Nothing,
        submodules: Submodules::default(),
    }
}

#[tokio::test]
async fn a_registration_has_the_files_that_git_writes() {
    let sandbox = Sandbox::new();
    let open = sandbox.open().await;
    let commit = open.resolve("main").await.unwrap();
    let trees = sandbox.path("trees");
    for (theirs, ours, at) in [
        ("git-one", "own-one", At::NewBranch("own-one".parse().unwrap())),
        ("git.2", "own.2", At::Commit(commit.clone())),
    ] {
        let options: &[&str] = if matches!(at, At::Commit(_)) { &["--detach"] } else { &["-b", theirs] };
        let path = trees.join(theirs);
        let args = [&["worktree", "add", "--quiet", "--no-checkout"], options, &[path.to_str().unwrap(), "main"]];
        sandbox.run(&sandbox.repo(), &args.concat());
        sandbox.run(&sandbox.repo(), &["branch", ours, "main"]);
        open.attach(&attach(&sandbox, ours, at)).await.unwrap();
        assert_eq!(registration(&sandbox, ours), registration(&sandbox, theirs));
        let link = |name: &str| std::fs::read_to_string(trees.join(name).join(".git")).unwrap().replace(name, "NAME");
        assert_eq!(link(ours), link(theirs));
    }
    sandbox.run(&sandbox.repo(), &["worktree", "prune", "--expire=now"]);
    let listed = open.list().await.unwrap();
    assert_eq!(listed.len(), 5, "{listed:?}");
    assert!(listed.iter().all(|tree| tree.head.as_ref() == Some(&commit) && !tree.gone && tree.locked.is_none()));
}

#[tokio::test]
async fn worktrees_of_one_name_in_several_folders_have_a_registration_each() {
    let sandbox = Sandbox::new();
    let open = sandbox.open().await;
    let commit = open.resolve("main").await.unwrap();
    for folder in ["a", "b", "c"] {
        let new = attach(&sandbox, &format!("{folder}/same"), At::Commit(commit.clone()));
        let tree = open.attach(&new).await.unwrap();
        assert_eq!(tree.root().unwrap(), new.path.canonicalize().unwrap());
    }
    for name in ["same", "same1", "same2"] {
        assert!(sandbox.repo().join(".git/worktrees").join(name).join("HEAD").exists(), "{name}");
    }
}

#[tokio::test]
async fn where_a_worktree_was_that_is_gone_git_has_its_say() {
    let sandbox = Sandbox::new();
    let open = sandbox.open().await;
    let commit = open.resolve("main").await.unwrap();
    let new = attach(&sandbox, "lost", At::Commit(commit));
    open.attach(&new).await.unwrap();
    std::fs::remove_dir_all(&new.path).unwrap();
    let refused = open.attach(&new).await.unwrap_err().to_string();
    assert!(refused.contains("already registered"), "{refused}");
    assert!(open.list().await.unwrap().len() <= 2);
}

#[tokio::test]
async fn sparse_patterns_and_settings_of_a_worktree_are_taken_over() {
    let sandbox = Sandbox::new();
    sandbox.run(&sandbox.repo(), &["sparse-checkout", "set", "--no-cone", "a.txt"]);
    let open = sandbox.open().await;
    let commit = open.resolve("main").await.unwrap();
    let new = Attach { checkout: Checkout::default(), ..attach(&sandbox, "sparse", At::Commit(commit)) };
    open.attach(&new).await.unwrap();
    assert!(new.path.join("a.txt").exists() && !new.path.join("src").exists());
}

#[tokio::test]
async fn references_in_tables_are_left_to_git() {
    let sandbox = Sandbox::new();
    let made = sandbox.try_run(&sandbox.repo(), &["refs", "migrate", "--ref-format=reftable"]);
    // Older versions of git have no such tables, and so nothing that could go wrong.
    if !made.status.success() {
        return;
    }
    let open = sandbox.open().await;
    assert_eq!(open.head_branch().await.unwrap(), Some("main".parse().unwrap()));
    let commit = open.resolve("refs/heads/main").await.unwrap();
    let new = Attach { checkout: Checkout::default(), ..attach(&sandbox, "tables", At::Commit(commit.clone())) };
    let tree = open.attach(&new).await.unwrap();
    assert!(new.path.join("a.txt").exists());
    assert_eq!(tree.head().await.unwrap().commit(), Some(&commit));
    tree.switch_to_new(&"work/tables".parse().unwrap(), &commit).await.unwrap();
    assert_eq!(tree.head_branch().await.unwrap(), Some("work/tables".parse().unwrap()));
}
