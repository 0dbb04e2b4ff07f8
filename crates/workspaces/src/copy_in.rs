//! Brings what a recipe names from the user's checkout into a worktree: copies of files, links to directories.
//!
//! Nothing that git knows is overwritten, nothing outside of the checkout is reached by way of a link, and nothing is
//! written outside of the worktree. What cannot be brought is skipped with a note, since a person without an `.env`
//! can work too.

use std::fs::{self, OpenOptions};
use std::io;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use beneath::Folder;

use crate::error::Error;
use crate::files::failed;

/// The mode of folders above what is brought, as far as the umask allows.
const FOLDER_MODE: u32 = 0o777;

/// How something is brought.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum How {
    Copy,
    Link,
}

/// What came of it.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Brought {
    /// What was brought, relative to the top.
    pub(crate) paths: Vec<PathBuf>,
    /// What was not, and why.
    pub(crate) notes: Vec<String>,
}

/// Brings each path from `checkout` to `worktree`; `tracked` are those that git knows.
pub(crate) fn bring(
    wanted: &[(How, PathBuf)],
    checkout: &Path,
    worktree: &Path,
    tracked: &[PathBuf],
) -> Result<Brought, Error> {
    let mut brought = Brought::default();
    let tree = Folder::open(worktree).map_err(failed("open", worktree))?;
    for (how, path) in wanted {
        let came = match skipped(path, checkout, worktree, tracked) {
            Some(reason) => Err(reason),
            None => match one(*how, &checkout.join(path), &tree, path) {
                Ok(()) => Ok(()),
                Err(error) if beneath::is_barred(&error) => Err("a link in the worktree leads elsewhere"),
                Err(error) => return Err(failed("bring", path)(error)),
            },
        };
        match came {
            Ok(()) => brought.paths.push(path.clone()),
            Err(reason) => brought.notes.push(format!("`{}` was not brought: {reason}", path.display())),
        }
    }
    Ok(brought)
}

/// Copies single files once more that were brought before, in case the user changed them; the rest stays as it is.
pub(crate) fn refresh(brought: &[PathBuf], checkout: &Path, worktree: &Path) -> Result<(), Error> {
    let tree = Folder::open(worktree).map_err(failed("open", worktree))?;
    for path in brought {
        let source = checkout.join(path);
        let inside = source.canonicalize().ok().zip(checkout.canonicalize().ok());
        let inside = inside.is_some_and(|(source, checkout)| source.starts_with(checkout) && source.is_file());
        if inside && tree.is_file(path) {
            copy_file(&source, &tree, path).map_err(failed("copy", &source))?;
        }
    }
    Ok(())
}

/// Says why something is not brought, if it is not.
fn skipped(path: &Path, checkout: &Path, worktree: &Path, tracked: &[PathBuf]) -> Option<&'static str> {
    if tracked.iter().any(|known| known == path) {
        return Some("git knows files there");
    }
    let Ok(source) = checkout.join(path).canonicalize() else { return Some("the checkout has nothing there") };
    if !checkout.canonicalize().is_ok_and(|checkout| source.starts_with(checkout)) {
        return Some("it is a link that leads out of the repository");
    }
    if source.starts_with(worktree) || worktree.starts_with(&source) {
        return Some("the worktree lies in it");
    }
    worktree.join(path).symlink_metadata().is_ok().then_some("something is there already")
}

fn one(how: How, source: &Path, tree: &Folder, path: &Path) -> io::Result<()> {
    tree.create_folders(path.parent().unwrap_or(Path::new("")), FOLDER_MODE)?;
    match how {
        How::Link => tree.put_link(path, source),
        // The one named may be a link within the checkout; what it means is wanted, not the link.
        How::Copy => copy(&source.canonicalize()?, tree, path),
    }
}

/// Copies a file, or a directory with everything in it; links stay links, and what has no bytes is left out.
fn copy(source: &Path, tree: &Folder, path: &Path) -> io::Result<()> {
    let metadata = source.symlink_metadata()?;
    if metadata.is_symlink() {
        return tree.put_link(path, &fs::read_link(source)?);
    }
    if metadata.is_file() {
        return copy_file(source, tree, path);
    }
    if metadata.is_dir() {
        let folder = tree.create_folders(path, FOLDER_MODE)?;
        for entry in fs::read_dir(source)? {
            let entry = entry?;
            copy(&entry.path(), &folder, Path::new(&entry.file_name()))?;
        }
        folder.set_mode(metadata.permissions().mode())?;
    }
    Ok(())
}

fn copy_file(source: &Path, tree: &Folder, path: &Path) -> io::Result<()> {
    let mut from = OpenOptions::new().read(true).open(source)?;
    let mut to = tree.put(path)?;
    io::copy(&mut from, &mut to)?;
    to.set_permissions(from.metadata()?.permissions())
}
