use fleet_workspaces::Naming;
use types::Place;

use crate::sandbox::{Sandbox, folder, nobody, put, read, text};

#[tokio::test]
async fn a_session_that_is_started_from_another_ones_folder_starts_from_its_commit_with_the_users_files() {
    let sandbox = Sandbox::with_recipe("copy = ['.env']");
    put(&sandbox.repo(), ".env", b"the user's");
    let lead = sandbox.prepare("lead").await;
    put(&folder(&lead), ".env", b"the lead's");
    put(&folder(&lead), "work", b"work");
    sandbox.commit(&folder(&lead), "work");
    let place = Place::Worktree { folder: lead.path.clone(), base: None };
    let workspaces = sandbox.workspaces();
    let worker = workspaces.prepare(&Naming::of("worker"), &place).await.unwrap();
    assert_eq!((read(&worker.path, "work").as_str(), read(&worker.path, ".env").as_str()), ("work", "the user's"));
    // It belongs to the repository, so it outlives the session it was started from.
    assert_eq!(worker.worktree.as_ref().unwrap().repository, text(&sandbox.repo()));
    workspaces.remove("lead", &lead, nobody).await.unwrap();
    assert_eq!(workspaces.status(&worker).await.unwrap().changed, 0);
    workspaces.remove("worker", &worker, nobody).await.unwrap();
}

#[tokio::test]
async fn worktrees_of_a_bare_repository_are_as_good_a_start_as_a_checkout() {
    let sandbox = Sandbox::new();
    std::fs::create_dir(sandbox.path("project")).unwrap();
    sandbox.run(&sandbox.path("project"), &["clone", "-q", "--bare", "../repo", ".bare"]);
    sandbox.run(&sandbox.path("project/.bare"), &["worktree", "add", "-q", "../main", "main"]);
    let place = Place::Worktree { folder: text(&sandbox.path("project/main")), base: None };
    let workspaces = sandbox.workspaces();
    let made = workspaces.prepare(&Naming::of("bare"), &place).await.unwrap();
    put(&folder(&made), "new", b"new");
    workspaces.commit_all(&made, "work").await.unwrap();
    assert_eq!(workspaces.commits(&made).await.unwrap(), 1);
    assert_eq!(workspaces.list().await.unwrap()[0].branch.as_deref(), Some("devfleet/bare"));
    let removed = workspaces.remove("bare", &made, nobody).await.unwrap();
    let back = workspaces.restore(&sandbox.path("project/main"), &removed.snapshot, None).await.unwrap();
    assert_eq!((read(&back, "new").as_str(), back), ("new", folder(&made)));
}

#[tokio::test]
async fn a_root_below_a_link_and_a_repository_with_blanks_and_signs_in_its_name_are_no_matter() {
    let sandbox = Sandbox::new();
    std::fs::create_dir(sandbox.path("real")).unwrap();
    std::os::unix::fs::symlink(sandbox.path("real"), sandbox.path("link")).unwrap();
    sandbox.run(&sandbox.path("home"), &["clone", "-q", "../repo", "../odd näme '$x'"]);
    let mut options = sandbox.options();
    (options.root, options.pool_size) = (sandbox.path("link/trees"), 1);
    let workspaces = sandbox.workspaces_with(options);
    let repo = sandbox.path("odd näme '$x'");
    workspaces.refill(&repo, None).await.unwrap();
    let place = Place::Worktree { folder: text(&repo), base: None };
    for session in ["pooled", "fresh"] {
        let made = workspaces.prepare(&Naming::of(session), &place).await.unwrap();
        assert!(made.path.starts_with(&text(&sandbox.path("real"))), "{}", made.path);
        assert_eq!(workspaces.prepare(&Naming::of(session), &place).await.unwrap(), made);
        assert_eq!(read(&made.path, "src/b.txt"), "b\n");
    }
    assert_eq!(workspaces.list().await.unwrap().len(), 2);
}
