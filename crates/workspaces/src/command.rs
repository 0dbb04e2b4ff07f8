//! Runs the commands of a recipe, and `gh`: the one place where this crate starts a process.
//!
//! What a recipe says comes from the repository, so it runs in the worktree with a small environment of its own, leads
//! a process group that a time limit ends as a whole, and its output is kept only as far as an error needs it.

use std::collections::{BTreeMap, VecDeque};
use std::ffi::{OsStr, OsString};
use std::fmt;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::Arc;
use std::sync::atomic::{AtomicI32, Ordering};
use std::time::Duration;

use runtime::Clock;
use tokio::io::{AsyncRead, AsyncReadExt as _};

use crate::error::{Error, seconds};

/// What a command of a recipe sees of the environment, beside what the recipe sets.
const LET_THROUGH: [&str; 3] = ["PATH", "HOME", "LANG"];

/// How many of the last lines of a command's output are kept, and how many bytes at most.
const TAIL_LINES: usize = 20;
const TAIL_BYTES: usize = 8_000;

/// How long the output of a command that has ended is still read: something it left behind may keep it open.
const DRAIN: Duration = Duration::from_millis(500);

/// A command that was run, and how it ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ran {
    /// What was run.
    pub command: String,
    /// How it ended.
    pub end: End,
    /// The last lines of what it said.
    pub tail: String,
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
            write!(f, ", without a word")
        } else {
            write!(f, ", with these last lines:\n{}\n", self.tail)
        }
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
        Self { directory: directory.to_owned(), variables: seen, kept_open: None, clock: clock.clone() }
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
        let mut child = self.prepared(program, args).map_err(failed)?.kill_on_drop(true).spawn().map_err(failed)?;
        let group = Group::of(&child);
        let (mut out, mut err) = (Tail::default(), Tail::default());
        let (stdout, stderr) = (child.stdout.take(), child.stderr.take());
        let ended = {
            let mut talk = std::pin::pin!(async { tokio::join!(out.read(stdout), err.read(stderr)) });
            let end = async {
                tokio::select! {
                    _ = &mut talk => child.wait().await.inspect(|_| group.is_gone()),
                    status = child.wait() => {
                        group.is_gone();
                        let _ = self.clock.timeout(DRAIN, &mut talk).await;
                        status
                    }
                }
            };
            self.clock.timeout(limit, end).await
        };
        let end = match ended {
            Err(runtime::Elapsed) => End::TimedOut { limit },
            Ok(status) => end_of(status.map_err(failed)?),
        };
        drop(group);
        let printed = out.text();
        let tail = [printed.as_str(), &err.text()].join("\n").trim().to_owned();
        Ok((Ran { command: shown.to_owned(), end, tail }, printed))
    }

    #[expect(clippy::disallowed_methods, reason = "a recipe's commands and `gh` are started here and nowhere else")]
    fn prepared(&self, program: &str, args: &[&str]) -> std::io::Result<tokio::process::Command> {
        let found = runtime::find_program(program, self.variables.get(OsStr::new("PATH")).map(OsString::as_os_str));
        let mut command = tokio::process::Command::new(found.unwrap_or_else(|| PathBuf::from(program)));
        command.env_clear().envs(&self.variables).args(args).current_dir(&self.directory).process_group(0);
        let stdin = match &self.kept_open {
            Some(file) => file.try_clone()?.into(),
            None => Stdio::null(),
        };
        command.stdin(stdin).stdout(Stdio::piped()).stderr(Stdio::piped());
        Ok(command)
    }
}

fn end_of(status: std::process::ExitStatus) -> End {
    use std::os::unix::process::ExitStatusExt as _;
    match status.code() {
        Some(code) => End::Code(code),
        None => End::Signal(status.signal().unwrap_or(0)),
    }
}

/// The last bytes of an output.
#[derive(Default)]
struct Tail(VecDeque<u8>);

impl Tail {
    async fn read<R: AsyncRead + Unpin>(&mut self, pipe: Option<R>) {
        let Some(mut pipe) = pipe else { return };
        let mut bytes = [0; 4096];
        while let Ok(count @ 1..) = pipe.read(&mut bytes).await {
            self.0.extend(bytes.iter().take(count));
            let over = self.0.len().saturating_sub(TAIL_BYTES);
            self.0.drain(..over);
        }
    }

    fn text(&self) -> String {
        let bytes: Vec<u8> = self.0.iter().copied().collect();
        let text = String::from_utf8_lossy(&bytes).into_owned();
        let lines: Vec<&str> = text.trim_end().lines().collect();
        lines[lines.len().saturating_sub(TAIL_LINES)..].join("\n")
    }
}

/// Ends a process and everything it started if it is dropped before the process has been waited for.
struct Group(AtomicI32);

impl Group {
    fn of(child: &tokio::process::Child) -> Self {
        Self(AtomicI32::new(child.id().and_then(|pid| i32::try_from(pid).ok()).unwrap_or(0)))
    }

    /// Says that the process has been waited for: from now on its number may be somebody else's.
    fn is_gone(&self) {
        self.0.store(0, Ordering::Relaxed);
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        if let Some(pid) = rustix::process::Pid::from_raw(self.0.load(Ordering::Relaxed)) {
            // It is our child and not waited for, so the number is still its own; gone already is as good.
            let _ = rustix::process::kill_process_group(pid, rustix::process::Signal::KILL);
        }
    }
}
