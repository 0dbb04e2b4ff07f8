//! Runs one check.
//!
//! A check is a line for the shell, run in the scratch worktree with exactly the environment it is given, in a sandbox:
//! what it runs was written by agents. It is ended
//! with all its descendants when it has ended, when its time is over, and when its future is dropped: nothing it started
//! runs on in the tree of the next check.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use process::{Command, End, Input, Keep, Mark};
use runtime::Clock;
use sandbox::Confined;
use types::{CheckOutcome, CheckRun};

use crate::error::Error;
use crate::{files, orphan};

/// The variable that marks the processes of a check.
pub(crate) const MARK_VARIABLE: &str = "FLEET_CHECK";

/// How many of the last lines of an output are kept, and how many bytes at most.
const OUTPUT_LINES: usize = 60;
const OUTPUT_BYTES: usize = 8_000;

/// Where and how checks run.
#[derive(Debug, Clone)]
pub(crate) struct Runner {
    pub(crate) directory: PathBuf,
    pub(crate) variables: Arc<BTreeMap<OsString, OsString>>,
    pub(crate) limit: Duration,
    /// Kept open by a check as long as it lives, and so locked.
    pub(crate) lock: Arc<File>,
    /// Where it is recorded which process leads the check.
    pub(crate) leader: PathBuf,
    pub(crate) clock: Clock,
    /// What it may reach; none if this server makes no sandboxes.
    pub(crate) sandbox: Option<Confined>,
}

impl Runner {
    /// Runs a check to its end, or until its time is over.
    pub(crate) async fn run(&self, command: &str) -> Result<CheckRun, Error> {
        let begun = self.clock.monotonic();
        let (outcome, output_tail, refused) = match self.play(command).await {
            Ok(played) => played,
            Err(Stopped::Outside(error)) => return Err(Error::Sandbox { why: error.to_string() }),
            Err(Stopped::Failed(error)) => {
                (CheckOutcome::NotStarted { why: error.to_string() }, String::new(), Vec::new())
            }
        };
        let sandbox = self.sandbox.as_ref().map(|confined| confined.plan.reached.clone());
        let took = self.clock.monotonic().saturating_sub(begun).as_millis();
        let duration_ms = u64::try_from(took).unwrap_or(u64::MAX);
        Ok(CheckRun { command: command.to_owned(), outcome, output_tail, duration_ms, sandbox, refused })
    }

    /// Removes what a check left among its temporary files; what it left in caches is for the next.
    pub(crate) async fn clear_temporary(&self) {
        let Some(tmp) = self.sandbox.as_ref().map(|confined| confined.tmp.clone()) else { return };
        runtime::blocking(move || files::empty(&tmp)).await;
    }

    async fn play(&self, command: &str) -> Result<(CheckOutcome, String, Vec<String>), Stopped> {
        let found = runtime::find_program("sh", self.variables.get(OsStr::new("PATH")).map(OsString::as_os_str));
        let shell = found.unwrap_or_else(|| PathBuf::from("sh"));
        let mark = Mark::new(MARK_VARIABLE);
        let check = Command {
            input: Input::KeptOpen(Arc::clone(&self.lock)),
            stdout: Keep::Last(OUTPUT_BYTES),
            stderr: Keep::Joined,
            mark: Some(mark.clone()),
            sandbox: self.sandbox.clone(),
            ..Command::new(shell, &self.directory, self.limit).args(["-c", command]).variables(self.variables.iter())
        };
        let mut running = check.start()?;
        orphan::remember(&self.leader, running.leader(), &mark);
        running.entered().await.map_err(Stopped::Outside)?;
        let finished = running.finish(&self.clock).await?;
        orphan::forget(&self.leader);
        let refused = process::shown(&finished.refused);
        Ok((outcome_of(finished.end), last_lines(&finished.stdout), refused))
    }
}

/// Why a check did not run.
enum Stopped {
    /// It could not enter its sandbox; what is checked is not to blame.
    Outside(io::Error),
    /// It could not be started.
    Failed(io::Error),
}

impl From<io::Error> for Stopped {
    fn from(error: io::Error) -> Self {
        Self::Failed(error)
    }
}

fn outcome_of(end: End) -> CheckOutcome {
    match end {
        End::Code(0) => CheckOutcome::Passed,
        End::Code(code) => CheckOutcome::Failed { code },
        End::Signal(signal) => CheckOutcome::Failed { code: 128 + signal },
        End::TimedOut => CheckOutcome::TimedOut,
    }
}

/// Returns the last lines of an output.
fn last_lines(output: &[u8]) -> String {
    let text = String::from_utf8_lossy(output);
    let lines: Vec<&str> = text.trim_end().lines().collect();
    lines.get(lines.len().saturating_sub(OUTPUT_LINES)..).unwrap_or_default().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_lines_of_an_output_are_kept() {
        let output: String = (0..1_000).map(|number| format!("line {number}\n")).collect();
        let text = last_lines(output.as_bytes());
        assert!(text.ends_with("line 998\nline 999"), "{text}");
        assert_eq!(text.lines().count(), OUTPUT_LINES);
    }
}
