//! The git directory of a session as [`beneath::Folder`] opens it, with errors that name what was done to which file.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

pub(crate) use beneath::Entry as Below;
use beneath::Folder;

use crate::disk::failed;
use crate::error::Error;

/// A folder that was opened, whatever its name leads to later.
#[derive(Debug)]
pub(crate) struct Beneath {
    folder: Folder,
    path: PathBuf,
}

impl Beneath {
    pub(crate) fn open(path: &Path) -> Result<Self, Error> {
        let folder = Folder::open_itself(path).map_err(failed("open", path))?;
        Ok(Self { folder, path: path.to_owned() })
    }

    /// Reads a file; none if there is none. What is a link, a pipe, a folder or longer than `max` is an error.
    pub(crate) fn read(&self, name: &Path, max: u64) -> Result<Option<Vec<u8>>, Error> {
        none_below_a_file(self.folder.read(name, max)).map_err(failed("read", &self.path.join(name)))
    }

    /// Opens a file to read it; none if there is none. What is a link, a pipe or a folder is an error.
    pub(crate) fn file(&self, name: &Path) -> Result<Option<File>, Error> {
        none_below_a_file(self.folder.file(name)).map_err(failed("read", &self.path.join(name)))
    }

    /// Puts a file in its place, whole, and the folders above it.
    pub(crate) fn write(&self, name: &Path, bytes: &[u8]) -> Result<(), Error> {
        self.folder.replace(name, bytes).map_err(failed("write", &self.path.join(name)))
    }

    /// Removes a file or link; a missing one is not an error.
    pub(crate) fn remove(&self, name: &Path) -> Result<(), Error> {
        self.folder.remove(name).map_err(failed("remove", &self.path.join(name)))
    }

    /// Lists everything below a folder, at most `max` entries; nothing if there is no such folder.
    pub(crate) fn walk(&self, name: &Path, max: usize) -> Result<Vec<Below>, Error> {
        self.folder.walk(name, max).map_err(failed("read", &self.path.join(name)))
    }

    /// Lists what is in a folder itself, at most `max` entries; nothing if there is no such folder.
    pub(crate) fn list(&self, name: &Path, max: usize) -> Result<Vec<Below>, Error> {
        self.folder.list(name, max).map_err(failed("read", &self.path.join(name)))
    }
}

/// A reference below another one, which is a file, is as good as none.
fn none_below_a_file<T>(found: io::Result<Option<T>>) -> io::Result<Option<T>> {
    match found {
        Err(error) if error.kind() == io::ErrorKind::NotADirectory => Ok(None),
        found => found,
    }
}
