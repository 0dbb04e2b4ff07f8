//! Does what the sandbox does inside of an agent's network: binds the proxy's sockets, hands them over, becomes the agent.

use std::ffi::OsString;
use std::io;
use std::net::{Ipv4Addr, TcpListener};
use std::os::fd::AsFd as _;
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt as _;
use std::process::Command;
use std::time::Duration;

/// Returns only if it fails; `args` are the socket, the secret, the ports, and the command line.
#[expect(clippy::disallowed_methods, reason = "no process is started: this one becomes another")]
pub(crate) fn main(args: &[OsString]) -> io::Result<()> {
    let [socket, secret, ports, program, args @ ..] = args else { return Err(io::ErrorKind::InvalidInput.into()) };
    let bind = |port: &str| TcpListener::bind((Ipv4Addr::LOCALHOST, port.parse().unwrap_or(0)));
    let sockets = ports.to_string_lossy().split(',').map(bind).collect::<io::Result<Vec<_>>>()?;
    let proxy = connect(socket)?;
    let sockets: Vec<_> = sockets.iter().map(|socket| socket.as_fd()).collect();
    fleet_egress_proxy::send(&proxy, &secret.to_string_lossy(), &sockets)?;
    Err(Command::new(program).args(args).exec())
}

/// The proxy starts at the same time.
fn connect(socket: &OsString) -> io::Result<UnixStream> {
    for _ in 0..2_000 {
        if let Ok(connected) = UnixStream::connect(socket) {
            return Ok(connected);
        }
        // tidy: sleep because no event says that another process listens
        std::thread::sleep(Duration::from_millis(5));
    }
    UnixStream::connect(socket)
}
