//! A process that an agent leaves behind: in a session of its own, with no living parent.
//!
//! The program is started again for it, and that starts it once more and is gone. So by the time the agent hears of
//! it, no signal to the agent's group reaches what is left behind.

use std::ffi::{OsStr, OsString};
use std::io::{self, Write as _};
use std::process::{Command, Stdio};
use std::time::Duration;

use crate::{Trouble, WORD};

/// The word for the process in the middle.
pub(crate) const LEAVE: &str = "leave-behind";
/// The word for the one that stays.
pub(crate) const STAY: &str = "left-behind";

/// Leaves a process behind that lives for `secs`, and says which it is.
///
/// # Errors
/// Says why there is none.
pub(crate) fn fork_off(secs: u64) -> Result<String, String> {
    let output = again(LEAVE, &OsString::from(secs.to_string())).stderr(Stdio::inherit()).output();
    let output = output.map_err(|error| format!("cannot start a process: {error}"))?;
    match String::from_utf8_lossy(&output.stdout).trim() {
        pid if output.status.success() => Ok(format!("left behind as process {pid}")),
        _ => Err(format!("cannot leave a process behind: {}", output.status)),
    }
}

/// Is the process in the middle: makes the session, starts the one that stays in it, and is gone.
pub(crate) fn leave(secs: &OsStr) -> Result<u8, Trouble> {
    rustix::process::setsid().map_err(io::Error::from).map_err(Trouble::system("making a session"))?;
    let stays = again(STAY, secs).stdout(Stdio::null()).stderr(Stdio::null()).spawn();
    let stays = stays.map_err(Trouble::system("starting a process"))?;
    writeln!(io::stdout(), "{}", stays.id()).map_err(Trouble::system("telling its number"))?;
    Ok(0)
}

/// Is the one that stays.
pub(crate) fn stay(secs: &OsStr) -> Result<u8, Trouble> {
    let secs = secs.to_str().and_then(|secs| secs.parse().ok()).ok_or(Trouble::Arguments)?;
    std::thread::sleep(Duration::from_secs(secs));
    Ok(0)
}

/// This program, even if its file was deleted.
#[expect(clippy::disallowed_methods, reason = "an agent starts what it wants")]
fn again(word: &str, secs: &OsStr) -> Command {
    let mut command = Command::new("/proc/self/exe");
    command.args([OsStr::new(WORD), OsStr::new(word), secs]).stdin(Stdio::null());
    command
}
