//! What is beneath a folder, listed within limits.

use std::ffi::OsStr;
use std::io;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use rustix::fs::{AtFlags, Dir, FileType};
use rustix::io::Errno;

use crate::Folder;

/// How deep folders are looked into.
const DEPTH_MAX: usize = 64;

/// Something beneath a folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// Its path beneath the folder.
    pub path: PathBuf,
    /// What it is; a link is one, wherever it leads.
    pub kind: FileType,
}

impl Folder {
    /// Lists everything beneath a folder, at most `max` entries; nothing if there is no such folder.
    ///
    /// # Errors
    /// When there is more, or a part of the path is a link.
    pub fn walk(&self, path: &Path, max: usize) -> io::Result<Vec<Entry>> {
        let mut found = Vec::new();
        self.walk_into(path, max, Some(DEPTH_MAX), &mut found)?;
        Ok(found)
    }

    /// Lists what is in a folder itself, at most `max` entries; nothing if there is no such folder.
    ///
    /// # Errors
    /// As [`Folder::walk`].
    pub fn list(&self, path: &Path, max: usize) -> io::Result<Vec<Entry>> {
        let mut found = Vec::new();
        self.walk_into(path, max, None, &mut found)?;
        Ok(found)
    }

    fn walk_into(&self, path: &Path, max: usize, deeper: Option<usize>, found: &mut Vec<Entry>) -> io::Result<()> {
        let folder = match self.folder(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
            folder => folder?,
        };
        for entry in Dir::read_from(&folder.descriptor)? {
            let entry = entry?;
            let name = entry.file_name();
            if matches!(name.to_bytes(), b"." | b"..") {
                continue;
            }
            let mut kind = entry.file_type();
            if kind == FileType::Unknown {
                kind = match rustix::fs::statat(&folder.descriptor, name, AtFlags::SYMLINK_NOFOLLOW) {
                    Ok(found) => FileType::from_raw_mode(found.st_mode),
                    Err(Errno::NOENT) => continue,
                    Err(error) => return Err(error.into()),
                };
            }
            if found.len() >= max || deeper == Some(0) {
                let many = format!("more than {max} files, or {DEPTH_MAX} folders in each other");
                return Err(io::Error::other(many));
            }
            let path = path.join(OsStr::from_bytes(name.to_bytes()));
            found.push(Entry { path: path.clone(), kind });
            if let (FileType::Directory, Some(deeper)) = (kind, deeper) {
                self.walk_into(&path, max, Some(deeper - 1), found)?;
            }
        }
        Ok(())
    }
}
