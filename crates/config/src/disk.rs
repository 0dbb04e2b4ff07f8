//! The few file operations that settings need: whole reads, and writes that are there completely or not at all.

use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::Path;

use tempfile::NamedTempFile;

use crate::error::Error;

/// Reads a whole file.
#[expect(clippy::disallowed_methods, reason = "config reads the files of the home directory")]
pub(crate) fn read_to_string(path: &Path) -> Result<String, Error> {
    fs::read_to_string(path).map_err(|source| Error::Read { path: path.to_owned(), source })
}

/// Puts `text` in the place of the file, for the owner's eyes only, so that a reader sees the old or the new whole.
pub(crate) fn replace(path: &Path, text: &str) -> Result<(), Error> {
    let put = |directory: &Path| {
        staged(directory, text)?.persist(path).map_err(|error| error.error)?;
        sync_directory(directory)
    };
    in_directory(path, put)
}

/// Makes the file with `text` in it unless there is one, and says whether it did.
pub(crate) fn create(path: &Path, text: &str) -> Result<Created, Error> {
    let put = |directory: &Path| match staged(directory, text)?.persist_noclobber(path) {
        Ok(_) => sync_directory(directory).map(|()| Created::Yes),
        Err(error) if error.error.kind() == io::ErrorKind::AlreadyExists => Ok(Created::ThereWasOne),
        Err(error) => Err(error.error),
    };
    in_directory(path, put)
}

/// What came of [`create`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Created {
    Yes,
    ThereWasOne,
}

/// Removes a file; a missing one is not an error.
#[expect(clippy::disallowed_methods, reason = "config removes the files of the home directory")]
pub(crate) fn remove(path: &Path) -> Result<(), Error> {
    match fs::remove_file(path) {
        Err(source) if source.kind() != io::ErrorKind::NotFound => Err(Error::Write { path: path.to_owned(), source }),
        Ok(()) | Err(_) => Ok(()),
    }
}

/// Opens a file or directory for reading.
#[expect(clippy::disallowed_methods, reason = "config reads the files of the home directory")]
pub(crate) fn open(path: &Path) -> io::Result<File> {
    File::open(path)
}

/// Writes `text` to a file of its own in `directory`, mode 0600, that is on disk but under no lasting name.
fn staged(directory: &Path, text: &str) -> io::Result<NamedTempFile> {
    let mut file = NamedTempFile::new_in(directory)?;
    file.write_all(text.as_bytes())?;
    file.as_file().sync_all()?;
    Ok(file)
}

/// A name is durable only when the directory that holds it is.
fn sync_directory(directory: &Path) -> io::Result<()> {
    open(directory)?.sync_all()
}

fn in_directory<T>(path: &Path, put: impl FnOnce(&Path) -> io::Result<T>) -> Result<T, Error> {
    put(path.parent().unwrap_or(path)).map_err(|source| Error::Write { path: path.to_owned(), source })
}
