//! Opening a path beneath a folder, through no link.

use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::path::Path;

use rustix::fs::{Mode, OFlags, ResolveFlags, openat, openat2};
use rustix::io::Errno;

/// How often a path is tried again in which others move things.
const TRIES: u32 = 64;

/// How a path is opened.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum Way {
    /// By the kernel in one step; part by part where it cannot.
    #[default]
    AtOnce,
    /// Part by part, as on old kernels.
    PartByPart,
}

/// Opens a path that is made of names alone.
pub(crate) fn opened(folder: impl AsFd, path: &Path, flags: OFlags, mode: Mode, way: Way) -> io::Result<OwnedFd> {
    let flags = flags | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let resolve = ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS | ResolveFlags::NO_MAGICLINKS;
    if way == Way::PartByPart {
        return part_by_part(folder, path, flags, mode);
    }
    for _ in 0..TRIES {
        match openat2(&folder, path, flags, mode, resolve) {
            Ok(descriptor) => return Ok(descriptor),
            // Something was renamed while it was looked for.
            Err(Errno::AGAIN | Errno::INTR) => {}
            // Before Linux 5.6, and where a filter of system calls does not know it.
            Err(Errno::NOSYS | Errno::PERM) => return part_by_part(folder, path, flags, mode),
            Err(error) => return Err(error.into()),
        }
    }
    part_by_part(folder, path, flags, mode)
}

fn part_by_part(folder: impl AsFd, path: &Path, flags: OFlags, mode: Mode) -> io::Result<OwnedFd> {
    let (above, name) = (path.parent().unwrap_or(Path::new("")), path.file_name().unwrap_or_default());
    let step = OFlags::PATH | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let mut at: Option<OwnedFd> = None;
    for part in above.components() {
        let next = match &at {
            Some(at) => openat(at, part.as_os_str(), step, Mode::empty())?,
            None => openat(&folder, part.as_os_str(), step, Mode::empty())?,
        };
        at = Some(next);
    }
    Ok(match &at {
        Some(at) => openat(at, name, flags, mode)?,
        None => openat(&folder, name, flags, mode)?,
    })
}
