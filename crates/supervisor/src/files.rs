//! The few file operations of a spool: whole reads, and replacements that are there completely or not at all.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};

use rustix::fs::{CWD, RenameFlags, renameat_with};

/// Whether a file must be there after the power went.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Keep {
    /// It matters only as long as the machine runs.
    UntilReboot,
    /// It is on disk before anyone sees it.
    ForEver,
}

/// Reads a whole file of a spool or of `/proc`.
#[expect(clippy::disallowed_methods, reason = "a spool and the facts about processes belong to this crate")]
pub(crate) fn read(path: &Path) -> io::Result<String> {
    fs::read_to_string(path)
}

/// Reads a whole file of `/proc` that need not be text.
#[expect(clippy::disallowed_methods, reason = "a spool and the facts about processes belong to this crate")]
pub(crate) fn read_bytes(path: &Path) -> io::Result<Vec<u8>> {
    fs::read(path)
}

/// Opens a file or directory for reading.
#[expect(clippy::disallowed_methods, reason = "a spool and the facts about processes belong to this crate")]
pub(crate) fn open(path: &Path) -> io::Result<File> {
    File::open(path)
}

/// Makes a file that was not there, for its owner alone, to which everything is appended.
pub(crate) fn create_appended(path: &Path) -> io::Result<File> {
    OpenOptions::new().append(true).create_new(true).mode(0o600).open(path)
}

/// Puts an empty file that was made in advance in a place that was free, or makes it; it is appended to.
///
/// Of any number who try this for one place, one succeeds: a name can be moved away once, and made once.
pub(crate) fn claim_appended(made: &Path, path: &Path) -> io::Result<File> {
    match rename_to_free(made, path) {
        Ok(()) => OpenOptions::new().append(true).open(path),
        // None was made, or another process has taken it and the folder with it.
        Err(_) => create_appended(path),
    }
}

/// Renames, unless the new name is taken.
pub(crate) fn rename_to_free(from: &Path, to: &Path) -> io::Result<()> {
    Ok(renameat_with(CWD, from, CWD, to, RenameFlags::NOREPLACE)?)
}

/// Puts this in the place of the file, so that a reader sees the old or the new whole.
///
/// One process writes a given file at a time; so the temporary name is not used by another.
#[expect(clippy::disallowed_methods, reason = "a spool belongs to this crate")]
pub(crate) fn replace(path: &Path, text: impl AsRef<[u8]>, keep: Keep) -> io::Result<()> {
    let staged = staged(path);
    let mut file = OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(&staged)?;
    file.write_all(text.as_ref())?;
    if keep == Keep::ForEver {
        file.sync_all()?;
    }
    fs::rename(&staged, path)?;
    match path.parent() {
        // A name is durable only when the directory that holds it is.
        Some(folder) if keep == Keep::ForEver => {
            open(if folder.as_os_str().is_empty() { Path::new(".") } else { folder })?.sync_all()
        }
        Some(_) | None => Ok(()),
    }
}

/// The name under which a file is written before it is put in place.
pub(crate) fn staged(path: &Path) -> PathBuf {
    path.with_extension("new")
}

/// Removes a file; a missing one is not an error.
#[expect(clippy::disallowed_methods, reason = "a spool belongs to this crate")]
pub(crate) fn remove(path: &Path) -> io::Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        Ok(()) | Err(_) => Ok(()),
    }
}
