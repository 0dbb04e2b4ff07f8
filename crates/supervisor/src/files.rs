//! The few file operations of a spool: whole reads, and replacements that are there completely or not at all.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;

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

/// Opens a file or directory for reading.
#[expect(clippy::disallowed_methods, reason = "a spool and the facts about processes belong to this crate")]
pub(crate) fn open(path: &Path) -> io::Result<File> {
    File::open(path)
}

/// Makes a file that was not there, for its owner alone, to which everything is appended.
pub(crate) fn create_appended(path: &Path) -> io::Result<File> {
    OpenOptions::new().append(true).create_new(true).mode(0o600).open(path)
}

/// Puts `text` in the place of the file, so that a reader sees the old or the new whole.
///
/// One process writes a given file, the shim; so the name of what is not yet in place is taken by nobody else.
#[expect(clippy::disallowed_methods, reason = "a spool belongs to this crate")]
pub(crate) fn replace(path: &Path, text: &str, keep: Keep) -> io::Result<()> {
    let staged = path.with_extension("new");
    let mut file = OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(&staged)?;
    file.write_all(text.as_bytes())?;
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

/// Removes a file; one that is not there is no error.
#[expect(clippy::disallowed_methods, reason = "a spool belongs to this crate")]
pub(crate) fn remove(path: &Path) -> io::Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        Ok(()) | Err(_) => Ok(()),
    }
}
