//! Everything in a worktree as a commit under `refs/fleet/snapshots/`, taken without changing a byte of it.
//!
//! The commit's tree holds all files under their own names, as raw bytes: tracked, untracked, ignored ones by rule, and
//! the files of submodules and nested repositories too. Its first parent is the worktree's HEAD (if it has a commit),
//! its last one a commit that keeps the rest: a manifest, the staged contents, the `.git` directories of nested
//! repositories, and the worktree's own git directory with a merge or rebase under way and the stores of its
//! submodules. Not kept are times, owners, extended attributes and hard links. [`crate::Repository::restore`] is the
//! way back.

use std::collections::HashSet;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use crate::branch::SnapshotName;
use crate::command::LONG;
use crate::commit::{Identity, Swap};
use crate::disk;
use crate::error::Error;
use crate::manifest::{Manifest, is_executable, is_stored};
use crate::oid::Oid;
use crate::repository::{Head, Kind, Repository, path_from};
use crate::stage::DIRTY;
use crate::state::mentioned;
use crate::store::Line;
use crate::walk::{self, Area, Entry, EntryKind, Skip, SkipRule, Walk};

/// Directories that tools fill again by themselves; left out of snapshots where the repository ignores them.
const CACHES: [&str; 9] =
    ["node_modules", "target", ".venv", "venv", "__pycache__", ".cache", ".gradle", ".next", ".turbo"];

/// What a snapshot does with files that the repository ignores.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Ignored {
    /// Captures them all.
    Capture,
    /// Leaves them all out, but for repositories among them.
    LeaveOut,
    /// Leaves out those of these names and captures the others; a name means a file or directory anywhere.
    LeaveOutNamed(Vec<String>),
}

impl Default for Ignored {
    /// Leaves out what tools can make again, and keeps what a person may have written, such as `.env`.
    fn default() -> Self {
        Self::LeaveOutNamed(CACHES.map(str::to_owned).to_vec())
    }
}

/// A snapshot that was taken.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Snapshot {
    /// Its name.
    pub name: SnapshotName,
    /// Its commit.
    pub commit: Oid,
    /// How many files and links it holds.
    pub files: usize,
    /// What the rule for ignored files left out.
    pub left_out: Vec<PathBuf>,
    /// Sockets, pipes and devices, which have no content to keep.
    pub special: Vec<PathBuf>,
}

/// What was found in a worktree.
#[derive(PartialEq, Eq)]
struct Found {
    tree: Walk,
    state: Walk,
}

impl Repository {
    /// Captures the worktree that this repository was opened at.
    ///
    /// # Errors
    /// When there is a snapshot of that name, files change meanwhile, or one cannot be read; then no snapshot is left.
    pub async fn snapshot(&self, name: &SnapshotName, ignored: &Ignored) -> Result<Snapshot, Error> {
        let root = self.root().ok_or_else(|| Error::Bare { path: self.git_dir.clone() })?.to_owned();
        if self.reference(&name.reference()).await?.is_some() {
            return Err(Error::SnapshotExists { name: name.clone() });
        }
        self.settle().await?;
        let head = self.head().await?;
        let skip = self.skip(&root, ignored).await?;
        let (found, skip) = self.find(root.clone(), skip).await?;
        let commit = self.capture(&root, &head, &found, name).await?;
        let (again, _) = self.find(root.clone(), skip).await?;
        if again != found {
            return Err(Error::Moving { path: root });
        }
        if self.update_ref(&name.reference(), &commit, Swap::Absent).await?.is_err() {
            return Err(Error::SnapshotExists { name: name.clone() });
        }
        let store = self.common_dir.clone();
        runtime::blocking(move || disk::sync(&store)).await?;
        let entries = || found.tree.entries.iter();
        let files = entries().filter(|entry| has_content(entry)).count();
        let special = entries().filter(|entry| entry.kind == EntryKind::Special).map(|entry| entry.path.clone());
        Ok(Snapshot { name: name.clone(), commit, files, special: special.collect(), left_out: found.tree.left_out })
    }

    /// Lists the names of all snapshots, with their commits.
    ///
    /// # Errors
    /// When git cannot tell.
    pub async fn snapshots(&self) -> Result<Vec<(SnapshotName, Oid)>, Error> {
        let args = ["for-each-ref", "--format=%(objectname) %(refname)", SnapshotName::folder()];
        let printed = String::from_utf8_lossy(&self.look(args).run().await?).into_owned();
        let lines = printed.lines().filter_map(|line| line.split_once(' '));
        Ok(lines.filter_map(|(id, name)| Some((SnapshotName::from_reference(name)?, id.parse().ok()?))).collect())
    }

    /// Asks git what it ignores, if the rule needs to know.
    async fn skip(&self, root: &Path, ignored: &Ignored) -> Result<Skip, Error> {
        let rule = match ignored {
            Ignored::Capture => return Ok(Skip::default()),
            Ignored::LeaveOut => SkipRule::Ignored,
            Ignored::LeaveOutNamed(names) => SkipRule::Named(names.clone()),
        };
        if !root.is_dir() {
            return Ok(Skip::default());
        }
        let args =
            ["status", "--porcelain", "-z", "--ignored=matching", "--untracked-files=all", "--no-renames", DIRTY];
        let printed = self.look(args).limit(LONG).run().await?;
        let fields = printed.split(|byte| *byte == 0).filter_map(|field| field.strip_prefix(b"!! "));
        let ignored: HashSet<_> = fields.map(|path| path_from(path.strip_suffix(b"/").unwrap_or(path))).collect();
        Ok(Skip { ignored, rule })
    }

    async fn find(&self, root: PathBuf, skip: Skip) -> Result<(Found, Skip), Error> {
        let (git_dir, shared) = (self.git_dir.clone(), !matches!(self.kind, Kind::Linked { .. }));
        let find = move || {
            // A directory that was removed leaves what git knows of it.
            let tree = if root.is_dir() { walk::tree(&root, &skip)? } else { Walk::default() };
            Ok((Found { tree, state: walk::git_dir(&git_dir, shared)? }, skip))
        };
        runtime::blocking(find).await
    }

    /// Writes both commits; no reference names them yet.
    async fn capture(&self, root: &Path, head: &Head, found: &Found, name: &SnapshotName) -> Result<Oid, Error> {
        let scratch = tempfile::tempdir().map_err(disk::failed("make", Path::new("a temporary directory")))?;
        let manifest = Manifest::of(root, &self.git_dir, head, &found.tree, &found.state);
        let staged = self.staged().await?;
        // The index keeps alive what it names, as long as the worktree is there; and after that the snapshot does.
        let known = staged.iter().map(|staged| staged.line.id.clone()).collect();
        let (named, numbered) = self.contents(root, found, &manifest, scratch.path(), &known).await?;
        let tree = self.tree_holding(&named, &staged, scratch.path()).await?;
        let rest = self.tree_beside(&numbered, &staged, scratch.path()).await?;
        let kept = self.only_here(mentioned(&self.git_dir, &found.state)?, head.commit()).await?;
        let by = Identity::fleet();
        let rest = self.commit_tree(&rest, &kept, &format!("snapshot {name}: what git keeps\n"), &by).await?;
        let parents: Vec<Oid> = head.commit().cloned().into_iter().chain([rest]).collect();
        self.commit_tree(&tree, &parents, &format!("snapshot {name}\n"), &by).await
    }

    /// Stores all contents: those that keep their names, and those under numbers beside the manifest.
    async fn contents(
        &self,
        root: &Path,
        found: &Found,
        manifest: &Manifest,
        scratch: &Path,
        known: &HashSet<Oid>,
    ) -> Result<(Vec<Line>, Vec<Line>), Error> {
        let entries = found.tree.entries.iter().chain(&found.state.entries).filter(|entry| has_content(entry));
        let entries: Vec<&Entry> = entries.collect();
        let mut sources = vec![scratch.join("manifest")];
        let text = serde_json::to_vec(manifest).map_err(|error| disk::failed("write", &sources[0])(error.into()))?;
        write(&sources[0], &text)?;
        for (number, entry) in entries.iter().enumerate() {
            let place = if entry.place == Area::Tree { root } else { &self.git_dir };
            sources.push(match &entry.kind {
                EntryKind::Link { target } => {
                    let file = scratch.join(format!("link-{number}"));
                    write(&file, target.as_os_str().as_bytes())?;
                    file
                }
                EntryKind::File | EntryKind::Directory { .. } | EntryKind::Special => place.join(&entry.path),
            });
        }
        let mut ids = self.store_files(&sources, known).await?.into_iter();
        let manifest = ids.next().map(|id| Line { mode: "100644", id, path: "manifest".into() });
        let (mut named, mut numbered) = (Vec::new(), Vec::from_iter(manifest));
        for (entry, id) in entries.into_iter().zip(ids) {
            if is_stored(entry) {
                // The manifest is the first line, so the count is the place in the manifest's list plus one.
                let path = format!("stored/{}", numbered.len() - 1).into();
                numbered.push(Line { mode: "100644", id, path });
            } else {
                named.push(Line { mode: mode(entry), id, path: entry.path.clone() });
            }
        }
        Ok((named, numbered))
    }
}

fn has_content(entry: &Entry) -> bool {
    matches!(entry.kind, EntryKind::File | EntryKind::Link { .. })
}

fn mode(entry: &Entry) -> &'static str {
    match entry.kind {
        EntryKind::Link { .. } => "120000",
        EntryKind::File if is_executable(entry) => "100755",
        EntryKind::File | EntryKind::Directory { .. } | EntryKind::Special => "100644",
    }
}

fn write(path: &Path, bytes: &[u8]) -> Result<(), Error> {
    use std::io::Write as _;
    disk::create(path)?.write_all(bytes).map_err(disk::failed("write", path))
}
