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

    fn links(&self, folder: &Path) -> Vec<(PathBuf, PathBuf)> {
        self.links.iter().filter(|(link, _)| link.parent() == Some(folder)).cloned().collect()
    }

    fn link(&self, path: &Path) -> Option<PathBuf> {
        self.links.iter().find(|(link, _)| link == path).map(|(_, target)| target.clone())
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
        "/data/of-others",
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
        "/users/me/repo/.git/modules/sub/config",
        "/users/me/repo/.git/worktrees/s-1/HEAD",
        "/users/me/repo/.git/worktrees/s-2/HEAD",
        "/users/me/.fleet/key",
        "/users/me/.fleet/worktrees/.private/s-1/HEAD",
        "/users/me/.fleet/worktrees/.private/s-1/config",
        "/users/me/.fleet/worktrees/.private/s-1/objects/info/alternates",
        "/users/me/.fleet/worktrees/.private/s-2/HEAD",
        "/users/me/.fleet/worktrees/s-1/file",
        "/users/me/.fleet/worktrees/s-2/file",
        "/users/me/.fleet/tasks/s-1/private/fence.json",
        "/users/me/.fleet/tasks/s-1/private/tmp/x",
    ])
}

fn wish() -> Wish {
    Wish {
        workspace: "/users/me/.fleet/worktrees/s-1".into(),
        git: Some(GitDirs {
            own: "/users/me/.fleet/worktrees/.private/s-1".into(),
            common: "/users/me/repo/.git".into(),
        }),
        home: Some("/users/me".into()),
        hidden: vec!["/users/me/.fleet".into()],
        read: vec!["/users/me/.fleet/tasks/s-1/private".into()],
        write: vec!["/users/me/.fleet/tasks/s-1/private/tmp".into(), "/users/me/.claude".into()],
        ..Wish::default()
    }
}

fn able() -> Support {
    let namespaces = Ok(Proc::Own);
    let bubblewrap = Some("/bin/bwrap".into());
    let cgroups = Ok(vec!["/groups".into()]);
    Support { files: Ok(()), ports: true, scopes: true, filters: true, namespaces, cgroups, root: false, bubblewrap }
}

/// A machine whose users may make no namespaces.
fn flat() -> Support {
    Support { namespaces: Err("switched off".to_owned()), ..able() }
}

fn outer(rules: &Rules) -> Option<&Bubblewrap> {
    match &rules.isolation {
        Isolation::Bubblewrap(outer) => Some(outer),
        Isolation::None | Isolation::Namespaces(_) => None,
    }
}

fn rules(wish: &Wish, disk: &Disk) -> Rules {
    plan(wish, &able(), disk).unwrap().rules.unwrap()
}

fn reads(rules: &Rules, path: &str) -> bool {
    rules.read.iter().chain(&rules.write).chain(&rules.git).any(|root| Path::new(path).starts_with(root))
}

fn writes(rules: &Rules, path: &str) -> bool {
    rules.write.iter().chain(&rules.git).any(|root| Path::new(path).starts_with(root))
}

#[test]
fn keys_other_projects_other_worktrees_and_the_home_of_fleet_are_not_read() {
    let rules = rules(&wish(), &machine());
    for path in [
        "/users/me/.ssh/id_rsa",
        "/users/me/.config/gh/hosts.yml",
        "/users/me/.codex/auth.json",
        "/users/me/.config/fish/config",
        "/users/me/.fleet/key",
        "/users/me/.fleet/worktrees/s-2/file",
        "/users/me/.fleet/worktrees/.private/s-2/HEAD",
        "/users/me/notes",
        "/users/me/repo/file",
        "/data/of-others",
        "/dev/sda",
        "/run/docker.sock",
        "/tmp/of-others",
    ] {
        assert!(!reads(&rules, path), "{path} in {rules:?}");
    }
}

#[test]
fn programs_settings_and_its_own_files_are_read() {
    let rules = rules(&wish(), &machine());
    for path in [
        "/bin/sh",
        "/etc/passwd",
        "/dev/null",
        "/run/systemd/resolve/resolv.conf",
        "/users/me/.gitconfig",
        "/users/me/repo/.git/config",
        "/users/me/.claude/state",
        "/users/me/.fleet/worktrees/s-1/file",
        "/users/me/.fleet/tasks/s-1/private/fence.json",
    ] {
        assert!(reads(&rules, path), "{path} in {rules:?}");
    }
}

#[test]
fn it_writes_to_its_worktree_and_commits_there_and_nowhere_else() {
    let rules = rules(&wish(), &machine());
    for path in [
        "/users/me/.fleet/worktrees/s-1/file",
        "/users/me/.fleet/worktrees/.private/s-1/HEAD",
        "/users/me/.fleet/tasks/s-1/private/tmp/x",
        "/users/me/.claude/state",
        "/dev/null",
    ] {
        assert!(writes(&rules, path), "{path} in {rules:?}");
    }
    for path in
        ["/users/me/repo/file", "/users/me/.fleet/tasks/s-1/private/fence.json", "/users/me/.gitconfig", "/etc/passwd"]
    {
        assert!(!writes(&rules, path), "{path} in {rules:?}");
    }
}

#[test]
fn settings_and_hooks_of_git_and_the_worktrees_of_others_are_not_written_to() {
    let rules = rules(&wish(), &machine());
    for path in [
        "/users/me/repo/.git/commondir",
        "/users/me/repo/.git/config",
        "/users/me/repo/.git/hooks/post-checkout",
        "/users/me/repo/.git/modules/sub/config",
        "/users/me/repo/.git/worktrees/s-1/HEAD",
        "/users/me/repo/.git/objects/aa",
        "/users/me/repo/.git/refs/heads/main",
        "/users/me/.fleet/worktrees/.private/s-2/HEAD",
    ] {
        assert!(!writes(&rules, path), "{path} in {rules:?}");
    }
    // Git follows links: one in there would let whoever runs it next write elsewhere.
    let own = Path::new("/users/me/.fleet/worktrees/.private/s-1");
    assert!(!rules.write.iter().any(|root| root.starts_with(own)));
    assert_eq!(rules.fixed, ["config", "objects/info"].map(|name| own.join(name)));
}

#[test]
fn in_a_checkout_they_are_fixed_by_mounts_or_by_bubblewrap_where_the_sandbox_is_required() {
    let git = "/users/me/repo/.git";
    let git = Some(GitDirs { own: git.into(), common: git.into() });
    let wish = Wish { workspace: "/users/me/repo".into(), git, ..wish() };
    let fixed = ["modules/sub/config", "config", "hooks"].map(|name| PathBuf::from("/users/me/repo/.git").join(name));
    assert_eq!(rules(&wish, &machine()).fixed, fixed);
    let reads = Wish { access: Access::ReadOnly, ..wish.clone() };
    assert!(rules(&reads, &machine()).fixed.is_empty(), "nothing of it is written to anyway");

    let without = Support { bubblewrap: None, ..flat() };
    for support in [&without, &flat()] {
        let planned = plan(&wish, support, &machine()).unwrap();
        let Plan { reached: Sandboxed::Held { lacks, .. }, rules: Some(left) } = planned else {
            panic!("it is enforced but for that");
        };
        assert!(left.isolation == Isolation::None && lacks[0].contains("hooks"), "{lacks:?}");
    }
    let network = Wish { network: Network::None, ..wish };
    let planned = plan(&network, &flat(), &machine()).unwrap().rules.unwrap();
    assert_eq!(outer(&planned).map(|outer| outer.fixed.as_slice()), Some(fixed.as_slice()));
}

#[test]
fn whoever_only_reads_writes_to_nothing_of_the_project() {
    let rules = rules(&Wish { access: Access::ReadOnly, ..wish() }, &machine());
    for path in ["/users/me/.fleet/worktrees/s-1/file", "/users/me/.fleet/worktrees/.private/s-1/HEAD"] {
        assert!(reads(&rules, path) && !writes(&rules, path), "{path} in {rules:?}");
    }
    assert!(writes(&rules, "/users/me/.fleet/tasks/s-1/private/tmp/x"));
}

#[test]
fn a_secret_behind_a_link_is_hidden_where_it_is() {
    let mut disk = machine();
    disk.files.insert("/users/me/dotfiles/ssh/id_rsa".into());
    disk.files.insert("/users/me/dotfiles/vimrc".into());
    disk.links.push(("/users/me/.ssh".into(), "/users/me/dotfiles/ssh".into()));
    let whole = Wish { workspace: "/users/me".into(), git: None, ..wish() };
    let rules = rules(&whole, &disk);
    assert!(!reads(&rules, "/users/me/dotfiles/ssh/id_rsa"));
    assert!(reads(&rules, "/users/me/dotfiles/vimrc"));
}

#[test]
fn a_workspace_that_is_the_whole_home_still_hides_its_secrets() {
    let wish = Wish { workspace: "/users/me".into(), git: None, ..wish() };
    let rules = rules(&wish, &machine());
    assert!(writes(&rules, "/users/me/notes"));
    for path in ["/users/me/.ssh/id_rsa", "/users/me/.fleet/key"] {
        assert!(!reads(&rules, path), "{path}");
    }
}

#[test]
fn what_the_machine_lacks_is_told_and_refused_only_where_it_is_required() {
    let none = Support::none("no landlock");
    let reached = plan(&wish(), &none, &machine()).unwrap();
    assert_eq!(reached, Plan { reached: Sandboxed::Missing { why: "no landlock".to_owned() }, rules: None });
    let required = Wish { wanted: Wanted::Required, ..wish() };
    assert_eq!(plan(&required, &none, &machine()), Err(Refused { lacks: "no landlock".to_owned() }));
    assert!(plan(&required, &able(), &machine()).is_ok());
    let old = Support { scopes: false, ..able() };
    let Sandboxed::Held { lacks, .. } = plan(&wish(), &old, &machine()).unwrap().reached else { panic!() };
    assert_eq!(lacks.len(), 1);
    assert!(plan(&required, &old, &machine()).is_err());
}

#[test]
fn without_landlock_every_other_layer_is_used_and_that_is_less_than_required() {
    let no_landlock =
        |support| Support { files: Err("no landlock".to_owned()), ports: false, scopes: false, ..support };
    let required = Wish { wanted: Wanted::Required, ..wish() };
    let mounts = plan(&wish(), &no_landlock(able()), &machine()).unwrap();
    let Sandboxed::Held { lacks, .. } = mounts.reached else { panic!("mounts hold files") };
    assert_eq!(lacks.first().map(String::as_str), Some("no landlock"));
    let rules = mounts.rules.unwrap();
    assert!(!rules.landlock && rules.sockets.is_some() && matches!(rules.isolation, Isolation::Namespaces(_)));
    assert!(plan(&required, &no_landlock(able()), &machine()).is_err());
    // Where mounts are missing too, no file is out of reach, and that is what the session shows.
    let filtered = plan(&wish(), &no_landlock(flat()), &machine()).unwrap();
    assert_eq!(filtered.reached, Sandboxed::Missing { why: "no landlock".to_owned() });
    let rules = filtered.rules.unwrap();
    assert!(!rules.landlock && rules.sockets == Some(Sockets { unix: false, inet: Inet::All }));
    assert!(plan(&required, &no_landlock(flat()), &machine()).is_err());
}

#[test]
fn without_control_groups_the_session_says_so_and_that_is_enough() {
    let without = Support { cgroups: Err("no delegation".to_owned()), ..able() };
    let planned = plan(&Wish { wanted: Wanted::Required, ..wish() }, &without, &machine()).unwrap();
    let Sandboxed::Held { lacks, .. } = planned.reached else { panic!("it is held") };
    assert_eq!(lacks, ["limits for all its processes together: no delegation"]);
    assert_eq!(rules(&wish(), &machine()).cgroups, [PathBuf::from("/groups")]);
}

#[test]
fn a_network_of_its_own_is_made_by_namespaces_then_by_bubblewrap_then_no_socket_is_made() {
    let wish = Wish { network: Network::None, ..wish() };
    let planned = |support: &Support| {
        let Plan { reached: Sandboxed::Held { network, lacks, .. }, rules: Some(rules) } =
            plan(&wish, support, &machine()).unwrap()
        else {
            panic!("there are rules");
        };
        (network, lacks.len(), rules)
    };
    let (network, lacks, rules) = planned(&able());
    assert!(matches!(rules.isolation, Isolation::Namespaces(Namespaces { network: true, .. })));
    assert_eq!((network, lacks), (Network::None, 0));
    let (network, lacks, rules) = planned(&flat());
    assert!(outer(&rules).is_some_and(|outer| outer.network));
    assert_eq!((network, lacks), (Network::None, 1));
    let (network, lacks, rules) = planned(&Support { bubblewrap: None, ..flat() });
    assert_eq!((rules.tcp, rules.sockets.map(|sockets| sockets.inet)), (Some(Vec::new()), Some(Inet::None)));
    assert_eq!((network, lacks), (Network::Ports, 2));
    let (network, lacks, _) = planned(&Support { bubblewrap: None, ports: false, ..flat() });
    assert_eq!((network, lacks), (Network::Open, 3));
}

#[test]
fn without_namespaces_no_socket_of_others_is_connected_to_and_that_is_less_than_required() {
    let planned = plan(&wish(), &flat(), &machine()).unwrap();
    assert_eq!(planned.rules.unwrap().sockets, Some(Sockets { unix: false, inet: Inet::All }));
    assert!(plan(&Wish { wanted: Wanted::Required, ..wish() }, &flat(), &machine()).is_err());
    assert_eq!(rules(&wish(), &machine()).sockets, Some(Sockets { unix: true, inet: Inet::All }));
}

#[test]
fn a_link_in_the_workspace_gives_no_access_to_what_it_leads_to() {
    let mut disk = machine();
    disk.files.insert("/users/me/elsewhere/file".into());
    disk.links.push(("/users/me/.fleet/worktrees/s-1/.codefleet".into(), "/users/me/elsewhere".into()));
    let write = vec!["/users/me/.fleet/worktrees/s-1/.codefleet".into()];
    let linked = rules(&Wish { access: Access::ReadOnly, write, ..wish() }, &disk);
    assert!(!writes(&linked, "/users/me/elsewhere/file"));
}

#[test]
fn links_on_the_way_to_what_is_read_are_made_again() {
    let mut disk = machine();
    disk.files.insert("/tools/2/bin/tool".into());
    disk.links.push(("/tools/now".into(), "/tools/2".into()));
    let rules = rules(&Wish { read: vec!["/tools/now/bin".into()], ..wish() }, &disk);
    assert!(reads(&rules, "/tools/2/bin/tool"));
    assert!(rules.links.contains(&("/tools/now".into(), "/tools/2".into())), "{:?}", rules.links);
}

#[test]
fn only_root_needs_secrets_of_the_system_to_be_hidden() {
    let mut disk = machine();
    disk.files.insert("/etc/shadow".into());
    assert!(reads(&rules(&wish(), &disk), "/etc/shadow"), "its mode hides it");
    let root = plan(&wish(), &Support { root: true, ..able() }, &disk).unwrap().rules.unwrap();
    assert!(!reads(&root, "/etc/shadow") && reads(&root, "/etc/passwd"));
}

#[test]
fn there_are_no_rules_where_the_sandbox_is_off() {
    let off = plan(&Wish { wanted: Wanted::Off, ..wish() }, &able(), &machine()).unwrap();
    assert!(matches!(off, Plan { reached: Sandboxed::Off { .. }, rules: None }));
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

/// What root's sandbox mounts whole, and what it covers there.
fn mounted_whole(wish: &Wish, disk: &Disk) -> (Vec<PathBuf>, Vec<PathBuf>) {
    let rules = plan(wish, &Support { root: true, ..able() }, disk).unwrap().rules.unwrap();
    match rules.isolation {
        Isolation::Namespaces(spaces) => (spaces.whole, spaces.covered),
        Isolation::None | Isolation::Bubblewrap(_) => panic!("there are namespaces"),
    }
}

fn with_system() -> Disk {
    let mut disk = machine();
    disk.files.extend(["/etc/shadow", "/etc/ssh/key", "/sys/firmware/x", "/sys/class/y"].map(PathBuf::from));
    disk
}

#[test]
fn folders_of_the_system_are_mounted_whole_and_what_they_hide_is_covered_and_not_read() {
    let (whole, covered) = mounted_whole(&wish(), &with_system());
    assert_eq!(whole, ["/etc", "/sys"].map(PathBuf::from));
    assert_eq!(covered, ["/etc/shadow", "/etc/ssh", "/sys/firmware"].map(PathBuf::from));
    let rules = plan(&wish(), &Support { root: true, ..able() }, &with_system()).unwrap().rules.unwrap();
    assert!(reads(&rules, "/etc/passwd") && !reads(&rules, "/etc/shadow") && !reads(&rules, "/etc/made-later"));
}

#[test]
fn a_folder_of_the_system_in_which_a_session_or_fleet_has_something_is_not_mounted_whole() {
    let mut disk = with_system();
    disk.files.insert("/etc/me/.ssh/key".into());
    let etc = PathBuf::from("/etc");
    let asked = Wish { read: vec!["/etc/ssh".into()], ..wish() };
    let hidden = Wish { hidden: vec!["/etc/fleet".into()], ..wish() };
    let home = Wish { home: Some("/etc/me".into()), ..wish() };
    for wish in [asked, hidden, home] {
        let (whole, covered) = mounted_whole(&wish, &disk);
        assert!(!whole.contains(&etc) && !covered.iter().any(|path| path.starts_with(&etc)), "{wish:?}: {whole:?}");
    }
    // What is written to below it, and hidden by nothing, is mounted on it.
    let writes = Wish { write: vec!["/etc/passwd".into()], ..wish() };
    assert!(mounted_whole(&writes, &disk).0.contains(&etc));
}
