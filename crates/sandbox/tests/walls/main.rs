//! Walls as the kernel keeps them: who is inside is held, and nobody else.
//!
//! On a machine without landlock there is only one thing to see: that it says so.
#![expect(clippy::unwrap_used, clippy::panic, reason = "a test speaks by panicking")]

use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus};

use fleet_sandbox::{GitDirs, Plan, Support, System, Walls, Wish, confined, plan, wrapped};
use tempfile::TempDir;
use types::{Access, Network, Sandboxed, Wanted};

const PROBE: &str = env!("CARGO_BIN_EXE_sandbox-probe");

/// A machine of one user, with a secret, a workspace and a place of others.
struct World {
    folder: TempDir,
    support: Support,
}

impl World {
    /// None where the kernel cannot hold anybody.
    fn new() -> Option<Self> {
        let support = Support::of_machine("/usr/bin:/bin");
        let folder = tempfile::tempdir().unwrap();
        let world = Self { folder, support };
        for file in ["home/.ssh/id_rsa", "home/notes", "work/file", "others/file", "private/tmp/file"] {
            world.put(file);
        }
        if world.support.files.is_err() {
            let missing = plan(&world.wish(), &world.support, &System::default()).unwrap();
            assert!(matches!(missing, Plan { reached: Sandboxed::Missing { .. }, walls: None }));
            assert!(confined(&Walls::default(), || ()).is_err());
            return None;
        }
        Some(world)
    }

    fn at(&self, path: &str) -> PathBuf {
        self.folder.path().canonicalize().unwrap().join(path)
    }

    fn put(&self, file: &str) {
        let path = self.at(file);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        write(&path);
    }

    fn wish(&self) -> Wish {
        Wish {
            workspace: self.at("work"),
            home: Some(self.at("home")),
            read: vec![PathBuf::from(PROBE)],
            write: vec![self.at("private/tmp")],
            ..Wish::default()
        }
    }

    fn walls(&self, wish: &Wish) -> Walls {
        plan(wish, &self.support, &System::default()).unwrap().walls.unwrap()
    }

    /// Says whether a program inside of the walls may do something.
    fn may(&self, walls: &Walls, deed: &str, path: &str) -> bool {
        allowed(confined(walls, || run(deed, &self.at(path))).unwrap())
    }
}

#[expect(clippy::disallowed_methods, reason = "the test prepares files as their user would")]
fn write(path: &Path) {
    std::fs::write(path, "text").unwrap();
}

#[expect(clippy::disallowed_methods, reason = "the test starts the program that tries things")]
fn run(deed: &str, on: &Path) -> ExitStatus {
    Command::new(PROBE).arg(deed).arg(on).status().unwrap()
}

fn allowed(status: ExitStatus) -> bool {
    match status.code() {
        Some(0) => true,
        Some(1) => false,
        other => panic!("the program ended with {other:?}"),
    }
}

#[test]
fn who_is_inside_reads_and_writes_what_is_planned_and_nothing_else() {
    let Some(world) = World::new() else { return };
    let walls = world.walls(&world.wish());
    for (deed, path, may) in [
        ("read", "work/file", true),
        ("write", "work/file", true),
        ("write", "work/new", true),
        ("write", "private/tmp/new", true),
        ("read", "home/notes", true),
        ("write", "home/notes", false),
        ("cut", "home/notes", false),
        ("read", "home/.ssh/id_rsa", false),
        ("list", "home/.ssh", false),
        ("read", "others/file", false),
        ("write", "others/new", false),
    ] {
        assert_eq!(world.may(&walls, deed, path), may, "{deed} {path}");
    }
    assert!(world.at("work/new").exists() && !world.at("others/new").exists());
}

#[test]
fn who_only_reads_leaves_the_workspace_as_it_is() {
    let Some(world) = World::new() else { return };
    let walls = world.walls(&Wish { access: Access::ReadOnly, ..world.wish() });
    assert!(world.may(&walls, "read", "work/file"));
    for (deed, path) in [("write", "work/file"), ("cut", "work/file"), ("write", "work/new")] {
        assert!(!world.may(&walls, deed, path), "{deed} {path}");
    }
    assert!(world.may(&walls, "write", "private/tmp/file"));
}

#[test]
fn in_a_worktree_git_writes_commits_and_neither_settings_nor_hooks_nor_links() {
    let Some(world) = World::new() else { return };
    let shared = ["objects/aa", "refs/heads/main", "logs/HEAD", "fleet/packed-refs", "config", "hooks/post-checkout"];
    for file in shared.iter().chain(&["worktrees/one/HEAD", "worktrees/two/HEAD"]) {
        world.put(&format!("repo/.git/{file}"));
    }
    let git = GitDirs { own: world.at("repo/.git/worktrees/one"), common: world.at("repo/.git") };
    let walls = world.walls(&Wish { git: Some(git), ..world.wish() });
    for (deed, path, may) in [
        ("write", "objects/new", true),
        ("write", "refs/heads/new.lock", true),
        ("write", "logs/refs", true),
        ("write", "fleet/packed-refs.lock", true),
        ("write", "worktrees/one/index.lock", true),
        ("link", "worktrees/one/link", false),
        ("link", "logs/link", false),
        ("link", "fleet/link", false),
        ("write", "config", false),
        ("write", "config.lock", false),
        ("move", "config", false),
        ("write", "commondir", false),
        ("write", "hooks/post-checkout", false),
        ("write", "hooks/post-commit", false),
        ("write", "worktrees/two/HEAD", false),
    ] {
        assert_eq!(world.may(&walls, deed, &format!("repo/.git/{path}")), may, "{deed} {path}");
    }
    assert!(world.may(&walls, "link", "work/link"), "links are made where it works");
}

#[test]
fn in_a_checkout_git_writes_everything_but_settings_and_hooks() {
    let Some(world) = World::new() else { return };
    for file in ["config", "HEAD", "hooks/post-checkout"] {
        world.put(&format!("work/.git/{file}"));
    }
    if world.support.bubblewrap.is_none() {
        return;
    }
    let git = world.at("work/.git");
    let git = Some(GitDirs { own: git.clone(), common: git });
    let walls = world.walls(&Wish { wanted: Wanted::Required, git, ..world.wish() });
    assert!(walls.outer.as_ref().is_some_and(|outer| !outer.network));
    for (deed, path, may) in [
        ("write", ".git/index.lock", true),
        ("write", ".git/HEAD", true),
        ("write", "new", true),
        ("write", ".git/config", false),
        ("move", ".git/config", false),
        ("write", ".git/hooks/post-checkout", false),
        ("write", ".git/hooks/post-commit", false),
        ("move", ".git/hooks", false),
        ("move", ".git", false),
        ("read", ".git/config", true),
        ("read", "../others/file", false),
    ] {
        let path = world.at("work").join(path).to_string_lossy().into_owned();
        let (program, args) =
            wrapped(&walls, Path::new(PROBE), Path::new(PROBE), &[deed.to_owned(), path.clone()]).unwrap();
        #[expect(clippy::disallowed_methods, reason = "the test starts the program that tries things")]
        let status = Command::new(program).args(args).status().unwrap();
        assert_eq!(allowed(status), may, "{deed} {path}");
    }
}

#[test]
fn nobody_but_who_is_inside_is_held() {
    let Some(world) = World::new() else { return };
    let walls = world.walls(&world.wish());
    let (inside, outside) = confined(&walls, || {
        let elsewhere = std::thread::scope(|scope| scope.spawn(|| run("read", &world.at("others/file"))).join());
        (run("read", &world.at("others/file")), elsewhere.unwrap())
    })
    .unwrap();
    assert!(!allowed(inside) && !allowed(outside), "what is started inside is inside");
    assert!(allowed(run("read", &world.at("others/file"))), "this thread was never inside");
}

#[test]
fn only_the_listed_ports_are_reached() {
    let Some(world) = World::new() else { return };
    let listed = TcpListener::bind("127.0.0.1:0").unwrap();
    let other = TcpListener::bind("127.0.0.1:0").unwrap();
    let [listed, other] = [&listed, &other].map(|listener| listener.local_addr().unwrap().port());
    let walls = world.walls(&Wish { network: Network::Ports, ports: vec![listed], ..world.wish() });
    let reach = |port: u16| confined(&walls, || run("connect", Path::new(&port.to_string()))).unwrap();
    assert!(allowed(reach(listed)));
    // Before ABI 4 ports are not held, and the plan said so.
    assert_eq!(allowed(reach(other)), !world.support.ports);
}

#[test]
fn a_network_of_its_own_reaches_nobody() {
    let Some(world) = World::new() else { return };
    let wish = Wish { network: Network::None, ..world.wish() };
    let walls = world.walls(&wish);
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port().to_string();
    let status = match wrapped(&walls, Path::new(PROBE), Path::new(PROBE), &["connect".to_owned(), port.clone()]) {
        #[expect(clippy::disallowed_methods, reason = "the test starts the program that tries things")]
        Some((program, args)) => Command::new(program).args(args).status().unwrap(),
        None => confined(&walls, || run("connect", Path::new(&port))).unwrap(),
    };
    // Refused by a network without listeners, or by landlock.
    let expected = if walls.outer.is_some() { Some(3) } else { Some(1) };
    if world.support.ports || walls.outer.is_some() {
        assert_eq!(status.code(), expected);
    }
}

#[test]
fn the_program_around_another_holds_it_too() {
    let Some(world) = World::new() else { return };
    let walls = serde_json::to_string(&world.walls(&world.wish())).unwrap();
    for (path, may) in [("work/file", true), ("others/file", false)] {
        #[expect(clippy::disallowed_methods, reason = "the test starts the program that walls itself in")]
        let status = Command::new(PROBE)
            .args([fleet_sandbox::WORD, &walls, PROBE, "read"])
            .arg(world.at(path))
            .status()
            .unwrap();
        assert_eq!(allowed(status), may, "{path}");
    }
}
