//! The files of a sandbox: a tree of mounts in which only what the rules name exists.
//!
//! The tree is built on an empty file system in memory and then made the root, so a path that no rule names is not
//! there, whatever it was before. What is mounted is opened without following a link in any part of its path, and so is
//! the place where it is mounted: an agent of an earlier run may have left links in what it wrote to.

use std::ffi::OsStr;
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::{Component, Path, PathBuf};

use rustix::fs::{CWD, FileType, Mode, OFlags, ResolveFlags, fstat, mkdirat, open, openat, openat2, symlinkat};
use rustix::io::Errno;
use rustix::mount::{
    FsMountFlags, FsOpenFlags, MountAttrFlags, MountPropagationFlags, MoveMountFlags, OpenTreeFlags, UnmountFlags,
    fsconfig_create, fsconfig_set_flag, fsconfig_set_string, fsmount, fsopen, mount_change, move_mount, open_tree,
    unmount,
};
use rustix::process::{chdir, pivot_root};

use crate::error::{Error, step};
use crate::layers;
use crate::limits::Limits;
use crate::plan::{Namespaces, Proc, Rules};
use crate::sys::{Reach, set_mount_attributes};

/// Where the tree is built: a folder that exists everywhere and from which nothing is mounted.
const BUILT_AT: &str = "/proc";

/// The devices that store nothing and have no owner.
const DEVICES: [&str; 6] = ["full", "null", "random", "tty", "urandom", "zero"];

/// Links that programs expect among the devices.
const DEVICE_LINKS: [(&str, &str); 5] = [
    ("/dev/fd", "/proc/self/fd"),
    ("/dev/ptmx", "pts/ptmx"),
    ("/dev/stderr", "/proc/self/fd/2"),
    ("/dev/stdin", "/proc/self/fd/0"),
    ("/dev/stdout", "/proc/self/fd/1"),
];

/// The root holds folders, links and empty files to mount on.
const ROOT_SIZE: &str = "16m";

const NO_LINKS: ResolveFlags =
    ResolveFlags::NO_SYMLINKS.union(ResolveFlags::NO_MAGICLINKS).union(ResolveFlags::BENEATH);

/// How something is mounted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum How {
    Writable,
    /// Writable, at a place that need not be there outside.
    Private,
    /// Less than the whole sandbox if it is missing, so it may be.
    ReadOnly,
    /// A cache, with a layer on top that takes what is written.
    Layered,
    /// Read-only inside of something writable; its absence is an error.
    Fixed,
    Device,
    /// Nothing, over what is hidden.
    Covered,
}

/// Something to mount.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Mount {
    target: PathBuf,
    how: How,
    source: PathBuf,
}

/// Builds the tree and makes it the root of this process, which is the first of its namespaces.
pub(crate) fn enter(rules: &Rules, spaces: &Namespaces) -> Result<(), Error> {
    let private = MountPropagationFlags::PRIVATE | MountPropagationFlags::REC;
    step("keep mounts to itself", mount_change("/", private))?;
    // Before the place is covered.
    let outer_proc = (spaces.proc == Proc::Shared).then(|| cloned(Path::new("/proc"))).transpose();
    let outer_proc = outer_proc.map_err(|error| Error::step("open `/proc`", error))?;
    let layers = layers(spaces)?;
    let root = file_system("tmpfs", &[("mode", "0755"), ("size", ROOT_SIZE)], nothing_special());
    let root = root.map_err(|error| Error::step("make a root", error))?;
    step("mount the root", attach(&root, open(BUILT_AT, OFlags::PATH | OFlags::CLOEXEC, Mode::empty())?.as_fd()))?;
    // What is opened from here on is in the new tree.
    let tree = open(BUILT_AT, OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC, Mode::empty())?;
    for mount in mounts(rules, spaces) {
        let layer = layers.iter().find(|(cache, _)| mount.how == How::Layered && **cache == mount.target);
        let done = match layer {
            Some((_, layer)) => put(tree.as_fd(), &mount, layer),
            None => bind(tree.as_fd(), &mount),
        };
        done.map_err(|error| Error::step(format!("mount `{}`", mount.target.display()), error))?;
    }
    special(tree.as_fd(), spaces, rules.limits, outer_proc)?;
    for (link, target) in &rules.links {
        link_in(tree.as_fd(), link, target);
    }
    DEVICE_LINKS.iter().for_each(|(link, target)| link_in(tree.as_fd(), Path::new(link), Path::new(target)));
    step("enter the root", become_root())
}

/// Makes the layers on top of caches, while `/proc` is there to name folders by. A cache that is gone needs none.
fn layers(spaces: &Namespaces) -> Result<Vec<(&Path, OwnedFd)>, Error> {
    let mut made = Vec::with_capacity(spaces.layers.len());
    for layer in &spaces.layers {
        match layers::mount(layer, nothing_special()) {
            Ok(mount) => made.push((layer.cache.as_path(), mount)),
            Err(error) if is_absent(&error) => {}
            Err(error) => return Err(Error::step(format!("layer `{}`", layer.cache.display()), error)),
        }
    }
    Ok(made)
}

/// Lists what is mounted, folders before what is below them.
fn mounts(rules: &Rules, spaces: &Namespaces) -> Vec<Mount> {
    let same = |how| move |path: &PathBuf| Mount { target: path.clone(), how, source: path.clone() };
    let device = |name: &&str| same(How::Device)(&Path::new("/dev").join(name));
    let ours = |path: &&PathBuf| !["/dev", "/proc"].iter().any(|folder| path.starts_with(folder));
    let writable: Vec<&PathBuf> = rules.write.iter().chain(&rules.git).filter(ours).collect();
    // What is written to is read as well, whatever else names it.
    let layered = || spaces.layers.iter().map(|layer| &layer.cache);
    let is_mounted = |path: &PathBuf| {
        writable.iter().copied().chain(&spaces.whole).chain(layered()).any(|mounted| path.starts_with(mounted))
    };
    let only_read = |path: &&PathBuf| !is_mounted(path);
    let mut all: Vec<Mount> = rules.read.iter().filter(ours).filter(only_read).map(same(How::ReadOnly)).collect();
    all.extend(spaces.whole.iter().map(same(How::ReadOnly)));
    all.extend(spaces.covered.iter().map(same(How::Covered)));
    all.extend(writable.iter().copied().map(same(How::Writable)));
    all.extend(layered().map(same(How::Layered)));
    // A folder that something is mounted on cannot be moved away, and neither can what is in it.
    let around = rules.fixed.iter().filter_map(|path| path.parent()).map(Path::to_owned);
    all.extend(around.map(|path| same(How::Writable)(&path)));
    all.extend(rules.fixed.iter().map(same(How::Fixed)));
    all.extend(spaces.private.iter().map(|(source, target)| Mount {
        target: target.clone(),
        how: How::Private,
        source: source.clone(),
    }));
    all.extend(DEVICES.iter().map(device));
    all.sort();
    all.dedup();
    all
}

/// Mounts one thing at its place.
fn bind(tree: BorrowedFd<'_>, mount: &Mount) -> io::Result<()> {
    match mount.how {
        How::Covered => return cover(tree, &mount.target),
        // Its cache is gone since the rules were made.
        How::Layered => return Ok(()),
        How::Writable | How::Private | How::ReadOnly | How::Fixed | How::Device => {}
    }
    let cloned = match cloned(&mount.source) {
        Ok(cloned) => cloned,
        // It is gone since the rules were made, or its user does not reach it. One without it has less.
        Err(error) if mount.how != How::Fixed && is_absent(&error) => return Ok(()),
        Err(error) => return Err(error),
    };
    put(tree, mount, &cloned)
}

/// Puts a mount at its place.
fn put(tree: BorrowedFd<'_>, mount: &Mount, cloned: &OwnedFd) -> io::Result<()> {
    let is_folder = FileType::from_raw_mode(fstat(cloned)?.st_mode) == FileType::Directory;
    let mut attributes = nothing_special();
    match mount.how {
        How::Writable | How::Private | How::Layered | How::Covered => {}
        How::ReadOnly | How::Fixed => attributes |= MountAttrFlags::MOUNT_ATTR_RDONLY,
        How::Device => attributes -= MountAttrFlags::MOUNT_ATTR_NODEV,
    }
    set_mount_attributes(cloned.as_fd(), attributes.bits().into(), Reach::Below)?;
    match place(tree, &mount.target, is_folder) {
        Ok(place) => attach(cloned, place.as_fd()),
        // Its folder is one that is only read, and has no such place.
        Err(error) if mount.how == How::Private && error.kind() == io::ErrorKind::ReadOnlyFilesystem => Ok(()),
        Err(error) => Err(error),
    }
}

/// Puts an empty folder, or a device that cannot be opened there, over what is hidden. If that is replaced outside, the
/// kernel takes the cover away with it: then Landlock alone hides what is new, since it lets only the old be read.
fn cover(tree: BorrowedFd<'_>, path: &Path) -> io::Result<()> {
    let relative: PathBuf = path.components().filter_map(name).collect();
    let place = match openat2(tree, &relative, OFlags::PATH | OFlags::CLOEXEC, Mode::empty(), NO_LINKS) {
        Ok(place) => place,
        Err(Errno::NOENT | Errno::NOTDIR | Errno::ACCESS) => return Ok(()),
        Err(error) => return Err(error.into()),
    };
    if FileType::from_raw_mode(fstat(&place)?.st_mode) == FileType::Directory {
        let attributes = nothing_special() | MountAttrFlags::MOUNT_ATTR_RDONLY;
        return attach(&file_system("tmpfs", &[("mode", "0555"), ("size", "4k")], attributes)?, place.as_fd());
    }
    let nothing = cloned(Path::new("/dev/null"))?;
    set_mount_attributes(nothing.as_fd(), read_only(), Reach::Below)?;
    attach(&nothing, place.as_fd())
}

fn is_absent(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::PermissionDenied | io::ErrorKind::NotADirectory)
}

/// Copies a part of the tree of mounts as it is now, with what is mounted below.
pub(crate) fn cloned(path: &Path) -> io::Result<OwnedFd> {
    let resolve = ResolveFlags::NO_SYMLINKS | ResolveFlags::NO_MAGICLINKS;
    let found = openat2(CWD, path, OFlags::PATH | OFlags::CLOEXEC, Mode::empty(), resolve)?;
    let copy = OpenTreeFlags::OPEN_TREE_CLONE
        | OpenTreeFlags::OPEN_TREE_CLOEXEC
        | OpenTreeFlags::AT_EMPTY_PATH
        | OpenTreeFlags::AT_RECURSIVE;
    Ok(open_tree(&found, "", copy)?)
}

fn attach(mount: &OwnedFd, place: BorrowedFd<'_>) -> io::Result<()> {
    let both = MoveMountFlags::MOVE_MOUNT_F_EMPTY_PATH | MoveMountFlags::MOVE_MOUNT_T_EMPTY_PATH;
    Ok(move_mount(mount, "", place, "", both)?)
}

/// What every mount has: no program gains rights by it, and no device is reached through it.
const fn nothing_special() -> MountAttrFlags {
    MountAttrFlags::MOUNT_ATTR_NOSUID.union(MountAttrFlags::MOUNT_ATTR_NODEV)
}

fn read_only() -> u64 {
    (nothing_special() | MountAttrFlags::MOUNT_ATTR_RDONLY).bits().into()
}

/// Opens the place for a mount in the new tree; makes what is missing.
fn place(tree: BorrowedFd<'_>, path: &Path, folder: bool) -> io::Result<OwnedFd> {
    let names: Vec<&OsStr> = path.components().filter_map(name).collect();
    let relative: PathBuf = names.iter().collect();
    let look = OFlags::PATH | OFlags::CLOEXEC;
    match openat2(tree, &relative, look, Mode::empty(), NO_LINKS) {
        Ok(found) => return Ok(found),
        Err(Errno::NOENT) => {}
        Err(error) => return Err(error.into()),
    }
    let (last, above) = names.split_last().ok_or(Errno::INVAL)?;
    let mut here = openat2(tree, ".", look | OFlags::DIRECTORY, Mode::empty(), NO_LINKS)?;
    for part in above {
        here = folder_in(here.as_fd(), part)?;
    }
    if folder {
        return folder_in(here.as_fd(), last);
    }
    let made = OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    drop(openat(&here, *last, made, Mode::RUSR)?);
    Ok(openat2(&here, *last, look, Mode::empty(), NO_LINKS)?)
}

fn name(part: Component<'_>) -> Option<&OsStr> {
    match part {
        Component::Normal(name) => Some(name),
        Component::Prefix(_) | Component::RootDir | Component::CurDir | Component::ParentDir => None,
    }
}

fn folder_in(here: BorrowedFd<'_>, part: &OsStr) -> io::Result<OwnedFd> {
    match mkdirat(here, part, Mode::from_raw_mode(0o755)) {
        Ok(()) | Err(Errno::EXIST) => {}
        Err(error) => return Err(error.into()),
    }
    Ok(openat2(here, part, OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC, Mode::empty(), NO_LINKS)?)
}

/// Makes a link as it was outside. Where something is at its place already, that is what is there.
fn link_in(tree: BorrowedFd<'_>, link: &Path, target: &Path) {
    let made = |parent: &Path, name: &OsStr| -> io::Result<()> {
        let folder = if parent.parent().is_none() {
            openat2(tree, ".", OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC, Mode::empty(), NO_LINKS)?
        } else {
            place(tree, parent, true)?
        };
        Ok(symlinkat(target, &folder, name)?)
    };
    if let (Some(parent), Some(name)) = (link.parent(), link.file_name()) {
        // A program that misses a link finds what it leads to by its own path.
        let _ = made(parent, name);
    }
}

/// Mounts what is made by the kernel: processes, terminals, shared memory.
fn special(
    tree: BorrowedFd<'_>,
    spaces: &Namespaces,
    limits: Limits,
    outer_proc: Option<OwnedFd>,
) -> Result<(), Error> {
    let options = [("ptmxmode", "0666"), ("mode", "0620")];
    let terminals = file_system("devpts", &options, MountAttrFlags::MOUNT_ATTR_NOSUID);
    let terminals = terminals.map_err(|error| Error::step("make terminals", error))?;
    // Shared memory of programs, as files.
    let size = format!("{}m", limits.file_system_mb());
    let memory = file_system("tmpfs", &[("mode", "1777"), ("size", &size)], nothing_special());
    let memory = memory.map_err(|error| Error::step("make shared memory", error))?;
    let processes = match outer_proc {
        Some(outer) => outer,
        None => processes(spaces.pids_max).map_err(|error| Error::step("list its own processes", error))?,
    };
    step("keep processes as they are", set_mount_attributes(processes.as_fd(), read_only(), Reach::Below))?;
    for (mount, path) in [(&terminals, "/dev/pts"), (&memory, "/dev/shm"), (&processes, "/proc")] {
        let placed = place(tree, Path::new(path), true).and_then(|place| attach(mount, place.as_fd()));
        placed.map_err(|error| Error::step(format!("mount `{path}`"), error))?;
    }
    Ok(())
}

/// Returns the list of the processes of this namespace, after it was said how many there may be.
fn processes(max: Option<u32>) -> io::Result<OwnedFd> {
    let processes = file_system("proc", &[], nothing_special() | MountAttrFlags::MOUNT_ATTR_NOEXEC)?;
    if let Some(max) = max {
        // Kernels before 6.14 have one such number for the whole machine; they refuse the write.
        if let Ok(file) = openat(&processes, "sys/kernel/pid_max", OFlags::WRONLY | OFlags::CLOEXEC, Mode::empty()) {
            let _ = rustix::io::write(&file, max.to_string().as_bytes());
        }
    }
    Ok(processes)
}

/// Makes a file system that is mounted nowhere yet.
fn file_system(kind: &str, options: &[(&str, &str)], attributes: MountAttrFlags) -> io::Result<OwnedFd> {
    let made = fsopen(kind, FsOpenFlags::FSOPEN_CLOEXEC)?;
    for (name, value) in options {
        fsconfig_set_string(made.as_fd(), *name, *value)?;
    }
    if kind == "devpts" {
        fsconfig_set_flag(made.as_fd(), "newinstance")?;
    }
    fsconfig_create(made.as_fd())?;
    Ok(fsmount(made.as_fd(), FsMountFlags::FSMOUNT_CLOEXEC, attributes)?)
}

/// Makes the tree the root, lets go of the one before, and makes it read-only.
fn become_root() -> io::Result<()> {
    chdir(BUILT_AT)?;
    // The old root comes to lie on the new one, and is taken away.
    pivot_root(".", ".")?;
    unmount(".", UnmountFlags::DETACH)?;
    chdir("/")?;
    let root = open("/", OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC, Mode::empty())?;
    set_mount_attributes(root.as_fd(), read_only(), Reach::One)
}
