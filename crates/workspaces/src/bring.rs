//! Brings what a recipe names from the user's checkout into a worktree: copies of files, links to directories.
//!
//! Nothing that git knows is overwritten, nothing outside of the checkout is reached by way of a link, and nothing is
//! written outside of the worktree. What cannot be brought is skipped with a note, since a person without an `.env`
//! can work too.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use crate::error::Error;
use crate::files::{create_dirs, failed};

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
    for (how, path) in wanted {
        match skipped(path, checkout, worktree, tracked) {
            Some(reason) => brought.notes.push(format!("`{}` was not brought: {reason}", path.display())),
            None => {
                one(*how, &checkout.join(path), &worktree.join(path))?;
                brought.paths.push(path.clone());
            }
        }
    }
    Ok(brought)
}

/// Copies single files once more that were brought before, in case the user changed them; the rest stays as it is.
pub(crate) fn refresh(brought: &[PathBuf], checkout: &Path, worktree: &Path) -> Result<(), Error> {
    for path in brought {
        let (source, target) = (checkout.join(path), worktree.join(path));
        let is_file = target.symlink_metadata().is_ok_and(|metadata| metadata.is_file());
        let inside = source.canonicalize().ok().zip(checkout.canonicalize().ok());
        let inside = inside.is_some_and(|(source, checkout)| source.starts_with(checkout) && source.is_file());
        if is_file && inside {
            fs::copy(&source, &target).map_err(failed("copy", &source))?;
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
    let target = worktree.join(path);
    // The nearest directory that exists decides where writing would lead.
    let above = target.ancestors().skip(1).find_map(|above| above.canonicalize().ok());
    if !above.zip(worktree.canonicalize().ok()).is_some_and(|(above, worktree)| above.starts_with(worktree)) {
        return Some("a link in the worktree leads elsewhere");
    }
    target.symlink_metadata().is_ok().then_some("something is there already")
}

fn one(how: How, source: &Path, target: &Path) -> Result<(), Error> {
    if let Some(above) = target.parent() {
        create_dirs(above)?;
    }
    match how {
        How::Link => symlink(source, target).map_err(failed("link", target)),
        How::Copy => {
            // The one named may be a link within the checkout; what it means is wanted, not the link.
            let source = source.canonicalize().map_err(failed("read", source))?;
            copy(&source, target)
        }
    }
}

/// Copies a file, or a directory with everything in it; links stay links, and what has no bytes is left out.
fn copy(source: &Path, target: &Path) -> Result<(), Error> {
    let metadata = source.symlink_metadata().map_err(failed("read", source))?;
    if metadata.is_symlink() {
        let leads_to = fs::read_link(source).map_err(failed("read", source))?;
        return symlink(leads_to, target).map_err(failed("link", target));
    }
    if metadata.is_file() {
        return fs::copy(source, target).map(drop).map_err(failed("copy", source));
    }
    if metadata.is_dir() {
        create_dirs(target)?;
        for entry in fs::read_dir(source).map_err(failed("read", source))? {
            let entry = entry.map_err(failed("read", source))?;
            copy(&entry.path(), &target.join(entry.file_name()))?;
        }
        fs::set_permissions(target, metadata.permissions()).map_err(failed("set the mode of", target))?;
    }
    Ok(())
}
