//! Executing this program again as a shim, which reads what to start from its standard input.

use std::io;
use std::path::Path;
use std::process::Stdio;

use tokio::process::{Child, Command};

use crate::shim;

/// Executes a shim in a spool, with an empty environment, so that it shows and keeps no secret of the server.
///
/// It waits for its order, and ends without one if its standard input is closed, as it is when this process ends. It is
/// in its spool from its first moment, so that may be put in another place at once. `folder` is an argument, too, for
/// people who list processes.
#[expect(clippy::disallowed_methods, reason = "this is the supervisor, which starts processes")]
pub(crate) fn execute(program: &Path, folder: &Path) -> io::Result<Child> {
    Command::new(program)
        .arg0("fleet")
        .arg(shim::WORD)
        .arg(folder)
        .env_clear()
        .current_dir(folder)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
}
