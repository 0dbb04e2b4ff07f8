//! What landing and evidence need: commits, merges in memory, references that move by compare-and-swap, differences.

use std::path::PathBuf;
use std::sync::Arc;

use fleet_git::{Change, ChangeKind, Committed, Identity, Merge, Swap};
use tokio::task::JoinSet;

use crate::sandbox::{Sandbox, odd_path, put};

fn author() -> Identity {
    Identity { name: "Agent".to_owned(), email: "agent@example.com".to_owned() }
}

#[tokio::test]
async fn committing_everything_takes_new_changed_and_deleted_files_and_nothing_twice() {
    let sandbox = Sandbox::new();
    let tree = sandbox.worktree("c").await;
    put(&tree, "a.txt", b"changed\n");
    put(&tree, "new file", b"new\n");
    put(&tree, "x.log", b"ignored\n");
    std::fs::remove_file(tree.join("src/b.txt")).unwrap();
    let open = sandbox.git.open(&tree).await.unwrap();
    let base = open.resolve("HEAD").await.unwrap();
    let Committed::Commit(tip) = open.commit_all("it's \"done\" $(x)", &author()).await.unwrap() else {
        panic!("there was something to commit")
    };
    let changes = open.changes(&base, &tip).await.unwrap();
    let change = |path: &str, kind, lines| Change { path: path.into(), kind, lines: Some(lines) };
    let expected = [
        change("a.txt", ChangeKind::Modified, (1, 3)),
        change("new file", ChangeKind::Added, (1, 0)),
        change("src/b.txt", ChangeKind::Deleted, (0, 1)),
    ];
    assert_eq!(changes, expected);
    let log = open.log(Some(&base), &tip, 10).await.unwrap();
    assert_eq!((log.len(), &log[0].id, log[0].author.as_str()), (1, &tip, "Agent"));
    assert_eq!(log[0].subject, "it's \"done\" $(x)");
    assert_eq!(open.commit_all("again", &author()).await.unwrap(), Committed::Nothing);
    let status = open.status(Some(&base)).await.unwrap();
    assert_eq!((status.changed, status.ahead, status.behind, status.unpushed), (0, 1, 0, 2));
}

#[tokio::test]
async fn renames_binaries_and_odd_names_are_told_as_they_are() {
    let sandbox = Sandbox::new();
    let tree = sandbox.worktree("d").await;
    sandbox.run(&tree, &["mv", "a.txt", "moved.txt"]);
    put(&tree, "moved.txt", b"one\ntwo\nthree!\n");
    put(&tree, "bin", b"\0\x01");
    put(&tree, odd_path(b"odd\n\xff"), b"x");
    let open = sandbox.git.open(&tree).await.unwrap();
    let base = open.resolve("HEAD").await.unwrap();
    open.commit_all("odd", &author()).await.unwrap();
    let tip = open.resolve("HEAD").await.unwrap();
    let changes = open.changes(&base, &tip).await.unwrap();
    let renamed = ChangeKind::Renamed { from: "a.txt".into() };
    let expected = [
        Change { path: "bin".into(), kind: ChangeKind::Added, lines: None },
        Change { path: "moved.txt".into(), kind: renamed, lines: Some((1, 1)) },
        Change { path: odd_path(b"odd\n\xff"), kind: ChangeKind::Added, lines: Some((1, 0)) },
    ];
    assert_eq!(changes, expected);
}

#[tokio::test]
async fn a_merge_in_memory_is_clean_or_names_the_files_in_conflict() {
    let sandbox = Sandbox::new();
    let (one, two, three) =
        (sandbox.worktree("one").await, sandbox.worktree("two").await, sandbox.worktree("three").await);
    put(&one, "a.txt", b"ONE\ntwo\nthree\n");
    put(&two, "a.txt", b"one\ntwo\nTHREE, far\n");
    put(&two, "src/c.txt", b"c\n");
    put(&three, "a.txt", b"1\ntwo\nthree\n");
    for tree in [&one, &two, &three] {
        sandbox.commit(tree, "work");
    }
    let open = sandbox.open().await;
    let [one, two, three] =
        [open.resolve("work/one").await, open.resolve("work/two").await, open.resolve("work/three").await];
    let (one, two, three) = (one.unwrap(), two.unwrap(), three.unwrap());
    assert_eq!(open.merge_tree(&one, &three).await.unwrap(), Merge::Conflict(vec![PathBuf::from("a.txt")]));
    let Merge::Clean(tree) = open.merge_tree(&one, &two).await.unwrap() else { panic!("they changed other lines") };
    let merged = open.commit_tree(&tree, &[one.clone(), two], "merge", &author()).await.unwrap();
    let content = sandbox.run(&sandbox.repo(), &["show", &format!("{merged}:a.txt")]);
    assert_eq!(content, b"ONE\ntwo\nTHREE, far\n");
    let paths: Vec<_> = open.changes(&one, &merged).await.unwrap().into_iter().map(|change| change.path).collect();
    assert_eq!(paths, [PathBuf::from("a.txt"), PathBuf::from("src/c.txt")]);
}

#[tokio::test]
async fn an_unsettled_merge_is_not_committed_with_its_marks() {
    let sandbox = Sandbox::new();
    let (one, two) = (sandbox.worktree("one").await, sandbox.worktree("two").await);
    put(&one, "a.txt", b"1\n");
    put(&two, "a.txt", b"2\n");
    sandbox.commit(&one, "one");
    sandbox.commit(&two, "two");
    assert!(!sandbox.try_run(&one, &["merge", "-q", "work/two"]).status.success());
    let open = sandbox.git.open(&one).await.unwrap();
    let committed = open.commit_all("no", &author()).await.unwrap();
    assert_eq!(committed, Committed::Unsettled(vec!["a.txt".into()]));
    assert_eq!(open.status(None).await.unwrap().conflicted, 1);
    put(&one, "a.txt", b"settled\n");
    sandbox.run(&one, &["add", "a.txt"]);
    assert!(matches!(open.commit_all("yes", &author()).await.unwrap(), Committed::Commit(_)));
    assert_eq!(sandbox.text(&one, &["rev-list", "--count", "--merges", "HEAD"]), "1");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_reference_moved_by_many_at_once_has_one_winner() {
    let sandbox = Sandbox::new();
    let open = Arc::new(sandbox.open().await);
    let tip = open.resolve("main").await.unwrap();
    let tree = sandbox.text(&sandbox.repo(), &["rev-parse", "main^{tree}"]).parse().unwrap();
    let mut running = JoinSet::new();
    for number in 0..12 {
        let (open, tip) = (Arc::clone(&open), tip.clone());
        let next =
            open.commit_tree(&tree, std::slice::from_ref(&tip), &format!("try {number}"), &author()).await.unwrap();
        running.spawn(async move { (open.update_ref("refs/heads/target", &next, Swap::Absent).await.unwrap(), next) });
    }
    let results = running.join_all().await;
    let winners: Vec<_> = results.iter().filter(|(result, _)| result.is_ok()).collect();
    assert_eq!(winners.len(), 1, "{results:?}");
    let winner = &winners[0].1;
    assert!(results.iter().all(|(result, _)| result.is_ok() || *result == Err(Some(winner.clone()))));
    assert_eq!(open.update_ref("refs/heads/target", &tip, Swap::At(&tip)).await.unwrap(), Err(Some(winner.clone())));
    assert_eq!(open.update_ref("refs/heads/target", &tip, Swap::At(winner)).await.unwrap(), Ok(()));
    assert_eq!(open.delete_ref("refs/heads/target", winner).await.unwrap(), Err(Some(tip.clone())));
    assert_eq!(open.delete_ref("refs/heads/target", &tip).await.unwrap(), Ok(()));
}
