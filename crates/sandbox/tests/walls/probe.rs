//! The program of the tests: walls itself in if told to, then tries one thing and says how it went.

use std::ffi::OsString;
use std::io::ErrorKind;
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::ExitCode;

fn main() -> ExitCode {
    let args: Vec<OsString> = std::env::args_os().skip(1).collect();
    match args.split_first() {
        Some((word, rest)) if word == fleet_sandbox::WORD => fleet_sandbox::main(rest).into(),
        Some((deed, [on])) => tried(deed.to_str().unwrap_or_default(), on).into(),
        Some(_) | None => ExitCode::from(2),
    }
}

/// Returns 0 if it went well, 1 if the system said no, 3 if it said something else.
fn tried(deed: &str, on: &OsString) -> u8 {
    let path = Path::new(on);
    let port = || on.to_str().and_then(|port| port.parse::<u16>().ok()).unwrap_or(0);
    let done = match deed {
        "read" => std::fs::OpenOptions::new().read(true).open(path).map(drop),
        "list" => std::fs::read_dir(path).map(drop),
        "write" => std::fs::OpenOptions::new().write(true).create(true).truncate(false).open(path).map(drop),
        "cut" => std::fs::OpenOptions::new().write(true).truncate(true).open(path).map(drop),
        "link" => std::os::unix::fs::symlink("elsewhere", path),
        "move" => move_away(path),
        "connect" => TcpStream::connect(("127.0.0.1", port())).map(drop),
        "bind" => TcpListener::bind(("127.0.0.1", port())).map(drop),
        _ => return 2,
    };
    match done {
        Ok(()) => 0,
        Err(error) if refused(error.kind()) => 1,
        Err(_) => 3,
    }
}

#[expect(clippy::disallowed_methods, reason = "it tries what an agent would")]
fn move_away(path: &Path) -> std::io::Result<()> {
    std::fs::rename(path, path.with_extension("moved"))
}

/// What landlock says, and what is said of something mounted.
fn refused(kind: ErrorKind) -> bool {
    matches!(kind, ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem | ErrorKind::ResourceBusy)
}
