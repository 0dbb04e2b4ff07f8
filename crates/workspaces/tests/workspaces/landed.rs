//! What goes when work has landed, and what stays.

use std::path::Path;

use types::Workspace;

use crate::sandbox::{Sandbox, folder, nobody, put};

/// Work of a session on its branch; returns the branch.
fn work(sandbox: &Sandbox, made: &Workspace, file: &str) -> String {
    let tree = folder(made);
    put(&tree, file, b"work\n");
    sandbox.commit(&tree, file);
    sandbox.text(&tree, &["branch", "--show-current"])
}

/// Makes the session's work known to the repository, as its end does, and removes its worktree with a snapshot.
async fn end(sandbox: &Sandbox, session: &str, made: &Workspace) {
    sandbox.workspaces().remove(session, made, nobody).await.unwrap();
}

fn snapshots(sandbox: &Sandbox) -> Vec<String> {
    let listed =
        sandbox.text(&sandbox.repo(), &["for-each-ref", "--format=%(refname:lstrip=3)", "refs/fleet/snapshots"]);
    listed.lines().map(str::to_owned).collect()
}

fn merge(sandbox: &Sandbox, branch: &str) {
    sandbox.run(&sandbox.repo(), &["merge", "-q", "--no-edit", branch]);
}

#[tokio::test]
async fn a_landed_branch_goes_with_its_snapshots_and_those_of_other_sessions_stay() {
    let sandbox = Sandbox::new();
    let workspaces = sandbox.workspaces();
    // The name of one begins with that of the other, as its second snapshot does.
    let (one, more) = (sandbox.prepare("one").await, sandbox.prepare("one-more").await);
    let (branch, other) = (work(&sandbox, &one, "one"), work(&sandbox, &more, "more"));
    end(&sandbox, "one", &one).await;
    end(&sandbox, "one-more", &more).await;
    let left = workspaces.left(&sandbox.repo()).await.unwrap();
    assert!(left.branches.contains(&branch) && left.branches.contains(&other), "{left:?}");
    assert_eq!(left.snapshots.iter().map(String::as_str).collect::<Vec<_>>(), ["one", "one-more"]);

    assert!(!workspaces.remove_landed(&sandbox.repo(), "one", &branch).await.unwrap(), "it has not landed");
    assert_eq!(workspaces.left(&sandbox.repo()).await.unwrap(), left);

    merge(&sandbox, &branch);
    assert!(workspaces.remove_landed(&sandbox.repo(), "one", &branch).await.unwrap());
    assert_eq!((sandbox.branches(), snapshots(&sandbox)), (vec![other], vec!["one-more".to_owned()]));
    // Again, as after a crash in between.
    assert!(workspaces.remove_landed(&sandbox.repo(), "one", &branch).await.unwrap());
}

#[tokio::test]
async fn a_branch_that_is_checked_out_or_has_moved_since_it_landed_stays() {
    let sandbox = Sandbox::new();
    let workspaces = sandbox.workspaces();
    let one = sandbox.prepare("one").await;
    let branch = work(&sandbox, &one, "one");
    end(&sandbox, "one", &one).await;
    merge(&sandbox, &branch);
    let remove = async || workspaces.remove_landed(&sandbox.repo(), "one", &branch).await.unwrap();

    let elsewhere = sandbox.path("elsewhere").display().to_string();
    sandbox.run(&sandbox.repo(), &["worktree", "add", "-q", &elsewhere, &branch]);
    assert!(!remove().await, "a user works on it");
    put(Path::new(&elsewhere), "more", b"more\n");
    sandbox.commit(Path::new(&elsewhere), "more");
    sandbox.run(&sandbox.repo(), &["worktree", "remove", "--force", &elsewhere]);
    assert!(!remove().await, "it has moved");
    assert_eq!((sandbox.branches(), snapshots(&sandbox)), (vec![branch.clone()], vec!["one".to_owned()]));

    merge(&sandbox, &branch);
    assert!(remove().await, "the control: nothing is in the way");
    assert_eq!((sandbox.branches(), snapshots(&sandbox)), (Vec::new(), Vec::new()));
}

#[tokio::test]
async fn packing_leaves_few_loose_objects_and_what_sessions_start_from() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo();
    // Git guesses how many there are from one folder of 256.
    (0..2000).for_each(|file| put(&repo, format!("many/{file}"), format!("{file}").as_bytes()));
    sandbox.commit(&repo, "many");
    let made = sandbox.prepare("one").await;
    let base = sandbox.text(&repo, &["rev-parse", "HEAD"]);
    // The user gives up what the session works on.
    sandbox.run(&repo, &["reset", "-q", "--hard", "HEAD~1"]);
    for args in [["gc.auto", "1"], ["gc.pruneExpire", "now"]] {
        sandbox.run(&repo, &["config", args[0], args[1]]);
    }
    sandbox.run(&repo, &["reflog", "expire", "--expire=now", "--all"]);
    let loose = || {
        let counted = sandbox.text(&repo, &["count-objects"]);
        counted.split(' ').next().unwrap().parse::<u32>().unwrap()
    };
    assert!(loose() > 2000);
    sandbox.workspaces().pack(&repo).await.unwrap();
    assert!(loose() < 50, "{}", loose());
    let tree = folder(&made);
    assert_eq!(sandbox.text(&tree, &["rev-parse", "HEAD"]), base);
    assert_eq!(sandbox.text(&tree, &["status", "--porcelain"]), "");
    assert_eq!(sandbox.text(&tree, &["show", "HEAD:many/7"]), "7");
}
