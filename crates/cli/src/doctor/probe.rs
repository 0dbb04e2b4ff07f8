//! Asks a program for its version.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::time::Duration;

use config::Environment;
use process::{Command, End, Keep};
use runtime::Clock;

/// How long a program may take to say its version.
const TIMEOUT: Duration = Duration::from_secs(5);
/// How many bytes of its output are kept, and how many characters of the line that is shown.
const OUTPUT_MAX: usize = 64 * 1024;
const SAID_MAX: usize = 80;

/// What a program said.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Answer {
    /// The first line of what it printed.
    Said(String),
    /// Nothing in time, or nothing at all; this is why.
    Silent(String),
}

/// Finds a program as a shell would.
pub(super) fn find(program: &str, environment: &Environment) -> Option<PathBuf> {
    runtime::find_program(program, environment.get("PATH").map(OsStr::new))
}

/// Runs `program --version` with hardly any environment, and not for long.
pub(super) async fn version(program: &Path, environment: &Environment, clock: &Clock) -> Answer {
    let kept = ["PATH", "HOME", "LANG"].into_iter().filter_map(|name| Some((name, environment.get(name)?)));
    let command = Command {
        stdout: Keep::First(OUTPUT_MAX),
        stderr: Keep::Nothing,
        ..Command::new(program, "/", TIMEOUT).args(["--version"]).variables(kept)
    };
    let running = match command.start() {
        Ok(running) => running,
        Err(error) => return Answer::Silent(format!("it cannot be started: {error}")),
    };
    match running.finish(clock).await.map(|finished| (finished.end, finished.stdout)) {
        Ok((End::Code(0), stdout)) => Answer::Said(first_line(&stdout)),
        Ok((End::Code(code), _)) => Answer::Silent(format!("`--version` exited with status {code}")),
        Ok((End::Signal(signal), _)) => Answer::Silent(format!("`--version` was ended by signal {signal}")),
        Ok((End::TimedOut, _)) => {
            Answer::Silent(format!("it did not report its version within {} seconds", TIMEOUT.as_secs()))
        }
        Err(error) => Answer::Silent(format!("it cannot be read: {error}")),
    }
}

fn first_line(output: &[u8]) -> String {
    let text = String::from_utf8_lossy(output);
    let line = text.lines().find(|line| !line.trim().is_empty()).unwrap_or_default().trim();
    line.chars().filter(|letter| !letter.is_control()).take(SAID_MAX).collect()
}
