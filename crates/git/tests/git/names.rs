//! Names from outside are refused or harmless.

use fleet_git::{Error, NewWorktree, Strategy};

use crate::sandbox::Sandbox;

const TRICKS: [&str; 9] =
    ["--upload-pack=touch x", "-b", "../x", "--all", "", "HEAD; touch x", "$(touch x)", "a\nb", "@{-1}\0"];

#[tokio::test]
async fn a_trick_as_revision_is_no_commit_and_runs_nothing() {
    let sandbox = Sandbox::new();
    let open = sandbox.open().await;
    for trick in TRICKS {
        assert!(matches!(open.resolve(trick).await, Err(Error::NoCommit { .. })), "{trick:?}");
        let new = NewWorktree { strategy: Strategy::New { base: trick.to_owned() }, ..sandbox.new_worktree("t") };
        assert!(open.create(&new).await.is_err(), "{trick:?}");
    }
    assert!(!sandbox.repo().join("x").exists());
    assert_eq!(sandbox.text(&sandbox.repo(), &["branch", "--format=%(refname)"]), "refs/heads/main");
}

#[tokio::test]
async fn a_trick_as_session_stays_below_its_root() {
    let sandbox = Sandbox::new();
    let open = sandbox.open().await;
    let root = sandbox.path("trees");
    for trick in TRICKS {
        if let Ok(place) = open.place(&root, trick) {
            assert_eq!(place.parent().unwrap().parent().unwrap(), root);
            assert!(!place.file_name().unwrap().to_str().unwrap().starts_with(['-', '.']), "{place:?}");
        }
    }
    assert!(open.place(&root, "../..").is_err());
}

#[tokio::test]
async fn a_file_name_like_an_option_is_committed_and_compared_as_a_file() {
    let sandbox = Sandbox::new();
    let tree = sandbox.worktree("options").await;
    for name in ["--force", "-rf", ":(top)x"] {
        std::fs::write(tree.join(name), name).unwrap();
    }
    let open = sandbox.git.open(&tree).await.unwrap();
    let base = open.resolve("HEAD").await.unwrap();
    let author = fleet_git::Identity::fleet();
    let fleet_git::Committed::Commit(tip) = open.commit_all("-m\n\n--amend", &author).await.unwrap() else {
        panic!("there was something to commit")
    };
    assert_eq!(open.changes(&base, &tip).await.unwrap().len(), 3);
    assert_eq!(open.log(Some(&base), &tip, 10).await.unwrap()[0].subject, "-m");
}
