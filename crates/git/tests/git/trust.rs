//! Files that an agent left in a worktree are not run by Fleet's git; and a repository that is shared in parts works.

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
    // A file where a folder was, a folder where a file was, one that is ignored since, one that went, one with a line
    // break.
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

/// Settings of a repository that name a program, each of which leaves a file of its own behind.
fn hostile(sandbox: &Sandbox, tree: &Path) {
    let ran = |name: &str| format!("{}; :", leaves(sandbox, &format!("ran-{name}")));
    let filter = |name: &str| leaves(sandbox, &format!("ran-{name}"));
    for (key, value) in [
        ("filter.mine.clean", filter("clean")),
        ("filter.mine.smudge", filter("smudge")),
        ("filter.mine.required", "true".to_owned()),
        ("merge.mine.driver", ran("merge")),
        ("diff.mine.textconv", ran("textconv")),
        ("diff.external", ran("external")),
        ("core.sshCommand", ran("ssh")),
        ("credential.helper", format!("!{}", ran("credential"))),
        ("gpg.program", ran("gpg")),
        ("core.fsmonitor", format!("{} #", ran("fsmonitor"))),
    ] {
        sandbox.run(tree, &["config", key, &value]);
    }
}

fn ran(sandbox: &Sandbox) -> Vec<String> {
    let entries = std::fs::read_dir(sandbox.path("")).unwrap().map(|entry| entry.unwrap().file_name());
    let mut names: Vec<String> = entries.map(|name| name.to_string_lossy().into_owned()).collect();
    names.retain(|name| name.starts_with("ran-"));
    names.sort();
    names
}

#[tokio::test]
async fn programs_that_the_settings_of_a_repository_name_are_run_by_none_of_our_processes() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo();
    put(&repo, ".gitattributes", b"*.txt filter=mine merge=mine diff=mine\n");
    sandbox.commit(&repo, "attributes");
    let made = create(&sandbox, "one").await;
    put(made.root().unwrap(), "a.txt", b"ONE\ntwo\nthree\n");
    let (open, by) = (sandbox.open().await, Identity::fleet());
    made.keep_all_but(&[], "one", Some(&by)).await.unwrap();
    put(&repo, "a.txt", b"one\ntwo\nTHREE\n");
    sandbox.commit(&repo, "three");
    hostile(&sandbox, &repo);

    let (base, tip) = (open.resolve("main").await.unwrap(), open.resolve("work/one").await.unwrap());
    assert!(matches!(open.merge_tree(&base, &tip).await.unwrap(), fleet_git::Merge::Clean(_)), "git merges it itself");
    open.changes(&base, &tip).await.unwrap();
    let made = create(&sandbox, "two").await;
    put(made.root().unwrap(), "a.txt", b"changed\n");
    put(made.root().unwrap(), "new.txt", b"new\n");
    assert!(matches!(everything(&made, "keep").await, Committed::Commit(_)));
    made.force_to(&tip).await.unwrap();
    let _ = open.push(&"work/one".parse().unwrap()).await;
    assert_eq!(ran(&sandbox), Vec::<String>::new());

    // They are there and would: the plain git runs them.
    let shared = sandbox.path("trees/three");
    sandbox.run(&repo, &["worktree", "add", "-q", shared.to_str().unwrap()]);
    put(&shared, "a.txt", b"plain\n");
    sandbox.run(&shared, &["add", "-A"]);
    sandbox.run(&repo, &["merge-tree", "--write-tree", base.as_str(), tip.as_str()]);
    sandbox.run(&repo, &["show", "--textconv", "HEAD"]);
    let expected = ["ran-clean", "ran-fsmonitor", "ran-merge", "ran-smudge", "ran-textconv"];
    assert!(expected.iter().all(|name| ran(&sandbox).iter().any(|found| found == name)), "{:?}", ran(&sandbox));
}

#[tokio::test]
async fn programs_that_are_included_or_changed_later_are_not_run_either() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo();
    put(&repo, ".gitattributes", b"*.txt filter=mine\n");
    sandbox.commit(&repo, "attributes");
    create(&sandbox, "one").await;
    sandbox.run(&repo, &["config", "include.path", "more"]);
    create(&sandbox, "two").await;
    put(
        &repo.join(".git"),
        "more",
        format!("[filter \"mine\"]\n\tsmudge = \"{}\"\n", leaves(&sandbox, "ran-x")).as_bytes(),
    );
    create(&sandbox, "three").await;
    assert_eq!(ran(&sandbox), Vec::<String>::new());
    sandbox.run(&repo, &["worktree", "add", "-q", sandbox.path("trees/four").to_str().unwrap()]);
    assert_eq!(ran(&sandbox), ["ran-x"]);
}

#[tokio::test]
async fn filters_that_the_user_set_up_everywhere_run_though_the_repository_names_others() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo();
    sandbox.run(&repo, &["config", "--global", "filter.mine.smudge", "sed s/one/ONE/"]);
    sandbox.run(&repo, &["config", "filter.mine.smudge", &leaves(&sandbox, "ran-x")]);
    put(&repo, ".gitattributes", b"*.txt filter=mine\n");
    sandbox.commit(&repo, "attributes");
    let made = create(&sandbox, "one").await;
    assert_eq!(std::fs::read(made.root().unwrap().join("a.txt")).unwrap(), b"ONE\ntwo\nthree\n");
    assert_eq!(ran(&sandbox), Vec::<String>::new());
}

#[tokio::test]
async fn a_repository_that_the_owner_trusts_runs_its_filters() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo();
    sandbox.run(&repo, &["config", "filter.mine.smudge", "sed s/one/ONE/"]);
    put(&repo, ".gitattributes", b"*.txt filter=mine\n");
    sandbox.commit(&repo, "attributes");
    let git = sandbox.new_git().trusting({
        let repo = repo.clone();
        move || vec![repo.clone()]
    });
    git.open(&repo).await.unwrap().create(&sandbox.new_worktree("one")).await.unwrap();
    assert_eq!(std::fs::read(sandbox.path("trees/one/a.txt")).unwrap(), b"ONE\ntwo\nthree\n");
    create(&sandbox, "two").await;
    assert_eq!(std::fs::read(sandbox.path("trees/two/a.txt")).unwrap(), b"one\ntwo\nthree\n", "without that not");
}
