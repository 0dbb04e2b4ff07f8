use std::collections::BTreeSet;

use proptest::prelude::*;

use super::*;
use crate::GitDirs;

/// A disk of files, by their paths, and links on it.
struct Disk {
    files: BTreeSet<PathBuf>,
    links: Vec<(PathBuf, PathBuf)>,
}

impl Disk {
    fn of(files: &[&str]) -> Self {
        Self { files: files.iter().map(PathBuf::from).collect(), links: Vec::new() }
    }
}

impl Listing for Disk {
    fn entries(&self, folder: &Path) -> Vec<PathBuf> {
        let below = self.files.iter().filter_map(|path| path.strip_prefix(folder).ok()?.components().next());
        let names: BTreeSet<_> = below.collect();
        names.into_iter().map(|name| folder.join(name)).collect()
    }

    fn real(&self, path: &Path) -> Option<PathBuf> {
        let link = self.links.iter().find(|(from, _)| path.starts_with(from));
        let real = link.and_then(|(from, to)| Some(to.join(path.strip_prefix(from).ok()?)));
        let real = real.unwrap_or_else(|| path.to_owned());
        self.files.iter().any(|file| file.starts_with(&real)).then_some(real)
    }
}

/// A machine with a user `me`, a repository, and a worktree of it below the home of Fleet.
fn machine() -> Disk {
    Disk::of(&[
        "/bin/sh",
        "/etc/passwd",
        "/dev/null",
        "/dev/sda",
        "/run/docker.sock",
        "/run/systemd/resolve/resolv.conf",
        "/tmp/of-others",
        "/users/me/.ssh/id_rsa",
        "/users/me/.config/gh/hosts.yml",
        "/users/me/.config/fish/config",
        "/users/me/.claude/state",
        "/users/me/.codex/auth.json",
        "/users/me/.gitconfig",
        "/users/me/notes",
        "/users/me/repo/file",
        "/users/me/repo/.git/config",
        "/users/me/repo/.git/hooks/pre-commit",
        "/users/me/repo/.git/objects/aa",
        "/users/me/repo/.git/refs/heads/main",
        "/users/me/repo/.git/fleet/packed-refs",
        "/users/me/repo/.git/modules/sub/config",
        "/users/me/repo/.git/worktrees/s-1/HEAD",
        "/users/me/repo/.git/worktrees/s-2/HEAD",
        "/users/me/.fleet/key",
        "/users/me/.fleet/worktrees/s-1/file",
        "/users/me/.fleet/worktrees/s-2/file",
        "/users/me/.fleet/tasks/s-1/private/fence.json",
        "/users/me/.fleet/tasks/s-1/private/tmp/x",
    ])
}

fn wish() -> Wish {
    Wish {
        workspace: "/users/me/.fleet/worktrees/s-1".into(),
        git: Some(GitDirs { own: "/users/me/repo/.git/worktrees/s-1".into(), common: "/users/me/repo/.git".into() }),
        home: Some("/users/me".into()),
        hidden: vec!["/users/me/.fleet".into()],
        read: vec!["/users/me/.fleet/tasks/s-1/private".into()],
        write: vec!["/users/me/.fleet/tasks/s-1/private/tmp".into(), "/users/me/.claude".into()],
        ..Wish::default()
    }
}

fn able() -> Support {
    Support { files: Ok(()), ports: true, scopes: true, bubblewrap: Some("/bin/bwrap".into()) }
}

fn walls(wish: &Wish, disk: &Disk) -> Walls {
    plan(wish, &able(), disk).unwrap().walls.unwrap()
}

fn reads(walls: &Walls, path: &str) -> bool {
    walls.read.iter().chain(&walls.write).chain(&walls.git).any(|root| Path::new(path).starts_with(root))
}

fn writes(walls: &Walls, path: &str) -> bool {
    walls.write.iter().chain(&walls.git).any(|root| Path::new(path).starts_with(root))
}

#[test]
fn keys_other_worktrees_and_the_home_of_fleet_are_not_read() {
    let walls = walls(&wish(), &machine());
    for path in [
        "/users/me/.ssh/id_rsa",
        "/users/me/.config/gh/hosts.yml",
        "/users/me/.codex/auth.json",
        "/users/me/.fleet/key",
        "/users/me/.fleet/worktrees/s-2/file",
        "/dev/sda",
        "/run/docker.sock",
        "/tmp/of-others",
    ] {
        assert!(!reads(&walls, path), "{path} in {walls:?}");
    }
}

#[test]
fn programs_settings_and_its_own_files_are_read() {
    let walls = walls(&wish(), &machine());
    for path in [
        "/bin/sh",
        "/etc/passwd",
        "/dev/null",
        "/run/systemd/resolve/resolv.conf",
        "/users/me/.config/fish/config",
        "/users/me/.gitconfig",
        "/users/me/notes",
        "/users/me/repo/file",
        "/users/me/repo/.git/config",
        "/users/me/.claude/state",
        "/users/me/.fleet/worktrees/s-1/file",
        "/users/me/.fleet/tasks/s-1/private/fence.json",
    ] {
        assert!(reads(&walls, path), "{path} in {walls:?}");
    }
}

#[test]
fn it_writes_to_its_worktree_and_commits_there_and_nowhere_else() {
    let walls = walls(&wish(), &machine());
    for path in [
        "/users/me/.fleet/worktrees/s-1/file",
        "/users/me/repo/.git/worktrees/s-1/HEAD",
        "/users/me/repo/.git/objects/aa",
        "/users/me/repo/.git/refs/heads/main",
        "/users/me/repo/.git/fleet/packed-refs",
        "/users/me/.fleet/tasks/s-1/private/tmp/x",
        "/users/me/.claude/state",
        "/dev/null",
    ] {
        assert!(writes(&walls, path), "{path} in {walls:?}");
    }
    for path in
        ["/users/me/repo/file", "/users/me/.fleet/tasks/s-1/private/fence.json", "/users/me/.gitconfig", "/etc/passwd"]
    {
        assert!(!writes(&walls, path), "{path} in {walls:?}");
    }
}

#[test]
fn settings_and_hooks_of_git_and_the_worktrees_of_others_are_not_written_to() {
    let walls = walls(&wish(), &machine());
    for path in [
        "/users/me/repo/.git/commondir",
        "/users/me/repo/.git/config",
        "/users/me/repo/.git/hooks/post-checkout",
        "/users/me/repo/.git/modules/sub/config",
        "/users/me/repo/.git/worktrees/s-2/HEAD",
    ] {
        assert!(!writes(&walls, path), "{path} in {walls:?}");
    }
    assert_eq!(walls.outer, None, "landlock is enough");
    // Git follows links: one in there would let whoever runs it next write elsewhere.
    assert!(!walls.write.iter().any(|root| root.starts_with("/users/me/repo/.git")));
}

#[test]
fn in_a_checkout_they_are_kept_by_a_program_around_the_agent_where_somebody_insists() {
    let git = "/users/me/repo/.git";
    let git = Some(GitDirs { own: git.into(), common: git.into() });
    let wish = Wish { workspace: "/users/me/repo".into(), git, ..wish() };
    let insisting = Wish { wanted: Wanted::Required, ..wish.clone() };
    let outer = walls(&insisting, &machine()).outer.unwrap();
    let fixed = ["modules/sub/config", "config", "hooks"].map(|name| PathBuf::from("/users/me/repo/.git").join(name));
    assert_eq!((outer.network, outer.fixed), (false, fixed.to_vec()));
    let without = Support { bubblewrap: None, ..able() };
    for support in [&without, &able()] {
        let planned = plan(&wish, support, &machine()).unwrap();
        let Plan { reached: Sandboxed::Held { lacks, .. }, walls: Some(left) } = planned else {
            panic!("it is held but for that");
        };
        assert_eq!((left.outer, lacks.len()), (None, 1));
    }
    assert!(plan(&insisting, &without, &machine()).is_err());
    let reads = Wish { access: Access::ReadOnly, ..wish };
    assert_eq!(walls(&reads, &machine()).outer, None, "nothing of it is written to anyway");
}

#[test]
fn whoever_only_reads_writes_to_nothing_of_the_project() {
    let walls = walls(&Wish { access: Access::ReadOnly, ..wish() }, &machine());
    for path in ["/users/me/.fleet/worktrees/s-1/file", "/users/me/repo/.git/worktrees/s-1/HEAD"] {
        assert!(reads(&walls, path) && !writes(&walls, path), "{path} in {walls:?}");
    }
    assert!(writes(&walls, "/users/me/.fleet/tasks/s-1/private/tmp/x"));
}

#[test]
fn a_secret_behind_a_link_is_hidden_where_it_is() {
    let mut disk = machine();
    disk.files.insert("/users/me/dotfiles/ssh/id_rsa".into());
    disk.files.insert("/users/me/dotfiles/vimrc".into());
    disk.links.push(("/users/me/.ssh".into(), "/users/me/dotfiles/ssh".into()));
    let walls = walls(&wish(), &disk);
    assert!(!reads(&walls, "/users/me/dotfiles/ssh/id_rsa"));
    assert!(reads(&walls, "/users/me/dotfiles/vimrc"));
}

#[test]
fn a_workspace_that_is_the_whole_home_still_hides_its_secrets() {
    let wish = Wish { workspace: "/users/me".into(), git: None, ..wish() };
    let walls = walls(&wish, &machine());
    assert!(writes(&walls, "/users/me/notes"));
    for path in ["/users/me/.ssh/id_rsa", "/users/me/.fleet/key"] {
        assert!(!reads(&walls, path), "{path}");
    }
}

#[test]
fn what_the_machine_lacks_is_told_and_refused_only_where_it_is_required() {
    let none = Support { files: Err("no landlock".to_owned()), ..able() };
    let reached = plan(&wish(), &none, &machine()).unwrap();
    assert_eq!(reached, Plan { reached: Sandboxed::Missing { why: "no landlock".to_owned() }, walls: None });
    let required = Wish { wanted: Wanted::Required, ..wish() };
    assert_eq!(plan(&required, &none, &machine()), Err(Refused { lacks: "no landlock".to_owned() }));
    assert!(plan(&required, &able(), &machine()).is_ok());
    let old = Support { scopes: false, ..able() };
    let Sandboxed::Held { lacks, .. } = plan(&wish(), &old, &machine()).unwrap().reached else { panic!() };
    assert_eq!(lacks.len(), 1);
    assert!(plan(&required, &old, &machine()).is_err());
}

#[test]
fn a_network_of_its_own_is_the_next_best_where_bubblewrap_is_missing() {
    let wish = Wish { network: Network::None, ..wish() };
    let walls_of = |support: &Support| plan(&wish, support, &machine()).unwrap();
    let whole = walls_of(&able());
    let outer = whole.walls.unwrap().outer.unwrap();
    assert_eq!((outer.program, outer.network, outer.fixed), ("/bin/bwrap".into(), true, Vec::new()));
    let partly = walls_of(&Support { bubblewrap: None, ..able() });
    assert_eq!(partly.walls.unwrap().tcp, Some(Vec::new()));
    let Sandboxed::Held { network, lacks, .. } = partly.reached else { panic!() };
    assert_eq!((network, lacks.len()), (Network::Ports, 1));
    let nothing = walls_of(&Support { bubblewrap: None, ports: false, ..able() });
    assert!(matches!(nothing.reached, Sandboxed::Held { network: Network::Open, ref lacks, .. } if lacks.len() == 2));
}

#[test]
fn nothing_stands_where_somebody_said_so() {
    let off = plan(&Wish { wanted: Wanted::Off, ..wish() }, &able(), &machine()).unwrap();
    assert!(matches!(off, Plan { reached: Sandboxed::Off { .. }, walls: None }));
    let full = Wish { access: Access::Full, ..wish() };
    assert!(matches!(plan(&full, &able(), &machine()).unwrap().reached, Sandboxed::Off { .. }));
    assert!(plan(&Wish { wanted: Wanted::Required, ..full }, &able(), &machine()).is_err());
}

fn path() -> impl Strategy<Value = PathBuf> {
    prop::collection::vec("[ab]-?", 1..5).prop_map(|parts| Path::new("/").join(parts.join("/")))
}

proptest! {
    #[test]
    fn tidied_paths_cover_what_they_covered_and_none_covers_another(paths in prop::collection::vec(path(), 0..12)) {
        let kept = tidied(paths.clone());
        for path in &paths {
            prop_assert!(kept.iter().any(|kept| path.starts_with(kept)));
        }
        for (at, path) in kept.iter().enumerate() {
            prop_assert!(paths.contains(path));
            prop_assert!(kept.iter().enumerate().all(|(other, kept)| other == at || !path.starts_with(kept)));
        }
    }
}
