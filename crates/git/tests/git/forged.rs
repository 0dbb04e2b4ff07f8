//! Agents write references, so a snapshot may be theirs: restored, it writes to its own worktree and nowhere else.

use std::io::Write as _;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use fleet_git::Error;
use serde_json::json;

use crate::sandbox::{Sandbox, named, put};

/// A file that a forged snapshot brings, in the order in which it is written.
struct Brings<'a> {
    place: &'a str,
    path: String,
    /// What it holds, or what it leads to.
    content: String,
    link: bool,
}

fn file<'a>(place: &'a str, path: impl Into<String>, content: &str) -> Brings<'a> {
    Brings { place, path: path.into(), content: content.to_owned(), link: false }
}

fn link<'a>(place: &'a str, path: &str, to: &Path) -> Brings<'a> {
    Brings { place, path: path.to_owned(), content: to.display().to_string(), link: true }
}

fn with_input(sandbox: &Sandbox, args: &[&str], input: &[u8]) -> String {
    let mut command = Command::new("git");
    command.args(args).current_dir(sandbox.repo()).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = command.spawn().unwrap();
    child.stdin.take().unwrap().write_all(input).unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success());
    String::from_utf8(output.stdout).unwrap().trim().to_owned()
}

/// Writes a snapshot with plain git, as an agent can.
fn forge(sandbox: &Sandbox, name: &str, brings: &[Brings<'_>], directories: &[(&str, String)]) {
    let blob = |bytes: &[u8]| with_input(sandbox, &["hash-object", "-w", "--stdin"], bytes);
    let stored = |one: &Brings<'_>| json!({ "place": one.place, "path": one.path, "mode": 0o644, "link": one.link });
    let repo = sandbox.repo();
    let git_dir = sandbox.path("old-git-dir");
    let head = sandbox.text(&repo, &["rev-parse", "HEAD"]);
    let manifest = json!({
        "version": 1, "root": "/old", "git_dir": git_dir, "branch": null, "commit": head,
        "stored": brings.iter().map(stored).collect::<Vec<_>>(), "modes": [],
        "directories": directories.iter().map(|(place, path)| json!([place, path, 0o700])).collect::<Vec<_>>(),
        "left_out": [], "special": [],
    });
    let entries: Vec<String> = brings
        .iter()
        .enumerate()
        .map(|(at, one)| format!("100644 blob {}\t{at}\n", blob(one.content.as_bytes())))
        .collect();
    let stored = with_input(sandbox, &["mktree"], entries.concat().as_bytes());
    let manifest = blob(manifest.to_string().as_bytes());
    let rest = format!("100644 blob {manifest}\tmanifest\n040000 tree {stored}\tstored\n");
    let rest = with_input(sandbox, &["mktree"], rest.as_bytes());
    let rest = sandbox.text(&repo, &["commit-tree", &rest, "-m", "rest"]);
    let tree = sandbox.text(&repo, &["rev-parse", "HEAD^{tree}"]);
    let commit = sandbox.text(&repo, &["commit-tree", &tree, "-p", &head, "-p", &rest, "-m", "forged"]);
    sandbox.run(&repo, &["update-ref", &format!("refs/fleet/snapshots/{name}"), &commit]);
}

/// Writes what a snapshot brings by its paths, as a careless restore would.
fn carelessly(brings: &[Brings<'_>], directories: &[(&str, String)], tree: &Path, git_dir: &Path) {
    let at = |place: &str| if place == "tree" { tree } else { git_dir };
    for one in brings {
        let path = at(one.place).join(&one.path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        let _ = std::fs::remove_file(&path);
        if one.link { symlink(&one.content, path).unwrap() } else { std::fs::write(path, &one.content).unwrap() }
    }
    for (place, path) in directories {
        std::fs::create_dir_all(at(place).join(path)).unwrap();
    }
}

#[tokio::test]
async fn a_forged_snapshot_writes_nothing_outside_of_its_worktree() {
    let outside = |sandbox: &Sandbox| sandbox.path("outside");
    type Attack = (&'static str, fn(&Path) -> (Vec<Brings<'static>>, Vec<(&'static str, String)>));
    let attacks: [Attack; 7] = [
        ("an absolute path", |outside| (vec![file("tree", outside.join("victim").to_str().unwrap(), "x")], vec![])),
        ("a path with dots", |_| (vec![file("tree", "../../outside/victim", "x")], vec![])),
        ("dots behind a name", |_| (vec![file("tree", "src/../../../outside/victim", "x")], vec![])),
        ("a link and a file below it", |outside| {
            (vec![link("tree", "way", outside), file("tree", "way/victim", "x")], vec![])
        }),
        ("a link in the git directory and a file below it", |outside| {
            (vec![link("git_dir", "way", outside), file("git_dir", "way/victim", "x")], vec![])
        }),
        ("a folder with dots", |_| (vec![], vec![("tree", "../../outside/victim".to_owned())])),
        ("a folder behind a link", |outside| {
            (vec![link("tree", "way", outside)], vec![("tree", "way/victim".to_owned())])
        }),
    ];
    for (name, attack) in attacks {
        let sandbox = Sandbox::new();
        std::fs::create_dir_all(outside(&sandbox)).unwrap();
        let (brings, directories) = attack(&outside(&sandbox));
        let careless = sandbox.path("trees/careless");
        std::fs::create_dir_all(careless.join("src")).unwrap();
        carelessly(&brings, &directories, &careless, &careless.join("git"));
        let victim = outside(&sandbox).join("victim");
        assert!(victim.exists(), "{name} does not lead out by itself");
        let _ = (std::fs::remove_file(&victim), std::fs::remove_dir(&victim));

        forge(&sandbox, "forged", &brings, &directories);
        let tree = sandbox.path("trees/restored");
        let restored = sandbox.open().await.restore(&named("forged"), &tree).await;
        assert!(restored.is_err(), "{name} was restored");
        assert!(!victim.exists(), "{name} led out");
        assert!(!tree.exists(), "{name} left a worktree behind");
    }
}

#[tokio::test]
async fn a_forged_snapshot_leads_git_to_no_other_settings() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo();
    let other = sandbox.path("other/.git");
    std::fs::create_dir_all(&other).unwrap();
    put(&other, "config", b"[core]\n");
    for path in [".git", "./.git", ".git/config"] {
        forge(&sandbox, "forged", &[file("tree", path, &format!("gitdir: {}\n", other.display()))], &[]);
        let error = sandbox.open().await.restore(&named("forged"), &sandbox.path("trees/t")).await.unwrap_err();
        assert!(matches!(error, Error::ForeignSnapshot { .. }), "{error}");
    }
    // Files that say where the worktree is are its own; settings of it are put aside; and a submodule whose git
    // directory is behind a link is left alone.
    let old = sandbox.path("old-git-dir");
    let brings = [
        file("git_dir", "./commondir", other.to_str().unwrap()),
        file("git_dir", "gitdir", "/elsewhere/.git"),
        file("git_dir", "config.worktree", "[core]\n\tfsmonitor = touch /nowhere\n"),
        link("git_dir", "modules", &other),
        file("tree", "sub/.git", &format!("gitdir: {}\n", old.join("modules").display())),
        file("tree", "harmless", "x"),
    ];
    forge(&sandbox, "forged", &brings, &[]);
    let tree = sandbox.path("trees/t");
    sandbox.open().await.restore(&named("forged"), &tree).await.unwrap();
    assert_eq!(std::fs::read(tree.join("harmless")).unwrap(), b"x", "what is harmless is restored");
    assert_eq!(std::fs::read(other.join("config")).unwrap(), b"[core]\n");
    let git_dir = PathBuf::from(sandbox.text(&tree, &["rev-parse", "--absolute-git-dir"]));
    assert!(git_dir.starts_with(repo.join(".git/worktrees").canonicalize().unwrap()), "{}", git_dir.display());
    assert_eq!(std::fs::read(git_dir.join("commondir")).unwrap(), b"../..\n");
    assert!(!git_dir.join("config.worktree").exists());
}

#[tokio::test]
async fn the_snapshot_that_was_taken_is_restored_wherever_its_name_leads_by_now() {
    let sandbox = Sandbox::new();
    let tree = sandbox.worktree("w").await;
    put(&tree, "mine", b"mine");
    let open = sandbox.open().await;
    let removed = open.remove(&tree, &crate::sandbox::whole("s"), |_| None).await.unwrap();
    forge(&sandbox, "s", &[file("tree", "mine", "theirs")], &[]);
    open.restore(&named("s"), &sandbox.path("trees/by-name")).await.unwrap();
    assert_eq!(std::fs::read(sandbox.path("trees/by-name/mine")).unwrap(), b"theirs");
    open.restore_from(&named("s"), removed.snapshot.commit, &tree).await.unwrap();
    assert_eq!(std::fs::read(tree.join("mine")).unwrap(), b"mine");
}
