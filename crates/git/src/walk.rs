//! Everything that lies in a worktree and in its git directory, as the file system shows it.
//!
//! git itself would skip what it ignores, stop at nested repositories and pass files through filters; a snapshot needs
//! the bytes. The walk blocks, changes nothing, and follows no link.

use std::collections::HashSet;
use std::ffi::{OsStr, OsString};
use std::fs::Metadata;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use crate::disk::{failed, set_mode};
use crate::error::Error;
use crate::hold::LOCK;

/// Which of the two directories of a worktree something lies in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Area {
    /// Among the files.
    Tree,
    /// In the git directory that belongs to this worktree alone.
    GitDir,
}

/// Something that was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Entry {
    pub(crate) place: Area,
    /// Below its place.
    pub(crate) path: PathBuf,
    pub(crate) kind: EntryKind,
    /// Permission bits.
    pub(crate) mode: u32,
    stamp: Stamp,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum EntryKind {
    File,
    Link {
        target: PathBuf,
    },
    Directory {
        empty: bool,
    },
    /// A socket, a pipe, a device: it has no bytes of its own.
    Special,
}

/// What changes whenever the content does.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Stamp {
    inode: u64,
    size: u64,
    modified: (i64, i64),
    changed: (i64, i64),
}

/// What to leave out.
#[derive(Debug, Clone, Default)]
pub(crate) struct Skip {
    /// Paths that the repository ignores, as git lists them: whole directories where a whole directory matches.
    pub(crate) ignored: HashSet<PathBuf>,
    /// Which of those to leave out.
    pub(crate) rule: SkipRule,
}

#[derive(Debug, Clone, Default)]
pub(crate) enum SkipRule {
    #[default]
    Nothing,
    /// All that is ignored.
    Ignored,
    /// What is ignored and bears, or lies in a directory that bears, one of these names.
    Named(Vec<String>),
}

/// What a walk found, in the order of paths.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Walk {
    pub(crate) entries: Vec<Entry>,
    /// What was left out by rule.
    pub(crate) left_out: Vec<PathBuf>,
}

/// Directories of a main checkout's git directory that all worktrees share; a snapshot takes the state, not the store.
const SHARED: [&str; 9] = ["objects", "refs", "logs", "worktrees", "modules", "hooks", "info", "lfs", "packed-refs"];

/// Walks the files of a worktree, but for the link to its git directory.
pub(crate) fn tree(root: &Path, skip: &Skip) -> Result<Walk, Error> {
    let mut walker = Walker { root, place: Area::Tree, skip, device: device(root)?, walk: Walk::default() };
    walker.directory(Path::new(""), Mood::Take, &|name| name == ".git")?;
    Ok(walker.walk)
}

/// Walks the git directory of a worktree; of a main checkout only what belongs to the checkout.
pub(crate) fn git_dir(path: &Path, shared: bool) -> Result<Walk, Error> {
    let skip = Skip::default();
    let mut walker =
        Walker { root: path, place: Area::GitDir, skip: &skip, device: device(path)?, walk: Walk::default() };
    let hidden = |name: &OsStr| name == LOCK || shared && name.to_str().is_some_and(|name| SHARED.contains(&name));
    walker.directory(Path::new(""), Mood::Take, &hidden)?;
    Ok(walker.walk)
}

/// Sums the space that a directory takes on disk.
pub(crate) fn blocks(path: &Path) -> Result<u64, Error> {
    let mut sum = 0;
    for Child { full, metadata, .. } in children(path)? {
        sum += metadata.blocks() * 512;
        if metadata.is_dir() {
            sum += blocks(&full)?;
        }
    }
    Ok(sum)
}

/// Lets the owner write to every directory, since what lies in others cannot be removed.
pub(crate) fn open_up(path: &Path) -> Result<(), Error> {
    for Child { full, metadata, .. } in children(path)?.into_iter().filter(|child| child.metadata.is_dir()) {
        if metadata.mode() & 0o700 != 0o700 {
            set_mode(&full, metadata.mode() & 0o7777 | 0o700)?;
        }
        open_up(&full)?;
    }
    Ok(())
}

/// What the walk does with what it meets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mood {
    Take,
    /// Inside something ignored that the rule has not named yet.
    TakeIgnored,
    /// Inside something left out; only a repository of its own is still taken, since work may be in it.
    Leave,
}

struct Walker<'a> {
    root: &'a Path,
    place: Area,
    skip: &'a Skip,
    device: u64,
    walk: Walk,
}

impl Walker<'_> {
    fn directory(&mut self, below: &Path, mood: Mood, hidden: &dyn Fn(&OsStr) -> bool) -> Result<(), Error> {
        for Child { name, full, metadata } in children(&self.root.join(below))? {
            if hidden(&name) {
                continue;
            }
            let path = below.join(&name);
            let mood = self.mood(mood, &path, &name);
            if metadata.dev() != self.device {
                let by = format!("a file system is mounted at `{}`", full.display());
                return Err(Error::InUse { path: self.root.to_owned(), by });
            }
            self.one(path, &full, &metadata, mood)?;
        }
        Ok(())
    }

    fn one(&mut self, path: PathBuf, full: &Path, metadata: &Metadata, mut mood: Mood) -> Result<(), Error> {
        let kind = if metadata.is_symlink() {
            EntryKind::Link { target: std::fs::read_link(full).map_err(failed("read", full))? }
        } else if metadata.is_dir() {
            if self.place == Area::Tree && full.join(".git").symlink_metadata().is_ok() {
                mood = Mood::Take;
            }
            let before = self.walk.entries.len();
            self.directory(&path, mood, &|_| false)?;
            EntryKind::Directory { empty: self.walk.entries.len() == before }
        } else if metadata.is_file() {
            EntryKind::File
        } else {
            EntryKind::Special
        };
        if mood != Mood::Leave {
            let (mode, stamp) = (metadata.mode() & 0o7777, Stamp::of(metadata, &path));
            self.walk.entries.push(Entry { place: self.place, path, kind, mode, stamp });
        }
        Ok(())
    }

    fn mood(&mut self, above: Mood, path: &Path, name: &OsStr) -> Mood {
        if above == Mood::Leave {
            return Mood::Leave;
        }
        let ignored = above == Mood::TakeIgnored || self.skip.ignored.contains(path);
        let left = ignored
            && match &self.skip.rule {
                SkipRule::Nothing => false,
                SkipRule::Ignored => true,
                SkipRule::Named(names) => name.to_str().is_some_and(|name| names.iter().any(|other| other == name)),
            };
        match (left, ignored) {
            (true, _) => {
                self.walk.left_out.push(path.to_owned());
                Mood::Leave
            }
            (false, true) => Mood::TakeIgnored,
            (false, false) => Mood::Take,
        }
    }
}

impl Stamp {
    fn of(metadata: &Metadata, path: &Path) -> Self {
        // A directory changes when a file in it does, and the file shows that better. An object of git has its content
        // in its name, and its time moves whenever git, here or in a clone that shares the file, meets it again.
        let (size, timed) =
            (if metadata.is_dir() { 0 } else { metadata.size() }, !metadata.is_dir() && !is_object(path));
        let time = |time: i64, nanoseconds: i64| if timed { (time, nanoseconds) } else { (0, 0) };
        Self {
            inode: metadata.ino(),
            size,
            modified: time(metadata.mtime(), metadata.mtime_nsec()),
            changed: time(metadata.ctime(), metadata.ctime_nsec()),
        }
    }
}

/// Whether a path is that of an object in a store of git, or of a pack of them: `objects/ab/cdef…`, `objects/pack/…`.
fn is_object(path: &Path) -> bool {
    let name = |path: Option<&Path>| path.and_then(Path::file_name).map(|name| name.as_encoded_bytes().to_vec());
    let is_hex = |name: &[u8]| name.iter().all(u8::is_ascii_hexdigit);
    let (folder, above) = (path.parent(), path.parent().and_then(Path::parent));
    let (Some(file), Some(folder), Some(above)) = (name(Some(path)), name(folder), name(above)) else { return false };
    let loose = folder.len() == 2 && is_hex(&folder) && matches!(file.len(), 38 | 62) && is_hex(&file);
    let packed = folder == b"pack" && file.starts_with(b"pack-");
    above == b"objects" && (loose || packed)
}

fn device(path: &Path) -> Result<u64, Error> {
    Ok(path.symlink_metadata().map_err(failed("read", path))?.dev())
}

/// Something in a directory.
struct Child {
    name: OsString,
    full: PathBuf,
    metadata: Metadata,
}

/// The children of a directory, by name.
fn children(path: &Path) -> Result<Vec<Child>, Error> {
    let mut children = Vec::new();
    for entry in std::fs::read_dir(path).map_err(failed("read", path))? {
        let entry = entry.map_err(failed("read", path))?;
        let full = entry.path();
        let metadata = full.symlink_metadata().map_err(failed("read", &full))?;
        children.push(Child { name: entry.file_name(), full, metadata });
    }
    children.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(children)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_objects_and_packs_in_a_store_are_known_by_their_names() {
        let object = format!("m/objects/ab/{}", "0".repeat(38));
        for path in [object.as_str(), "objects/pack/pack-1.idx", ".git/objects/pack/pack-1.pack"] {
            assert!(is_object(Path::new(path)), "{path}");
        }
        for path in ["objects/ab/short", "objects/info/packs", "pack/pack-1", "x", "objects/pack/other"] {
            assert!(!is_object(Path::new(path)), "{path}");
        }
    }
}
