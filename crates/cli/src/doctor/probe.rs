//! Asks a program for its version, or whether it is logged in.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::time::Duration;

use config::Environment;
use process::{Command, End, Keep};
use runtime::Clock;

/// How long a program may take to answer.
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

/// How a program that was asked a question by its exit status ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Exit {
    /// With status 0.
    Zero,
    /// With another status.
    Other,
    /// Not by itself, not in time, or it could not be started.
    None,
}

/// Runs `program --version` with hardly any environment, and not for long.
pub(super) async fn version(program: &Path, environment: &Environment, clock: &Clock) -> Answer {
    let kept = ["PATH", "HOME", "LANG"].into_iter().filter_map(|name| Some((name, environment.get(name)?)));
    let kept = kept.map(|(name, value)| (name.to_owned(), value.to_owned())).collect();
    ask(program, &["--version".to_owned()], &kept, clock).await
}

/// Runs a program with these arguments and variables, and returns the first line that it prints.
pub(super) async fn ask(
    program: &Path,
    arguments: &[String],
    variables: &BTreeMap<String, String>,
    clock: &Clock,
) -> Answer {
    let asked = arguments.join(" ");
    match run(program, arguments, variables, clock).await {
        Ok((End::Code(0), stdout)) => Answer::Said(first_line(&stdout)),
        Ok((End::Code(code), _)) => Answer::Silent(format!("`{asked}` exited with status {code}")),
        Ok((End::Signal(signal), _)) => Answer::Silent(format!("`{asked}` was ended by signal {signal}")),
        Ok((End::TimedOut, _)) => {
            Answer::Silent(format!("it did not report its version within {} seconds", TIMEOUT.as_secs()))
        }
        Err(why) => Answer::Silent(why),
    }
}

/// Runs a program whose exit status is its answer.
pub(super) async fn status(
    program: &Path,
    arguments: &[String],
    variables: &BTreeMap<String, String>,
    clock: &Clock,
) -> Exit {
    match run(program, arguments, variables, clock).await {
        Ok((End::Code(0), _)) => Exit::Zero,
        Ok((End::Code(_), _)) => Exit::Other,
        Ok((End::Signal(_) | End::TimedOut, _)) | Err(_) => Exit::None,
    }
}

async fn run(
    program: &Path,
    arguments: &[String],
    variables: &BTreeMap<String, String>,
    clock: &Clock,
) -> Result<(End, Vec<u8>), String> {
    let variables = variables.iter().map(|(name, value)| (name.as_str(), value.as_str()));
    let command = Command {
        stdout: Keep::First(OUTPUT_MAX),
        stderr: Keep::Nothing,
        ..Command::new(program, "/", TIMEOUT).args(arguments.iter().map(String::as_str)).variables(variables)
    };
    let running = command.start().map_err(|error| format!("it cannot be started: {error}"))?;
    let finished = running.finish(clock).await.map_err(|error| format!("it cannot be read: {error}"))?;
    Ok((finished.end, finished.stdout))
}

fn first_line(output: &[u8]) -> String {
    let text = String::from_utf8_lossy(output);
    let line = text.lines().find(|line| !line.trim().is_empty()).unwrap_or_default().trim();
    line.chars().filter(|letter| !letter.is_control()).take(SAID_MAX).collect()
}
