use fleet_git::{Error, Head, Kind};

use crate::sandbox::{Sandbox, put};

#[tokio::test]
async fn a_directory_without_a_repository_is_told_as_such() {
    let sandbox = Sandbox::empty();
    for path in [sandbox.path("home"), sandbox.path("nowhere")] {
        assert!(matches!(sandbox.git.open(&path).await, Err(Error::NoRepository { .. })));
    }
}

#[tokio::test]
async fn main_checkout_worktree_bare_and_submodule_are_told_apart() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo();
    let main = sandbox.git.open(&repo.join("src")).await.unwrap();
    assert_eq!(*main.kind(), Kind::Main { root: repo.clone() });
    assert_eq!(main.common_dir(), repo.join(".git"));

    let tree = sandbox.worktree("one").await;
    let linked = sandbox.git.open(&tree).await.unwrap();
    assert_eq!(*linked.kind(), Kind::Linked { root: tree });
    assert_eq!(linked.common_dir(), main.common_dir());
    assert_ne!(linked.git_dir(), main.git_dir());

    sandbox.run(&repo, &["clone", "-q", "--bare", ".", "../bare.git"]);
    let bare = sandbox.git.open(&sandbox.path("bare.git")).await.unwrap();
    assert_eq!((bare.kind(), bare.root()), (&Kind::Bare, None));

    sandbox.run(&repo, &["submodule", "--quiet", "add", "../bare.git", "sub"]);
    let sub = sandbox.git.open(&repo.join("sub")).await.unwrap();
    assert_eq!(*sub.kind(), Kind::Submodule { root: repo.join("sub"), superproject: repo });
}

#[tokio::test]
async fn a_head_is_on_a_branch_detached_or_unborn() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo();
    let open = sandbox.open().await;
    let commit = open.resolve("HEAD").await.unwrap();
    assert_eq!(open.head().await.unwrap(), Head::Branch { name: "main".parse().unwrap(), commit: commit.clone() });
    sandbox.run(&repo, &["checkout", "-q", "--detach"]);
    assert_eq!(open.head().await.unwrap(), Head::Detached { commit });
    sandbox.run(&repo, &["checkout", "-q", "--orphan", "new"]);
    assert_eq!(open.head().await.unwrap(), Head::Unborn { name: "new".parse().unwrap() });
}

#[tokio::test]
async fn head_is_where_git_says_it_is_wherever_git_keeps_it() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo();
    let open = sandbox.open().await;
    let tree = sandbox.git.open(&sandbox.worktree("one").await).await.unwrap();
    let commit = |text: &str| {
        put(&repo, "head", text.as_bytes());
        sandbox.commit(&repo, text);
    };
    let steps: [&[&str]; 6] = [
        &["status"],
        &["pack-refs", "--all"],
        &["symbolic-ref", "refs/heads/alias", "refs/heads/main"],
        &["symbolic-ref", "HEAD", "refs/heads/alias"],
        &["checkout", "-q", "--detach"],
        &["checkout", "-q", "-b", "deep/branch"],
    ];
    for step in steps {
        commit(step[0]);
        sandbox.run(&repo, step);
        let said = String::from_utf8(sandbox.run(&repo, &["rev-parse", "HEAD"])).unwrap();
        assert_eq!(open.resolve("HEAD").await.unwrap().as_str(), said.trim(), "after {step:?}");
        assert_ne!(tree.resolve("HEAD").await.unwrap().as_str(), said.trim(), "each worktree has its own");
    }
    sandbox.run(&repo, &["checkout", "-q", "--orphan", "new"]);
    assert!(matches!(open.resolve("HEAD").await, Err(Error::NoCommit { .. })));
}

#[tokio::test]
async fn a_path_with_a_line_break_is_opened_as_any_other() {
    let sandbox = Sandbox::empty();
    let odd = sandbox.path("odd\nname");
    std::fs::create_dir(&odd).unwrap();
    sandbox.run(&odd, &["init", "-q"]);
    put(&odd, "a", b"a");
    sandbox.commit(&odd, "first");
    let open = sandbox.git.open(&odd).await.unwrap();
    assert_eq!(open.root(), Some(odd.as_path()));
    assert_eq!(open.list().await.unwrap()[0].path, odd);
}

#[tokio::test]
async fn a_failure_carries_command_code_and_words_of_git() {
    let sandbox = Sandbox::new();
    let open = sandbox.open().await;
    let missing = "1".repeat(40).parse().unwrap();
    let Err(Error::Failed(failure)) = open.merge_tree(&missing, &missing).await else { panic!("it does not exist") };
    assert!(failure.command.starts_with("git merge-tree") && failure.code.is_some(), "{failure}");
    assert!(!failure.stderr.is_empty());
}
