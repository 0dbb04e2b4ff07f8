use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt as _;

use jiff::Timestamp;
use tempfile::TempDir;

use super::*;

fn home() -> (TempDir, Home) {
    let directory = tempfile::tempdir().unwrap();
    let home = Home::at(directory.path().join("a/home"));
    (directory, home)
}

fn mode(path: &Path) -> u32 {
    path.metadata().unwrap().permissions().mode() & 0o777
}

fn chmod(path: &Path, mode: u32) {
    std::fs::set_permissions(path, Permissions::from_mode(mode)).unwrap();
}

#[test]
fn the_directory_is_where_the_environment_says() {
    let resolve = |variables: &[(&str, &str)]| Home::resolve(&variables.iter().copied().collect());
    assert_eq!(resolve(&[("FLEET_HOME", "/x"), ("HOME", "/srv/me")]).unwrap(), Home::at("/x"));
    assert_eq!(resolve(&[("FLEET_HOME", ""), ("HOME", "/srv/me")]).unwrap(), Home::at("/srv/me/.fleet"));
    assert!(resolve(&[("FLEET_HOME", "here")]).unwrap().path().is_absolute());
    assert!(matches!(resolve(&[]), Err(Error::NoHome)));
}

#[test]
fn the_directory_is_made_for_its_owner_alone_and_may_be_there() {
    let (_directory, home) = home();
    home.create().unwrap();
    home.create().unwrap();
    assert_eq!(mode(home.path()), 0o700);
}

#[test]
fn a_directory_that_everyone_may_write_to_is_refused() {
    let (_directory, home) = home();
    home.create().unwrap();
    chmod(home.path(), 0o777);
    let error = home.local_key().unwrap_err().to_string();
    assert!(error.contains("(mode 777); run `chmod 700 "), "{error}");
}

#[test]
fn a_key_is_made_once_and_for_its_owner_alone() {
    let (_directory, home) = home();
    let key = home.local_key().unwrap();
    assert_eq!(home.local_key().unwrap(), key);
    assert_eq!(mode(&home.token()), 0o600);
    assert_eq!(disk::read_to_string(&home.token()).unwrap(), format!("{}\n", key.text()));
    assert_eq!(key.text().len(), 43);
    assert_eq!(files(&home), 1);
}

#[test]
fn two_homes_have_two_keys() {
    let ((_one, first), (_other, second)) = (home(), home());
    assert_ne!(first.local_key().unwrap(), second.local_key().unwrap());
}

#[test]
fn all_who_make_the_key_at_once_agree_on_it() {
    for _ in 0..20 {
        let (_directory, home) = home();
        let start = std::sync::Barrier::new(8);
        let make = || {
            start.wait();
            home.local_key().unwrap()
        };
        let keys: Vec<_> = std::thread::scope(|scope| {
            let makers: Vec<_> = (0..8).map(|_| scope.spawn(make)).collect();
            makers.into_iter().map(|maker| maker.join().unwrap()).collect()
        });
        assert!(keys.iter().all(|key| *key == keys[0]));
    }
}

#[test]
fn a_key_that_others_may_read_is_refused_with_the_remedy() {
    let (_directory, home) = home();
    home.local_key().unwrap();
    for exposed in [0o640, 0o604, 0o620, 0o666] {
        chmod(&home.token(), exposed);
        let error = home.local_key().unwrap_err().to_string();
        assert!(error.contains(&format!("run `chmod 600 {}`", home.token().display())), "{error}");
    }
    chmod(&home.token(), 0o400);
    home.local_key().unwrap();
}

#[test]
fn a_malformed_key_is_refused_and_kept() {
    let (_directory, home) = home();
    home.create().unwrap();
    for text in ["", "short", &"A".repeat(42), &"A".repeat(44), &format!("{}=", "A".repeat(43)), &"ü".repeat(43)] {
        disk::replace(&home.token(), text).unwrap();
        assert!(matches!(home.local_key(), Err(Error::KeyMalformed { .. })), "{text}");
        assert_eq!(disk::read_to_string(&home.token()).unwrap(), text);
    }
}

#[test]
fn a_key_is_never_shown() {
    let (_directory, home) = home();
    assert_eq!(format!("{:?}", home.local_key().unwrap()), "LocalKey(hidden)");
}

fn server(pid: u32) -> ServerFile {
    let started_at = Timestamp::constant(1_800_000_000, 0);
    ServerFile { pid, host: "127.0.0.1".to_owned(), port: 3847, started_at, version: "0.1.0".to_owned() }
}

#[test]
fn a_server_is_found_until_it_is_removed() {
    let (_directory, home) = home();
    assert_eq!(home.read_server().unwrap(), None);
    home.create().unwrap();
    home.write_server(&server(7)).unwrap();
    assert_eq!(home.read_server().unwrap(), Some(server(7)));
    home.remove_server(7).unwrap();
    home.remove_server(7).unwrap();
    assert_eq!(home.read_server().unwrap(), None);
}

#[test]
fn a_server_that_ends_late_leaves_the_next_one_listed() {
    let (_directory, home) = home();
    home.create().unwrap();
    home.write_server(&server(8)).unwrap();
    home.remove_server(7).unwrap();
    assert_eq!(home.read_server().unwrap(), Some(server(8)));
}

#[test]
fn a_server_file_that_is_none_is_refused() {
    let (_directory, home) = home();
    home.create().unwrap();
    disk::replace(&home.server_json(), "{\"pid\": 7}").unwrap();
    assert!(matches!(home.read_server(), Err(Error::ServerFileMalformed { .. })));
}

/// Counts the files of a home; its folder of data is none.
fn files(home: &Home) -> usize {
    home.path().read_dir().unwrap().filter(|entry| entry.as_ref().unwrap().path().is_file()).count()
}
