//! The few file operations of the crate, all on small files of its own.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::Path;

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::error::Error;

/// Names the file in an error.
pub(crate) fn failed(doing: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Error {
    let path = path.to_owned();
    move |source| Error::Disk { doing, path, source }
}

/// Reads what [`write`] wrote; none if it is not there or not whole, which is as good as not written.
#[expect(clippy::disallowed_methods, reason = "what is under way is kept in files of this crate")]
pub(crate) fn read<T: DeserializeOwned>(path: &Path) -> Result<Option<T>, Error> {
    match fs::read(path) {
        Ok(bytes) => Ok(serde_json::from_slice(&bytes).ok()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(failed("read", path)(error)),
    }
}

/// Whether a file must survive the loss of power.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Lasting {
    Yes,
    No,
}

/// Writes so that a reader sees the old file or the new one; a lasting one is on the disk when this returns.
#[expect(clippy::disallowed_methods, reason = "what is under way is kept in files of this crate")]
pub(crate) fn write<T: Serialize>(path: &Path, value: &T, lasting: Lasting) -> Result<(), Error> {
    let beside = path.with_extension("new");
    let put = || {
        let text = serde_json::to_vec(value)?;
        let mut file = OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(&beside)?;
        file.write_all(&text)?;
        if lasting == Lasting::Yes {
            file.sync_data()?;
        }
        fs::rename(&beside, path)?;
        match path.parent() {
            Some(above) if lasting == Lasting::Yes => OpenOptions::new().read(true).open(above)?.sync_all(),
            Some(_) | None => Ok(()),
        }
    };
    put().map_err(failed("write", path))
}

/// Removes a file; a missing one is not an error.
#[expect(clippy::disallowed_methods, reason = "what is under way is kept in files of this crate")]
pub(crate) fn remove(path: &Path) -> Result<(), Error> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(failed("remove", path)(error)),
        Ok(()) | Err(_) => Ok(()),
    }
}

/// Makes the directory and those above it.
pub(crate) fn create_dirs(path: &Path) -> Result<(), Error> {
    fs::create_dir_all(path).map_err(failed("make directory", path))
}

/// Empties a folder of temporary files; what cannot be removed stays until the next time.
pub(crate) fn empty(folder: &Path) {
    let emptied = sandbox::remove_private(folder).and_then(|()| fs::DirBuilder::new().mode(0o700).create(folder));
    if let Err(error) = emptied {
        tracing::warn!(folder = %folder.display(), %error, "could not remove temporary files of a check");
    }
}

/// Removes a folder with all that is in it; a missing one is not an error.
pub(crate) fn remove_folder(folder: &Path) -> Result<(), Error> {
    sandbox::remove_private(folder).map_err(failed("remove", folder))
}

/// Opens the file that is locked while anything of ours is at work.
pub(crate) fn open_lock(path: &Path) -> Result<File, Error> {
    let mut options = OpenOptions::new();
    let options = options.read(true).write(true).create(true).truncate(false).mode(0o600);
    options.open(path).map_err(failed("open", path))
}
