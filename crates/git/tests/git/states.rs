//! Random states of worktrees, random sequences of operations, one oracle: every byte that was there comes back.

use std::collections::BTreeMap;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};

use fleet_git::{Candidate, Use, plan, used_bytes};
use runtime::Rng;

use crate::picture::{Picture, users_own, words_of_git};
use crate::sandbox::{Sandbox, named, odd_path, put, whole};

/// How many states each test tries; each is its seed, which a failure names.
const SEEDS: u64 = 6;

/// Changes that are made to a worktree before it is put away.
const CHANGES: u64 = 15;

#[tokio::test(flavor = "multi_thread")]
async fn whatever_state_a_worktree_is_in_every_byte_comes_back_after_any_cleanup() {
    every_byte_comes_back(0, false).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn whatever_other_state_a_worktree_is_in_every_byte_comes_back_too() {
    every_byte_comes_back(100, false).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn whatever_state_a_session_with_its_own_git_directory_is_in_every_byte_comes_back() {
    every_byte_comes_back(200, true).await;
}

/// Gives a worktree a git directory of its own, if that is what is tried.
async fn enter(sandbox: &Sandbox, tree: &Path, private: bool) {
    if private {
        let made = sandbox.open().await.worktree(tree).await.unwrap();
        made.give_private(&sandbox.path("private").join(tree.file_name().unwrap())).await.unwrap();
    }
}

async fn every_byte_comes_back(first_seed: u64, private: bool) {
    for seed in first_seed..first_seed + SEEDS {
        let rng = Rng::seeded(seed);
        let sandbox = Sandbox::new();
        let before = users_own(&sandbox);
        let mut live: BTreeMap<String, PathBuf> = BTreeMap::new();
        let mut expected = BTreeMap::new();
        for number in 0..2 {
            let name = format!("t{number}");
            live.insert(name.clone(), sandbox.worktree(&name).await);
            enter(&sandbox, &live[&name], private).await;
        }
        for _ in 0..6 {
            for tree in live.values() {
                for _ in 0..rng.below(4) {
                    change(&sandbox, tree, &rng, private);
                }
            }
            cleanup(&sandbox, &rng, &mut live, &mut expected, (seed, private)).await;
        }
        let open = sandbox.open().await;
        for (number, (snapshot, (picture, words))) in expected.iter().enumerate() {
            let place = sandbox.path(&format!("final/{number}"));
            open.restore(&named(snapshot), &place).await.unwrap_or_else(|error| panic!("seed {seed}: {error}"));
            // A submodule's link leads to where its git directory is now.
            let (found, picture) = (Picture::of(&place).without("sub/.git"), picture.clone().without("sub/.git"));
            assert_eq!(found, picture, "seed {seed}, {snapshot}");
            // A branch that is used elsewhere cannot be checked out twice; all else git says is the same.
            assert_eq!(words_of_git(&sandbox, &place)[2..], words[2..], "seed {seed}, {snapshot}");
        }
        assert_eq!(users_own(&sandbox), before, "seed {seed}");
        sandbox.run(&sandbox.repo(), &["fsck", "--no-dangling"]);
    }
}

type Expected = BTreeMap<String, (Picture, Vec<String>)>;

/// One random operation on the worktrees.
async fn cleanup(
    sandbox: &Sandbox,
    rng: &Rng,
    live: &mut BTreeMap<String, PathBuf>,
    expected: &mut Expected,
    (seed, private): (u64, bool),
) {
    let open = sandbox.open().await;
    let snapshot = format!("s{}", expected.len());
    let picked =
        live.iter().nth(usize::try_from(rng.below(2)).unwrap()).map(|(name, tree)| (name.clone(), tree.clone()));
    match (rng.below(4), picked) {
        (0, Some((_, tree))) => {
            expected.insert(snapshot.clone(), (Picture::of(&tree), words_of_git(sandbox, &tree)));
            let taken = open.worktree(&tree).await.unwrap();
            let taken = taken.snapshot(&named(&snapshot), &fleet_git::Ignored::Capture).await;
            taken.unwrap_or_else(|error| panic!("seed {seed}: {error}"));
        }
        (1, Some((name, tree))) => {
            expected.insert(snapshot.clone(), (Picture::of(&tree), words_of_git(sandbox, &tree)));
            let removed = open.remove(&tree, &whole(&snapshot), |_| None).await;
            removed.unwrap_or_else(|error| panic!("seed {seed}: {error}"));
            open.restore(&named(&snapshot), &tree).await.unwrap_or_else(|error| panic!("seed {seed}: {error}"));
            enter(sandbox, &tree, private).await;
            let same = |picture: Picture| if private { picture.without("sub/.git") } else { picture };
            assert_eq!(same(Picture::of(&tree)), same(expected[&snapshot].0.clone()), "seed {seed}, {name}");
            assert_eq!(words_of_git(sandbox, &tree)[2..], expected[&snapshot].1[2..], "seed {seed}, {name}");
        }
        (2, _) => prune(sandbox, live, expected).await,
        (_, _) => sandbox.collect_garbage(),
    }
}

/// Follows a plan that frees one worktree's space.
async fn prune(sandbox: &Sandbox, live: &mut BTreeMap<String, PathBuf>, expected: &mut Expected) {
    let open = sandbox.open().await;
    let mut candidates = Vec::new();
    for path in live.values() {
        let (bytes, last_used) = (used_bytes(path).await.unwrap(), jiff::Timestamp::UNIX_EPOCH);
        candidates.push(Candidate { path: path.clone(), purpose: Use::Session, bytes, last_used, in_use: false });
    }
    for path in plan(&candidates, 0, 1).remove {
        let snapshot = format!("s{}", expected.len());
        expected.insert(snapshot.clone(), (Picture::of(&path), words_of_git(sandbox, &path)));
        open.remove(&path, &whole(&snapshot), |_| None).await.unwrap();
        live.retain(|_, other| *other != path);
    }
}

/// One random change, as an agent or a person would make it.
fn change(sandbox: &Sandbox, tree: &Path, rng: &Rng, private: bool) {
    let word = rng.short_code(4);
    let file = ["a.txt", "src/b.txt", "new", "deep/new", "x.log", "target/out", "secret.env"];
    let file = file[usize::try_from(rng.below(7)).unwrap()];
    match rng.below(CHANGES) {
        0 | 1 => put(tree, file, word.as_bytes()),
        2 => drop(std::fs::remove_file(tree.join(file))),
        3 => drop(sandbox.try_run(tree, &["add", "-A"])),
        4 => drop(sandbox.try_run(tree, &["commit", "-qam", &word])),
        5 => drop(sandbox.try_run(tree, &["checkout", "-q", "--detach"])),
        // Of a session's branch without a commit nothing is taken over.
        6 if private => {}
        6 => drop(sandbox.try_run(tree, &["checkout", "-q", "--orphan", &word])),
        7 => drop(symlink(&word, tree.join(format!("link-{word}")))),
        8 => put(tree, odd_path(&[b'o', b'\n', 0xff, word.as_bytes()[0]]), word.as_bytes()),
        9 => {
            put(tree, "mode", word.as_bytes());
            let mode = [0o600, 0o755, 0o444 | 0o200, 0o711][usize::try_from(rng.below(4)).unwrap()];
            std::fs::set_permissions(tree.join("mode"), std::fs::Permissions::from_mode(mode)).unwrap();
        }
        10 => {
            let nested = tree.join("nested");
            put(&nested, &word, word.as_bytes());
            sandbox.run(&nested, &["init", "-q"]);
            sandbox.commit(&nested, &word);
        }
        11 => std::fs::create_dir_all(tree.join("empty").join(&word)).unwrap(),
        12 => {
            // A change of the same line on both sides, so that the merge stops.
            let base = sandbox.text(&sandbox.repo(), &["rev-parse", "main"]);
            put(tree, "a.txt", word.as_bytes());
            drop(sandbox.try_run(tree, &["commit", "-qam", &word]));
            let other = sandbox.text(tree, &["commit-tree", "-p", &base, "-m", &word, "main^{tree}"]);
            drop(sandbox.try_run(tree, &["merge", "-q", "--no-ff", "--no-commit", &other]));
        }
        13 => submodule(sandbox, tree, &word),
        _ => drop(sandbox.try_run(tree, &["reset", "-q", "--hard", "HEAD~1"])),
    }
}

/// Adds a submodule, or commits in the one that is there, and leaves it dirty.
fn submodule(sandbox: &Sandbox, tree: &Path, word: &str) {
    let lib = sandbox.path("lib.git");
    if !lib.exists() {
        sandbox.run(&sandbox.repo(), &["clone", "-q", "--bare", ".", lib.to_str().unwrap()]);
    }
    drop(sandbox.try_run(tree, &["submodule", "--quiet", "add", lib.to_str().unwrap(), "sub"]));
    if tree.join("sub/.git").exists() {
        put(tree, Path::new("sub").join(word), word.as_bytes());
        sandbox.commit(&tree.join("sub"), word);
        put(tree, "sub/dirty", word.as_bytes());
    }
}
