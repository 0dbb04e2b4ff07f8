//! Files beneath a folder in which others write: an agent may put a link or a pipe anywhere there, at any moment.
//!
//! A [`Folder`] is opened once. From there on nothing is found by a path that leads through a link: neither the last
//! part of a path nor one above it may be one, so what is opened lies beneath the folder, whatever is moved meanwhile.
//! Only regular files are read, up to a size, and no pipe is waited for.

mod open;
mod path;
mod walk;

use std::fs::File;
use std::io::{self, Read as _, Write as _};
use std::os::fd::OwnedFd;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

use rustix::fs::{AtFlags, Mode, OFlags, fchmod, mkdirat, renameat, symlinkat, unlinkat};
use rustix::io::Errno;

use open::{Way, opened};
use path::{parted, plain};

pub use rustix::fs::FileType;
pub use walk::Entry;

/// For the owner alone, until another mode is set.
const OWN_FILE: Mode = Mode::from_raw_mode(0o600);

/// How a folder is opened.
const FOLDER: OFlags = OFlags::RDONLY.union(OFlags::DIRECTORY);

/// What a file is called until it is whole.
const UNFINISHED: &str = "fleet.new";

/// Numbers the files that are being written.
static WRITES: AtomicU64 = AtomicU64::new(0);

/// An open folder; paths are relative to it, and lead through no link.
#[derive(Debug)]
pub struct Folder {
    descriptor: OwnedFd,
    way: Way,
}

impl Folder {
    /// Opens a folder, whose own path is trusted.
    ///
    /// # Errors
    /// When it is not there, or is not a folder.
    pub fn open(path: &Path) -> io::Result<Self> {
        let descriptor = rustix::fs::open(path, FOLDER | OFlags::CLOEXEC, Mode::empty())?;
        Ok(Self { descriptor, way: Way::default() })
    }

    /// Opens a folder that is not a link itself; the folders above it are trusted.
    ///
    /// # Errors
    /// When it is not there, or is a link or not a folder.
    pub fn open_itself(path: &Path) -> io::Result<Self> {
        let descriptor = rustix::fs::open(path, FOLDER | OFlags::NOFOLLOW | OFlags::CLOEXEC, Mode::empty())?;
        Ok(Self { descriptor, way: Way::default() })
    }

    /// Opens a folder beneath this one.
    ///
    /// # Errors
    /// When it is not there, or the path leads through a link or to something else.
    pub fn folder(&self, path: &Path) -> io::Result<Self> {
        let path = plain(path)?;
        if path.as_os_str().is_empty() {
            return Ok(Self { descriptor: self.descriptor.try_clone()?, way: self.way });
        }
        Ok(Self { descriptor: opened(&self.descriptor, &path, FOLDER, Mode::empty(), self.way)?, way: self.way })
    }

    /// Opens a folder beneath this one, and makes what is missing of it, with this mode as far as the umask allows.
    ///
    /// # Errors
    /// When a part of the path is a link or no folder, or cannot be made.
    pub fn create_folders(&self, path: &Path, mode: u32) -> io::Result<Self> {
        let mut at = self.folder(Path::new(""))?;
        for part in plain(path)?.components() {
            let name = Path::new(part.as_os_str());
            match mkdirat(&at.descriptor, name, Mode::from_raw_mode(mode)) {
                Ok(()) | Err(Errno::EXIST) => at = at.folder(name)?,
                Err(error) => return Err(error.into()),
            }
        }
        Ok(at)
    }

    /// Opens a regular file to be read; none if there is nothing of that name.
    ///
    /// # Errors
    /// When the path leads through a link or to something else than a file.
    pub fn file(&self, path: &Path) -> io::Result<Option<File>> {
        let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY;
        let file = match opened(&self.descriptor, &plain(path)?, flags, Mode::empty(), self.way) {
            Ok(file) => File::from(file),
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(error),
        };
        if file.metadata()?.is_file() {
            return Ok(Some(file));
        }
        Err(io::Error::new(io::ErrorKind::InvalidInput, "it is not a file"))
    }

    /// Reads a regular file; none if there is nothing of that name.
    ///
    /// # Errors
    /// As [`Folder::file`], and when the file is longer than `most`.
    pub fn read(&self, path: &Path, most: u64) -> io::Result<Option<Vec<u8>>> {
        let Some(file) = self.file(path)? else { return Ok(None) };
        let mut bytes = Vec::new();
        // It may grow while it is read.
        let read = file.take(most.saturating_add(1)).read_to_end(&mut bytes)?;
        if u64::try_from(read).unwrap_or(u64::MAX) > most {
            return Err(io::Error::new(io::ErrorKind::FileTooLarge, format!("it is longer than {most} bytes")));
        }
        Ok(Some(bytes))
    }

    /// Makes a file in place of a file or link that may be there, for the owner alone until its mode is set.
    ///
    /// # Errors
    /// When the folder above is not there or behind a link, or something else has the name.
    pub fn put(&self, path: &Path) -> io::Result<File> {
        self.remove(path)?;
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL;
        opened(&self.descriptor, &plain(path)?, flags, OWN_FILE, self.way).map(File::from)
    }

    /// Puts a file in its place, whole, and the folders above it.
    ///
    /// # Errors
    /// When a part of the path is a link or no folder, or the disk is full.
    pub fn replace(&self, path: &Path, bytes: &[u8]) -> io::Result<()> {
        let (above, name) = parted(path)?;
        let above = self.create_folders(&above, 0o755)?;
        // Two tasks may write the same file at once, and must not meet at this one.
        let beside = format!("{UNFINISHED}{}", WRITES.fetch_add(1, Ordering::Relaxed));
        let mut file = above.put(Path::new(&beside))?;
        file.write_all(bytes)?;
        fchmod(&file, Mode::from_raw_mode(0o644))?;
        Ok(renameat(&above.descriptor, &beside, &above.descriptor, name)?)
    }

    /// Makes a link in place of a file or link that may be there; it may lead anywhere, and nothing here follows it.
    ///
    /// # Errors
    /// As [`Folder::put`].
    pub fn put_link(&self, path: &Path, target: &Path) -> io::Result<()> {
        self.remove(path)?;
        let (above, name) = self.above(path)?;
        Ok(symlinkat(target, &above.descriptor, name)?)
    }

    /// Removes a file or link; a missing one is not an error.
    ///
    /// # Errors
    /// When the path leads through a link, or names a folder.
    pub fn remove(&self, path: &Path) -> io::Result<()> {
        let (above, name) = match self.above(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
            above => above?,
        };
        match unlinkat(&above.descriptor, name, AtFlags::empty()) {
            Ok(()) | Err(Errno::NOENT) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }

    /// Gives a file or link another name in the same folder; none of that name is as good.
    ///
    /// # Errors
    /// When the path leads through a link, or the new name is a path or that of a folder.
    pub fn rename(&self, path: &Path, name: &str) -> io::Result<()> {
        let (above, old) = match self.above(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
            above => above?,
        };
        let (folder, new) = parted(Path::new(name))?;
        if !folder.as_os_str().is_empty() {
            return Err(path::outside(Path::new(name)));
        }
        match renameat(&above.descriptor, old, &above.descriptor, new) {
            Ok(()) | Err(Errno::NOENT) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }

    /// Sets the permission bits of this folder.
    ///
    /// # Errors
    /// When it belongs to another user.
    pub fn set_mode(&self, mode: u32) -> io::Result<()> {
        Ok(fchmod(&self.descriptor, Mode::from_raw_mode(mode))?)
    }

    /// Returns whether a path leads to a regular file, through no link.
    #[must_use]
    pub fn is_file(&self, path: &Path) -> bool {
        let kind = || -> io::Result<FileType> {
            let (above, name) = self.above(path)?;
            let found = rustix::fs::statat(&above.descriptor, name, AtFlags::SYMLINK_NOFOLLOW)?;
            Ok(FileType::from_raw_mode(found.st_mode))
        };
        kind().is_ok_and(|kind| kind == FileType::RegularFile)
    }

    /// Opens the folder of something, and returns its name there.
    fn above(&self, path: &Path) -> io::Result<(Self, std::ffi::OsString)> {
        let (above, name) = parted(path)?;
        Ok((self.folder(&above)?, name))
    }
}

/// Returns whether an error says that a part of the path is a link, or a file where a folder should be.
#[must_use]
pub fn is_barred(error: &io::Error) -> bool {
    matches!(error.raw_os_error().map(Errno::from_raw_os_error), Some(Errno::LOOP | Errno::NOTDIR))
}

#[cfg(test)]
mod tests;
