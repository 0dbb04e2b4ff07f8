//! Where the programs are that agents are started with: looked up as a shell would, never started here.

use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use crate::hub::Sessions;

impl Sessions {
    /// Finds a program as an agent's start would: by its path, or in the server's `PATH`.
    #[must_use]
    pub fn program(&self, name: &str) -> Option<PathBuf> {
        find(name, self.0.parts.environment.get("PATH").map(String::as_str))
    }
}

fn find(name: &str, path: Option<&str>) -> Option<PathBuf> {
    if name.contains('/') {
        return Some(PathBuf::from(name)).filter(|path| path.is_absolute() && is_executable(path));
    }
    let folders = path?.split(':').map(Path::new).filter(|folder| folder.is_absolute());
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
        assert_eq!(find("sh", Some("/nowhere:/bin")), Some(PathBuf::from("/bin/sh")));
        assert_eq!(find("/bin/sh", None), Some(PathBuf::from("/bin/sh")));
        for (name, path) in [("sh", None), ("sh", Some("bin:.")), ("./sh", Some("/bin")), ("etc", Some("/"))] {
            assert_eq!(find(name, path), None, "{name} {path:?}");
        }
    }
}
