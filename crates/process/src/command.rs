//! A command that is not started yet, as plain data.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::Arc;
use std::time::Duration;

use sandbox::{Confined, Handover};

use crate::capture::Keep;
use crate::mark::Mark;
use crate::proxy::Proxy;
use crate::running::{Around, Running};

/// How long the output of a command that has ended is read: something it left behind may keep its pipes open.
const DRAIN: Duration = Duration::from_millis(500);

/// What to run, where, and for how long.
#[derive(Debug, Clone)]
pub struct Command {
    /// The program, by its path.
    pub program: PathBuf,
    /// Its arguments.
    pub args: Vec<OsString>,
    /// Its whole environment.
    pub variables: Vec<(OsString, OsString)>,
    /// Where it runs.
    pub directory: PathBuf,
    /// What it reads.
    pub input: Input,
    /// How much of its output is kept.
    pub stdout: Keep,
    /// How much of its error output is kept; with [`Keep::Joined`] it is part of the output.
    pub stderr: Keep,
    /// How long it may run.
    pub limit: Duration,
    /// How long its output is read after it has ended.
    pub drain: Duration,
    /// Set if nothing that it started may outlive it.
    pub mark: Option<Mark>,
    /// The sandbox that it runs in, for what others than the user may have written.
    pub sandbox: Option<Confined>,
}

/// What a command reads from its standard input.
#[derive(Debug, Clone, Default)]
pub enum Input {
    /// Nothing.
    #[default]
    Null,
    /// These bytes.
    Bytes(Vec<u8>),
    /// A file, which the command and what it starts keep open, and so locked.
    KeptOpen(Arc<File>),
}

impl Command {
    /// Describes a command without arguments, variables or input, whose output is kept whole.
    #[must_use]
    pub fn new(program: impl Into<PathBuf>, directory: impl Into<PathBuf>, limit: Duration) -> Self {
        Self {
            program: program.into(),
            args: Vec::new(),
            variables: Vec::new(),
            directory: directory.into(),
            input: Input::Null,
            stdout: Keep::All,
            stderr: Keep::All,
            limit,
            drain: DRAIN,
            mark: None,
            sandbox: None,
        }
    }

    /// Adds arguments.
    #[must_use]
    pub fn args<A: AsRef<OsStr>>(mut self, args: impl IntoIterator<Item = A>) -> Self {
        self.args.extend(args.into_iter().map(|arg| arg.as_ref().to_owned()));
        self
    }

    /// Adds variables.
    #[must_use]
    pub fn variables<N: AsRef<OsStr>, V: AsRef<OsStr>>(mut self, variables: impl IntoIterator<Item = (N, V)>) -> Self {
        let owned = |(name, value): (N, V)| (name.as_ref().to_owned(), value.as_ref().to_owned());
        self.variables.extend(variables.into_iter().map(owned));
        self
    }

    /// Starts the command.
    ///
    /// # Errors
    /// When the system cannot start it.
    pub fn start(self) -> io::Result<Running> {
        let rules = self.sandbox.as_ref().and_then(|confined| Some((confined, confined.plan.rules.as_ref()?)));
        let (mut command, mut handover) = match rules {
            None => (self.prepared()?, None),
            Some((confined, rules)) => {
                let handover = Handover::new(rules)?;
                let (program, args) = handover.command(&confined.program, &self.program, &self.args);
                let mut command = self.executing(&program, &args)?;
                command.env("TMPDIR", &confined.tmp);
                if confined.egress.is_some() {
                    command.envs(egress_proxy::variables());
                }
                (command, Some(handover))
            }
        };
        let proxy = match &self.sandbox {
            Some(confined) => Proxy::start(confined)?,
            None => None,
        };
        let joined = match self.stderr {
            Keep::Joined => {
                let (reader, writer) = io::pipe()?;
                command.stdout(writer.try_clone()?).stderr(writer);
                Some(tokio::net::unix::pipe::Receiver::from_owned_fd(reader.into())?)
            }
            Keep::All | Keep::First(_) | Keep::Last(_) | Keep::Nothing => None,
        };
        // The prepared command holds the writing end of a joined pipe, so it is gone before the pipe is read.
        let mut command = tokio::process::Command::from(command);
        let child = command.kill_on_drop(true).spawn()?;
        drop(command);
        let cgroup = handover.as_mut().and_then(Handover::take_cgroup);
        Ok(Running::new(child, joined, Around { entering: handover, proxy, cgroup }, self))
    }

    /// Returns the command for a caller that starts it by itself, where blocking is allowed: with its arguments,
    /// environment, folder, group and pipes. The caller feeds it, reads it, waits for it and ends it.
    ///
    /// # Errors
    /// When the file that it keeps open cannot be handed over, or it is to run in a sandbox: [`Command::start`] alone
    /// makes sure that it is inside.
    pub fn prepared(&self) -> io::Result<std::process::Command> {
        if self.sandbox.as_ref().is_some_and(|confined| confined.plan.rules.is_some()) {
            return Err(io::Error::other("a command in a sandbox is started here"));
        }
        self.executing(&self.program, &self.args)
    }

    #[expect(clippy::disallowed_methods, reason = "this is the one place that starts short-lived commands")]
    fn executing(&self, program: &Path, args: &[OsString]) -> io::Result<std::process::Command> {
        use std::os::unix::process::CommandExt as _;
        let mut command = std::process::Command::new(program);
        command.env_clear().envs(self.variables.iter().map(|(name, value)| (name, value)));
        if let Some(mark) = &self.mark {
            command.env(mark.variable(), mark.value());
        }
        command.args(args).current_dir(&self.directory).process_group(0);
        let stdin = match &self.input {
            Input::Null => Stdio::null(),
            Input::Bytes(_) => Stdio::piped(),
            Input::KeptOpen(file) => file.try_clone()?.into(),
        };
        command.stdin(stdin).stdout(self.stdout.stdio()).stderr(self.stderr.stdio());
        Ok(command)
    }
}
