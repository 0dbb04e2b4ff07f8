//! Runs git and returns what it printed.
//!
//! There is no shell, and nothing is inherited but what [`Environment`] lets through. A time limit ends git with its
//! helpers. Names that come from outside reach git as full references, as object
//! names or behind `--end-of-options`, never where an option could stand.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, BufReader, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use process::{End, Input, Keep};
use runtime::Clock;

use crate::answers::Answers;
use crate::environment::Environment;
use crate::error::{Error, Failure};
use crate::locks::Locks;
use crate::programs::{Known, Masks};

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
    masks: Known,
    trusted: Trusted,
}

/// Says which repositories the owner trusts.
struct Trusted(Box<dyn Fn() -> Vec<PathBuf> + Send + Sync>);

impl std::fmt::Debug for Trusted {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Trusted")
    }
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
            masks: Known::default(),
            trusted: Trusted(Box::new(Vec::new)),
        }))
    }

    /// Runs what the settings of some repositories name, such as filters: the owner trusts them. Which these are is
    /// asked each time. To be called before the value is cloned.
    #[must_use]
    pub fn trusting(mut self, folders: impl Fn() -> Vec<PathBuf> + Send + Sync + 'static) -> Self {
        if let Some(inner) = Arc::get_mut(&mut self.0) {
            inner.trusted = Trusted(Box::new(folders));
        }
        self
    }

    /// Whether the owner trusts the repository whose worktrees share a directory.
    #[must_use]
    pub fn trusts(&self, common_dir: &Path) -> bool {
        let trusted = (self.0.trusted.0)();
        let mut trusted = trusted.into_iter().filter_map(|folder| folder.canonicalize().ok());
        trusted.any(|folder| common_dir == folder || common_dir == folder.join(".git"))
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

    pub(crate) fn known_masks(&self) -> &Known {
        &self.0.masks
    }

    /// Returns where the user's own settings are.
    pub(crate) fn user_settings(&self) -> Vec<PathBuf> {
        let home = self.0.environment.get("HOME").map(PathBuf::from);
        let config = self.0.environment.get("XDG_CONFIG_HOME").map(PathBuf::from);
        let config = config.or_else(|| Some(home.as_ref()?.join(".config")));
        let files = [home.map(|home| home.join(".gitconfig")), config.map(|config| config.join("git/config"))];
        files.into_iter().flatten().collect()
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
            repository: None,
            masks: Arc::default(),
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
    /// The repository whose settings it reads: its own directory, and the one that all worktrees share.
    repository: Option<(PathBuf, PathBuf)>,
    masks: Arc<Masks>,
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

    /// Says whose settings it reads, so that it runs no program that they name.
    pub(crate) fn reading(mut self, git_dir: &Path, common_dir: &Path) -> Self {
        self.repository = Some((git_dir.to_owned(), common_dir.to_owned()));
        self
    }

    /// Looks which programs the settings name; for callers that start it by themselves.
    pub(crate) async fn masked(mut self) -> Result<Self, Error> {
        if let Some((git_dir, common_dir)) = self.repository.take() {
            self.masks = self.git.masks(&git_dir, &common_dir).await?;
        }
        Ok(self)
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

    /// Lets the user's hooks run; without it none is run.
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
        // One that is masked looks no further, or this would never end.
        let command = Box::pin(self.masked()).await?;
        let text = command.text();
        let failed = |source| Error::Start { program: command.git.0.program.display().to_string(), source };
        let limit = command.limit;
        let running = command.process().start().map_err(failed)?;
        let finished = running.finish(&command.git.0.clock).await.map_err(failed)?;
        let code = match finished.end {
            End::Code(code) => Some(code),
            End::Signal(_) => None,
            End::TimedOut => return Err(Error::TimedOut { command: text, limit }),
        };
        let failure = Failure { command: text, code, stderr: tail(&finished.stderr) };
        match code {
            Some(code) if codes.contains(&code) => Ok(Output { code, stdout: finished.stdout, failure }),
            Some(_) | None => Err(Error::Failed(failure)),
        }
    }

    /// Hands what git prints to `read` as it comes, where blocking is allowed; for answers too large to hold.
    pub(crate) async fn stream<T: Send + 'static>(
        self,
        read: impl FnOnce(&mut dyn io::BufRead) -> Result<T, Error> + Send + 'static,
    ) -> Result<T, Error> {
        let command = self.masked().await?;
        let failed = |source| Error::Start { program: command.git.0.program.display().to_string(), source };
        let (text, limit, clock) = (command.text(), command.limit, command.git.0.clock.clone());
        let mut child = command.prepared().and_then(|mut command| command.spawn()).map_err(failed)?;
        let (stdin, stdout, stderr) = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let child = Arc::new(Mutex::new(child));
        let shared = Arc::clone(&child);
        let (input, command) = (command.input, text.clone());
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

    /// Returns the process for a caller that speaks with it while it runs.
    pub(crate) fn prepared(&self) -> io::Result<std::process::Command> {
        self.process().prepared()
    }

    fn process(&self) -> process::Command {
        let fixed = self.hooks.settings().iter().copied();
        let settings = fixed.chain(self.masks.settings.iter().map(|(key, value)| (key.as_str(), value.as_str())));
        let count = ("GIT_CONFIG_COUNT".to_owned(), settings.clone().count().to_string());
        let settings = settings.enumerate().flat_map(|(at, (key, value))| {
            [(format!("GIT_CONFIG_KEY_{at}"), key.to_owned()), (format!("GIT_CONFIG_VALUE_{at}"), value.to_owned())]
        });
        let input = match &self.kept_open {
            Some(file) if self.input.is_empty() => Input::KeptOpen(Arc::clone(file)),
            Some(_) | None => Input::Bytes(self.input.clone()),
        };
        process::Command {
            input,
            stderr: Keep::Last(STDERR_TAIL),
            drain: DRAIN,
            ..process::Command::new(self.git.program(), &self.directory, self.limit)
                .args(&self.args)
                .variables(self.git.0.environment.iter())
                .variables(self.variables.iter().map(|(name, value)| (name, value)))
                .variables(self.masks.variables.iter().copied())
                .variables([count])
                .variables(settings)
        }
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

/// The end of the error output of git, where the reason is.
pub(crate) fn tail(stderr: &[u8]) -> String {
    let from = stderr.len().saturating_sub(STDERR_TAIL);
    String::from_utf8_lossy(&stderr[from..]).trim().to_owned()
}
