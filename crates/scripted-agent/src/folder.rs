//! The folder that the agent works in, and writing files below it.
//!
//! No link is followed on the way: a repository may hold links to anywhere, and what a script writes stays where its
//! path says.

use std::fs::File;
use std::io::{self, Write as _};
use std::os::fd::{AsFd, OwnedFd};

use rustix::fs::{CWD, Mode, OFlags, mkdirat, openat};
use rustix::io::Errno;

/// The folder that the process was started in.
#[derive(Debug)]
pub(crate) struct Folder(OwnedFd);

impl Folder {
    pub(crate) fn current() -> io::Result<Self> {
        Ok(Self(open_folder(CWD, ".")?))
    }

    /// Writes a whole file, with the folders above it.
    ///
    /// # Errors
    /// Describes the obstacle.
    pub(crate) fn write(&self, path: &str, text: &str) -> Result<String, String> {
        let refused = |error: io::Error| format!("cannot write `{path}`: {error}");
        self.put(path, text).map(|()| "written".to_owned()).map_err(refused)
    }

    fn put(&self, path: &str, text: &str) -> io::Result<()> {
        let mut folder = self.0.try_clone()?;
        let mut name = path;
        while let Some((first, rest)) = name.split_once('/') {
            folder = below(&folder, plain(first)?)?;
            name = rest;
        }
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::TRUNC | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let mode = Mode::from_raw_mode(0o666);
        File::from(openat(&folder, plain(name)?, flags, mode).map_err(through_no_link)?).write_all(text.as_bytes())
    }
}

/// Scripts are checked when they are read; this is the place where it would do harm.
fn plain(name: &str) -> io::Result<&str> {
    let leads_out = matches!(name, "" | "." | "..");
    if leads_out { Err(io::Error::other("it leads out of the working folder")) } else { Ok(name) }
}

/// Opens a folder, which is made if it is not there.
fn below(folder: &OwnedFd, name: &str) -> io::Result<OwnedFd> {
    match mkdirat(folder, name, Mode::from_raw_mode(0o777)) {
        Ok(()) | Err(Errno::EXIST) => open_folder(folder, name),
        Err(error) => Err(error.into()),
    }
}

fn open_folder(at: impl AsFd, name: &str) -> io::Result<OwnedFd> {
    let flags = OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    openat(at, name, flags, Mode::empty()).map_err(through_no_link)
}

/// What the system calls too many links, or no folder, is most often a link.
fn through_no_link(error: Errno) -> io::Error {
    match error {
        Errno::LOOP => io::Error::other("there is a link, and links are not followed"),
        Errno::NOTDIR => io::Error::other("there is a link or a file where a folder should be"),
        other => other.into(),
    }
}
