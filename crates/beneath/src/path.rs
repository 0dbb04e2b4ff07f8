//! Paths that stay beneath the folder that they start from, judged by their words.

use std::ffi::OsString;
use std::io;
use std::path::{Component, Path, PathBuf};

/// Returns a path of names alone; `.` is left out.
pub(crate) fn plain(path: &Path) -> io::Result<PathBuf> {
    let mut names = PathBuf::new();
    for part in path.components() {
        match part {
            Component::Normal(name) => names.push(name),
            Component::CurDir => {}
            Component::ParentDir | Component::RootDir | Component::Prefix(_) => return Err(outside(path)),
        }
    }
    Ok(names)
}

/// Returns the folder of something and its name there.
pub(crate) fn parted(path: &Path) -> io::Result<(PathBuf, OsString)> {
    let path = plain(path)?;
    let name = path.file_name().ok_or_else(|| outside(&path))?.to_owned();
    Ok((path.parent().map(Path::to_owned).unwrap_or_default(), name))
}

pub(crate) fn outside(path: &Path) -> io::Error {
    let text = format!("`{}` does not name something beneath the folder", path.display());
    io::Error::new(io::ErrorKind::InvalidInput, text)
}
