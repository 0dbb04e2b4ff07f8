//! The few calls of the kernel for which there is no safe form; all unsafe code of this crate is here.

use std::io;
use std::mem::size_of;
use std::os::fd::{AsRawFd as _, BorrowedFd};

use rustix::process::Pid;
use rustix::thread::UnshareFlags;

/// Which of two processes this is after a fork.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Forked {
    /// The one that called; the other has this number.
    Parent(Pid),
    /// The new one.
    Child,
}

/// Makes a second process of this one. Only a process with a single thread can.
pub(crate) fn fork() -> io::Result<Forked> {
    if std::fs::read_dir("/proc/self/task").is_ok_and(|threads| threads.count() != 1) {
        return Err(io::Error::other("a process with several threads cannot enter a sandbox"));
    }
    fork_single()
}

#[expect(unsafe_code, reason = "a second process has no safe form: other threads would stop where they are")]
fn fork_single() -> io::Result<Forked> {
    // SAFETY: the caller made sure that there is no other thread, so no other thread holds a lock, and the child may go
    // on as its parent would.
    let pid = unsafe { libc::fork() };
    match (pid, Pid::from_raw(pid)) {
        (0, _) => Ok(Forked::Child),
        (1.., Some(child)) => Ok(Forked::Parent(child)),
        (_, _) => Err(io::Error::last_os_error()),
    }
}

/// Leaves namespaces behind for new ones.
#[expect(unsafe_code, reason = "with other flags descriptors would belong to one thread alone")]
pub(crate) fn unshare(namespaces: UnshareFlags) -> io::Result<()> {
    debug_assert!(!namespaces.contains(UnshareFlags::FILES));
    // SAFETY: descriptors are not unshared; nothing else that the flags name concerns memory.
    unsafe { rustix::thread::unshare_unsafe(namespaces) }?;
    Ok(())
}

/// How far attributes of a mount go.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reach {
    /// This mount.
    One,
    /// This mount and all below it.
    Below,
}

/// Sets attributes of a mount; those that are set stay so.
#[expect(unsafe_code, reason = "no crate in use has this call")]
pub(crate) fn set_mount_attributes(mount: BorrowedFd<'_>, attributes: u64, reach: Reach) -> io::Result<()> {
    let recursive = if reach == Reach::Below { libc::AT_RECURSIVE } else { 0 };
    let wanted = libc::mount_attr { attr_set: attributes, attr_clr: 0, propagation: 0, userns_fd: 0 };
    // SAFETY: the path is a constant that ends with a zero, the structure lives through the call and has the size that
    // is given, and the kernel only reads both.
    let done = unsafe {
        libc::syscall(
            libc::SYS_mount_setattr,
            mount.as_raw_fd(),
            c"".as_ptr(),
            libc::AT_EMPTY_PATH | recursive,
            &raw const wanted,
            size_of::<libc::mount_attr>(),
        )
    };
    if done == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}

/// Lets no descriptor but input, output and errors pass to the next program.
#[expect(unsafe_code, reason = "descriptors are named by their numbers here")]
pub(crate) fn keep_descriptors() -> io::Result<()> {
    // SAFETY: nothing is closed: that happens when this program is replaced, and all that refers to descriptors with it.
    let done = unsafe { libc::syscall(libc::SYS_close_range, 3_u32, u32::MAX, libc::CLOSE_RANGE_CLOEXEC) };
    if done == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}
