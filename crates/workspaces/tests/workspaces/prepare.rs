use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::task::{Context, Waker};

use fleet_workspaces::{Error, Naming, Pattern};
use tokio::task::JoinSet;
use types::Place;

use crate::picture::{Picture, users_own};
use crate::sandbox::{Sandbox, folder, put, read, text};

#[tokio::test]
async fn a_worktree_has_the_files_of_its_base_and_a_branch_of_its_own() {
    let sandbox = Sandbox::new();
    let before = users_own(&sandbox);
    let made = sandbox.prepare("s-1a2b3c4d5e").await;
    let tree = made.worktree.clone().unwrap();
    assert_eq!(Picture::of(&folder(&made)), Picture::of(&sandbox.repo()));
    assert_eq!(tree.branch, "devfleet/s-1a2b3c");
    assert_eq!(sandbox.text(&folder(&made), &["symbolic-ref", "HEAD"]), "refs/heads/devfleet/s-1a2b3c");
    assert_eq!(tree.base, sandbox.text(&sandbox.repo(), &["rev-parse", "main"]));
    assert_eq!(tree.repository, text(&sandbox.repo()));
    assert_eq!(sandbox.text(&folder(&made), &["status", "--porcelain"]), "");
    assert_eq!(users_own(&sandbox), before);
}

#[tokio::test]
async fn the_same_session_gets_the_same_workspace_also_after_a_restart_and_when_the_base_moved() {
    let sandbox = Sandbox::with_recipe("port = true\nenv = { A = 'b' }");
    let first = sandbox.prepare("same").await;
    put(&folder(&first), "work", b"mine");
    sandbox.commit(&sandbox.repo(), "the base moves");
    assert_eq!(sandbox.prepare("same").await, first);
    assert_eq!(read(&first.path, "work"), "mine");
    assert_eq!(sandbox.branches().len(), 1);
}

#[tokio::test]
async fn sessions_whose_names_shorten_to_one_get_branches_of_their_own() {
    let sandbox = Sandbox::new();
    let workspaces = sandbox.workspaces();
    let mut branches = BTreeSet::new();
    for session in ["12345678-a", "12345678-b", "12345678-c"] {
        let made = workspaces.prepare(&Naming::of(session), &sandbox.place()).await.unwrap();
        branches.insert(made.worktree.unwrap().branch);
    }
    assert_eq!(branches, ["devfleet/12345678", "devfleet/12345678-2", "devfleet/12345678-3"].map(str::to_owned).into());
}

#[tokio::test]
async fn a_branch_is_named_by_the_pattern_that_the_session_brings() {
    let sandbox = Sandbox::new();
    let naming = Naming {
        title: Some("Fix: the login".to_owned()),
        agent: Some("codex".to_owned()),
        pattern: Some(Pattern::STAGES.parse().unwrap()),
        ..Naming::of("w_1")
    };
    let made = sandbox.workspaces().prepare(&naming, &sandbox.place()).await.unwrap();
    assert_eq!(made.worktree.unwrap().branch, "codex/Fix-the-login/w_1");
}

#[tokio::test]
async fn inheriting_starts_where_the_other_sessions_branch_stands() {
    let sandbox = Sandbox::new();
    let first = sandbox.prepare("first").await;
    put(&folder(&first), "new", b"new");
    sandbox.commit(&folder(&first), "work");
    let branch = first.worktree.unwrap().branch;
    let place = Place::Inherit { folder: text(&sandbox.repo()), branch };
    let heir = sandbox.workspaces().prepare(&Naming::of("heir"), &place).await.unwrap();
    assert_eq!(read(&heir.path, "new"), "new");
    assert_eq!(heir.worktree.unwrap().base, sandbox.text(Path::new(&first.path), &["rev-parse", "HEAD"]));
}

#[tokio::test]
async fn a_session_can_start_from_any_revision_and_from_any_folder_of_the_repository() {
    let sandbox = Sandbox::new();
    let first = sandbox.text(&sandbox.repo(), &["rev-parse", "HEAD"]);
    put(&sandbox.repo(), "later", b"later");
    sandbox.commit(&sandbox.repo(), "later");
    let place = Place::Worktree { folder: text(&sandbox.repo().join("src")), base: Some("HEAD~1".to_owned()) };
    let made = sandbox.workspaces().prepare(&Naming::of("old"), &place).await.unwrap();
    assert_eq!(made.worktree.clone().unwrap().base, first);
    assert!(!folder(&made).join("later").exists() && folder(&made).join("src/b.txt").exists());
}

#[tokio::test(flavor = "multi_thread")]
async fn thirty_parallel_sessions_on_one_repository_all_get_their_own() {
    let sandbox = Sandbox::with_recipe("port = true\nsetup = ['echo $PORT > port.log']");
    let before = users_own(&sandbox);
    let workspaces = sandbox.workspaces();
    let mut running = JoinSet::new();
    for number in 0..30 {
        let (workspaces, place) = (workspaces.clone(), sandbox.place());
        let naming = Naming::of(format!("{number}-parallel"));
        running.spawn(async move { workspaces.prepare(&naming, &place).await.unwrap() });
    }
    let made = running.join_all().await;
    let branches: BTreeSet<String> = made.iter().map(|made| made.worktree.clone().unwrap().branch).collect();
    let ports: BTreeSet<&String> = made.iter().map(|made| &made.env["PORT"]).collect();
    assert_eq!((branches.len(), ports.len(), sandbox.registered().len()), (30, 30, 30));
    for made in &made {
        assert_eq!(read(&made.path, "src/b.txt"), "b\n");
        assert_eq!(read(&made.path, "port.log").trim(), made.env["PORT"]);
    }
    assert_eq!(users_own(&sandbox), before);
}

#[tokio::test(flavor = "multi_thread")]
async fn two_calls_for_one_session_at_once_make_one_workspace() {
    let sandbox = Sandbox::new();
    let workspaces = sandbox.workspaces();
    let mut running = JoinSet::new();
    for _ in 0..8 {
        let (workspaces, place) = (workspaces.clone(), sandbox.place());
        running.spawn(async move { workspaces.prepare(&Naming::of("twice"), &place).await.unwrap() });
    }
    let made = running.join_all().await;
    assert!(made.iter().all(|one| *one == made[0]));
    assert_eq!((sandbox.branches().len(), sandbox.registered().len()), (1, 1));
}

#[tokio::test]
async fn in_place_any_folder_will_do_and_nothing_is_touched() {
    let sandbox = Sandbox::with_recipe("setup = ['touch made']");
    let before = Picture::of(&sandbox.repo());
    for folder in [sandbox.repo(), sandbox.path("home")] {
        let place = Place::InPlace { folder: text(&folder) };
        let made = sandbox.workspaces().prepare(&Naming::of("here"), &place).await.unwrap();
        assert_eq!((made.path, made.worktree), (text(&folder), None));
    }
    assert_eq!(Picture::of(&sandbox.repo()), before);
    assert!(!sandbox.path("trees").exists());
}

#[tokio::test]
async fn a_folder_that_gives_no_worktree_says_why_and_what_to_do() {
    let sandbox = Sandbox::new();
    let said = async |folder: &str| {
        let place = Place::Worktree { folder: text(&sandbox.path(folder)), base: None };
        let error = sandbox.workspaces().prepare(&Naming::of("none"), &place).await.unwrap_err();
        let known = sandbox.workspaces().check(&place).await.unwrap_err();
        assert_eq!(known.to_string(), error.to_string(), "what a start would meet is known before it");
        error
    };
    std::fs::create_dir(sandbox.path("plain")).unwrap();
    std::fs::create_dir(sandbox.path("empty")).unwrap();
    sandbox.run(&sandbox.path("empty"), &["init", "-q"]);
    sandbox.run(&sandbox.repo(), &["clone", "-q", "--bare", ".", "../bare.git"]);
    sandbox.run(&sandbox.path("home"), &["clone", "-q", "../repo", "../super"]);
    sandbox.run(&sandbox.path("super"), &["submodule", "--quiet", "add", "../bare.git", "sub"]);

    let error = said("plain").await;
    assert!(matches!(error, Error::NotARepository { .. }) && error.to_string().contains("choose in place"), "{error}");
    let error = said("empty").await;
    assert!(matches!(error, Error::NoCommits { .. }) && error.to_string().contains("first commit"), "{error}");
    assert!(matches!(said("bare.git").await, Error::Bare { .. }));
    assert!(
        matches!(said("super/sub").await, Error::Submodule { superproject, .. } if superproject.ends_with("super"))
    );
    assert!(matches!(said("missing").await, Error::NoFolder { .. }));
    let place = Place::Worktree { folder: text(&sandbox.repo()), base: Some("nope".to_owned()) };
    let error = sandbox.workspaces().prepare(&Naming::of("none"), &place).await.unwrap_err();
    assert!(matches!(error, Error::NoBase { .. }), "{error}");
    assert_eq!(sandbox.branches(), Vec::<String>::new());
}

#[tokio::test]
async fn a_sparse_checkout_stays_sparse_and_a_filter_runs_as_in_git() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo();
    put(&repo, "big/file", b"big");
    put(&repo, ".gitattributes", b"*.txt filter=upper\n");
    sandbox.run(&repo, &["config", "--global", "filter.upper.smudge", "tr a-z A-Z"]);
    sandbox.run(&repo, &["config", "--global", "filter.upper.clean", "tr A-Z a-z"]);
    sandbox.commit(&repo, "big");
    sandbox.run(&repo, &["sparse-checkout", "set", "src"]);
    let made = sandbox.prepare("sparse").await;
    assert!(!folder(&made).join("big").exists());
    assert_eq!(read(&made.path, "src/b.txt"), "B\n");
    assert_eq!(sandbox.text(&folder(&made), &["status", "--porcelain"]), "");
}

#[tokio::test]
async fn a_call_that_is_dropped_is_finished_all_the_same() {
    let sandbox = Sandbox::with_recipe("setup = ['touch made.log']");
    let workspaces = sandbox.workspaces();
    let (naming, place) = (Naming::of("dropped"), sandbox.place());
    {
        let call = std::pin::pin!(workspaces.prepare(&naming, &place));
        assert!(call.poll(&mut Context::from_waker(Waker::noop())).is_pending());
    }
    // The next caller waits for the first, and gets what it made.
    let made = workspaces.prepare(&naming, &place).await.unwrap();
    assert!(folder(&made).join("made.log").exists());
    assert_eq!((sandbox.branches().len(), sandbox.registered().len()), (1, 1));
}

#[tokio::test]
async fn a_session_whose_tree_was_deleted_by_hand_goes_on_where_its_branch_stands() {
    let sandbox = Sandbox::new();
    let made = sandbox.prepare("deleted").await;
    put(&folder(&made), "work", b"work");
    sandbox.commit(&folder(&made), "work");
    std::fs::remove_dir_all(folder(&made)).unwrap();
    assert_eq!(sandbox.prepare("deleted").await, made);
    assert_eq!(read(&made.path, "work"), "work");
    assert_eq!(sandbox.branches(), ["devfleet/deleted"]);
}

#[tokio::test]
async fn states_that_a_kill_of_git_itself_leaves_are_cleared() {
    let sandbox = Sandbox::new();
    let made = sandbox.prepare("torn").await;
    let git_dir = PathBuf::from(sandbox.text(&folder(&made), &["rev-parse", "--absolute-git-dir"]));
    let forget = || std::fs::remove_file(git_dir.join("fleet.json")).unwrap();
    let tears: [&dyn Fn(); 5] = [
        // In the middle of writing files, with git's lock left behind.
        &|| put(&git_dir, "index.lock", b""),
        // Before the link to the registration was written.
        &|| std::fs::remove_file(folder(&made).join(".git")).unwrap(),
        // While git still called it unfinished.
        &|| put(&git_dir, "locked", b"initializing"),
        // Before the registration said where its worktree is.
        &|| std::fs::remove_file(git_dir.join("gitdir")).unwrap(),
        // Before the directory was there.
        &|| std::fs::remove_dir_all(folder(&made)).unwrap(),
    ];
    for (number, tear) in tears.iter().enumerate() {
        forget();
        tear();
        assert_eq!(sandbox.prepare("torn").await, made, "tear {number}");
        assert_eq!(Picture::of(&folder(&made)), Picture::of(&sandbox.repo()), "tear {number}");
        let registered = std::fs::read_dir(sandbox.repo().join(".git/worktrees")).unwrap().count();
        assert_eq!((registered, sandbox.branches().len()), (1, 1), "tear {number}");
    }
}

#[tokio::test]
async fn submodules_are_filled_if_they_are_to_be() {
    let sandbox = Sandbox::new();
    sandbox.run(&sandbox.repo(), &["clone", "-q", "--bare", ".", "../lib.git"]);
    sandbox.run(&sandbox.repo(), &["submodule", "--quiet", "add", &text(&sandbox.path("lib.git")), "lib"]);
    sandbox.commit(&sandbox.repo(), "lib");
    let mut options = sandbox.options();
    options.submodules = fleet_workspaces::Submodules::Init;
    let workspaces = sandbox.workspaces_with(options);
    let made = workspaces.prepare(&Naming::of("filled"), &sandbox.place()).await.unwrap();
    assert_eq!(read(&made.path, "lib/a.txt"), "one\ntwo\nthree\n");
    let left = sandbox.prepare("left").await;
    assert!(folder(&left).join("lib").is_dir() && !folder(&left).join("lib/a.txt").exists());
    let before = Picture::of(&folder(&made));
    workspaces.remove("filled", &made, crate::sandbox::nobody).await.unwrap();
    let back = workspaces.restore(&sandbox.repo(), "filled", None).await.unwrap();
    assert_eq!(Picture::of(&back), before);
}
