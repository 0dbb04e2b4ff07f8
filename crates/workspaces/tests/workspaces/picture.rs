//! What a directory holds, to the byte: the oracle of all tests that must not lose one.

use std::collections::BTreeMap;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use crate::sandbox::Sandbox;

/// Every file, link and directory below a root, but for the root's own `.git`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Picture(pub(crate) BTreeMap<PathBuf, Thing>);

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Thing {
    File(u32, Vec<u8>),
    Link(PathBuf),
    Directory(u32),
}

impl Picture {
    pub(crate) fn of(root: &Path) -> Self {
        let mut things = BTreeMap::new();
        look(root, Path::new(""), &mut things);
        Self(things)
    }
}

fn look(root: &Path, below: &Path, things: &mut BTreeMap<PathBuf, Thing>) {
    for entry in std::fs::read_dir(root.join(below)).unwrap() {
        let entry = entry.unwrap();
        let path = below.join(entry.file_name());
        if path == Path::new(".git") {
            continue;
        }
        let metadata = entry.path().symlink_metadata().unwrap();
        let mode = metadata.permissions().mode() & 0o7777;
        if metadata.is_symlink() {
            things.insert(path, Thing::Link(std::fs::read_link(entry.path()).unwrap()));
        } else if metadata.is_dir() {
            look(root, &path, things);
            things.insert(path, Thing::Directory(mode));
        } else {
            things.insert(path, Thing::File(mode, std::fs::read(entry.path()).unwrap()));
        }
    }
}

/// Everything of the user's that must stay as it is: the checkout, the index file, HEAD, what is excluded.
pub(crate) fn users_own(sandbox: &Sandbox) -> (Picture, Vec<Vec<u8>>, Vec<u8>) {
    let repo = sandbox.repo();
    let files = ["index", "HEAD", "info/exclude"];
    let files = files.map(|file| std::fs::read(repo.join(".git").join(file)).unwrap_or_default());
    let status = sandbox.run(&repo, &["status", "--porcelain=v2", "-z", "--ignored"]);
    (Picture::of(&repo), files.to_vec(), status)
}
