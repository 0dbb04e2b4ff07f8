//! The few file operations of the crate; all of them block, so callers run them through `runtime::blocking`.

use std::fs::{self, File, OpenOptions, Permissions};
use std::io::{self, Read as _, Write as _};
use std::os::unix::fs::{OpenOptionsExt as _, PermissionsExt as _};
use std::path::Path;

use rustix::fs::{Mode, OFlags};

use crate::error::Error;

/// Names the file in an error.
pub(crate) fn failed(doing: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Error {
    let path = path.to_owned();
    move |source| Error::Disk { doing, path, source }
}

/// Reads a whole file; a pipe in its place, for which one would wait for ever, is an error.
pub(crate) fn read(path: &Path) -> Result<Vec<u8>, Error> {
    let mut options = OpenOptions::new();
    options.read(true).custom_flags(OFlags::NONBLOCK.bits().cast_signed());
    let read = options.open(path).and_then(|mut file| {
        if !file.metadata()?.is_file() {
            return Err(io::Error::other("not a file"));
        }
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).map(|_| bytes)
    });
    read.map_err(failed("read", path))
}

/// Reads a small regular file; none if it is a link, a pipe or the like, or longer than `max`. An agent that works
/// in a worktree may put anything there, at any moment.
pub(crate) fn read_own(path: &Path, max: u64) -> Option<Vec<u8>> {
    let flags = OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let file = File::from(rustix::fs::open(path, OFlags::RDONLY | flags, Mode::empty()).ok()?);
    let found = file.metadata().ok().filter(|found| found.is_file() && found.len() <= max)?;
    let mut bytes = Vec::with_capacity(usize::try_from(found.len()).ok()?);
    file.take(max).read_to_end(&mut bytes).ok()?;
    Some(bytes)
}

/// Makes a file that must not be there, for the owner alone until its mode is set.
pub(crate) fn create(path: &Path) -> Result<File, Error> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true).mode(0o600).open(path).map_err(failed("write", path))
}

/// Writes a file that must not exist, readable by the users that the umask allows.
pub(crate) fn write_new(path: &Path, bytes: &[u8]) -> Result<(), Error> {
    let file = OpenOptions::new().write(true).create_new(true).open(path);
    file.and_then(|mut file| file.write_all(bytes)).map_err(failed("write", path))
}

/// Makes a directory; returns whether there was none.
pub(crate) fn create_dir(path: &Path) -> Result<bool, Error> {
    match fs::create_dir(path) {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(false),
        Err(error) => Err(failed("make directory", path)(error)),
    }
}

/// Puts a file where there may be one.
pub(crate) fn create_over(path: &Path) -> Result<File, Error> {
    remove_file(path)?;
    create(path)
}

/// Removes a file or link; a missing one is not an error.
#[expect(clippy::disallowed_methods, reason = "what a restored file replaces was made a moment before")]
pub(crate) fn remove_file(path: &Path) -> Result<(), Error> {
    match fs::remove_file(path) {
        Err(source) if source.kind() != io::ErrorKind::NotFound => Err(failed("remove", path)(source)),
        Ok(()) | Err(_) => Ok(()),
    }
}

/// Removes a directory with everything in it; a missing one is not an error.
#[expect(clippy::disallowed_methods, reason = "what is discarded was made by us and not handed out")]
pub(crate) fn remove_tree(path: &Path) -> Result<(), Error> {
    match fs::remove_dir_all(path) {
        Err(source) if source.kind() != io::ErrorKind::NotFound => Err(failed("remove", path)(source)),
        Ok(()) | Err(_) => Ok(()),
    }
}

/// Makes the directory and those above it.
pub(crate) fn create_dirs(path: &Path) -> Result<(), Error> {
    fs::create_dir_all(path).map_err(failed("make directory", path))
}

/// Sets the permission bits.
pub(crate) fn set_mode(path: &Path, mode: u32) -> Result<(), Error> {
    fs::set_permissions(path, Permissions::from_mode(mode)).map_err(failed("set the mode of", path))
}

/// Whether nothing is at the path, or an empty directory.
pub(crate) fn is_free(path: &Path) -> bool {
    match fs::read_dir(path) {
        Ok(mut entries) => entries.next().is_none(),
        // A link that leads nowhere is something too.
        Err(_) => path.symlink_metadata().is_err(),
    }
}

/// Waits until everything written to the file system of `path` is on its disk.
pub(crate) fn sync(path: &Path) -> Result<(), Error> {
    let directory = OpenOptions::new().read(true).open(path).map_err(failed("sync", path))?;
    rustix::fs::syncfs(&directory).map_err(|error| failed("sync", path)(error.into()))
}
