//! What a snapshot knows beyond its files: exact modes, empty directories, and what git takes under no name.
//!
//! A tree of git holds two modes and no empty directory, and refuses paths with `.git` in them. The manifest says what
//! is missing; contents that cannot have their own name are stored under a number.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use crate::escape::{escape, unescape};
use crate::repository::Head;
use crate::walk::{Area, Entry, EntryKind, Walk};

/// The format that this version writes and reads.
pub(crate) const VERSION: u32 = 1;

/// The manifest as it is stored; paths are escaped.
#[derive(Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub(crate) struct Manifest {
    pub(crate) version: u32,
    /// Where the worktree was.
    pub(crate) root: String,
    /// Where its git directory was.
    pub(crate) git_dir: String,
    /// The branch that HEAD was on.
    pub(crate) branch: Option<String>,
    /// The commit that HEAD was at.
    pub(crate) commit: Option<String>,
    /// Contents stored under their place in this list.
    pub(crate) stored: Vec<Stored>,
    /// Modes that a tree cannot tell.
    pub(crate) modes: Vec<(String, u32)>,
    /// Directories that are empty, or have another mode than usual.
    pub(crate) directories: Vec<(Area, String, u32)>,
    /// What was left out by rule.
    pub(crate) left_out: Vec<String>,
    /// Sockets, pipes and devices, which have no content to keep.
    pub(crate) special: Vec<String>,
}

/// Something that a tree of git does not take under its own name.
#[derive(Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub(crate) struct Stored {
    pub(crate) place: Area,
    pub(crate) path: String,
    pub(crate) mode: u32,
    pub(crate) link: bool,
}

impl Manifest {
    /// Describes what a walk of the files and one of the git directory found.
    pub(crate) fn of(root: &Path, git_dir: &Path, head: &Head, tree: &Walk, state: &Walk) -> Self {
        let mut manifest = Self {
            version: VERSION,
            root: escape(root),
            git_dir: escape(git_dir),
            branch: head.branch().map(|branch| branch.as_str().to_owned()),
            commit: head.commit().map(|commit| commit.as_str().to_owned()),
            left_out: tree.left_out.iter().map(|path| escape(path)).collect(),
            ..Self::default()
        };
        for entry in tree.entries.iter().chain(&state.entries) {
            manifest.note(entry);
        }
        manifest
    }

    fn note(&mut self, entry: &Entry) {
        let path = escape(&entry.path);
        match &entry.kind {
            EntryKind::File | EntryKind::Link { .. } if is_stored(entry) => {
                let link = matches!(entry.kind, EntryKind::Link { .. });
                self.stored.push(Stored { place: entry.place, path, mode: entry.mode, link });
            }
            EntryKind::File if entry.mode != usual_mode(entry) => self.modes.push((path, entry.mode)),
            EntryKind::File | EntryKind::Link { .. } => {}
            EntryKind::Directory { empty } if *empty || entry.mode != 0o755 => {
                self.directories.push((entry.place, path, entry.mode));
            }
            EntryKind::Directory { .. } => {}
            EntryKind::Special => self.special.push(path),
        }
    }

    /// Reads a stored manifest, or says why it is none.
    pub(crate) fn read(bytes: &[u8]) -> Result<Self, String> {
        let manifest: Self = serde_json::from_slice(bytes).map_err(|error| error.to_string())?;
        if manifest.version == VERSION {
            Ok(manifest)
        } else {
            Err(format!("it has format {}, this version reads {VERSION}", manifest.version))
        }
    }

    /// Returns the modes of files under their own names that a tree of git cannot tell.
    pub(crate) fn modes(&self) -> HashMap<PathBuf, u32> {
        self.modes.iter().filter_map(|(path, mode)| Some((unescape(path)?, *mode))).collect()
    }
}

/// The mode in a tree of git.
fn usual_mode(entry: &Entry) -> u32 {
    if is_executable(entry) { 0o755 } else { 0o644 }
}

pub(crate) fn is_executable(entry: &Entry) -> bool {
    entry.mode & 0o100 != 0
}

/// Whether the content is kept under a number instead of its own name.
pub(crate) fn is_stored(entry: &Entry) -> bool {
    let link = matches!(entry.kind, EntryKind::Link { .. });
    let odd = || entry.path.components().any(|part| is_odd(part.as_os_str().as_encoded_bytes(), link));
    entry.place == Area::GitDir || odd()
}

/// Whether git, on any system, could take a name for its own directory and refuses it for that.
fn is_odd(name: &[u8], link: bool) -> bool {
    let lower = name.to_ascii_lowercase();
    // A link to elsewhere of this name is refused too; a file is not.
    if link && lower.starts_with(b".gitmodules") {
        return true;
    }
    let ascii_tricks = lower.starts_with(b"git~") || lower.contains(&b'\\') || lower.contains(&b':');
    // macOS skips some characters when it compares names; all of them begin with one of these bytes.
    let unicode_tricks = lower.contains(&0xe2) || lower.contains(&0xef);
    let rest = lower.strip_prefix(b".git");
    let dot_git = rest.is_some_and(|rest| rest.iter().all(|byte| matches!(byte, b' ' | b'.')));
    dot_git || ascii_tricks || unicode_tricks
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_git_refuses_are_odd_and_its_usual_files_are_not() {
        for name in [".git", ".GIT", ".git ", ".git...", "git~1", "a\\b", ".git::$INDEX_ALLOCATION", ".g\u{200c}it"] {
            assert!(is_odd(name.as_bytes(), false), "{name}");
        }
        for name in [".gitignore", ".gitmodules", ".github", "git", "a.git", "ümlaut", "a\nb"] {
            assert!(!is_odd(name.as_bytes(), false), "{name}");
        }
        assert!(is_odd(b".gitmodules", true));
    }

    #[test]
    fn a_manifest_of_a_later_version_is_refused() {
        let mut later = serde_json::to_value(Manifest::default()).unwrap();
        later["version"] = 99.into();
        let error = Manifest::read(later.to_string().as_bytes()).unwrap_err();
        assert_eq!(error, "it has format 99, this version reads 1");
    }
}
