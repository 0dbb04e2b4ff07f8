//! The few file operations of the crate; all of them block and are small, or are run through `runtime::blocking`.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read as _, Write as _};
use std::os::unix::fs::{MetadataExt as _, OpenOptionsExt as _};
use std::path::Path;

use rustix::fs::OFlags;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::error::Error;

/// Names the file in an error.
pub(crate) fn failed(doing: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Error {
    let path = path.to_owned();
    move |source| Error::Disk { doing, path, source }
}

/// Reads a text; none if it is not there. A pipe in its place, for which one would wait for ever, is an error: markers lie
/// where agents write.
pub(crate) fn text(path: &Path) -> Result<Option<String>, Error> {
    let mut options = OpenOptions::new();
    options.read(true).custom_flags(OFlags::NONBLOCK.bits().cast_signed());
    let read = options.open(path).and_then(|mut file| {
        if !file.metadata()?.is_file() {
            return Err(io::Error::other("it is no file"));
        }
        let mut text = String::new();
        file.read_to_string(&mut text).map(|_| text)
    });
    match read {
        Ok(text) => Ok(Some(text)),
        Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => Ok(None),
        Err(error) => Err(failed("read", path)(error)),
    }
}

/// Reads JSON that [`write`] wrote; none if it is not there or not whole, which is as good as not written.
pub(crate) fn json<T: DeserializeOwned>(path: &Path) -> Result<Option<T>, Error> {
    let Some(text) = text(path)? else { return Ok(None) };
    match serde_json::from_str(&text) {
        Ok(read) => Ok(Some(read)),
        Err(error) => {
            tracing::warn!(path = %path.display(), %error, "a file of ours cannot be read and counts as missing");
            Ok(None)
        }
    }
}

/// Writes JSON so that a reader sees the old file or the new one, never a part.
#[expect(clippy::disallowed_methods, reason = "records and markers are files of this crate")]
pub(crate) fn write<T: Serialize>(path: &Path, value: &T) -> Result<(), Error> {
    let written = || failed("write", path);
    let text = serde_json::to_vec(value).map_err(|error| written()(error.into()))?;
    let beside = path.with_extension("new");
    let mut file = OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(&beside);
    file.as_mut()
        .map_err(|error| io::Error::from(error.kind()))
        .and_then(|file| file.write_all(&text))
        .map_err(written())?;
    fs::rename(&beside, path).map_err(written())
}

/// Makes the directory and those above it.
pub(crate) fn create_dirs(path: &Path) -> Result<(), Error> {
    fs::create_dir_all(path).map_err(failed("make directory", path))
}

/// Removes a file; one that is not there is no error.
#[expect(clippy::disallowed_methods, reason = "records and locks are files of this crate")]
pub(crate) fn remove(path: &Path) -> Result<(), Error> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(failed("remove", path)(error)),
        Ok(()) | Err(_) => Ok(()),
    }
}

/// Waits for the lock on a file that may be removed by whoever holds it.
pub(crate) fn lock(path: &Path) -> Result<File, Error> {
    loop {
        let mut options = OpenOptions::new();
        let options = options.read(true).write(true).create(true).truncate(false).mode(0o600);
        let file = options.open(path).map_err(failed("open", path))?;
        file.lock().map_err(failed("lock", path))?;
        // A file that was removed while we waited locks out nobody.
        let still = fs::metadata(path).ok().zip(file.metadata().ok());
        if still.is_some_and(|(there, ours)| (there.dev(), there.ino()) == (ours.dev(), ours.ino())) {
            return Ok(file);
        }
    }
}
