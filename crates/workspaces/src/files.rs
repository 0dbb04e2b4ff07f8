//! The few file operations of the crate; all of them block and are small, or are run through `runtime::blocking`.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write as _};
use std::os::unix::fs::{MetadataExt as _, OpenOptionsExt as _};
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

use beneath::Folder;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::error::Error;

/// Numbers the files that are being written.
static WRITES: AtomicU64 = AtomicU64::new(0);

/// Names the file in an error.
pub(crate) fn failed(doing: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Error {
    let path = path.to_owned();
    move |source| Error::Disk { doing, path, source }
}

/// The longest file of ours.
const BYTES_MAX: u64 = 4 * 1024 * 1024;

/// Reads a text; none if it is not there. A link or a pipe in its place is an error: markers lie where agents write.
pub(crate) fn text(path: &Path) -> Result<Option<String>, Error> {
    let read = || {
        let (folder, name) = place(path)?;
        let Some(bytes) = folder.read(name, BYTES_MAX)? else { return Ok(None) };
        String::from_utf8(bytes).map(Some).map_err(io::Error::other)
    };
    match read() {
        Ok(text) => Ok(text),
        Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => Ok(None),
        Err(error) => Err(failed("read", path)(error)),
    }
}

/// Opens the folder of a file, which is ours; the file itself may be anything.
fn place(path: &Path) -> io::Result<(Folder, &Path)> {
    let name = path.file_name().map(Path::new).ok_or(io::ErrorKind::NotFound)?;
    Ok((Folder::open(path.parent().unwrap_or(Path::new(".")))?, name))
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

/// Writes JSON so that a reader sees the old file or the new one, never a part; a link in its place is replaced.
pub(crate) fn write<T: Serialize>(path: &Path, value: &T) -> Result<(), Error> {
    // Two tasks may write the same file at once, and must not meet at this one.
    let beside = path.with_extension(format!("new{}", WRITES.fetch_add(1, Ordering::Relaxed)));
    let written = || {
        let text = serde_json::to_vec(value)?;
        let (folder, new) = place(&beside)?;
        folder.put(new)?.write_all(&text)?;
        folder.rename(new, &path.file_name().unwrap_or_default().to_string_lossy())
    };
    written().map_err(failed("write", path))
}

/// Makes the directory and those above it.
pub(crate) fn create_dirs(path: &Path) -> Result<(), Error> {
    fs::create_dir_all(path).map_err(failed("make directory", path))
}

/// Removes a file; a missing one is not an error.
#[expect(clippy::disallowed_methods, reason = "records and locks are files of this crate")]
pub(crate) fn remove(path: &Path) -> Result<(), Error> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(failed("remove", path)(error)),
        Ok(()) | Err(_) => Ok(()),
    }
}

/// Waits for the lock on a file that its holder may remove.
pub(crate) fn lock(path: &Path) -> Result<File, Error> {
    loop {
        let mut options = OpenOptions::new();
        let options = options.read(true).write(true).create(true).truncate(false).mode(0o600);
        let file = options.open(path).map_err(failed("open", path))?;
        file.lock().map_err(failed("lock", path))?;
        // A file that was removed while we waited is not a lock any more.
        let still = fs::metadata(path).ok().zip(file.metadata().ok());
        if still.is_some_and(|(there, ours)| (there.dev(), there.ino()) == (ours.dev(), ours.ino())) {
            return Ok(file);
        }
    }
}
