//! Files that git keeps otherwise than they lie in the folder, and folders that have only some of the files.
//!
//! The filter acts as git-lfs does: what is committed is a pointer, what lies in the folder is the content,
//! and where there is no content, or `GIT_LFS_SKIP_SMUDGE` says so, the pointer stays.

use std::path::Path;

use fleet_workspaces::{Committed, Naming};

use crate::picture::Picture;
use crate::sandbox::{Sandbox, folder, nobody, put, read, text};

const CLEAN: &str = "#!/bin/sh
name=$(mktemp \"$STORE/XXXXXX\")
cat > \"$name\"
head -c 8 \"$name\" | grep -q '^pointer ' && { cat \"$name\"; rm \"$name\"; exit; }
sum=$(git hash-object --no-filters \"$name\")
mv \"$name\" \"$STORE/$sum\"
echo \"pointer $sum\"
";

const SMUDGE: &str = "#!/bin/sh
read -r word sum
if [ \"$GIT_LFS_SKIP_SMUDGE\" != 1 ] && [ -f \"$STORE/$sum\" ]; then cat \"$STORE/$sum\"; else echo \"$word $sum\"; fi
";

const LARGE: &[u8] = b"large\0content\r\n";

/// A repository whose `*.bin` go through a filter that the user has set up, with one such file committed.
fn filtered() -> Sandbox {
    let sandbox = Sandbox::new();
    std::fs::create_dir(sandbox.path("store")).unwrap();
    for (name, script) in [("clean", CLEAN), ("smudge", SMUDGE)] {
        let script = script.replace("$STORE", &text(&sandbox.path("store")));
        put(&sandbox.path("filter"), name, script.as_bytes());
        let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
        std::fs::set_permissions(sandbox.path("filter").join(name), mode).unwrap();
        let program = text(&sandbox.path("filter").join(name));
        sandbox.run(&sandbox.repo(), &["config", "--global", &format!("filter.pointers.{name}"), &program]);
    }
    sandbox.run(&sandbox.repo(), &["config", "--global", "filter.pointers.required", "true"]);
    put(&sandbox.repo(), ".gitattributes", b"*.bin filter=pointers -text\n");
    put(&sandbox.repo(), "large.bin", LARGE);
    sandbox.commit(&sandbox.repo(), "large");
    let kept = sandbox.text(&sandbox.repo(), &["cat-file", "blob", "HEAD:large.bin"]);
    assert!(kept.starts_with("pointer "), "{kept}");
    sandbox
}

fn bytes(folder: &Path, name: &str) -> Vec<u8> {
    std::fs::read(folder.join(name)).unwrap()
}

#[tokio::test]
async fn content_is_in_the_folder_and_pointers_are_in_commits() {
    let sandbox = filtered();
    let workspaces = sandbox.workspaces();
    let made = sandbox.prepare("large").await;
    assert_eq!(bytes(&folder(&made), "large.bin"), LARGE);
    assert_eq!(workspaces.status(&made).await.unwrap().changed, 0);
    put(&folder(&made), "more.bin", b"more content");
    assert!(matches!(workspaces.commit_all(&made, "more").await.unwrap(), Committed::Commit(_)));
    let kept = sandbox.text(&folder(&made), &["cat-file", "blob", "HEAD:more.bin"]);
    assert!(kept.starts_with("pointer "), "{kept}");
    assert_eq!(
        (bytes(&folder(&made), "more.bin"), bytes(&folder(&made), "large.bin")),
        (b"more content".to_vec(), LARGE.to_vec())
    );
}

#[tokio::test]
async fn a_snapshot_has_the_bytes_that_lay_there_and_a_restored_folder_is_as_clean_as_before() {
    let sandbox = filtered();
    let workspaces = sandbox.workspaces();
    let made = sandbox.prepare("large").await;
    let tree = folder(&made);
    put(&tree, "changed.bin", b"first");
    workspaces.commit_all(&made, "changed").await.unwrap();
    put(&tree, "changed.bin", b"second, which nobody committed");
    put(&tree, "untracked.bin", b"untracked");
    let (picture, status) = (Picture::of(&tree), sandbox.run(&tree, &["status", "--porcelain"]));

    // Nothing that the filter kept is there any more: what comes back was in the snapshot.
    let removed = workspaces.remove("large", &made, nobody).await.unwrap();
    let reference = format!("refs/fleet/snapshots/{}", removed.snapshot);
    for (name, expected) in [("large.bin", LARGE), ("changed.bin", b"second, which nobody committed")] {
        assert_eq!(sandbox.run(&sandbox.repo(), &["cat-file", "blob", &format!("{reference}:{name}")]), expected);
    }
    std::fs::rename(sandbox.path("store"), sandbox.path("store-away")).unwrap();
    std::fs::create_dir(sandbox.path("store")).unwrap();
    assert_eq!(workspaces.restore(&sandbox.repo(), &removed.snapshot, None).await.unwrap(), tree);
    assert_eq!(Picture::of(&tree), picture);
    assert_eq!(sandbox.run(&tree, &["status", "--porcelain"]), status);
}

#[tokio::test]
async fn where_there_is_no_content_the_pointer_stays_and_goes_nowhere() {
    let sandbox = filtered();
    std::fs::rename(sandbox.path("store"), sandbox.path("store-away")).unwrap();
    std::fs::create_dir(sandbox.path("store")).unwrap();
    let workspaces = sandbox.workspaces();
    let made = sandbox.prepare("pointer").await;
    let pointer = read(&made.path, "large.bin");
    assert!(pointer.starts_with("pointer "), "{pointer}");
    assert_eq!(workspaces.status(&made).await.unwrap().changed, 0);
    let removed = workspaces.remove("pointer", &made, nobody).await.unwrap();
    workspaces.restore(&sandbox.repo(), &removed.snapshot, None).await.unwrap();
    assert_eq!(read(&made.path, "large.bin"), pointer);
}

#[tokio::test]
async fn whoever_wants_pointers_gets_them() {
    let sandbox = filtered();
    let variables = [
        ("HOME", text(&sandbox.path("home"))),
        ("PATH", std::env::var("PATH").unwrap()),
        ("GIT_LFS_SKIP_SMUDGE", "1".to_owned()),
    ];
    let environment = git::Environment::from_variables(variables).with("GIT_CONFIG_NOSYSTEM", "1");
    let clock = runtime::Clock::system();
    let tree = runtime::Tree::new(clock.clone());
    let git = git::Git::new(environment, clock.clone());
    let workspaces = fleet_workspaces::Workspaces::new(sandbox.options(), git, clock, tree);
    let made = workspaces.prepare(&Naming::of("pointers"), &sandbox.place()).await.unwrap();
    assert!(read(&made.path, "large.bin").starts_with("pointer "));
}

#[tokio::test]
async fn a_sparse_checkout_stays_sparse_and_commits_drop_nothing_that_is_not_there() {
    let sandbox = Sandbox::new();
    put(&sandbox.repo(), "docs/c.txt", b"c\n");
    sandbox.commit(&sandbox.repo(), "docs");
    sandbox.run(&sandbox.repo(), &["sparse-checkout", "set", "--cone", "src"]);
    assert!(!sandbox.repo().join("docs").exists());
    let workspaces = sandbox.workspaces();
    let made = sandbox.prepare("sparse").await;
    let tree = folder(&made);
    assert!(tree.join("src/b.txt").exists() && tree.join("a.txt").exists() && !tree.join("docs").exists());
    assert_eq!(workspaces.status(&made).await.unwrap().changed, 0);
    put(&tree, "src/b.txt", b"changed\n");
    assert!(matches!(workspaces.commit_all(&made, "work").await.unwrap(), Committed::Commit(_)));
    let names = sandbox.text(&tree, &["ls-tree", "-r", "--name-only", "HEAD"]);
    assert_eq!(names.lines().collect::<Vec<_>>(), [".gitignore", "a.txt", "docs/c.txt", "src/b.txt"]);

    put(&tree, "src/new.txt", b"new\n");
    let (picture, status) = (Picture::of(&tree), sandbox.run(&tree, &["status", "--porcelain"]));
    let removed = workspaces.remove("sparse", &made, nobody).await.unwrap();
    assert_eq!(workspaces.restore(&sandbox.repo(), &removed.snapshot, None).await.unwrap(), tree);
    assert_eq!((Picture::of(&tree), sandbox.run(&tree, &["status", "--porcelain"])), (picture, status));
    assert!(!tree.join("docs").exists());
    assert!(sandbox.text(&sandbox.repo(), &["status", "--porcelain"]).is_empty());
}
