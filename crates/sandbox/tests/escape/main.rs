//! The escape suite: what a hostile agent tries, once with nothing around it, where it must succeed, and then in each
//! kind of sandbox, where it must not.
//!
//! A row of the table names an attack, the users for which it can succeed at all, and which layers stop it. Each row is tried as root
//! and as an ordinary user: in namespaces, in namespaces without Landlock, without them, without them but with `bwrap`, and where the
//! kernel itself refuses to make any. Each of these variants is a test that counts itself in `target/tmp/escape-variants.txt`; with `FLEET_ALL_VARIANTS` set, as in
//! `scripts/test`, one that cannot run fails.
#![expect(clippy::unwrap_used, clippy::panic, reason = "a test speaks by panicking")]

mod docs;
mod table;
mod target;
mod world;

use std::io::Write as _;
use std::path::{Path, PathBuf};

use fleet_sandbox::{Isolation, LOOKUPS, Rules};
use rustix::fs::{CWD, FileType, Mode};
use table::{By, Stopped, Who};
use types::Network;
use world::{Level, World};

/// All kinds of machines.
const MACHINES: [Level; 5] = [Level::Namespaces, Level::Mounts, Level::Landlock, Level::Bubblewrap, Level::Refused];

/// Where the variants that ran are counted.
const VARIANTS: &str = concat!(env!("CARGO_TARGET_TMPDIR"), "/escape-variants.txt");

/// Set where a variant that cannot run is a failure: on machines that are known to have everything.
const ALL: &str = "FLEET_ALL_VARIANTS";

/// Tries the whole table as one user on one kind of machine.
#[expect(clippy::disallowed_methods, clippy::print_stdout, reason = "a test looks at its own switch, and counts aloud")]
fn variant(root: bool, level: Level) {
    let name = format!("{} {level:?}", if root { "root" } else { "user" });
    let is_root = rustix::process::geteuid().is_root();
    let user = (!root && is_root).then_some(world::ORDINARY);
    let world = if root && !is_root { Err("these tests do not run as root".to_owned()) } else { World::of(user) };
    let world = world.and_then(|world| world.lacks(level).map_or(Ok(world), Err));
    let world = match world {
        Ok(world) => world,
        Err(why) => {
            println!("variant {name} is NOT RUN: {why}");
            assert!(std::env::var_os(ALL).is_none(), "variant {name} cannot run: {why}");
            return;
        }
    };
    let (tried, wrong) = tried(&world, level);
    assert_eq!(wrong, Vec::<String>::new());
    println!("variant {name}: {tried} attacks");
    let mut file = std::fs::OpenOptions::new().create(true).append(true).open(VARIANTS).unwrap();
    file.write_all(format!("{name}: {tried} attacks\n").as_bytes()).unwrap();
}

/// Counts what was tried, and lists what went otherwise than the table says.
fn tried(world: &World, level: Level) -> (usize, Vec<String>) {
    let mut wrong = Vec::new();
    let mut tried = 0;
    for row in world.rows().into_iter().filter(|row| row.by != By::Agents) {
        match row.who {
            Who::Anybody => {}
            Who::Root if world.is_root() => {}
            Who::User if !world.is_root() => {}
            Who::Root | Who::User => continue,
        }
        tried += 1;
        world.restore();
        let free = world.run(None, &row.args);
        if !world.succeeded(&row, &free) {
            wrong.push(format!("{} does not succeed without a sandbox: {free:?}", row.name));
            continue;
        }
        world.restore();
        let inside = world.run_at(level, row.network, &row.args);
        let stops = match row.stopped {
            Stopped::Always => true,
            Stopped::InNamespaces => matches!(level, Level::Namespaces | Level::Mounts),
            Stopped::ByLandlock => level != Level::Mounts,
            Stopped::ByCgroup => world.has_cgroups(),
            Stopped::InNamespacesOrByCgroup => {
                matches!(level, Level::Namespaces | Level::Mounts) || world.has_cgroups()
            }
        };
        if world.succeeded(&row, &inside) == stops || inside.code == Some(99) {
            wrong.push(format!("{} in {level:?}: {inside:?}", row.name));
        }
    }
    (tried, wrong)
}

/// A test for each kind of machine, as root and as an ordinary user.
macro_rules! variants {
    ($($name:ident, $root:literal, $level:ident;)+) => {
        $(#[test]
        fn $name() {
            variant($root, Level::$level);
        })+
    };
}

variants! {
    root_is_held_in_namespaces, true, Namespaces;
    root_is_held_in_namespaces_without_landlock, true, Mounts;
    root_is_held_without_namespaces, true, Landlock;
    root_is_held_without_namespaces_by_bwrap, true, Bubblewrap;
    root_is_held_where_the_kernel_refuses_namespaces, true, Refused;
    a_user_is_held_in_namespaces, false, Namespaces;
    a_user_is_held_in_namespaces_without_landlock, false, Mounts;
    a_user_is_held_without_namespaces, false, Landlock;
    a_user_is_held_without_namespaces_by_bwrap, false, Bubblewrap;
    a_user_is_held_where_the_kernel_refuses_namespaces, false, Refused;
}

#[test]
fn it_is_found_out_that_the_kernel_refuses_namespaces() {
    for user in [None, rustix::process::geteuid().is_root().then_some(world::ORDINARY)] {
        let Some(world) = World::new(user).filter(|world| world.lacks(Level::Refused).is_none()) else { return };
        assert!(!world.finds_namespaces(), "there are namespaces where the kernel makes none");
    }
}

#[test]
fn there_are_at_least_sixty_attacks_with_different_names() {
    let Some(world) = World::new(None) else { return };
    let names: std::collections::BTreeSet<_> = world.rows().into_iter().map(|row| row.name).collect();
    assert!(names.len() >= 60 && names.len() == world.rows().len(), "{}", names.len());
}

#[test]
fn what_an_agent_needs_is_there_in_every_sandbox() {
    for user in [None, rustix::process::geteuid().is_root().then_some(world::ORDINARY)] {
        let Some(world) = World::new(user) else { return };
        for level in MACHINES.into_iter().filter(|level| world.lacks(*level).is_none()) {
            for args in [
                vec!["read".to_owned(), world.at("work/file")],
                vec!["write".to_owned(), world.at("work/new")],
                vec!["write".to_owned(), world.at("private/tmp/new")],
                vec!["write".to_owned(), world.at("home/.cargo/registry/new")],
                vec!["append".to_owned(), world.at("home/.cargo/registry/index")],
                vec!["read".to_owned(), world.at("home/.cargo/registry/src/index/crate-1.0.0/build.rs")],
                vec!["write".to_owned(), world.at("home/.cargo/.package-cache")],
                vec!["read".to_owned(), world.at("home/.gitconfig")],
                vec!["read".to_owned(), world.at("repo/.git/config")],
                vec!["write".to_owned(), world.at("fleet/private/one/objects/new")],
                vec!["write".to_owned(), world.at("fleet/private/one/refs/heads/new.lock")],
                vec!["write".to_owned(), world.at("fleet/private/one/index.lock")],
                vec!["read".to_owned(), world.at("repo/.git/objects/planted")],
                vec!["link".to_owned(), world.at("work/link")],
                vec!["read".to_owned(), "/etc/passwd".to_owned()],
                vec!["read".to_owned(), "/bin/sh".to_owned()],
                vec!["write".to_owned(), "/dev/null".to_owned()],
                vec!["see".to_owned(), "self".to_owned()],
                vec!["threads".to_owned(), "50".to_owned()],
                vec!["tcp".to_owned(), world.target.tcp.clone()],
                vec!["udp".to_owned(), world.target.udp.clone()],
            ] {
                world.restore();
                let done = world.run_at(level, Network::Open, &args);
                assert_eq!(done.code, Some(0), "{args:?} in {level:?}: {done:?}");
            }
        }
    }
}

#[test]
fn ports_that_are_listed_are_reached_and_datagrams_sent_where_lookups_are_listed() {
    let Some(mut world) = World::new(None) else { return };
    let port = world.target.tcp.parse().unwrap();
    let has_ports = |level: &Level| *level != Level::Mounts && world.lacks(*level).is_none();
    let machines: Vec<Level> = MACHINES.into_iter().filter(has_ports).collect();
    for level in machines {
        // The port is reached by TCP, by Multipath TCP; a datagram arrives.
        for (ports, expected) in [(vec![port], [true, false, false]), (vec![port, LOOKUPS], [true, false, true])] {
            world.ports = ports;
            let [tcp, udp] = [&world.target.tcp, &world.target.udp].map(String::as_str);
            let tried = [vec!["tcp", tcp], vec!["tcp-by", "mptcp", tcp], vec!["udp", udp]].map(|args| {
                let args: Vec<String> = args.into_iter().map(str::to_owned).collect();
                world.run_at(level, Network::Ports, &args)
            });
            let reached = tried.each_ref().map(|done| done.code == Some(0));
            assert_eq!(reached, expected, "{level:?} {:?}: {tried:?}", world.ports);
        }
    }
}

#[test]
fn what_is_written_to_a_cache_is_there_for_the_writer_and_for_no_one_else() {
    let Some(world) = World::new(None).filter(|world| world.lacks(Level::Namespaces).is_none()) else { return };
    let rules = world.rules(Level::Namespaces, Network::Open);
    let [new, old] = ["new", "index"].map(|name| world.at(&format!("home/.cargo/registry/{name}")));
    let script = format!("echo a > {new} && cat {new} && rm {old} && ! test -e {old}");
    let done = world.run_program(Some(&rules), "/bin/sh", &["-c".to_owned(), script]);
    assert_eq!(done.code, Some(0), "{done:?}");
    assert!(!Path::new(&new).exists() && Path::new(&old).exists());
    // What a session wrote goes with its folders, though the kernel left one there without any rights.
    fleet_sandbox::remove_private(Path::new(&world.at("private/layers"))).unwrap();
    assert!(!Path::new(&world.at("private/layers")).exists());
}

#[test]
fn in_namespaces_an_agent_has_temporary_files_shared_memory_and_terminals_of_its_own() {
    let Some(world) = World::new(None).filter(|world| world.lacks(Level::Namespaces).is_none()) else { return };
    let rules = world.rules(Level::Namespaces, Network::Open);
    for path in ["/tmp/own".to_owned(), "/dev/shm/own".to_owned(), world.at("home/.cache/own")] {
        let done = world.run(Some(&rules), &["write".to_owned(), path.clone()]);
        assert_eq!(done.code, Some(0), "{path}: {done:?}");
        assert!(!Path::new(&path).exists(), "{path} is not that of everybody");
    }
    let terminal = world.run(Some(&rules), &["list".to_owned(), "/dev/pts".to_owned()]);
    assert_eq!(terminal.code, Some(0), "{terminal:?}");
}

/// A folder that is mounted whole, with what is hidden in it covered; `read` is what Landlock lets be read.
fn with_a_whole_folder(world: &World, read: &[&str], covered: &[&str]) -> Rules {
    let folder = world.at("whole");
    let _ = std::fs::create_dir_all(Path::new(&folder).join("keys"));
    for file in ["open", "hidden", "keys/one", "new"] {
        write(&Path::new(&folder).join(file));
    }
    let mut rules = world.rules(Level::Namespaces, Network::Open);
    rules.read.extend(read.iter().map(|path| PathBuf::from(world.at(path))));
    if let Isolation::Namespaces(spaces) = &mut rules.isolation {
        spaces.whole = vec![folder.into()];
        spaces.covered = covered.iter().map(|path| PathBuf::from(world.at(path))).collect();
    }
    rules
}

#[expect(clippy::disallowed_methods, reason = "the test prepares files as their user would")]
fn write(path: &Path) {
    std::fs::write(path, "text").unwrap();
}

#[test]
fn what_is_hidden_in_a_folder_that_is_mounted_whole_is_kept_by_its_cover_and_by_landlock_alike() {
    let Some(world) = World::new(None).filter(|world| world.lacks(Level::Namespaces).is_none()) else { return };
    let hidden = [
        vec!["read".to_owned(), world.at("whole/hidden")],
        vec!["read".to_owned(), world.at("whole/keys/one")],
        vec!["list".to_owned(), world.at("whole/keys"), "one".to_owned()],
    ];
    let (all, covers) = (["whole"], ["whole/hidden", "whole/keys"]);
    // Which of the three succeed: with neither, with Landlock alone, with covers alone, with both.
    for (read, covered, expected) in [
        (&all[..], &[][..], [true, true, true]),
        (&["whole/open"], &[], [false, false, true]),
        (&all, &covers, [false, false, false]),
        (&["whole/open"], &covers, [false, false, false]),
    ] {
        let rules = with_a_whole_folder(&world, read, covered);
        let open = world.run(Some(&rules), &["read".to_owned(), world.at("whole/open")]);
        assert_eq!(open.code, Some(0), "{open:?}");
        let tried = hidden.each_ref().map(|args| world.run(Some(&rules), args));
        assert_eq!(tried.each_ref().map(|done| done.code == Some(0)), expected, "{read:?} {covered:?}: {tried:?}");
    }
}

#[test]
#[expect(clippy::disallowed_methods, reason = "the test replaces a file as its user would")]
fn what_is_hidden_stays_so_when_it_is_replaced_or_made_while_an_agent_runs() {
    let Some(world) = World::new(None).filter(|world| world.lacks(Level::Namespaces).is_none()) else { return };
    let pipe = PathBuf::from(world.at("work/pipe"));
    rustix::fs::mknodat(CWD, &pipe, FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).unwrap();
    let script = format!("read line < '{}'; cat '{}'", pipe.display(), world.at("whole/hidden"));
    // Where Landlock lets all be read, the kernel takes the cover away with what it covered.
    for (read, seen) in [("whole", true), ("whole/open", false)] {
        let rules = with_a_whole_folder(&world, &[read], &["whole/hidden"]);
        let done = std::thread::scope(|scope| {
            let running =
                scope.spawn(|| world.run_program(Some(&rules), "/bin/sh", &["-c".to_owned(), script.clone()]));
            // Opens once the shell reads, which is when it is inside.
            let mut gate = std::fs::OpenOptions::new().write(true).open(&pipe).unwrap();
            std::fs::rename(world.at("whole/new"), world.at("whole/hidden")).unwrap();
            gate.write_all(b"go\n").unwrap();
            drop(gate);
            running.join().unwrap()
        });
        assert_eq!(done.code == Some(0), seen, "{read}: {done:?}");
    }
}

#[test]
fn how_a_program_ended_is_seen_outside_of_its_namespaces() {
    let Some(world) = World::new(None).filter(|world| world.lacks(Level::Namespaces).is_none()) else { return };
    let rules = world.rules(Level::Namespaces, Network::Open);
    for (script, code) in
        [("exit 7", 7), ("kill -9 $$", 137), ("kill -15 $$", 143), ("sleep 1 > /dev/null 2>&1 & exit 3", 3)]
    {
        let done = world.run_program(Some(&rules), "/bin/sh", &["-c".to_owned(), script.to_owned()]);
        assert_eq!(done.code, Some(code), "{script}: {done:?}");
    }
    let missing = world.run_program(Some(&rules), "/no/such/program", &[]);
    assert!(missing.code == Some(99) && missing.said.contains("/no/such/program"), "{missing:?}");
}

#[test]
fn ports_of_its_own_network_are_handed_over_before_the_agent_runs() {
    let Some(world) = World::new(None) else { return };
    for level in [Level::Namespaces, Level::Bubblewrap].into_iter().filter(|level| world.lacks(*level).is_none()) {
        let (accepted, done) = world.through_a_proxy(level, 4321);
        assert!(accepted && done.code == Some(0), "{level:?}: {done:?}");
    }
}

#[test]
#[expect(clippy::disallowed_methods, reason = "a test compares what is documented")]
fn the_docs_list_every_attack_and_what_stops_it() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/reference/attacks.md");
    let fresh = concat!(env!("CARGO_TARGET_TMPDIR"), "/attacks.md");
    let documented = std::fs::read_to_string(path).unwrap_or_default();
    let expected = docs::page();
    std::fs::write(fresh, &expected).unwrap();
    assert!(documented == expected, "run `cp {fresh} docs/reference/attacks.md`");
}
