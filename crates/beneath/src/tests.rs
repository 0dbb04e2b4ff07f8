use std::io::Write as _;
use std::os::unix::fs::symlink;
use std::path::PathBuf;

use proptest::prelude::*;

use super::*;

/// A folder in which an agent writes, beside one that is not its own.
struct World {
    root: tempfile::TempDir,
}

#[expect(clippy::disallowed_methods, reason = "the test stands where an agent would")]
impl World {
    fn new() -> Self {
        let root = tempfile::tempdir().unwrap();
        for folder in ["inside/real", "outside"] {
            std::fs::create_dir_all(root.path().join(folder)).unwrap();
        }
        std::fs::write(root.path().join("outside/secret"), "secret").unwrap();
        std::fs::write(root.path().join("inside/real/file"), "mine").unwrap();
        symlink("../outside", root.path().join("inside/out")).unwrap();
        symlink("real", root.path().join("inside/in")).unwrap();
        symlink("../outside/secret", root.path().join("inside/leaf")).unwrap();
        Self { root }
    }

    fn at(&self, path: &str) -> PathBuf {
        self.root.path().join(path)
    }

    fn text(&self, path: &str) -> Option<String> {
        std::fs::read_to_string(self.at(path)).ok()
    }

    fn folders(&self) -> [Folder; 2] {
        [Way::AtOnce, Way::PartByPart].map(|way| Folder { way, ..Folder::open(&self.at("inside")).unwrap() })
    }
}

/// Every path by which the secret is found if links and dots are followed.
const WAYS_OUT: [&str; 4] = ["out/secret", "leaf", "../outside/secret", "real/../../outside/secret"];

#[test]
fn no_link_and_no_dots_lead_out_of_the_folder() {
    let world = World::new();
    for path in WAYS_OUT {
        assert_eq!(world.text(&format!("inside/{path}")).as_deref(), Some("secret"), "{path} leads nowhere at all");
    }
    for folder in world.folders() {
        for path in WAYS_OUT.map(PathBuf::from).into_iter().chain([world.at("outside/secret")]) {
            assert!(folder.read(&path, 100).is_err(), "{} was read", path.display());
            assert!(folder.rename(&path, "taken").is_err() || path == Path::new("leaf"), "{} went", path.display());
        }
        for path in ["out/new", "../outside/new", "out"] {
            assert!(folder.create_folders(Path::new(path), 0o700).is_err(), "{path} was made");
            assert!(folder.folder(Path::new(path)).is_err(), "{path} was opened");
        }
        assert!(
            folder.put(Path::new("out/new")).is_err() && folder.put_link(Path::new("out/new"), Path::new("x")).is_err()
        );
        assert!(folder.remove(Path::new("out/secret")).is_err());
        assert!(folder.read(Path::new("in/file"), 100).is_err(), "a link that stays inside is one, too");
        assert!(!folder.is_file(Path::new("leaf")) && !folder.is_file(Path::new("out/secret")));
        symlink("../outside/secret", world.at("inside/leaf")).unwrap_or_default();
    }
    assert_eq!(std::fs::read_dir(world.at("outside")).unwrap().count(), 1);
    assert_eq!(world.text("outside/secret").as_deref(), Some("secret"));
}

#[test]
fn files_are_read_written_renamed_and_removed_beneath_the_folder() {
    let world = World::new();
    for folder in world.folders() {
        assert_eq!(folder.read(Path::new("real/file"), 4).unwrap().as_deref(), Some(&b"mine"[..]));
        assert_eq!(folder.read(Path::new("real/none"), 4).unwrap(), None);
        assert!(folder.read(Path::new("real/file"), 3).unwrap_err().to_string().contains("longer than 3"));
        let made = folder.create_folders(Path::new("new/./deep"), 0o700).unwrap();
        made.put(Path::new("a")).unwrap().write_all(b"one").unwrap();
        // What has the name goes, and what a link leads to stays.
        folder.put_link(Path::new("new/deep/b"), Path::new("../../real/file")).unwrap();
        folder.put(Path::new("new/deep/b")).unwrap().write_all(b"two").unwrap();
        assert_eq!(world.text("inside/real/file").as_deref(), Some("mine"));
        folder.rename(Path::new("new/deep/b"), "c").unwrap();
        folder.rename(Path::new("new/deep/none"), "d").unwrap();
        assert_eq!(folder.read(Path::new("new/deep/c"), 9).unwrap().as_deref(), Some(&b"two"[..]));
        assert!(folder.rename(Path::new("new/deep/c"), "../c").is_err());
        made.set_mode(0o755).unwrap();
        folder.remove(Path::new("new/deep/c")).unwrap();
        folder.remove(Path::new("new/none/c")).unwrap();
        assert!(folder.is_file(Path::new("new/deep/a")) && !folder.is_file(Path::new("new/deep/c")));
    }
}

#[test]
fn a_pipe_in_place_of_a_file_is_refused_at_once() {
    let world = World::new();
    rustix::fs::mkfifoat(rustix::fs::CWD, world.at("inside/pipe"), OWN_FILE).unwrap();
    for folder in world.folders() {
        assert!(folder.read(Path::new("pipe"), 100).unwrap_err().to_string().contains("not a file"));
        assert!(folder.read(Path::new("real"), 100).is_err());
    }
}

proptest! {
    #[test]
    fn whatever_is_written_stays_beneath(parts in prop::collection::vec("(\\.\\.|\\.|/|out|in|real|leaf|a)", 1..6)) {
        let world = World::new();
        let path = PathBuf::from(parts.join("/"));
        for folder in world.folders() {
            if let Ok(mut file) = folder.put(&path) {
                file.write_all(b"x").unwrap();
            }
            let _ = folder.create_folders(&path, 0o700);
            let _ = folder.put_link(&path, Path::new("/nowhere"));
        }
        prop_assert_eq!(world.text("outside/secret"), Some("secret".to_owned()));
        prop_assert_eq!(std::fs::read_dir(world.at("outside")).unwrap().count(), 1);
        prop_assert_eq!(std::fs::read_dir(world.root.path()).unwrap().count(), 2);
    }
}
