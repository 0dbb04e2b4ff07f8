//! Files below a folder that an agent writes to: no link is followed in any component, only regular files are read, and
//! nothing without a limit.

use std::fs::File;
use std::io::{self, Read as _, Write as _};
use std::os::fd::OwnedFd;
use std::path::{Component, Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use rustix::fs::{AtFlags, CWD, Dir, FileType, Mode, OFlags, ResolveFlags};
use rustix::io::Errno;

use crate::disk::failed;
use crate::error::Error;
use crate::repository::path_from;

/// What a file is called until it is whole.
const UNFINISHED: &str = "fleet.new";

/// Numbers the files that are being written.
static WRITES: AtomicU64 = AtomicU64::new(0);

/// How deep folders are looked into.
const DEPTH_MAX: usize = 64;

/// A folder that was opened, whatever its name leads to later.
#[derive(Debug)]
pub(crate) struct Beneath {
    folder: OwnedFd,
    path: PathBuf,
}

/// Something below the folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Below {
    pub(crate) path: PathBuf,
    pub(crate) kind: FileType,
}

impl Beneath {
    pub(crate) fn open(path: &Path) -> Result<Self, Error> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let folder = rustix::fs::openat(CWD, path, flags, Mode::empty()).map_err(|error| at("open", path, error))?;
        Ok(Self { folder, path: path.to_owned() })
    }

    fn at(&self, name: &Path, flags: OFlags, mode: Mode) -> Result<OwnedFd, Errno> {
        let resolve = ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS | ResolveFlags::NO_MAGICLINKS;
        rustix::fs::openat2(&self.folder, name, flags | OFlags::CLOEXEC, mode, resolve)
    }

    /// Reads a file; none if there is none. What is a link, a pipe, a folder or longer than `max` is an error.
    pub(crate) fn read(&self, name: &Path, max: u64) -> Result<Option<Vec<u8>>, Error> {
        let failed = |error: io::Error| failed("read", &self.path.join(name))(error);
        let Some(file) = self.file(name)? else { return Ok(None) };
        let mut bytes = Vec::new();
        file.take(max + 1).read_to_end(&mut bytes).map_err(failed)?;
        if u64::try_from(bytes.len()).is_ok_and(|length| length > max) {
            return Err(failed(io::Error::other(format!("longer than {max} bytes"))));
        }
        Ok(Some(bytes))
    }

    /// Opens a file to read it; none if there is none. What is a link, a pipe or a folder is an error.
    pub(crate) fn file(&self, name: &Path) -> Result<Option<File>, Error> {
        let failed = |error: io::Error| failed("read", &self.path.join(name))(error);
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK;
        let file = match self.at(name, flags, Mode::empty()) {
            Ok(file) => File::from(file),
            Err(Errno::NOENT | Errno::NOTDIR) => return Ok(None),
            Err(error) => return Err(failed(error.into())),
        };
        if !file.metadata().map_err(failed)?.is_file() {
            return Err(failed(io::Error::other("not a regular file")));
        }
        Ok(Some(file))
    }

    /// Puts a file in its place, whole, and the folders above it.
    pub(crate) fn write(&self, name: &Path, bytes: &[u8]) -> Result<(), Error> {
        let failed = |error: Errno| at("write", &self.path.join(name), error);
        let folder = self.folder(name.parent().unwrap_or(Path::new("")))?;
        let last = name.file_name().unwrap_or_default();
        // Two tasks may write the same file at once, and must not meet at this one.
        let beside = format!("{UNFINISHED}{}", WRITES.fetch_add(1, Ordering::Relaxed));
        match rustix::fs::unlinkat(&folder, &beside, AtFlags::empty()) {
            Ok(()) | Err(Errno::NOENT) => {}
            Err(error) => return Err(failed(error)),
        }
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let made = rustix::fs::openat(&folder, &beside, flags, Mode::from_bits_truncate(0o644)).map_err(failed)?;
        File::from(made)
            .write_all(bytes)
            .map_err(|error| crate::disk::failed("write", &self.path.join(name))(error))?;
        rustix::fs::renameat(&folder, &beside, &folder, last).map_err(failed)
    }

    /// Opens a folder, and makes those that are missing.
    fn folder(&self, name: &Path) -> Result<OwnedFd, Error> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW;
        let mut made = PathBuf::new();
        for part in name.components() {
            let Component::Normal(part) = part else {
                return Err(failed("open", &self.path.join(name))(io::Error::other("not below its folder")));
            };
            let above = self.at(&dotted(&made), flags, Mode::empty());
            let above = above.map_err(|error| at("open", &self.path.join(&made), error))?;
            made.push(part);
            match rustix::fs::mkdirat(&above, part, Mode::from_bits_truncate(0o755)) {
                Ok(()) | Err(Errno::EXIST) => {}
                Err(error) => return Err(at("make directory", &self.path.join(&made), error)),
            }
        }
        self.at(&dotted(name), flags, Mode::empty()).map_err(|error| at("open", &self.path.join(name), error))
    }

    /// Removes a file or link; a missing one is not an error.
    pub(crate) fn remove(&self, name: &Path) -> Result<(), Error> {
        let failed = |error: Errno| at("remove", &self.path.join(name), error);
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW;
        let folder = match self.at(&dotted(name.parent().unwrap_or(Path::new(""))), flags, Mode::empty()) {
            Ok(folder) => folder,
            Err(Errno::NOENT) => return Ok(()),
            Err(error) => return Err(failed(error)),
        };
        match rustix::fs::unlinkat(&folder, name.file_name().unwrap_or_default(), AtFlags::empty()) {
            Ok(()) | Err(Errno::NOENT) => Ok(()),
            Err(error) => Err(failed(error)),
        }
    }

    /// Lists everything below a folder, at most `max` entries; nothing if there is no such folder.
    pub(crate) fn walk(&self, name: &Path, max: usize) -> Result<Vec<Below>, Error> {
        let mut found = Vec::new();
        self.walk_into(name, max, Some(DEPTH_MAX), &mut found)?;
        Ok(found)
    }

    /// Lists what is in a folder itself, at most `max` entries; nothing if there is no such folder.
    pub(crate) fn list(&self, name: &Path, max: usize) -> Result<Vec<Below>, Error> {
        let mut found = Vec::new();
        self.walk_into(name, max, None, &mut found)?;
        Ok(found)
    }

    fn walk_into(&self, name: &Path, max: usize, deeper: Option<usize>, found: &mut Vec<Below>) -> Result<(), Error> {
        let failed = |error: Errno| at("read", &self.path.join(name), error);
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW;
        let folder = match self.at(&dotted(name), flags, Mode::empty()) {
            Ok(folder) => folder,
            Err(Errno::NOENT) => return Ok(()),
            Err(error) => return Err(failed(error)),
        };
        for entry in Dir::read_from(&folder).map_err(failed)? {
            let entry = entry.map_err(failed)?;
            let bytes = entry.file_name().to_bytes();
            if matches!(bytes, b"." | b"..") {
                continue;
            }
            let path = name.join(path_from(bytes));
            let mut kind = entry.file_type();
            if kind == FileType::Unknown {
                kind = match rustix::fs::statat(&folder, entry.file_name(), AtFlags::SYMLINK_NOFOLLOW) {
                    Ok(stat) => FileType::from_raw_mode(stat.st_mode),
                    Err(Errno::NOENT) => continue,
                    Err(error) => return Err(failed(error)),
                };
            }
            if found.len() >= max || deeper == Some(0) {
                let many = io::Error::other(format!("more than {max} files, or {DEPTH_MAX} folders in each other"));
                return Err(crate::disk::failed("read", &self.path.join(name))(many));
            }
            found.push(Below { path: path.clone(), kind });
            if let (FileType::Directory, Some(deeper)) = (kind, deeper) {
                self.walk_into(&path, max, Some(deeper - 1), found)?;
            }
        }
        Ok(())
    }
}

fn at(doing: &'static str, path: &Path, error: Errno) -> Error {
    failed(doing, path)(error.into())
}

/// The folder itself has a name, too.
fn dotted(name: &Path) -> PathBuf {
    if name.as_os_str().is_empty() { PathBuf::from(".") } else { name.to_owned() }
}
