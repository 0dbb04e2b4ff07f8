use std::path::PathBuf;

use fleet_workspaces::{BranchFate, Error, Naming};
use types::Place;

use crate::picture::{Picture, users_own};
use crate::sandbox::{Sandbox, folder, nobody, put, read, text};

#[tokio::test]
async fn what_was_removed_can_be_restored_byte_for_byte_and_is_its_sessions_again() {
    let sandbox = Sandbox::with_recipe("port = true");
    put(&sandbox.repo(), "x.log", b"the user's");
    let before = users_own(&sandbox);
    let workspaces = sandbox.workspaces();
    let made = sandbox.prepare("gone").await;
    let tree = folder(&made);
    put(&tree, "a.txt", b"changed");
    sandbox.run(&tree, &["add", "a.txt"]);
    put(&tree, "a.txt", b"changed again");
    put(&tree, "untracked", b"u");
    put(&tree, "kept.log", b"ignored");
    let (picture, status) = (Picture::of(&tree), sandbox.run(&tree, &["status", "--porcelain"]));

    let removed = workspaces.remove("gone", &made, nobody).await.unwrap();
    assert_eq!((removed.snapshot.as_str(), removed.deleted_branch), ("gone", None));
    assert!(!tree.exists() && sandbox.registered().is_empty());

    let back = workspaces.restore(&sandbox.repo(), "gone", None).await.unwrap();
    assert_eq!(back, tree);
    assert_eq!((Picture::of(&tree), sandbox.run(&tree, &["status", "--porcelain"])), (picture, status));
    assert_eq!(workspaces.prepare(&Naming::of("gone"), &sandbox.place()).await.unwrap(), made);
    assert_eq!(users_own(&sandbox), before);
    let again = workspaces.remove("gone", &made, nobody).await.unwrap();
    assert_eq!(again.snapshot, "gone-2");
}

#[tokio::test]
async fn a_snapshot_can_be_restored_beside_and_what_is_there_is_not_overwritten() {
    let sandbox = Sandbox::new();
    let workspaces = sandbox.workspaces();
    let made = sandbox.prepare("beside").await;
    put(&folder(&made), "untracked", b"u");
    workspaces.remove("beside", &made, nobody).await.unwrap();
    let to = sandbox.path("somewhere/else");
    assert_eq!(workspaces.restore(&sandbox.repo(), "beside", Some(to.clone())).await.unwrap(), to);
    assert_eq!(read(&to, "untracked"), "u");
    assert!(workspaces.restore(&sandbox.repo(), "beside", Some(to)).await.is_err());
    assert!(workspaces.restore(&sandbox.repo(), "nothing", None).await.is_err());
}

#[tokio::test]
async fn a_workspace_in_use_stays_and_its_teardown_does_not_run() {
    let sandbox = Sandbox::with_recipe("teardown = ['touch ../torn']");
    let workspaces = sandbox.workspaces();
    let made = sandbox.prepare("busy").await;
    let by = |_: &std::path::Path| Some("worker alice".to_owned());
    let error = workspaces.remove("busy", &made, by).await.unwrap_err();
    assert!(matches!(&error, Error::InUse { by, .. } if by == "worker alice"), "{error}");
    assert!(folder(&made).exists() && !sandbox.trees().join("torn").exists());
}

#[tokio::test]
async fn teardown_runs_as_it_was_when_the_workspace_was_made_and_its_failure_keeps_nothing() {
    let sandbox = Sandbox::with_recipe("teardown = ['exit 3', 'echo $NAME > ../torn']\nenv = { NAME = 'n' }");
    let made = sandbox.prepare("worn").await;
    put(&folder(&made), "fleet.toml", b"[workspace]\nteardown = ['touch ../by-the-agent']\n");
    let removed = sandbox.workspaces().remove("worn", &made, nobody).await.unwrap();
    assert!(removed.notes.len() == 1 && removed.notes[0].contains("exit code 3"), "{:?}", removed.notes);
    assert_eq!(read(sandbox.trees(), "torn"), "n\n");
    assert!(!sandbox.trees().join("by-the-agent").exists() && !folder(&made).exists());
}

#[tokio::test]
async fn what_an_agent_writes_into_the_git_directory_of_its_worktree_is_not_run() {
    let sandbox = Sandbox::with_recipe("teardown = ['touch ../torn']");
    let made = sandbox.prepare("forged").await;
    let marker = sandbox.repo().join(".git/worktrees/forged/fleet.json");
    let mut forged: serde_json::Value = serde_json::from_str(&std::fs::read_to_string(&marker).unwrap()).unwrap();
    forged["teardown"] = serde_json::json!(["touch ../by-the-agent"]);
    forged["timeout"] = serde_json::json!({ "secs": 10, "nanos": 0 });
    std::fs::write(&marker, forged.to_string()).unwrap();
    sandbox.workspaces().remove("forged", &made, nobody).await.unwrap();
    assert!(sandbox.trees().join("torn").exists() && !sandbox.trees().join("by-the-agent").exists());
}

#[tokio::test]
async fn what_an_agent_writes_there_does_not_choose_the_repository_of_its_session() {
    let sandbox = Sandbox::new();
    let made = sandbox.prepare("led").await;
    let marker = sandbox.repo().join(".git/worktrees/led/fleet.json");
    let mut forged: serde_json::Value = serde_json::from_str(&std::fs::read_to_string(&marker).unwrap()).unwrap();
    forged["repository"] = serde_json::json!(folder(&made).join("own"));
    forged["role"]["branch"] = serde_json::json!("main");
    std::fs::write(&marker, forged.to_string()).unwrap();
    assert_eq!(sandbox.prepare("led").await, made);
}

#[tokio::test]
async fn removing_twice_tells_the_same_snapshot() {
    let sandbox = Sandbox::new();
    let made = sandbox.prepare("twice").await;
    let first = sandbox.workspaces().remove("twice", &made, nobody).await.unwrap();
    assert_eq!(sandbox.workspaces().remove("twice", &made, nobody).await.unwrap().snapshot, first.snapshot);
}

#[tokio::test]
async fn a_folder_in_place_is_never_removed() {
    let sandbox = Sandbox::new();
    let place = Place::InPlace { folder: text(&sandbox.repo()) };
    let made = sandbox.workspaces().prepare(&Naming::of("here"), &place).await.unwrap();
    let error = sandbox.workspaces().remove("here", &made, nobody).await.unwrap_err();
    assert!(matches!(error, Error::InPlace { .. }));
    // Nor by pretending that it is a worktree.
    let tree = types::Tree { repository: text(&sandbox.repo()), branch: "main".to_owned(), base: String::new() };
    let lie = types::Workspace { worktree: Some(tree), ..made };
    assert!(sandbox.workspaces().remove("here", &lie, nobody).await.is_err());
    assert!(sandbox.repo().join("a.txt").exists());
}

#[tokio::test]
async fn a_branch_goes_only_if_it_is_to_and_others_have_its_commits() {
    let sandbox = Sandbox::new();
    let mut options = sandbox.options();
    options.branch_fate = BranchFate::DeleteIfContained;
    let workspaces = sandbox.workspaces_with(options);
    let (idle, busy) = (sandbox.prepare("idle").await, sandbox.prepare("busy").await);
    put(&folder(&busy), "work", b"work");
    sandbox.commit(&folder(&busy), "work");
    let gone = workspaces.remove("idle", &idle, nobody).await.unwrap().deleted_branch;
    assert_eq!(gone.as_deref(), Some("devfleet/idle"));
    assert_eq!(workspaces.remove("busy", &busy, nobody).await.unwrap().deleted_branch, None);
    assert_eq!(sandbox.branches(), ["devfleet/busy"]);
}

#[tokio::test]
async fn a_removal_that_was_cut_short_is_finished_and_its_first_snapshot_counts() {
    let sandbox = Sandbox::new();
    let made = sandbox.prepare("short").await;
    let git_dir = half_removed(&sandbox, &made);
    let removed = sandbox.workspaces().remove("short", &made, nobody).await.unwrap();
    assert_eq!(removed.snapshot, "short");
    assert!(!folder(&made).exists() && !git_dir.exists());
}

#[tokio::test]
async fn a_session_that_comes_back_in_the_middle_of_its_removal_finds_everything() {
    let sandbox = Sandbox::new();
    let made = sandbox.prepare("short").await;
    half_removed(&sandbox, &made);
    assert_eq!(sandbox.prepare("short").await, made);
    assert_eq!((read(&made.path, "untracked"), read(&made.path, "a.txt")), ("u".to_owned(), "changed".to_owned()));
}

#[tokio::test]
async fn a_restoring_that_was_cut_short_can_be_done_again() {
    let sandbox = Sandbox::new();
    let workspaces = sandbox.workspaces();
    let made = sandbox.prepare("short").await;
    put(&folder(&made), "untracked", b"u");
    let before = Picture::of(&folder(&made));
    let removed = workspaces.remove("short", &made, nobody).await.unwrap();
    // As a kill leaves it: registered, filled in part, said to be partial.
    let tree = text(&folder(&made));
    sandbox.run(&sandbox.repo(), &["worktree", "add", "-q", "--detach", &tree]);
    let git_dir = PathBuf::from(sandbox.text(&folder(&made), &["rev-parse", "--absolute-git-dir"]));
    put(&git_dir, "fleet.partial", removed.snapshot.as_bytes());
    let back = workspaces.restore(&sandbox.repo(), &removed.snapshot, None).await.unwrap();
    assert_eq!((Picture::of(&back), back), (before, folder(&made)));
}

/// Leaves a worktree as a kill in the middle of its removal does.
fn half_removed(sandbox: &Sandbox, made: &types::Workspace) -> PathBuf {
    let tree = folder(made);
    put(&tree, "untracked", b"u");
    put(&tree, "a.txt", b"changed");
    let git_dir = PathBuf::from(sandbox.text(&tree, &["rev-parse", "--absolute-git-dir"]));
    let runtime = std::thread::scope(|scope| {
        let taken = scope.spawn(|| {
            let runtime = tokio::runtime::Runtime::new().unwrap();
            runtime.block_on(async {
                let clock = runtime::Clock::system();
                let variables =
                    [("HOME", sandbox.path("home").into_os_string()), ("PATH", std::env::var_os("PATH").unwrap())];
                let git = git::Git::new(git::Environment::from_variables(variables), clock);
                let open = git.open(&tree).await.unwrap();
                open.snapshot(&"short".parse().unwrap(), &git::Ignored::default()).await.unwrap();
            });
        });
        taken.join()
    });
    runtime.unwrap();
    put(&git_dir, "fleet.partial", b"short");
    std::fs::remove_file(tree.join("untracked")).unwrap();
    std::fs::remove_dir_all(tree.join("src")).unwrap();
    git_dir
}

#[tokio::test]
async fn a_snapshot_that_no_record_knows_is_nobodys_whatever_it_says() {
    let sandbox = Sandbox::new();
    let workspaces = sandbox.workspaces();
    let victim = sandbox.prepare("victim").await;
    let removed = workspaces.remove("victim", &victim, nobody).await.unwrap();
    let reference = format!("refs/fleet/snapshots/{}", removed.snapshot);
    // A copy under another name says that it is the victim's, as the first one does.
    sandbox.run(&sandbox.repo(), &["update-ref", "refs/fleet/snapshots/forged", &reference]);
    let forged = workspaces.restore(&sandbox.repo(), "forged", None).await.unwrap();
    let again = sandbox.prepare("victim").await;
    assert_ne!(folder(&again), forged, "a forged snapshot became the workspace of a session");
    // What a session comes back to is what was taken, also where its name leads elsewhere.
    put(&folder(&again), "mine", b"mine");
    let removed = workspaces.remove("victim", &again, nobody).await.unwrap();
    sandbox.run(&sandbox.repo(), &["update-ref", &format!("refs/fleet/snapshots/{}", removed.snapshot), &reference]);
    assert_eq!(read(&sandbox.prepare("victim").await.path, "mine"), "mine");
}
