//! The network of a sandbox that has one of its own: a loopback device, and ports on which a process outside listens.

use std::io;
use std::io::IoSlice;
use std::net::{Ipv4Addr, TcpListener};
use std::os::fd::{AsFd as _, AsRawFd as _};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rustix::fs::{Mode, OFlags, open};
use rustix::net::netlink::SocketAddrNetlink;
use rustix::net::{
    AddressFamily, RecvFlags, SendAncillaryBuffer, SendAncillaryMessage, SendFlags, SocketFlags, SocketType, recv,
    sendmsg, sendto, socket_with,
};
use serde::{Deserialize, Serialize};

/// The most ports that are handed out.
pub(crate) const PORTS_MAX: usize = 17;

/// What is sent with the descriptors; that they come from the right process is known by the path, which others do not know.
pub const HANDED_OVER: &str = "+";

/// How often, and how long, the process that is to listen is waited for: it starts at the same time.
const TRIES: u32 = 2_000;
const PAUSE: Duration = Duration::from_millis(5);

/// Ports of the sandbox's loopback device on which a process outside listens: its only way out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Listen {
    /// The ports on `127.0.0.1`, at most seventeen.
    pub ports: Vec<u16>,
    /// The socket of the process that listens: [`HANDED_OVER`] with the listening descriptors, in the order of the ports,
    /// is sent there before the agent runs.
    pub give_to: PathBuf,
}

/// Connects to the process that is to listen, while it can still be reached.
pub(crate) fn connect(give_to: &Path) -> io::Result<UnixStream> {
    let (Some(folder), Some(name)) = (give_to.parent(), give_to.file_name()) else {
        return Err(io::ErrorKind::InvalidInput.into());
    };
    // The system takes no long path of a socket; one below an open folder is short.
    let folder = open(folder, OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC, Mode::empty())?;
    let short = Path::new("/proc/self/fd").join(folder.as_raw_fd().to_string()).join(name);
    let mut last = io::Error::from(io::ErrorKind::NotFound);
    for _ in 0..TRIES {
        match UnixStream::connect(&short) {
            Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::ConnectionRefused) => {
                last = error;
                std::thread::sleep(PAUSE);
            }
            connected => return connected,
        }
    }
    Err(last)
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
    sendmsg(to, &[IoSlice::new(HANDED_OVER.as_bytes())], &mut message, SendFlags::empty())?;
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
