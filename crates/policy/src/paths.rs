//! Where a path leads, by its letters alone.
//!
//! No file is looked at, so a link may lead elsewhere: that is for the sandbox to hold.

use std::path::{Component, Path, PathBuf};

/// A path that is not a user's file.
const NOWHERE: &str = "/dev/null";

/// How far the paths of calls may lead.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Reach<'a> {
    pub(crate) root: &'a Path,
    pub(crate) home: Option<&'a Path>,
    pub(crate) readable: &'a [PathBuf],
    pub(crate) writable: &'a [PathBuf],
}

impl Reach<'_> {
    /// Makes a path absolute and plain, as seen from the root.
    pub(crate) fn absolute(&self, path: &Path) -> PathBuf {
        let path = match (path.strip_prefix("~"), self.home) {
            (Ok(rest), Some(home)) => home.join(rest),
            (Ok(_) | Err(_), _) => path.to_owned(),
        };
        plain(&self.root.join(path))
    }

    /// Returns whether a path may be read.
    pub(crate) fn readable(&self, path: &Path) -> bool {
        if path == Path::new(NOWHERE) {
            return true;
        }
        self.lies_in(path, [self.root].into_iter().chain(folders(self.readable)).chain(folders(self.writable)))
    }

    /// Returns whether a path may be written to. Git's own files are excluded: writing there can make programs run.
    pub(crate) fn writable(&self, path: &Path) -> bool {
        let gits = |part: Component<'_>| part.as_os_str().eq_ignore_ascii_case(".git");
        self.lies_in(path, [self.root].into_iter().chain(folders(self.writable)))
            && !self.absolute(path).components().any(gits)
    }

    fn lies_in<'p>(&self, path: &Path, mut folders: impl Iterator<Item = &'p Path>) -> bool {
        // Another person's home, or one that is not known.
        if path.to_string_lossy().starts_with('~') && (self.home.is_none() || !path.starts_with("~")) {
            return false;
        }
        let path = self.absolute(path);
        // One that is not absolute would be anything.
        folders.any(|folder| folder.is_absolute() && path.starts_with(plain(folder)))
    }
}

fn folders(folders: &[PathBuf]) -> impl Iterator<Item = &Path> {
    folders.iter().map(PathBuf::as_path)
}

/// Resolves `.` and `..` by letters.
pub(crate) fn plain(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => {
                if !plain.pop() || plain.as_os_str().is_empty() {
                    plain.push(Component::RootDir);
                }
            }
            Component::Prefix(_) | Component::RootDir | Component::Normal(_) => plain.push(part),
        }
    }
    plain
}

/// Returns whether a word is a path that leads anywhere but straight down.
pub(crate) fn leads_somewhere(word: &str) -> bool {
    word.starts_with(['/', '~']) || word.split('/').any(|part| part == "..")
}
