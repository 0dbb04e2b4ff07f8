//! Asking a program for its version: the only place of the command line that starts one.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use config::Environment;
use runtime::Clock;
use rustix::process::{Pid, Signal, kill_process_group};
use tokio::process::{Child, Command};

/// How long a program may take to say its version.
const TIMEOUT: Duration = Duration::from_secs(5);
/// How much of what it says is kept.
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
    let child = match start(program, environment) {
        Ok(child) => child,
        Err(error) => return Answer::Silent(format!("it cannot be started: {error}")),
    };
    let group = child.id().and_then(|id| Pid::from_raw(i32::try_from(id).ok()?));
    match clock.timeout(TIMEOUT, child.wait_with_output()).await {
        Ok(Ok(output)) if output.status.success() => Answer::Said(first_line(&output.stdout)),
        Ok(Ok(output)) => Answer::Silent(format!("`--version` ended with {}", output.status)),
        Ok(Err(error)) => Answer::Silent(format!("it cannot be read: {error}")),
        Err(_) => {
            // Whatever it started goes with it; that it is gone already is as good.
            let _ = group.map(|group| kill_process_group(group, Signal::KILL));
            Answer::Silent(format!("it did not say its version within {} seconds", TIMEOUT.as_secs()))
        }
    }
}

#[expect(clippy::disallowed_methods, reason = "the doctor asks the programs it looks for who they are")]
fn start(program: &Path, environment: &Environment) -> std::io::Result<Child> {
    let kept = ["PATH", "HOME", "LANG"].into_iter().filter_map(|name| Some((name, environment.get(name)?)));
    Command::new(program)
        .arg("--version")
        .env_clear()
        .envs(kept)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .process_group(0)
        .kill_on_drop(true)
        .spawn()
}

fn first_line(output: &[u8]) -> String {
    let text = String::from_utf8_lossy(output);
    let line = text.lines().find(|line| !line.trim().is_empty()).unwrap_or_default().trim();
    line.chars().filter(|letter| !letter.is_control()).take(SAID_MAX).collect()
}
