//! The process inside of the agent's network that binds the proxy's sockets, hands them over and becomes the agent.

use std::ffi::OsString;
use std::io::{self, Write as _};
use std::net::{Ipv4Addr, TcpListener};
use std::os::fd::AsFd as _;
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use crate::handover::{send, short};

/// The exit code if the agent's program could not be executed, as with shells.
const NOT_EXECUTED: u8 = 126;

/// How often, and how long, the proxy is waited for, which starts at the same time.
const TRIES: u32 = 2_000;
const PAUSE: Duration = Duration::from_millis(5);

/// Returns only if the agent could not be executed; `args` are the socket, the file of the secret, the ports, and the command line.
pub(crate) fn main(args: &[OsString]) -> u8 {
    let [socket, secret, ports, program, args @ ..] = args else { return 2 };
    let handed = hand_over(Path::new(socket), Path::new(secret), &ports.to_string_lossy());
    let why = match handed {
        Ok(()) => format!("cannot execute `{}`: {}", program.display(), become_program(program, args)),
        Err(error) => format!("cannot set up the network of the agent: {error}"),
    };
    let _ = writeln!(io::stderr(), "{why}");
    NOT_EXECUTED
}

#[expect(clippy::disallowed_methods, reason = "the secret of this launch is read where it was put for this process")]
fn hand_over(socket: &Path, secret: &Path, ports: &str) -> io::Result<()> {
    let bind = |port: &str| {
        let port: u16 = port.parse().map_err(|_| io::Error::from(io::ErrorKind::InvalidInput))?;
        TcpListener::bind((Ipv4Addr::LOCALHOST, port))
    };
    let sockets = ports.split(',').map(bind).collect::<io::Result<Vec<_>>>()?;
    let secret = std::fs::read_to_string(secret)?;
    let (_folder, socket) = short(socket)?;
    let proxy = connect(&socket)?;
    send(&proxy, &secret, &sockets.iter().map(|socket| socket.as_fd()).collect::<Vec<_>>())
}

fn connect(socket: &Path) -> io::Result<UnixStream> {
    let mut last = io::Error::from(io::ErrorKind::NotFound);
    for _ in 0..TRIES {
        match UnixStream::connect(socket) {
            Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::ConnectionRefused) => {
                last = error;
                std::thread::sleep(PAUSE);
            }
            connected => return connected,
        }
    }
    Err(last)
}

#[expect(clippy::disallowed_methods, reason = "no process is started: this one becomes another")]
fn become_program(program: &OsString, args: &[OsString]) -> io::Error {
    Command::new(program).args(args).exec()
}
