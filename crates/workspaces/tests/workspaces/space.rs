use std::path::{Path, PathBuf};

use fleet_workspaces::{Listed, Naming, Purpose, Workspaces};

use crate::picture::{Picture, users_own};
use crate::sandbox::{Sandbox, folder, nobody, put};

/// More than any disk has free: everything goes that may.
const ALL: Option<u64> = Some(u64::MAX);

fn pooled(sandbox: &Sandbox) -> Workspaces {
    let mut options = sandbox.options();
    options.pool_size = 1;
    sandbox.workspaces_with(options)
}

fn names(paths: impl IntoIterator<Item = PathBuf>) -> Vec<String> {
    paths.into_iter().map(|path| path.file_name().unwrap().to_str().unwrap().to_owned()).collect()
}

/// Makes everything that git and we wrote about a tree this old.
fn used_hours_ago(sandbox: &Sandbox, tree: &Path, hours: u64) {
    let git_dir = PathBuf::from(sandbox.text(tree, &["rev-parse", "--absolute-git-dir"]));
    let then = std::time::SystemTime::now() - std::time::Duration::from_secs(hours * 3600);
    for file in ["index", "HEAD", "logs/HEAD", "fleet.json"] {
        if let Ok(file) = std::fs::File::options().write(true).open(git_dir.join(file)) {
            file.set_modified(then).unwrap();
        }
    }
    std::fs::File::open(tree).unwrap().set_modified(then).unwrap();
}

#[tokio::test]
async fn everything_below_the_root_is_listed_with_what_it_is() {
    let sandbox = Sandbox::with_recipe("copy = ['missing']");
    let before = users_own(&sandbox);
    let workspaces = pooled(&sandbox);
    let dirty = sandbox.prepare("dirty").await;
    put(&folder(&dirty), "new", b"new");
    workspaces.refill(&sandbox.repo(), None).await.unwrap();
    std::fs::create_dir(sandbox.trees().join("stranger")).unwrap();
    let listed = workspaces.list().await.unwrap();
    assert_eq!(names(listed.iter().map(|one| one.path.clone())), ["dirty", "pool.1", "stranger"]);
    let [dirty, pool, stranger] = &listed[..] else { panic!() };
    assert_eq!(dirty.purpose, Purpose::Session { session: "dirty".to_owned() });
    assert_eq!((dirty.branch.as_deref(), dirty.dirty), (Some("devfleet/dirty"), Some(true)));
    assert_eq!(dirty.repository, Some(sandbox.repo()));
    assert!(dirty.bytes > 0 && dirty.notes[0].contains("missing"), "{dirty:?}");
    assert_eq!((&pool.purpose, &pool.branch, pool.dirty), (&Purpose::Pool, &None, Some(false)));
    assert_eq!((&stranger.purpose, &stranger.repository), (&Purpose::Foreign, &None));
    assert_eq!(users_own(&sandbox), before);
}

#[tokio::test]
async fn a_worktree_whose_repository_is_gone_is_listed_and_kept() {
    let sandbox = Sandbox::new();
    let workspaces = sandbox.workspaces();
    let made = sandbox.prepare("orphan").await;
    std::fs::rename(sandbox.repo(), sandbox.path("elsewhere")).unwrap();
    let listed: Vec<Listed> = workspaces.list().await.unwrap();
    assert_eq!((listed.len(), &listed[0].repository), (1, &None));
    let report = workspaces.prune(ALL, false, nobody).await.unwrap();
    assert!(report.removed.is_empty() && folder(&made).join("a.txt").exists());
}

#[tokio::test]
async fn the_pool_goes_first_then_what_was_used_least_recently_and_nothing_in_use() {
    let sandbox = Sandbox::new();
    let workspaces = pooled(&sandbox);
    workspaces.refill(&sandbox.repo(), None).await.unwrap();
    let plain = sandbox.workspaces();
    for (session, hours) in [("young", 1), ("old", 9), ("busy", 20), ("middle", 5)] {
        let made = plain.prepare(&Naming::of(session), &sandbox.place()).await.unwrap();
        put(&folder(&made), "work", session.as_bytes());
        used_hours_ago(&sandbox, &folder(&made), hours);
    }
    let busy = |path: &Path| path.ends_with("busy").then(|| "worker bob".to_owned());
    let dry = workspaces.prune(ALL, true, busy).await.unwrap();
    assert_eq!(names(dry.removed.iter().map(|one| one.path.clone())), ["pool.1", "old", "middle", "young"]);
    assert_eq!(sandbox.registered().len(), 5);

    let report = workspaces.prune(ALL, false, busy).await.unwrap();
    assert_eq!(names(report.removed.iter().map(|one| one.path.clone())), ["pool.1", "old", "middle", "young"]);
    assert_eq!(names(report.kept.iter().map(|(path, _)| path.clone())), ["busy"]);
    assert!(report.missing > 0);
    assert_eq!(names(sandbox.registered().into_iter().map(PathBuf::from)), ["busy"]);
    let snapshots: Vec<Option<&str>> = report.removed.iter().map(|one| one.snapshot.as_deref()).collect();
    assert_eq!(snapshots, [None, Some("old"), Some("middle"), Some("young")]);
    let kept = workspaces.snapshots(&sandbox.repo()).await.unwrap();
    assert_eq!(kept.into_iter().map(|one| one.snapshot).collect::<Vec<_>>(), ["middle", "old", "young"]);
    for session in ["old", "middle", "young"] {
        let back = workspaces.restore(&sandbox.repo(), session, None).await.unwrap();
        assert_eq!(std::fs::read(back.join("work")).unwrap(), session.as_bytes());
    }
    // What went is not handed out again.
    let next = workspaces.prepare(&Naming::of("next"), &sandbox.place()).await.unwrap();
    assert!(next.path.ends_with("next"));
}

#[tokio::test]
async fn with_space_enough_nothing_goes() {
    let sandbox = Sandbox::new();
    let mut options = sandbox.options();
    options.free_bytes_target = 1;
    let workspaces = sandbox.workspaces_with(options);
    sandbox.prepare("stays").await;
    assert_eq!(workspaces.govern(nobody).await.unwrap(), None);
    let report = workspaces.prune(None, false, nobody).await.unwrap();
    assert_eq!((report.removed.len(), report.kept.len(), report.missing), (0, 1, 0));
}

#[tokio::test]
async fn a_pass_below_the_target_prunes() {
    let sandbox = Sandbox::new();
    let mut options = sandbox.options();
    options.free_bytes_target = u64::MAX;
    let workspaces = sandbox.workspaces_with(options);
    let made = sandbox.prepare("goes").await;
    let report = workspaces.govern(nobody).await.unwrap().unwrap();
    assert_eq!((report.removed.len(), folder(&made).exists()), (1, false));
}

#[tokio::test]
async fn a_tree_of_the_pool_that_somebody_changed_goes_with_a_snapshot() {
    let sandbox = Sandbox::new();
    let workspaces = pooled(&sandbox);
    workspaces.refill(&sandbox.repo(), None).await.unwrap();
    let tree = sandbox.trees().join("pool.1");
    put(&tree, "mine", b"mine");
    let before = Picture::of(&tree);
    let report = workspaces.prune(ALL, false, nobody).await.unwrap();
    let snapshot = report.removed[0].snapshot.clone().unwrap();
    let back = workspaces.restore(&sandbox.repo(), &snapshot, None).await.unwrap();
    assert_eq!(Picture::of(&back), before);
}

#[tokio::test]
async fn what_was_never_finished_goes_with_its_branch_and_record() {
    let sandbox = Sandbox::new();
    let made = sandbox.prepare("half").await;
    let git_dir = PathBuf::from(sandbox.text(&folder(&made), &["rev-parse", "--absolute-git-dir"]));
    std::fs::remove_file(git_dir.join("fleet.json")).unwrap();
    let workspaces = sandbox.workspaces();
    let half = Purpose::Unfinished { session: Some("half".to_owned()) };
    assert_eq!(workspaces.list().await.unwrap()[0].purpose, half);
    workspaces.prune(ALL, false, nobody).await.unwrap();
    assert_eq!((sandbox.branches(), sandbox.registered()), (vec![], vec![]));
    assert_eq!(std::fs::read_dir(sandbox.trees().join(".sessions")).unwrap().count(), 0);
}

#[tokio::test]
async fn a_workspace_that_was_handed_out_a_moment_ago_is_not_pruned() {
    let sandbox = Sandbox::new();
    let mut options = sandbox.options();
    options.grace = std::time::Duration::from_secs(600);
    let workspaces = sandbox.workspaces_with(options);
    let (new, old) = (sandbox.prepare("new").await, sandbox.prepare("old").await);
    used_hours_ago(&sandbox, &folder(&new), 1);
    used_hours_ago(&sandbox, &folder(&old), 1);
    assert_eq!(workspaces.prepare(&Naming::of("new"), &sandbox.place()).await.unwrap(), new);
    let report = workspaces.prune(ALL, false, nobody).await.unwrap();
    assert_eq!(names(report.removed.into_iter().map(|one| one.path)), ["old"]);
    assert!(folder(&new).exists());
}

#[tokio::test]
async fn a_session_whose_workspace_was_pruned_comes_back_to_all_of_it() {
    let sandbox = Sandbox::with_recipe("port = true");
    let workspaces = sandbox.workspaces();
    let made = sandbox.prepare("back").await;
    put(&folder(&made), "committed", b"c");
    sandbox.commit(&folder(&made), "work");
    put(&folder(&made), "untracked", b"u");
    let before = Picture::of(&folder(&made));
    assert_eq!(workspaces.prune(ALL, false, nobody).await.unwrap().removed.len(), 1);
    assert!(!folder(&made).exists());
    assert_eq!(sandbox.prepare("back").await, made);
    assert_eq!((Picture::of(&folder(&made)), sandbox.branches()), (before, vec!["devfleet/back".to_owned()]));
    // And if the snapshot was deleted, to what is committed.
    workspaces.remove("back", &made, nobody).await.unwrap();
    for kept in workspaces.snapshots(&sandbox.repo()).await.unwrap() {
        sandbox.run(&sandbox.repo(), &["update-ref", "-d", &format!("refs/fleet/snapshots/{}", kept.snapshot)]);
    }
    let again = sandbox.prepare("back").await;
    assert_eq!(again.worktree, made.worktree);
    assert!(folder(&again).join("committed").exists() && !folder(&again).join("untracked").exists());
}
