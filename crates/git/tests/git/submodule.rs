//! Submodules: initialised only if asked, and never lost with what is in them.

use fleet_git::{Ignored, NewWorktree, Submodules};

use crate::picture::Picture;
use crate::sandbox::{Sandbox, named, put, whole};

fn with_submodule() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.run(&sandbox.repo(), &["clone", "-q", "--bare", ".", "../lib.git"]);
    sandbox.run(&sandbox.repo(), &["submodule", "--quiet", "add", "../lib.git", "lib"]);
    sandbox.commit(&sandbox.repo(), "submodule");
    sandbox
}

#[tokio::test]
async fn submodules_are_filled_only_if_asked() {
    let sandbox = with_submodule();
    let tree = sandbox.worktree("plain").await;
    assert!(tree.join("lib").is_dir() && !tree.join("lib/a.txt").exists());
    let new = NewWorktree { submodules: Submodules::Init, ..sandbox.new_worktree("full") };
    sandbox.open().await.create(&new).await.unwrap();
    assert!(new.path.join("lib/a.txt").is_file());
}

#[tokio::test]
async fn a_submodules_own_commits_come_back_in_the_same_place_and_in_another() {
    let sandbox = with_submodule();
    let open = sandbox.open().await;
    let new = NewWorktree { submodules: Submodules::Init, ..sandbox.new_worktree("full") };
    open.create(&new).await.unwrap();
    let lib = new.path.join("lib");
    sandbox.run(&lib, &["checkout", "-q", "-b", "inner"]);
    put(&lib, "inner.txt", b"inner");
    sandbox.commit(&lib, "unpushed");
    put(&lib, "dirty", b"dirty");
    let before = Picture::of(&new.path);
    let head = sandbox.text(&lib, &["rev-parse", "HEAD"]);
    open.remove(&new.path, &whole("s"), |_| None).await.unwrap();
    sandbox.collect_garbage();
    open.restore(&named("s"), &new.path).await.unwrap();
    assert_eq!(Picture::of(&new.path), before);

    let other = sandbox.path("elsewhere/deeper");
    open.restore(&named("s"), &other).await.unwrap();
    for root in [&new.path, &other] {
        let lib = root.join("lib");
        assert_eq!(sandbox.text(&lib, &["rev-parse", "HEAD"]), head);
        assert_eq!(sandbox.text(&lib, &["rev-parse", "--show-toplevel"]), lib.to_str().unwrap());
        assert_eq!(sandbox.text(&lib, &["status", "--porcelain"]), "?? dirty");
    }
    assert_eq!(Picture::of(&other).without("lib/.git"), before.without("lib/.git"));
}

#[tokio::test]
async fn a_copy_of_the_users_own_checkout_shares_its_submodules() {
    let sandbox = with_submodule();
    let open = sandbox.open().await;
    open.snapshot(&named("mine"), &Ignored::Capture).await.unwrap();
    let copy = sandbox.path("copy");
    open.restore(&named("mine"), &copy).await.unwrap();
    assert_eq!(Picture::of(&copy), Picture::of(&sandbox.repo()));
}
