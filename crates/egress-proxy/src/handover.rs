//! Handing listening sockets from inside of a network namespace to the proxy outside.

use std::io::{self, IoSlice, IoSliceMut};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, AsRawFd as _, BorrowedFd, OwnedFd};
use std::path::{Path, PathBuf};

use rustix::fs::{Mode, OFlags, open};
use rustix::net::{
    RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendAncillaryBuffer, SendAncillaryMessage, SendFlags,
    recvmsg, sendmsg,
};

/// The most sockets of one message.
const SOCKETS_MAX: usize = 64;

/// The longest secret.
const SECRET_MAX: usize = 128;

/// Hands sockets over, in one message with a secret.
///
/// # Errors
/// When the other end is closed, or they are too many.
pub fn send(to: impl AsFd, secret: &str, sockets: &[BorrowedFd<'_>]) -> io::Result<()> {
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(SOCKETS_MAX))];
    let mut control = SendAncillaryBuffer::new(&mut space);
    if sockets.len() > SOCKETS_MAX || !control.push(SendAncillaryMessage::ScmRights(sockets)) {
        return Err(io::Error::other("too many sockets"));
    }
    sendmsg(to, &[IoSlice::new(secret.as_bytes())], &mut control, SendFlags::empty())?;
    Ok(())
}

/// Waits for sockets that come with the secret.
///
/// # Errors
/// When none come, or they come with something else.
pub fn receive(from: impl AsFd, secret: &str) -> io::Result<Vec<OwnedFd>> {
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(SOCKETS_MAX))];
    let mut control = RecvAncillaryBuffer::new(&mut space);
    let mut text = [0; SECRET_MAX];
    let received = recvmsg(from, &mut [IoSliceMut::new(&mut text)], &mut control, RecvFlags::CMSG_CLOEXEC)?;
    let mut sockets = Vec::new();
    for message in control.drain() {
        if let RecvAncillaryMessage::ScmRights(received) = message {
            sockets.extend(received);
        }
    }
    if secret.is_empty() || text.get(..received.bytes) != Some(secret.as_bytes()) {
        return Err(io::ErrorKind::PermissionDenied.into());
    }
    Ok(sockets)
}

/// Returns a path of a socket that the system takes, however long its folder's is; it is good while the folder is open.
pub(crate) fn short(path: &Path) -> io::Result<(OwnedFd, PathBuf)> {
    let (Some(folder), Some(name)) = (path.parent(), path.file_name()) else {
        return Err(io::ErrorKind::InvalidInput.into());
    };
    let folder = open(folder, OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC, Mode::empty())?;
    let short = Path::new("/proc/self/fd").join(folder.as_raw_fd().to_string()).join(name);
    Ok((folder, short))
}
