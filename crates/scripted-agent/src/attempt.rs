//! Tries what a sandbox may refuse, so that tests can see whether it does.
//!
//! Nothing read is told, nothing written is left, and no other machine is reached.

use std::fs::OpenOptions;
use std::io::{self, Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::path::Path;

use agents::sim::Deed;
use rustix::fs::{AtFlags, CWD, unlinkat};

/// Tries it, and says how it went: `done`, or `refused` and why.
pub(crate) fn tried(deed: Deed, on: &str) -> String {
    let done = match deed {
        Deed::Read => OpenOptions::new().read(true).open(on).map(drop),
        Deed::Write => write(Path::new(on)),
        Deed::Connect => connect(on).map(drop),
        Deed::Tunnel => tunnel(on),
    };
    done.map_or_else(|error| format!("refused: {error}"), |()| "done".to_owned())
}

fn write(path: &Path) -> io::Result<()> {
    OpenOptions::new().write(true).create_new(true).open(path)?;
    Ok(unlinkat(CWD, path, AtFlags::empty())?)
}

fn connect(on: &str) -> io::Result<TcpStream> {
    let address: SocketAddr = on.parse().map_err(|error| io::Error::new(io::ErrorKind::InvalidInput, error))?;
    if !address.ip().is_loopback() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "it is not of this machine"));
    }
    TcpStream::connect(address)
}

fn tunnel(on: &str) -> io::Result<()> {
    let (proxy, target) = on.split_once('/').ok_or(io::ErrorKind::InvalidInput)?;
    let mut proxy = connect(proxy)?;
    proxy.write_all(format!("CONNECT {target} HTTP/1.1\r\nHost: {target}\r\n\r\n").as_bytes())?;
    let mut answer = [0; 12];
    proxy.read_exact(&mut answer)?;
    if answer == *b"HTTP/1.1 200" { Ok(()) } else { Err(io::Error::other("the proxy refused")) }
}

#[cfg(test)]
mod tests {
    use std::net::TcpListener;

    use super::*;

    #[test]
    fn what_was_tried_leaves_nothing_and_tells_how_it_went() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        let on = path.to_str().unwrap();
        assert_eq!(tried(Deed::Write, on), "done");
        assert!(!path.exists());
        assert!(tried(Deed::Read, on).starts_with("refused: "));
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        assert_eq!(tried(Deed::Connect, &listener.local_addr().unwrap().to_string()), "done");
        assert!(tried(Deed::Connect, "192.0.2.1:80").contains("not of this machine"));
    }
}
