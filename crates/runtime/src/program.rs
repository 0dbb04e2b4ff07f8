//! Where programs are, as a shell would look them up; nothing is started here.
//!
//! A process that is started by its path and with an environment of its own is started without a copy of this one: to
//! copy the tables of a server's memory takes longer than many a git command.

use std::ffi::OsStr;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

/// Finds a program by its path, or by its name in the folders of a `PATH`. What is relative is not found.
#[must_use]
pub fn find_program(name: impl AsRef<Path>, path: Option<&OsStr>) -> Option<PathBuf> {
    let name = name.as_ref();
    if name.as_os_str().as_encoded_bytes().contains(&b'/') {
        return Some(name.to_owned()).filter(|path| path.is_absolute() && is_executable(path));
    }
    let folders = std::env::split_paths(path?).filter(|folder| folder.is_absolute());
    folders.map(|folder| folder.join(name)).find(|path| is_executable(path))
}

fn is_executable(path: &Path) -> bool {
    path.metadata().is_ok_and(|entry| entry.is_file() && entry.permissions().mode() & 0o111 != 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_is_found_by_its_path_or_in_the_folders_named_and_nowhere_else() {
        let find = |name: &str, path: Option<&str>| find_program(name, path.map(OsStr::new));
        assert_eq!(find("sh", Some("/nowhere:/bin")), Some(PathBuf::from("/bin/sh")));
        assert_eq!(find("/bin/sh", None), Some(PathBuf::from("/bin/sh")));
        for (name, path) in [("sh", None), ("sh", Some("bin:.")), ("./sh", Some("/bin")), ("etc", Some("/"))] {
            assert_eq!(find(name, path), None, "{name} {path:?}");
        }
    }
}
