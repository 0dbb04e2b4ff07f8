//! Which program an agent is: an agent that was updated is another one.

use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

/// A program as it lies on the disk.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Program {
    /// Where it is, behind all links.
    pub path: PathBuf,
    /// When it was last changed, in milliseconds of Unix time.
    pub modified_ms: i64,
    /// How long it is.
    pub bytes: u64,
}

impl Program {
    /// Finds a program; a name without a slash is looked up in `path`.
    pub(crate) fn find(name: &str, path: &str) -> Option<Self> {
        if name.contains('/') {
            return Self::at(Path::new(name));
        }
        std::env::split_paths(path).find_map(|folder| Self::at(&folder.join(name)))
    }

    fn at(path: &Path) -> Option<Self> {
        let path = path.canonicalize().ok()?;
        let data = path.metadata().ok()?;
        let runs = data.is_file() && data.permissions().mode() & 0o111 != 0;
        let modified_ms = data.mtime().saturating_mul(1000).saturating_add(data.mtime_nsec() / 1_000_000);
        runs.then_some(Self { modified_ms, bytes: data.len(), path })
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    #[expect(clippy::disallowed_methods, reason = "the test makes a program")]
    fn write(path: &Path, text: &str) {
        std::fs::write(path, text).unwrap();
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).unwrap();
    }

    #[test]
    fn a_program_is_found_behind_links_and_is_another_one_when_it_was_changed() {
        let folder = tempfile::tempdir().unwrap();
        let (real, link) = (folder.path().join("real"), folder.path().join("agent"));
        write(&real, "one");
        symlink(&real, &link).unwrap();
        let path = format!("/nowhere:{}", folder.path().display());
        let found = Program::find("agent", &path).unwrap();
        assert_eq!(found.path, real.canonicalize().unwrap());
        assert_eq!(Program::find(&link.display().to_string(), "").as_ref(), Some(&found));
        write(&real, "longer");
        assert_ne!(Program::find("agent", &path), Some(found));
        assert_eq!(Program::find("another", &path), None);
    }
}
