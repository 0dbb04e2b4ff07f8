//! What a hostile agent leaves in its git directory: nothing of it is believed, followed or stored under a false name.
//!
//! Each attack is also shown to succeed without that: against the plain git, or in a worktree that shares the
//! repository's objects and references.

use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};

use fleet_git::{Committed, Error, Identity, Repository};
use rustix::fs::{CWD, FileType, Mode, mknodat};

use crate::private::{enter, place};
use crate::sandbox::{Sandbox, named, put, whole};

/// The file of an object that is in no pack.
fn loose(objects: &Path, oid: &str) -> PathBuf {
    objects.join(&oid[..2]).join(&oid[2..])
}

/// Makes git find other bytes under the name of an object.
fn swap(sandbox: &Sandbox, directory: &Path, objects: &Path, oid: &str, bytes: &[u8]) {
    put(directory, "other", bytes);
    let other = sandbox.text(directory, &["hash-object", "-w", "--no-filters", "other"]);
    std::fs::remove_file(directory.join("other")).unwrap();
    let file = loose(objects, oid);
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o644)).unwrap();
    std::fs::copy(loose(objects, &other), file).unwrap();
}

/// What must not change in the repository.
fn standing(sandbox: &Sandbox) -> Vec<u8> {
    sandbox.run(&sandbox.repo(), &["for-each-ref"])
}

fn is_refused<T: std::fmt::Debug>(result: &Result<T, Error>) -> bool {
    matches!(result, Err(Error::PrivateGit { .. } | Error::Disk { .. }))
}

#[tokio::test]
async fn an_object_with_other_bytes_than_its_name_says_is_not_taken_over() {
    let sandbox = Sandbox::new();
    let (made, tree) = enter(&sandbox, "one").await;
    put(&tree, "checked", b"good\n");
    sandbox.commit(&tree, "work");
    let before = standing(&sandbox);
    let blob = sandbox.text(&tree, &["rev-parse", "HEAD:checked"]);
    swap(&sandbox, &tree, &place(&sandbox, "one").join("objects"), &blob, b"evil\n");
    assert_eq!(sandbox.text(&tree, &["show", "HEAD:checked"]), "evil", "the plain git believes it");
    assert!(is_refused(&made.take_over().await));
    assert_eq!(standing(&sandbox), before);
}

#[tokio::test]
async fn an_object_that_is_swapped_after_it_was_taken_over_changes_nothing() {
    let sandbox = Sandbox::new();
    let (made, tree) = enter(&sandbox, "one").await;
    put(&tree, "checked", b"good\n");
    sandbox.commit(&tree, "work");
    made.take_over().await.unwrap();
    let blob = sandbox.text(&tree, &["rev-parse", "HEAD:checked"]);
    swap(&sandbox, &tree, &place(&sandbox, "one").join("objects"), &blob, b"evil\n");
    assert_eq!(sandbox.text(&sandbox.repo(), &["show", "work/one:checked"]), "good");
    sandbox.run(&sandbox.repo(), &["checkout", "-q", "--detach", "work/one"]);
    assert_eq!(std::fs::read(sandbox.repo().join("checked")).unwrap(), b"good\n");

    // In a worktree that shares the objects it does.
    let shared = sandbox.worktree("two").await;
    put(&shared, "checked", b"good too\n");
    sandbox.commit(&shared, "work");
    let blob = sandbox.text(&shared, &["rev-parse", "HEAD:checked"]);
    swap(&sandbox, &shared, &sandbox.repo().join(".git/objects"), &blob, b"evil\n");
    assert_eq!(sandbox.text(&sandbox.repo(), &["show", "work/two:checked"]), "evil");
}

#[tokio::test]
async fn no_reference_but_its_branch_is_moved_from_inside() {
    let sandbox = Sandbox::new();
    let (made, tree) = enter(&sandbox, "one").await;
    let shared = sandbox.worktree("two").await;
    let attack = |tree: &Path| {
        put(tree, "evil", b"evil");
        sandbox.commit(tree, "evil");
        sandbox.run(tree, &["update-ref", "refs/heads/main", "HEAD"]);
        sandbox.run(tree, &["update-ref", "refs/fleet/snapshots/forged", "HEAD"]);
        sandbox.run(tree, &["replace", "HEAD~1", "HEAD"]);
    };
    let others = || sandbox.run(&sandbox.repo(), &["for-each-ref", "--exclude=refs/heads/work/*"]);
    let before = others();
    attack(&tree);
    made.take_over().await.unwrap();
    sandbox.open().await.remove(&tree, &whole("s"), |_| None).await.unwrap();
    sandbox.run(&sandbox.repo(), &["update-ref", "-d", "refs/fleet/snapshots/s"]);
    assert_eq!(others(), before);
    let open = sandbox.open().await;
    assert!(matches!(open.restore(&named("forged"), &sandbox.path("x")).await, Err(Error::NoSnapshot { .. })));
    attack(&shared);
    assert_ne!(others(), before, "in a worktree that shares them they are");
}

#[tokio::test]
async fn a_head_that_is_no_head_is_refused_and_followed_nowhere() {
    let sandbox = Sandbox::new();
    let (made, tree) = enter(&sandbox, "one").await;
    let before = standing(&sandbox);
    let head = place(&sandbox, "one").join("HEAD");
    put(&sandbox.path("home"), "secret", format!("{}\n", sandbox.text(&tree, &["rev-parse", "HEAD"])).as_bytes());
    type Attack = Box<dyn Fn(&Path)>;
    let text = |text: &'static str| -> Attack { Box::new(move |head| std::fs::write(head, text).unwrap()) };
    let secret = sandbox.path("home/secret");
    let attacks: Vec<Attack> = vec![
        Box::new(move |head| symlink(&secret, head).unwrap()),
        Box::new(|head| mknodat(CWD, head, FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).unwrap()),
        Box::new(|head| std::fs::File::create(head).unwrap().set_len(1 << 40).unwrap()),
        Box::new(|head| std::fs::create_dir(head).unwrap()),
        text("ref: ../../../../home/secret\n"),
        text("ref: refs/heads/../../../../../home/secret\n"),
        text("ref: refs/fleet/snapshots/x\n"),
        text("--output=/tmp/x\n"),
        text(""),
    ];
    for (number, attack) in attacks.iter().enumerate() {
        let _ = std::fs::remove_file(&head).or_else(|_| std::fs::remove_dir(&head));
        attack(&head);
        assert!(is_refused(&made.take_over().await), "attack {number}");
        assert!(made.keep_all_but(&[], "keep", Some(&Identity::fleet())).await.is_err());
        assert_eq!(standing(&sandbox), before, "attack {number}");
    }
    // What lies in the worktree is not lost for that.
    put(&tree, "work", b"work");
    sandbox.open().await.remove(&tree, &whole("s"), |_| None).await.unwrap();
    assert_eq!(sandbox.text(&sandbox.repo(), &["show", "refs/fleet/snapshots/s:work"]), "work");
    assert!(sandbox.path("private/one.kept1").is_dir());
}

#[tokio::test]
async fn a_reference_that_is_a_link_or_leads_elsewhere_moves_nothing() {
    let sandbox = Sandbox::new();
    let (made, tree) = enter(&sandbox, "one").await;
    let before = standing(&sandbox);
    sandbox.commit(&sandbox.repo(), "of the user");
    let secret = sandbox.text(&sandbox.repo(), &["rev-parse", "main"]);
    sandbox.run(&sandbox.repo(), &["reset", "-q", "--hard", "HEAD~1"]);
    put(&sandbox.path("home"), "secret", format!("{secret}\n").as_bytes());
    let file = place(&sandbox, "one").join("refs/heads/work/one");
    std::fs::remove_file(&file).unwrap();
    symlink(sandbox.path("home/secret"), &file).unwrap();
    assert_eq!(sandbox.text(&tree, &["rev-parse", "HEAD"]), secret, "the plain git follows it");
    assert!(is_refused(&made.take_over().await));
    std::fs::remove_file(&file).unwrap();
    std::fs::write(&file, "ref: refs/heads/main\n").unwrap();
    let _ = made.take_over().await;
    assert_eq!(standing(&sandbox), before);
}

#[tokio::test]
async fn an_index_that_is_none_is_refused_and_its_worktree_is_kept() {
    let sandbox = Sandbox::new();
    let (made, tree) = enter(&sandbox, "one").await;
    let (before, index) = (standing(&sandbox), place(&sandbox, "one").join("index"));
    put(&tree, "work", b"work");
    std::fs::write(&index, b"DIRC\0\0\0\x02\xff\xff\xff\xff").unwrap();
    assert!(!sandbox.try_run(&tree, &["status"]).status.success());
    assert!(is_refused(&made.take_over().await));
    std::fs::remove_file(&index).unwrap();
    symlink(sandbox.repo().join(".git/index"), &index).unwrap();
    assert!(sandbox.try_run(&tree, &["status"]).status.success(), "the plain git follows it");
    assert!(is_refused(&made.take_over().await));
    std::fs::remove_file(&index).unwrap();
    std::fs::File::create(&index).unwrap().set_len(1 << 40).unwrap();
    assert!(is_refused(&made.status(None).await));
    assert_eq!(standing(&sandbox), before);
    sandbox.open().await.remove(&tree, &whole("s"), |_| None).await.unwrap();
    assert_eq!(sandbox.text(&sandbox.repo(), &["show", "refs/fleet/snapshots/s:work"]), "work");
}

#[tokio::test]
async fn objects_that_only_the_user_may_read_are_not_borrowed() {
    let sandbox = Sandbox::new();
    let (made, tree) = enter(&sandbox, "one").await;
    // Another project, of which the agent knows the name of an object and not its content.
    let other = sandbox.path("other");
    sandbox.run(&sandbox.path("home"), &["init", "-q", other.to_str().unwrap()]);
    put(&other, "secret", b"secret\n");
    sandbox.commit(&other, "secret");
    let secret = sandbox.text(&other, &["rev-parse", "HEAD:secret"]);
    put(&sandbox.path("home"), "entry", format!("100644 blob {secret}\tstolen\n").as_bytes());
    let objects = place(&sandbox, "one").join("objects");
    let entry = std::fs::File::open(sandbox.path("home/entry")).unwrap();
    let mut make = std::process::Command::new("git");
    let made_tree = make.args(["mktree", "--missing"]).current_dir(&tree).stdin(entry).output().unwrap().stdout;
    let made_tree = String::from_utf8(made_tree).unwrap().trim().to_owned();
    let commit = sandbox.text(&tree, &["commit-tree", "-p", "HEAD", "-m", "steal", &made_tree]);
    sandbox.run(&tree, &["update-ref", "HEAD", &commit]);
    let before = standing(&sandbox);
    assert!(is_refused(&made.take_over().await), "the content is nowhere");

    let alternates = objects.join("info/alternates");
    let honest = std::fs::read(&alternates).unwrap();
    std::fs::write(&alternates, [&honest[..], other.join(".git/objects\n").as_os_str().as_encoded_bytes()].concat())
        .unwrap();
    assert_eq!(sandbox.text(&tree, &["show", "HEAD:stolen"]), "secret", "the plain git borrows it");
    assert!(is_refused(&made.take_over().await));
    std::fs::write(&alternates, &honest).unwrap();
    let (file, link) = (loose(&other.join(".git/objects"), &secret), loose(&objects, &secret));
    std::fs::create_dir_all(link.parent().unwrap()).unwrap();
    symlink(file, link).unwrap();
    assert_eq!(sandbox.text(&tree, &["show", "HEAD:stolen"]), "secret", "the plain git follows the link");
    assert!(is_refused(&made.take_over().await));
    assert_eq!(standing(&sandbox), before);
    assert!(!sandbox.try_run(&sandbox.repo(), &["cat-file", "-e", &secret]).status.success());
}

#[tokio::test]
async fn what_is_read_while_an_agent_exchanges_its_objects_is_not_stored() {
    let sandbox = Sandbox::new();
    let (_, tree) = enter(&sandbox, "one").await;
    let link = place(&sandbox, "one").join("objects/link");
    // Before the exchange and after it, few objects and as many as come in a pack.
    for (round, files) in [(1, 1), (2, 150)] {
        (0..files).for_each(|file| put(&tree, format!("{round}/{file}"), format!("{round} {file}").as_bytes()));
        sandbox.commit(&tree, "work");
        let head = sandbox.text(&tree, &["rev-parse", "HEAD"]);
        let is_there = || sandbox.try_run(&sandbox.repo(), &["cat-file", "-e", &head]).status.success();
        let stored = || sandbox.text(&sandbox.repo(), &["count-objects", "-v"]);
        let before = (standing(&sandbox), stored());
        // Right after git has packed, and before the second look.
        let script = format!(
            "#!/bin/sh\ngit \"$@\"\ncode=$?\ncase \" $* \" in *' pack-objects '*) ln -s /etc '{}';; esac\nexit $code\n",
            link.display()
        );
        let program = sandbox.path("hostile-git");
        put(&sandbox.path(""), "hostile-git", script.as_bytes());
        std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
        let made = sandbox.open_with(&program).await.worktree(&tree).await.unwrap();
        assert!(is_refused(&made.take_over().await));
        assert!(!is_there());
        assert_eq!((standing(&sandbox), stored()), before, "nothing is stored, and nothing is left");
        // The control: the same work without the exchange.
        std::fs::remove_file(&link).unwrap();
        sandbox.open().await.worktree(&tree).await.unwrap().take_over().await.unwrap();
        assert!(is_there());
        let left = std::fs::read_dir(sandbox.repo().join(".git/objects")).unwrap();
        assert!(!left.flatten().any(|entry| entry.file_name().to_string_lossy().starts_with("tmp_")));
    }
}

#[tokio::test]
async fn a_tree_that_would_write_into_a_git_directory_is_not_taken_over() {
    let sandbox = Sandbox::new();
    let (made, tree) = enter(&sandbox, "one").await;
    let blob = sandbox.text(&tree, &["rev-parse", "HEAD:a.txt"]);
    let raw: Vec<u8> =
        (0..blob.len()).step_by(2).map(|at| u8::from_str_radix(&blob[at..at + 2], 16).unwrap()).collect();
    put(&tree, "raw", &[b"100644 .git\0", &raw[..]].concat());
    let odd = sandbox.text(&tree, &["hash-object", "-t", "tree", "-w", "--literally", "raw"]);
    let commit = sandbox.text(&tree, &["commit-tree", "-p", "HEAD", "-m", "odd", &odd]);
    sandbox.run(&tree, &["update-ref", "HEAD", &commit]);
    let before = standing(&sandbox);
    sandbox.run(&sandbox.path("home"), &["clone", "-q", "--bare", tree.to_str().unwrap(), "copy.git"]);
    sandbox.run(&sandbox.path("home/copy.git"), &["cat-file", "-e", &odd]);
    assert!(is_refused(&made.take_over().await), "a plain clone took it");
    assert_eq!(standing(&sandbox), before);
}

async fn everything(made: &Repository, message: &str) -> Committed {
    made.status(None).await.unwrap();
    made.is_changed().await.unwrap();
    made.keep_all_but(&[], message, Some(&Identity::fleet())).await.unwrap()
}

#[tokio::test]
async fn settings_of_the_session_are_not_heeded_however_and_whenever_they_come() {
    let sandbox = Sandbox::new();
    sandbox.run(&sandbox.repo(), &["config", "extensions.worktreeConfig", "true"]);
    let (made, tree) = enter(&sandbox, "one").await;
    let own = place(&sandbox, "one");
    let ran = format!("touch '{}'; cat", sandbox.path("ran").display());
    let text = format!("[filter \"mine\"]\n\tclean = \"{ran}\"\n[core]\n\tfsmonitor = \"{ran} #\"\n");
    put(&tree, ".gitattributes", b"a.txt filter=mine\n");
    for (number, name) in ["config.worktree", "config"].into_iter().enumerate() {
        let text = if name == "config" { text.clone() } else { format!("{text}[x]\n") };
        put(&own, name, format!("[extensions]\n\tworktreeConfig = true\n{text}").as_bytes());
        put(&tree, "a.txt", format!("changed {number}\n").as_bytes());
        assert!(matches!(everything(&made, "keep").await, Committed::Commit(_)));
        assert!(!sandbox.path("ran").exists(), "{name}");
    }
    put(&tree, "a.txt", b"changed again\n");
    sandbox.run(&tree, &["status"]);
    assert!(sandbox.path("ran").exists(), "the plain git runs them");
    std::fs::remove_file(sandbox.path("ran")).unwrap();
    made.give_private(&own).await.unwrap();
    sandbox.run(&tree, &["status"]);
    assert!(!sandbox.path("ran").exists(), "and not after they were put right");
}
