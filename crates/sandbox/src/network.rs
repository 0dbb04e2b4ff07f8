//! The network of a sandbox that has one of its own: a loopback device, and ports on which a process outside listens.

use std::io;
use std::io::IoSlice;
use std::net::{Ipv4Addr, TcpListener};
use std::os::fd::AsFd as _;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};

use rustix::net::netlink::SocketAddrNetlink;
use rustix::net::{
    AddressFamily, RecvFlags, SendAncillaryBuffer, SendAncillaryMessage, SendFlags, SocketFlags, SocketType, recv,
    sendmsg, sendto, socket_with,
};
use serde::{Deserialize, Serialize};

/// The most ports that are handed out.
const PORTS_MAX: usize = 4;

/// Ports of the sandbox's loopback device on which a process outside listens: its only way out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Listen {
    /// The ports on `127.0.0.1`, at most four.
    pub ports: Vec<u16>,
    /// The socket of the process that listens: one byte with the listening descriptors, in the order of the ports, is
    /// sent there before the agent runs.
    pub give_to: PathBuf,
}

/// Connects to the process that is to listen, while it can still be reached.
pub(crate) fn connect(give_to: &Path) -> io::Result<UnixStream> {
    UnixStream::connect(give_to)
}

/// Listens on the ports and hands the descriptors over.
pub(crate) fn hand_over(ports: &[u16], to: &UnixStream) -> io::Result<()> {
    if ports.len() > PORTS_MAX {
        return Err(io::Error::other("too many ports to listen on"));
    }
    let listen = |port: &u16| TcpListener::bind((Ipv4Addr::LOCALHOST, *port));
    let listeners = ports.iter().map(listen).collect::<io::Result<Vec<_>>>()?;
    let descriptors: Vec<_> = listeners.iter().map(|listener| listener.as_fd()).collect();
    let mut space = [std::mem::MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(PORTS_MAX))];
    let mut message = SendAncillaryBuffer::new(&mut space);
    if !message.push(SendAncillaryMessage::ScmRights(&descriptors)) {
        return Err(io::Error::other("the descriptors do not fit into a message"));
    }
    sendmsg(to, &[IoSlice::new(b"+")], &mut message, SendFlags::empty())?;
    Ok(())
}

/// Brings the loopback device up, the only one of a new network.
pub(crate) fn loopback_up() -> io::Result<()> {
    const DO_IT: u16 = 1 | 4;
    const NEW_LINK: u16 = 16;
    const UP: u32 = 1;
    let socket = socket_with(AddressFamily::NETLINK, SocketType::RAW, SocketFlags::CLOEXEC, None)?;
    // A header (length, kind, flags, number, sender) and which device (family, kind, index, flags, which of them).
    let mut message = Vec::with_capacity(32);
    message.extend(32_u32.to_ne_bytes());
    message.extend(NEW_LINK.to_ne_bytes());
    message.extend(DO_IT.to_ne_bytes());
    message.extend([0; 8]);
    message.extend([0; 4]);
    message.extend(1_i32.to_ne_bytes());
    message.extend(UP.to_ne_bytes());
    message.extend(UP.to_ne_bytes());
    sendto(&socket, &message, SendFlags::empty(), &SocketAddrNetlink::new(0, 0))?;
    let mut answer = [0_u8; 64];
    let (length, _) = recv(&socket, &mut answer[..], RecvFlags::empty())?;
    let said = answer.get(16..20).filter(|_| length >= 20).and_then(|bytes| bytes.try_into().ok());
    match said.map(i32::from_ne_bytes) {
        Some(0) => Ok(()),
        Some(error) => Err(io::Error::from_raw_os_error(-error)),
        None => Err(io::Error::other("the kernel does not say whether the loopback device is up")),
    }
}
