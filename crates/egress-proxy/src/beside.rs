//! A proxy beside the process that it is for: how it is started, and how programs find it.

use std::io::{self, Write as _};
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::{Command, Stdio};

use crate::order::{Order, PORT, WORD};

/// Variables by which programs find a proxy; each in both cases.
const PROXIES: [&str; 3] = ["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"];

/// Returns the command that is a proxy, with an empty environment, and its standard input: give it its
/// order ([`give`]) once it was started, and it ends when this is closed, which also happens when its starter is killed.
///
/// # Errors
/// When there are no descriptors left.
#[expect(clippy::disallowed_methods, reason = "who needs a proxy starts it, as a child of its own")]
pub fn command(program: &Path) -> io::Result<(Command, UnixStream)> {
    let (input, theirs) = UnixStream::pair()?;
    let mut command = Command::new(program);
    command
        .arg0("fleet")
        .arg(WORD)
        .env_clear()
        // A heap for each thread would take more memory than all that it holds.
        .env("MALLOC_ARENA_MAX", "1")
        .current_dir("/")
        .process_group(0)
        .stdin(Stdio::from(OwnedFd::from(theirs)))
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    Ok((command, input))
}

/// Gives a proxy that was started its order.
///
/// # Errors
/// When it has ended already.
pub fn give(mut input: &UnixStream, order: &Order) -> io::Result<()> {
    let order = serde_json::to_string(order)?;
    input.write_all(format!("{order}\n").as_bytes())
}

/// Returns the variables by which programs find the proxy. What is on loopback is their own, or is forwarded.
#[must_use]
pub fn variables() -> Vec<(String, String)> {
    let proxy = format!("http://127.0.0.1:{PORT}");
    let both =
        |name: &str, value: &str| [name.to_owned(), name.to_ascii_lowercase()].map(|name| (name, value.to_owned()));
    let named = PROXIES.iter().flat_map(|name| both(name, &proxy));
    let node = ("NODE_USE_ENV_PROXY".to_owned(), "1".to_owned());
    named.chain(both("NO_PROXY", "localhost,127.0.0.1,::1")).chain([node]).collect()
}
