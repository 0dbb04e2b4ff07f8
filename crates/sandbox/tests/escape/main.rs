//! The escape suite: what a hostile agent tries, once with nothing around it, where it must succeed, and then in each
//! kind of sandbox, where it must not.
//!
//! A row of the table names an attack, the users for which it can succeed at all, and which layers stop it. Each row is tried as root
//! and as an ordinary user, in namespaces, without namespaces, and without namespaces but with `bwrap`. On a machine without
//! Landlock there is only one thing to see: that the plan says so.
#![expect(clippy::unwrap_used, clippy::panic, reason = "a test speaks by panicking")]

mod table;
mod world;

use table::{Stopped, Who};
use types::Network;
use world::{Level, World};

/// Tries the whole table as one user, and lists what went otherwise than the table says.
fn tried(user: Option<u32>) -> Vec<String> {
    let Some(world) = World::new(user) else { return Vec::new() };
    let mut wrong = Vec::new();
    for row in table::rows(&world) {
        match row.who {
            Who::Anybody => {}
            Who::Root if world.is_root() => {}
            Who::User if !world.is_root() => {}
            Who::Root | Who::User => continue,
        }
        world.restore();
        let free = world.run(None, &row.args);
        if free.code != Some(0) {
            wrong.push(format!("{} does not succeed without a sandbox: {free:?}", row.name));
            continue;
        }
        for level in Level::ALL.into_iter().filter(|level| world.can(*level)) {
            world.restore();
            let inside = world.run(Some(&world.rules(level, row.network)), &row.args);
            let stops = match row.stopped {
                Stopped::Always => true,
                Stopped::InNamespaces => level == Level::Namespaces,
            };
            if (inside.code != Some(0)) != stops || inside.code == Some(99) {
                wrong.push(format!("{} in {level:?}: {inside:?}", row.name));
            }
        }
    }
    wrong
}

#[test]
fn every_attack_of_root_succeeds_outside_and_fails_inside() {
    if rustix::process::geteuid().is_root() {
        assert_eq!(tried(None), Vec::<String>::new());
    }
}

#[test]
fn every_attack_of_an_ordinary_user_succeeds_outside_and_fails_inside() {
    let user = rustix::process::geteuid().is_root().then_some(world::ORDINARY);
    assert_eq!(tried(user), Vec::<String>::new());
}

#[test]
fn there_are_at_least_sixty_attacks_with_different_names() {
    let Some(world) = World::new(None) else { return };
    let names: std::collections::BTreeSet<_> = table::rows(&world).into_iter().map(|row| row.name).collect();
    assert!(names.len() >= 60 && names.len() == table::rows(&world).len(), "{}", names.len());
}

#[test]
fn what_an_agent_needs_is_there_in_every_sandbox() {
    for user in [None, rustix::process::geteuid().is_root().then_some(world::ORDINARY)] {
        let Some(world) = World::new(user) else { return };
        for level in Level::ALL.into_iter().filter(|level| world.can(*level)) {
            let rules = world.rules(level, Network::Open);
            for args in [
                vec!["read".to_owned(), world.at("work/file")],
                vec!["write".to_owned(), world.at("work/new")],
                vec!["write".to_owned(), world.at("private/tmp/new")],
                vec!["write".to_owned(), world.at("home/.cargo/registry/new")],
                vec!["read".to_owned(), world.at("home/.gitconfig")],
                vec!["read".to_owned(), world.at("repo/.git/config")],
                vec!["write".to_owned(), world.at("fleet/private/one/objects/new")],
                vec!["write".to_owned(), world.at("fleet/private/one/refs/heads/new.lock")],
                vec!["write".to_owned(), world.at("fleet/private/one/index.lock")],
                vec!["read".to_owned(), world.at("repo/.git/objects/aa")],
                vec!["link".to_owned(), world.at("work/link")],
                vec!["read".to_owned(), "/etc/passwd".to_owned()],
                vec!["read".to_owned(), "/bin/sh".to_owned()],
                vec!["write".to_owned(), "/dev/null".to_owned()],
                vec!["see".to_owned(), "self".to_owned()],
                vec!["threads".to_owned(), "50".to_owned()],
                vec!["tcp".to_owned(), world.victim.tcp.clone()],
                vec!["udp".to_owned(), world.victim.udp.clone()],
            ] {
                world.restore();
                let done = world.run(Some(&rules), &args);
                assert_eq!(done.code, Some(0), "{args:?} in {level:?}: {done:?}");
            }
        }
    }
}

#[test]
fn in_namespaces_an_agent_has_temporary_files_shared_memory_and_terminals_of_its_own() {
    let Some(world) = World::new(None).filter(|world| world.can(Level::Namespaces)) else { return };
    let rules = world.rules(Level::Namespaces, Network::Open);
    for path in ["/tmp/own".to_owned(), "/dev/shm/own".to_owned(), world.at("home/.cache/own")] {
        let done = world.run(Some(&rules), &["write".to_owned(), path.clone()]);
        assert_eq!(done.code, Some(0), "{path}: {done:?}");
        assert!(!std::path::Path::new(&path).exists(), "{path} is not that of everybody");
    }
    let terminal = world.run(Some(&rules), &["list".to_owned(), "/dev/pts".to_owned()]);
    assert_eq!(terminal.code, Some(0), "{terminal:?}");
}

#[test]
fn how_a_program_ended_is_seen_outside_of_its_namespaces() {
    let Some(world) = World::new(None).filter(|world| world.can(Level::Namespaces)) else { return };
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
fn ports_of_its_own_network_are_handed_to_whoever_listens_for_it() {
    let Some(world) = World::new(None).filter(|world| world.can(Level::Namespaces)) else { return };
    let (accepted, done) = world.through_a_proxy(4321);
    assert!(accepted && done.code == Some(0), "{done:?}");
}
