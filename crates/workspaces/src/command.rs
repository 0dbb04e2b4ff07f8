//! Runs the commands of a recipe, and `gh`.
//!
//! What a recipe says comes from the repository, so it runs in a sandbox, in the worktree, with a small environment of its
//! own; a time limit ends its whole process group, and its output is kept only as far as an error needs it.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::fmt;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use process::{Command, Input, Keep};
use runtime::Clock;
use sandbox::Confined;

use crate::error::{Error, seconds};

/// What a command of a recipe sees of the environment, beside what the recipe sets.
const LET_THROUGH: [&str; 3] = ["PATH", "HOME", "LANG"];

/// How many of the last lines of a command's output are kept, and how many bytes at most.
const TAIL_LINES: usize = 20;
const TAIL_BYTES: usize = 8_000;

/// A command that was run, and how it ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ran {
    /// What was run.
    pub command: String,
    /// How it ended.
    pub end: End,
    /// The last lines of what it said.
    pub tail: String,
    /// Hosts that it may not connect to and tried to.
    pub refused: Vec<String>,
}

/// How a command ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    /// By itself, with this code.
    Code(i32),
    /// By a signal.
    Signal(i32),
    /// It ran too long and was killed with everything it had started.
    TimedOut {
        /// How long it was given.
        limit: Duration,
    },
}

impl Ran {
    /// Whether the command did what it was asked.
    #[must_use]
    pub fn is_good(&self) -> bool {
        self.end == End::Code(0)
    }
}

impl fmt::Display for Ran {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let command: String = self.command.chars().take(300).collect();
        match self.end {
            End::Code(code) => write!(f, "`{command}` ended with exit code {code}")?,
            End::Signal(signal) => write!(f, "`{command}` was ended by signal {signal}")?,
            End::TimedOut { limit } => write!(f, "`{command}` ran longer than {} and was ended", seconds(limit))?,
        }
        if self.tail.is_empty() {
            write!(f, ", without a word")?;
        } else {
            write!(f, ", with these last lines:\n{}\n", self.tail)?;
        }
        self.refused.iter().try_for_each(|host| write!(f, "\nnetwork refused: {host}"))
    }
}

/// Where and how commands run.
#[derive(Debug, Clone)]
pub(crate) struct Surroundings {
    pub(crate) directory: PathBuf,
    pub(crate) variables: BTreeMap<OsString, OsString>,
    /// What the processes keep open while they run.
    pub(crate) kept_open: Option<Arc<File>>,
    pub(crate) clock: Clock,
    /// What they may reach; none for programs of the user, and if this server makes no sandboxes.
    pub(crate) sandbox: Option<Confined>,
}

impl Surroundings {
    /// The surroundings of a recipe's commands: the little of `variables` that is let through, and what it sets itself.
    pub(crate) fn of_recipe(
        directory: &Path,
        variables: &BTreeMap<OsString, OsString>,
        env: &BTreeMap<String, String>,
        clock: &Clock,
    ) -> Self {
        let let_through = LET_THROUGH.iter().filter_map(|name| variables.get_key_value(OsStr::new(name)));
        let mut seen: BTreeMap<OsString, OsString> =
            let_through.map(|(name, value)| (name.clone(), value.clone())).collect();
        seen.extend(env.iter().map(|(name, value)| (name.into(), value.into())));
        Self { directory: directory.to_owned(), variables: seen, kept_open: None, clock: clock.clone(), sandbox: None }
    }

    /// Runs commands through the shell one after the other until one fails; the last one that ran, if any did.
    pub(crate) async fn run_all(&self, commands: &[String], limit: Duration) -> Result<Option<Ran>, Error> {
        let begun = self.clock.monotonic();
        let mut last = None;
        for command in commands {
            let left = limit.saturating_sub(self.clock.monotonic().saturating_sub(begun));
            // What a command says about an error belongs among what it says otherwise.
            let script = format!("exec 2>&1\n{command}");
            let mut ran = self.run("sh", &["-c", &script], command, left).await?.0;
            if let End::TimedOut { .. } = ran.end {
                ran.end = End::TimedOut { limit };
            }
            let good = ran.is_good();
            last = Some(ran);
            if !good {
                break;
            }
        }
        Ok(last)
    }

    /// Runs one program to its end or for `limit`, and returns how that went and what it printed.
    pub(crate) async fn run(
        &self,
        program: &str,
        args: &[&str],
        shown: &str,
        limit: Duration,
    ) -> Result<(Ran, String), Error> {
        let failed = |source| Error::Start { program: program.to_owned(), source };
        let finished = self.command(program, args, limit).start().map_err(failed)?.finish(&self.clock).await;
        let finished = finished.map_err(failed)?;
        let end = match finished.end {
            process::End::Code(code) => End::Code(code),
            process::End::Signal(signal) => End::Signal(signal),
            process::End::TimedOut => End::TimedOut { limit },
        };
        let printed = last_lines(&finished.stdout);
        let tail = [printed.as_str(), &last_lines(&finished.stderr)].join("\n").trim().to_owned();
        let refused = process::shown(&finished.refused);
        Ok((Ran { command: shown.to_owned(), end, tail, refused }, printed))
    }

    fn command(&self, program: &str, args: &[&str], limit: Duration) -> Command {
        let found = runtime::find_program(program, self.variables.get(OsStr::new("PATH")).map(OsString::as_os_str));
        let program = found.unwrap_or_else(|| PathBuf::from(program));
        Command {
            input: self.kept_open.clone().map_or(Input::Null, Input::KeptOpen),
            stdout: Keep::Last(TAIL_BYTES),
            stderr: Keep::Last(TAIL_BYTES),
            sandbox: self.sandbox.clone(),
            ..Command::new(program, &self.directory, limit).args(args).variables(&self.variables)
        }
    }
}

fn last_lines(output: &[u8]) -> String {
    let text = String::from_utf8_lossy(output);
    let lines: Vec<&str> = text.trim_end().lines().collect();
    lines.get(lines.len().saturating_sub(TAIL_LINES)..).unwrap_or_default().join("\n")
}
