//! Starts git, waits for it, and tells what it said: the one place where the crate starts a process.
//!
//! There is no shell, and nothing is inherited but what [`Environment`] lets through. Each process leads a group of its
//! own, so that a time limit ends its helpers too. Names that come from outside reach git as full references, as object
//! names or behind `--end-of-options`, never where an option could stand.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, BufReader, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::pin::pin;
use std::process::Stdio;
use std::sync::atomic::{AtomicI32, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use runtime::Clock;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

use crate::answers::Answers;
use crate::environment::Environment;
use crate::error::{Error, Failure};
use crate::locks::Locks;

/// How long one git process may run unless it is told otherwise.
const LIMIT: Duration = Duration::from_secs(120);

/// How long a process may run that moves a whole tree.
pub(crate) const LONG: Duration = Duration::from_secs(1800);

/// How long the pipes of a process that has ended are still read.
const DRAIN: Duration = Duration::from_secs(2);

/// How much of what git says about an error is kept.
const STDERR_TAIL: usize = 2_000;

/// Runs git; clones share the locks that keep its processes out of each other's way.
#[derive(Debug, Clone)]
pub struct Git(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    program: PathBuf,
    environment: Environment,
    clock: Clock,
    locks: Locks,
    answers: Answers,
}

impl Git {
    /// Uses the `git` that is first in the environment's `PATH`.
    #[must_use]
    pub fn new(environment: Environment, clock: Clock) -> Self {
        Self::at("git", environment, clock)
    }

    /// Uses the git at `program`.
    #[must_use]
    pub fn at(program: impl Into<PathBuf>, environment: Environment, clock: Clock) -> Self {
        Self(Arc::new(Inner {
            program: program.into(),
            environment,
            clock,
            locks: Locks::default(),
            answers: Answers::default(),
        }))
    }

    /// Looked up each time: it may be installed anew while this process runs. What is not found says so itself.
    fn program(&self) -> PathBuf {
        let Inner { program, environment, .. } = &*self.0;
        runtime::find_program(program, environment.get("PATH")).unwrap_or_else(|| program.clone())
    }

    pub(crate) fn clock(&self) -> &Clock {
        &self.0.clock
    }

    pub(crate) fn answers(&self) -> &Answers {
        &self.0.answers
    }

    pub(crate) fn locks(&self) -> &Locks {
        &self.0.locks
    }

    /// Begins a command that runs in `directory`.
    pub(crate) fn command<A: AsRef<OsStr>>(&self, directory: &Path, args: impl IntoIterator<Item = A>) -> Command {
        let args = args.into_iter().map(|arg| arg.as_ref().to_owned()).collect();
        let (directory, variables, input) = (directory.to_owned(), vec![], vec![]);
        Command {
            git: self.clone(),
            directory,
            args,
            variables,
            input,
            kept_open: None,
            hooks: Hooks::Off,
            limit: LIMIT,
        }
    }

    /// Begins a command that only looks: it takes no lock, not even to write down what it learnt.
    pub(crate) fn look<A: AsRef<OsStr>>(&self, directory: &Path, args: impl IntoIterator<Item = A>) -> Command {
        self.command(directory, args).variable("GIT_OPTIONAL_LOCKS", "0")
    }
}

/// One run of git, not yet started.
#[derive(Debug, Clone)]
pub(crate) struct Command {
    git: Git,
    directory: PathBuf,
    args: Vec<OsString>,
    variables: Vec<(OsString, OsString)>,
    input: Vec<u8>,
    kept_open: Option<Arc<File>>,
    hooks: Hooks,
    limit: Duration,
}

/// Whether what the repository wants to be run is run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Hooks {
    /// Nothing of it.
    Off,
    /// Its hooks are, where Fleet does what a person would do himself.
    Asked,
}

impl Hooks {
    /// Returns what git is told: before all of its settings, and in the repositories inside of this one, too.
    fn settings(self) -> &'static [(&'static str, &'static str)] {
        match self {
            Self::Off => &[("core.fsmonitor", "false"), ("core.hooksPath", "/dev/null")],
            Self::Asked => &[("core.fsmonitor", "false")],
        }
    }
}

/// What a git process printed, and the code it ended with.
#[derive(Debug)]
pub(crate) struct Output {
    pub(crate) code: i32,
    pub(crate) stdout: Vec<u8>,
    /// How it would be told as a failure.
    pub(crate) failure: Failure,
}

impl Command {
    pub(crate) fn variable(mut self, name: &str, value: impl AsRef<OsStr>) -> Self {
        self.variables.push((name.into(), value.as_ref().to_owned()));
        self
    }

    pub(crate) fn arg(mut self, arg: impl AsRef<OsStr>) -> Self {
        self.args.push(arg.as_ref().to_owned());
        self
    }

    pub(crate) fn input(mut self, input: Vec<u8>) -> Self {
        self.input = input;
        self
    }

    /// Hands the process a file to keep open as long as it lives; a process that is fed has no place for it.
    pub(crate) fn keep_open(mut self, file: Option<Arc<File>>) -> Self {
        self.kept_open = file;
        self
    }

    /// Lets hooks have their say; without it none is run.
    pub(crate) fn hooks(mut self, hooks: Hooks) -> Self {
        self.hooks = hooks;
        self
    }

    pub(crate) fn limit(mut self, limit: Duration) -> Self {
        self.limit = limit;
        self
    }

    /// Runs to the end; any code but 0 is an error.
    pub(crate) async fn run(self) -> Result<Vec<u8>, Error> {
        Ok(self.run_to(&[0]).await?.stdout)
    }

    /// Runs to the end; `codes` are the answers, any other code is an error.
    pub(crate) async fn run_to(self, codes: &[i32]) -> Result<Output, Error> {
        let (text, clock) = (self.text(), &self.git.0.clock);
        let failed = |source| Error::Start { program: self.git.0.program.display().to_string(), source };
        let prepared = self.prepared().map_err(failed)?;
        let mut child = tokio::process::Command::from(prepared).kill_on_drop(true).spawn().map_err(failed)?;
        let group = Group::of(&child);
        let (stdin, stdout, stderr) = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let (mut out, mut err) = (Vec::new(), Vec::new());
        let ended = {
            let mut talk = pin!(async {
                tokio::join!(write_all(stdin, &self.input), read_all(stdout, &mut out), read_all(stderr, &mut err))
            });
            let end = async {
                tokio::select! {
                    _ = &mut talk => child.wait().await.inspect(|_| group.is_gone()),
                    status = child.wait() => {
                        group.is_gone();
                        // What git wrote is in the pipes; a helper that it left behind may keep them open for ever.
                        let _ = clock.timeout(DRAIN, &mut talk).await;
                        status
                    }
                }
            };
            clock.timeout(self.limit, end).await
        };
        let Ok(status) = ended else { return Err(Error::TimedOut { command: text, limit: self.limit }) };
        let code = status.map_err(failed)?.code();
        let failure = Failure { command: text, code, stderr: tail(&err) };
        match code {
            Some(code) if codes.contains(&code) => Ok(Output { code, stdout: out, failure }),
            Some(_) | None => Err(Error::Failed(failure)),
        }
    }

    /// Hands what git prints to `read` as it comes, where blocking is allowed; for answers too large to hold.
    pub(crate) async fn stream<T: Send + 'static>(
        self,
        read: impl FnOnce(&mut dyn io::BufRead) -> Result<T, Error> + Send + 'static,
    ) -> Result<T, Error> {
        let failed = |source| Error::Start { program: self.git.0.program.display().to_string(), source };
        let (text, limit, clock) = (self.text(), self.limit, self.git.0.clock.clone());
        let mut child = self.prepared().and_then(|mut command| command.spawn()).map_err(failed)?;
        let (stdin, stdout, stderr) = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let child = Arc::new(Mutex::new(child));
        let shared = Arc::clone(&child);
        let (input, command) = (self.input, text.clone());
        let work = runtime::blocking(move || {
            let result = std::thread::scope(|scope| {
                scope.spawn(move || stdin.map(|mut pipe| pipe.write_all(&input)));
                stdout.map(|pipe| read(&mut BufReader::with_capacity(1 << 16, pipe)))
            });
            let mut said = Vec::new();
            if let Some(mut pipe) = stderr {
                let _ = pipe.read_to_end(&mut said);
            }
            let status = shared.lock().unwrap_or_else(PoisonError::into_inner).wait();
            let code = status.ok().and_then(|status| status.code());
            match (code, result) {
                (Some(0), Some(result)) => result,
                // A reader that gives up closes the pipe, which ends git by a signal; the cause is the reader's.
                (None, Some(Err(error))) => Err(error),
                (code, _) => Err(Error::Failed(Failure { command, code, stderr: tail(&said) })),
            }
        });
        match clock.timeout(limit, work).await {
            Ok(result) => result,
            Err(runtime::Elapsed) => {
                // The reader sees the end of its pipe and gives up by itself; if it waits already, git is ending.
                let _ = child.try_lock().map(|mut child| child.kill());
                Err(Error::TimedOut { command: text, limit })
            }
        }
    }

    #[expect(clippy::disallowed_methods, reason = "this is the one place that starts git")]
    pub(crate) fn prepared(&self) -> io::Result<std::process::Command> {
        use std::os::unix::process::CommandExt as _;
        let mut command = std::process::Command::new(self.git.program());
        command.env_clear().envs(self.git.0.environment.iter());
        command.envs(self.variables.iter().map(|(name, value)| (name, value)));
        let settings = self.hooks.settings();
        command.env("GIT_CONFIG_COUNT", settings.len().to_string());
        for (at, (key, value)) in settings.iter().enumerate() {
            command.env(format!("GIT_CONFIG_KEY_{at}"), key).env(format!("GIT_CONFIG_VALUE_{at}"), value);
        }
        command.args(&self.args).current_dir(&self.directory).process_group(0);
        let stdin = match &self.kept_open {
            Some(file) if self.input.is_empty() => file.try_clone()?.into(),
            Some(_) | None => Stdio::piped(),
        };
        command.stdin(stdin).stdout(Stdio::piped()).stderr(Stdio::piped());
        Ok(command)
    }

    /// What is run, as an error shows it.
    pub(crate) fn text(&self) -> String {
        let args = self.args.iter().map(|arg| arg.to_string_lossy());
        let text = args.fold("git".to_owned(), |text, arg| text + " " + &arg);
        text.chars().take(300).map(|c| if c.is_control() { '?' } else { c }).collect()
    }

    /// Makes the error for an answer that cannot be read.
    pub(crate) fn unexpected(&self, found: impl Into<String>) -> Error {
        Error::Unexpected { command: self.text(), found: found.into() }
    }
}

/// Ends a process and its helpers if it is dropped before the process has been waited for.
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

/// Feeds a process; one that ends without reading everything says why by its code.
async fn write_all(pipe: Option<tokio::process::ChildStdin>, input: &[u8]) {
    if let Some(mut pipe) = pipe {
        let _ = pipe.write_all(input).await;
    }
}

/// Reads a pipe to its end; what was read before a failure stays, and the code of the process tells the rest.
async fn read_all<R: tokio::io::AsyncRead + Unpin>(pipe: Option<R>, bytes: &mut Vec<u8>) {
    if let Some(mut pipe) = pipe {
        let _ = pipe.read_to_end(bytes).await;
    }
}

/// The end of what git said, where the reason stands.
pub(crate) fn tail(stderr: &[u8]) -> String {
    let from = stderr.len().saturating_sub(STDERR_TAIL);
    String::from_utf8_lossy(&stderr[from..]).trim().to_owned()
}
