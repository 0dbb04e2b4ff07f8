//! What whoever worked in a worktree left there is not run by Fleet's git; and a repository that is shared in parts works.

use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use fleet_git::{Committed, Identity, Repository};

use crate::sandbox::{Sandbox, put};

/// A line for a shell that leaves a file behind.
fn leaves(sandbox: &Sandbox, name: &str) -> String {
    format!("touch '{}'; cat", sandbox.path(name).display())
}

fn program(path: &Path, text: &str) {
    put(path.parent().unwrap(), path.file_name().unwrap().to_str().unwrap(), text.as_bytes());
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).unwrap();
}

async fn create(sandbox: &Sandbox, name: &str) -> Repository {
    let path = sandbox.worktree(name).await;
    sandbox.open().await.worktree(&path).await.unwrap()
}

async fn everything(worktree: &Repository, message: &str) -> Committed {
    worktree.status(None).await.unwrap();
    worktree.is_changed().await.unwrap();
    worktree.keep_all_but(&[], message, Some(&Identity::fleet())).await.unwrap()
}

#[tokio::test]
async fn hooks_and_monitors_of_the_settings_are_run_by_none_of_our_processes() {
    let sandbox = Sandbox::new();
    let made = create(&sandbox, "one").await;
    let ran = leaves(&sandbox, "ran");
    for hook in ["post-checkout", "pre-commit", "post-commit", "post-index-change", "reference-transaction"] {
        program(&sandbox.repo().join(".git/hooks").join(hook), &format!("#!/bin/sh\n{ran} >/dev/null\n"));
    }
    sandbox.run(&sandbox.repo(), &["config", "core.fsmonitor", &format!("{ran} #")]);
    let root = made.root().unwrap().to_owned();
    put(&root, "new", b"new");
    assert!(matches!(everything(&made, "keep").await, Committed::Commit(_)));
    create(&sandbox, "two").await;
    assert!(!sandbox.path("ran").exists());
    // It is there and would: the plain git runs it.
    sandbox.run(&sandbox.repo(), &["status"]);
    assert!(sandbox.path("ran").exists());
}

#[tokio::test]
async fn a_commit_is_what_it_is_though_a_reference_has_git_take_another_for_it() {
    let sandbox = Sandbox::new();
    let open = sandbox.open().await;
    let good = open.resolve("main").await.unwrap();
    put(&sandbox.repo(), "a.txt", b"bad\n");
    sandbox.commit(&sandbox.repo(), "bad");
    let bad = open.resolve("main").await.unwrap();
    sandbox.run(&sandbox.repo(), &["replace", bad.as_str(), good.as_str()]);
    let shown = |rev: &str| sandbox.run(&sandbox.repo(), &["show", &format!("{rev}:a.txt")]);
    assert_eq!(shown(bad.as_str()), shown(good.as_str()), "the plain git is led astray");

    assert_eq!(open.file_in(&bad, "a.txt", 100).await.unwrap().unwrap(), b"bad\n");
    let made = create(&sandbox, "one").await;
    assert_eq!(std::fs::read(made.root().unwrap().join("a.txt")).unwrap(), b"bad\n");
    assert!(!made.is_changed().await.unwrap());
}

#[tokio::test]
async fn hooks_that_lie_in_the_worktree_have_no_say_there() {
    let sandbox = Sandbox::new();
    program(&sandbox.repo().join("checks/pre-commit"), "#!/bin/sh\nexit 1\n");
    sandbox.commit(&sandbox.repo(), "add hooks");
    sandbox.run(&sandbox.repo(), &["config", "core.hooksPath", "checks"]);
    let made = create(&sandbox, "one").await;
    put(made.root().unwrap(), "new", b"new");
    assert!(matches!(made.commit_all("x", &Identity::fleet()).await.unwrap(), Committed::Commit(_)));
    sandbox.run(&sandbox.repo(), &["config", "core.hooksPath", sandbox.repo().join("checks").to_str().unwrap()]);
    put(made.root().unwrap(), "other", b"other");
    assert!(made.commit_all("x", &Identity::fleet()).await.is_err(), "those of the user have");
}

#[tokio::test]
async fn a_worktree_that_was_led_to_other_settings_is_led_back_and_they_are_not_heeded() {
    let sandbox = Sandbox::new();
    let made = create(&sandbox, "one").await;
    let root = made.root().unwrap().to_owned();
    // What somebody may write there: another repository's settings with a filter, and attributes that ask for it.
    let forged = root.join("forged");
    sandbox.run(&root, &["init", "-q", "--bare", forged.to_str().unwrap()]);
    sandbox.run(&forged, &["config", "filter.mine.clean", &leaves(&sandbox, "ran")]);
    put(&root, ".gitattributes", b"a.txt filter=mine\n");
    put(&root, "a.txt", b"changed\n");
    put(made.git_dir(), "commondir", format!("{}\n", forged.display()).as_bytes());
    assert!(made.is_changed().await.unwrap(), "the handle knows where its repository is");
    let again = sandbox.open().await.worktree(&root).await.unwrap();
    everything(&again, "keep").await;
    assert_eq!(std::fs::read_to_string(made.git_dir().join("commondir")).unwrap(), "../..\n");
    assert!(!sandbox.path("ran").exists());
}

#[tokio::test]
async fn settings_of_a_worktree_alone_are_put_aside_unless_they_are_harmless() {
    let sandbox = Sandbox::new();
    let made = create(&sandbox, "one").await;
    let root = made.root().unwrap().to_owned();
    sandbox.run(&sandbox.repo(), &["config", "extensions.worktreeConfig", "true"]);
    sandbox.run(&root, &["sparse-checkout", "set", "--no-cone", "/*"]);
    sandbox.open().await.worktree(&root).await.unwrap();
    assert!(made.git_dir().join("config.worktree").exists(), "git wrote them");
    sandbox.run(&root, &["config", "--worktree", "filter.mine.clean", &leaves(&sandbox, "ran")]);
    put(&root, ".gitattributes", b"a.txt filter=mine\n");
    put(&root, "a.txt", b"changed\n");
    let again = sandbox.open().await.worktree(&root).await.unwrap();
    everything(&again, "keep").await;
    assert!(!sandbox.path("ran").exists());
    assert!(made.git_dir().join("config.worktree.refused").exists());
}

#[tokio::test]
async fn a_repository_inside_of_a_worktree_is_not_looked_into_and_its_commit_is_kept() {
    let sandbox = Sandbox::new();
    let made = create(&sandbox, "one").await;
    let root = made.root().unwrap().to_owned();
    let inner = root.join("inner");
    std::fs::create_dir(&inner).unwrap();
    sandbox.run(&inner, &["init", "-q"]);
    put(&inner, "f", b"x");
    sandbox.commit(&inner, "inner");
    assert!(matches!(everything(&made, "take it in").await, Committed::Commit(_)));
    let staged = String::from_utf8(sandbox.run(&root, &["ls-tree", "HEAD", "inner"])).unwrap();
    assert!(staged.starts_with("160000 commit "), "{staged}");

    sandbox.run(&inner, &["config", "filter.mine.clean", &leaves(&sandbox, "ran")]);
    put(&inner, ".gitattributes", b"f filter=mine\n");
    // The same size at another time: git has to read it, through the filter.
    put(&inner, "f", b"y");
    std::fs::File::open(inner.join("f")).unwrap().set_modified(std::time::UNIX_EPOCH).unwrap();
    put(&root, "new", b"new");
    assert!(matches!(everything(&made, "keep").await, Committed::Commit(_)));
    assert!(!sandbox.path("ran").exists());
    sandbox.run(&root, &["status"]);
    assert!(sandbox.path("ran").exists(), "it is there and would");

    sandbox.run(&inner, &["config", "--unset", "filter.mine.clean"]);
    sandbox.commit(&inner, "go on");
    assert!(matches!(everything(&made, "follow it").await, Committed::Commit(_)));
    let head = sandbox.run(&inner, &["rev-parse", "HEAD"]);
    let now = String::from_utf8(sandbox.run(&root, &["ls-tree", "HEAD", "inner"])).unwrap();
    assert!(now.contains(String::from_utf8(head).unwrap().trim()), "{now}");
}

#[tokio::test]
async fn what_is_staged_is_what_adding_everything_would_stage() {
    let sandbox = Sandbox::new();
    let made = create(&sandbox, "one").await;
    let root = made.root().unwrap().to_owned();
    // A file where a folder was, a folder where a file was, one that is ignored since, one that went, one with a line break.
    std::fs::remove_dir_all(root.join("src")).unwrap();
    put(&root, "src", b"a file");
    std::fs::remove_file(root.join("a.txt")).unwrap();
    put(&root, "a.txt/deep", b"a folder");
    put(&root, "odd\nname", b"odd");
    put(&root, "kept.log", b"ignored");
    sandbox.run(&root, &["add", "--force", "kept.log"]);
    sandbox.run(&root, &["commit", "-qm", "x"]);
    sandbox.run(&root, &["rm", "-q", "--cached", "kept.log"]);
    everything(&made, "keep").await;
    let found = String::from_utf8(sandbox.run(&root, &["ls-tree", "-r", "-z", "--name-only", "HEAD"])).unwrap();
    assert_eq!(found.split_terminator('\0').collect::<Vec<_>>(), [".gitignore", "a.txt/deep", "odd\nname", "src"]);
    assert_eq!(sandbox.run(&root, &["status", "--porcelain"]), b"");
}

#[tokio::test]
async fn packed_references_are_moved_once_and_stay_what_they_are() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo();
    for name in ["one", "two"] {
        sandbox.run(&repo, &["branch", name]);
    }
    sandbox.run(&repo, &["pack-refs", "--all"]);
    let before = sandbox.run(&repo, &["for-each-ref"]);
    let (git, packed) = (repo.join(".git"), repo.join(".git/packed-refs"));
    sandbox.git.share(&git).await.unwrap();
    sandbox.git.share(&git).await.unwrap();
    assert_eq!(std::fs::read_link(&packed).unwrap(), Path::new("fleet/packed-refs"));
    assert_eq!(sandbox.run(&repo, &["for-each-ref"]), before);
    sandbox.run(&repo, &["branch", "-D", "one"]);
    sandbox.run(&repo, &["branch", "three"]);
    sandbox.run(&repo, &["pack-refs", "--all"]);
    assert!(packed.is_symlink(), "git writes behind the link");
    let left = || String::from_utf8(sandbox.run(&repo, &["branch", "--format=%(refname:short)"])).unwrap();
    assert_eq!(left(), "main\nthree\ntwo\n");

    // Something that knows no links put a file in its place: that is what counts, and what was is not brought back.
    let text = std::fs::read_to_string(&packed).unwrap();
    let text: String = text.lines().filter(|line| !line.ends_with("/two")).map(|line| format!("{line}\n")).collect();
    std::fs::remove_file(&packed).unwrap();
    std::fs::write(&packed, text).unwrap();
    sandbox.git.share(&git).await.unwrap();
    assert!(packed.is_symlink());
    assert_eq!(left(), "main\nthree\n");
    assert!(!git.join("packed-refs.lock").exists() && !git.join("packed-refs.fleet").exists());
}

#[tokio::test]
async fn a_lock_that_a_killed_server_left_is_taken_over_and_one_of_others_is_waited_for() {
    let sandbox = Sandbox::new();
    let git = sandbox.repo().join(".git");
    let (lock, ours) = (git.join("packed-refs.lock"), git.join("packed-refs.fleet"));
    std::fs::write(&ours, "").unwrap();
    std::fs::hard_link(&ours, &lock).unwrap();
    sandbox.git.share(&git).await.unwrap();
    assert!(git.join("packed-refs").is_symlink() && !lock.exists());

    std::fs::remove_file(git.join("packed-refs")).unwrap();
    std::fs::write(&lock, "").unwrap();
    assert!(sandbox.git.share(&git).await.unwrap_err().is_lock());
    assert!(lock.exists(), "it is somebody's");
}
