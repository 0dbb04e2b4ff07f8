//! Random work in random workspaces, ended in random ways; every byte that was there can be restored.

use std::collections::BTreeMap;
use std::path::Path;

use fleet_workspaces::{Naming, Workspaces};
use runtime::Rng;
use types::Workspace;

use crate::picture::{Picture, users_own};
use crate::sandbox::{Sandbox, folder, nobody, put};

#[tokio::test(flavor = "multi_thread")]
async fn whatever_was_done_in_workspaces_and_however_they_ended_every_byte_can_be_restored() {
    for seed in 0..4 {
        let (rng, sandbox) = (Rng::seeded(seed), Sandbox::new());
        let before = users_own(&sandbox);
        let mut options = sandbox.options();
        (options.pool_size, options.ignored) = (1, fleet_workspaces::Ignored::Capture);
        let workspaces = sandbox.workspaces_with(options);
        let mut expected = BTreeMap::new();
        for number in 0..5 {
            if rng.below(2) == 0 {
                workspaces.refill(&sandbox.repo(), None).await.unwrap();
            }
            let session = format!("{number}-session");
            let made = workspaces.prepare(&Naming::of(&session), &sandbox.place()).await.unwrap();
            for _ in 0..rng.below(5) {
                change(&sandbox, &folder(&made), &rng);
            }
            end(&workspaces, &session, &made, &rng, &mut expected).await;
        }
        for (number, (snapshot, picture)) in expected.iter().enumerate() {
            let to = sandbox.path(&format!("back/{number}"));
            workspaces.restore(&sandbox.repo(), snapshot, Some(to.clone())).await.unwrap();
            assert_eq!(Picture::of(&to), *picture, "seed {seed}, {snapshot}");
        }
        assert_eq!(users_own(&sandbox), before, "seed {seed}");
        sandbox.run(&sandbox.repo(), &["fsck", "--no-dangling"]);
    }
}

/// Ends a workspace by removal or by pruning, or comes back to it first.
async fn end(
    workspaces: &Workspaces,
    session: &str,
    made: &Workspace,
    rng: &Rng,
    expected: &mut BTreeMap<String, Picture>,
) {
    let picture = Picture::of(&folder(made));
    let snapshot = match rng.below(3) {
        0 => {
            let report = workspaces.prune(Some(u64::MAX), false, nobody).await.unwrap();
            let gone = report.removed.into_iter().find(|one| one.path == folder(made)).unwrap();
            gone.snapshot.unwrap()
        }
        1 => workspaces.remove(session, made, nobody).await.unwrap().snapshot,
        _ => {
            let first = workspaces.remove(session, made, nobody).await.unwrap().snapshot;
            let to = folder(made);
            let repository = &made.worktree.as_ref().unwrap().repository;
            workspaces.restore(Path::new(repository), &first, Some(to)).await.unwrap();
            workspaces.remove(session, made, nobody).await.unwrap().snapshot
        }
    };
    expected.insert(snapshot, picture);
}

/// One random change, as an agent or a person would make it.
fn change(sandbox: &Sandbox, tree: &Path, rng: &Rng) {
    let word = rng.short_code(4);
    match rng.below(8) {
        0 => put(tree, "a.txt", word.as_bytes()),
        1 => put(tree, format!("deep/{word}"), word.as_bytes()),
        2 => put(tree, "target/out", word.as_bytes()),
        3 => drop(std::fs::remove_file(tree.join("src/b.txt"))),
        4 => drop(sandbox.try_run(tree, &["add", "-A"])),
        5 => drop(sandbox.try_run(tree, &["commit", "-qam", &word])),
        6 => drop(sandbox.try_run(tree, &["checkout", "-q", "--detach"])),
        _ => drop(std::os::unix::fs::symlink(&word, tree.join(format!("link-{word}")))),
    }
}
