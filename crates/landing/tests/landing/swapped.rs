//! What is checked is what lands, though an agent that still runs exchanges its objects meanwhile.

use std::path::Path;

use fleet_landing::Candidate;

use crate::sandbox::{Sandbox, landed, put};

/// Returns a check that passes on `good` and then puts other bytes under the name of the file's object.
fn swapping_check(sandbox: &Sandbox, directory: &Path, objects: &Path) -> String {
    let blob = sandbox.run(directory, &["rev-parse", "HEAD:new.txt"]);
    put(directory, "other", "evil\n");
    let other = sandbox.run(directory, &["hash-object", "-w", "other"]);
    std::fs::remove_file(directory.join("other")).unwrap();
    let file = |oid: &str| objects.join(&oid[..2]).join(&oid[2..]).display().to_string();
    let (from, to) = (file(&other), file(&blob));
    format!("grep -q good new.txt && rm -f '{to}' && cp '{from}' '{to}'")
}

#[tokio::test]
async fn a_blob_that_is_swapped_while_its_check_runs_is_not_what_lands() {
    let sandbox = Sandbox::new();
    let lander = sandbox.lander();
    // In a worktree that shares the repository's objects it is.
    let candidate = sandbox.branch("shared", "main", &[("new.txt", "good\n")]);
    let work = sandbox.path("work");
    sandbox.run(&work, &["checkout", "-q", "shared"]);
    let check = swapping_check(&sandbox, &work, &sandbox.repo().join(".git/objects"));
    landed(lander.attempt(&sandbox.ground(&[&check]), &candidate).await.unwrap());
    assert_eq!(std::fs::read_to_string(sandbox.repo().join("new.txt")).unwrap(), "evil\n");

    let sandbox = Sandbox::new();
    let repository = sandbox.git().open(&sandbox.repo()).await.unwrap();
    let tree = sandbox.path("tree");
    let new = git::NewWorktree {
        path: tree.clone(),
        branch: "own".parse().unwrap(),
        strategy: git::Strategy::New { base: "main".to_owned() },
        checkout: git::Checkout::default(),
        submodules: git::Submodules::default(),
    };
    let made = repository.create(&new).await.unwrap().worktree;
    let own = made.give_private(&sandbox.path("private")).await.unwrap();
    put(&tree, "new.txt", "good\n");
    sandbox.commit(&tree, "work");
    made.take_over().await.unwrap();
    let check = swapping_check(&sandbox, &tree, &own.join("objects"));
    let candidate = Candidate { id: "l-own".to_owned(), branch: "own".to_owned(), title: "Do it".to_owned() };
    landed(sandbox.lander().attempt(&sandbox.ground(&[&check]), &candidate).await.unwrap());
    assert_eq!(sandbox.run(&tree, &["show", "HEAD:new.txt"]), "evil", "the session itself sees it exchanged");
    assert_eq!(std::fs::read_to_string(sandbox.repo().join("new.txt")).unwrap(), "good\n");
    sandbox.run(&sandbox.repo(), &["fsck", "--strict"]);
}
