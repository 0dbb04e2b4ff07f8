//! Waiting in the runtime for a descriptor that the kernel makes ready: a watch, a process.

use std::io;
use std::os::fd::OwnedFd;

use tokio::io::Interest;
use tokio::io::unix::AsyncFd;

/// Lets the runtime wait until something can be read.
#[expect(deprecated, reason = "an OwnedFd keeps its descriptor, which is all that the unsafe successor asks for")]
pub(crate) fn readable(descriptor: OwnedFd) -> io::Result<AsyncFd<OwnedFd>> {
    AsyncFd::with_interest(descriptor, Interest::READABLE)
}
