use std::collections::BTreeSet;

use fleet_workspaces::{Naming, Workspaces};
use tokio::task::JoinSet;

use crate::picture::{Picture, users_own};
use crate::sandbox::{Sandbox, folder, nobody, put, read};

fn pooled(sandbox: &Sandbox, pool_size: u32) -> Workspaces {
    let mut options = sandbox.options();
    options.pool_size = pool_size;
    sandbox.workspaces_with(options)
}

#[tokio::test]
async fn a_session_takes_a_tree_of_the_pool_and_the_next_one_makes_its_own() {
    let sandbox = Sandbox::with_recipe("setup = ['pwd > made.log']\ncopy = ['.env']\nport = true");
    put(&sandbox.repo(), ".env", b"old");
    let before = users_own(&sandbox);
    let workspaces = pooled(&sandbox, 1);
    assert_eq!(workspaces.refill(&sandbox.repo(), None).await.unwrap(), 1);
    assert_eq!(users_own(&sandbox), before);
    put(&sandbox.repo(), ".env", b"new");
    let hit = workspaces.prepare(&Naming::of("hit"), &sandbox.place()).await.unwrap();
    let miss = workspaces.prepare(&Naming::of("miss"), &sandbox.place()).await.unwrap();
    assert!(hit.path.ends_with("pool.1") && miss.path.ends_with("miss"), "{} {}", hit.path, miss.path);
    for made in [&hit, &miss] {
        // Commands may write the path down, so a tree stays where they ran.
        assert_eq!(
            (read(&made.path, "made.log").trim(), read(&made.path, ".env").as_str()),
            (made.path.as_str(), "new")
        );
        assert_eq!(sandbox.text(&folder(made), &["status", "--porcelain", "--branch"]), branch_line(made));
    }
    assert_ne!(hit.env["PORT"], miss.env["PORT"]);
    assert_eq!(workspaces.prepare(&Naming::of("hit"), &sandbox.place()).await.unwrap(), hit);
    assert_eq!(workspaces.refill(&sandbox.repo(), None).await.unwrap(), 1);
    assert_eq!(sandbox.registered().len(), 3);
}

fn branch_line(made: &types::Workspace) -> String {
    format!("## {}", made.worktree.as_ref().unwrap().branch)
}

#[tokio::test(flavor = "multi_thread")]
async fn no_tree_is_given_twice_also_not_after_a_restart() {
    let sandbox = Sandbox::new();
    assert_eq!(pooled(&sandbox, 4).refill(&sandbox.repo(), None).await.unwrap(), 4);
    let mut paths = BTreeSet::new();
    for life in 0..2 {
        let workspaces = pooled(&sandbox, 4);
        let mut running = JoinSet::new();
        for number in 0..3 {
            let (workspaces, place) = (workspaces.clone(), sandbox.place());
            let naming = Naming::of(format!("{life}-{number}-session"));
            running.spawn(async move { workspaces.prepare(&naming, &place).await.unwrap().path });
        }
        paths.extend(running.join_all().await);
    }
    assert_eq!((paths.len(), sandbox.branches().len()), (6, 6));
    assert_eq!(paths.iter().filter(|path| path.contains("/pool.")).count(), 4);
}

#[tokio::test]
async fn a_tree_at_another_commit_is_moved_if_no_command_ran_in_it() {
    let sandbox = Sandbox::new();
    let workspaces = pooled(&sandbox, 1);
    workspaces.refill(&sandbox.repo(), None).await.unwrap();
    put(&sandbox.repo(), "later", b"later");
    std::fs::remove_dir_all(sandbox.repo().join("src")).unwrap();
    sandbox.commit(&sandbox.repo(), "later");
    let made = workspaces.prepare(&Naming::of("moved"), &sandbox.place()).await.unwrap();
    assert!(made.path.ends_with("pool.1"));
    assert_eq!(Picture::of(&folder(&made)), Picture::of(&sandbox.repo()));
    assert_eq!(made.worktree.unwrap().base, sandbox.text(&sandbox.repo(), &["rev-parse", "HEAD"]));
}

#[tokio::test]
async fn a_tree_that_was_set_up_at_another_commit_or_by_another_recipe_is_not_taken_but_renewed() {
    for recipe in ["setup = ['cp a.txt made.log']", "env = { A = '1' }"] {
        let sandbox = Sandbox::with_recipe(recipe);
        let workspaces = pooled(&sandbox, 1);
        workspaces.refill(&sandbox.repo(), None).await.unwrap();
        put(&sandbox.repo(), "a.txt", b"later");
        put(&sandbox.repo(), "fleet.toml", format!("[workspace]\n{recipe}\ntimeout_secs = 9").as_bytes());
        sandbox.commit(&sandbox.repo(), "later");
        let made = workspaces.prepare(&Naming::of("fresh"), &sandbox.place()).await.unwrap();
        assert!(made.path.ends_with("fresh"), "{}", made.path);
        assert_eq!(workspaces.refill(&sandbox.repo(), None).await.unwrap(), 1);
        let next = workspaces.prepare(&Naming::of("next"), &sandbox.place()).await.unwrap();
        assert!(next.path.contains("/pool."), "{}", next.path);
        assert_eq!(Picture::of(&folder(&made)), Picture::of(&folder(&next)));
    }
}

#[tokio::test]
async fn a_tree_of_the_pool_that_is_in_the_way_of_itself_is_replaced_by_a_fresh_one() {
    let sandbox = Sandbox::new();
    let workspaces = pooled(&sandbox, 1);
    workspaces.refill(&sandbox.repo(), None).await.unwrap();
    // An untracked file where the wanted commit has one.
    put(&sandbox.trees().join("pool.1"), "later", b"in the way");
    put(&sandbox.repo(), "later", b"later");
    sandbox.commit(&sandbox.repo(), "later");
    let made = workspaces.prepare(&Naming::of("fresh"), &sandbox.place()).await.unwrap();
    assert!(made.path.ends_with("fresh"), "{}", made.path);
    assert_eq!(read(&made.path, "later"), "later");
    assert_eq!(sandbox.branches(), ["devfleet/fresh"]);
}

#[tokio::test]
async fn a_session_in_a_tree_of_the_pool_ends_as_any_other() {
    let sandbox = Sandbox::new();
    let workspaces = pooled(&sandbox, 1);
    workspaces.refill(&sandbox.repo(), None).await.unwrap();
    let made = workspaces.prepare(&Naming::of("pooled"), &sandbox.place()).await.unwrap();
    put(&folder(&made), "untracked", b"u");
    let before = Picture::of(&folder(&made));
    let removed = workspaces.remove("pooled", &made, nobody).await.unwrap();
    assert!(!folder(&made).exists());
    let back = workspaces.restore(&sandbox.repo(), &removed.snapshot, None).await.unwrap();
    assert_eq!((Picture::of(&back), back.file_name().unwrap().to_str()), (before, Some("pooled")));
}
