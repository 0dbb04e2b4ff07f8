//! Where agents run, as sessions see it: starts, output, input, ends. The server uses [`MachineProcesses`]; the
//! simulation and tests use [`crate::memory`].

use std::fmt::Debug;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;

use futures::FutureExt as _;
use futures::future::BoxFuture;
use sandbox::Support;
use supervisor::{Error, Exit, Launch, Line, Loss, Record, Spool, Status, Stop, Stream, Supervisor, Watcher};
use types::Timestamp;

use crate::output;

/// Starts agents, finds them again and reads what they write.
pub trait Processes: Debug + Send + Sync + 'static {
    /// Starts an agent in a spool in which none was started before.
    fn start<'a>(&'a self, spool: &'a Spool, launch: &'a Launch) -> BoxFuture<'a, Result<Running, Error>>;

    /// Finds the agent of a spool again, or how it ended.
    fn adopt<'a>(&'a self, spool: &'a Spool) -> BoxFuture<'a, Adopted>;

    /// Returns whether a start was begun in a spool.
    fn is_begun(&self, spool: &Spool) -> bool;

    /// Returns who runs in a spool, or ran; none if that is not known.
    fn record(&self, spool: &Spool) -> Option<Record>;

    /// Returns how the agent of a spool ended; none while it runs.
    fn exit(&self, spool: &Spool) -> Option<Exit>;

    /// Follows the output of an agent from its first line.
    ///
    /// # Errors
    /// When no agent was started in this spool.
    fn tail(&self, spool: &Spool) -> io::Result<Box<dyn OutputTail>>;

    /// Says that nothing more will be written to a spool, so that its tails come to an end.
    ///
    /// # Errors
    /// When the spool is gone.
    fn give_up(&self, spool: &Spool) -> io::Result<()>;

    /// Returns how much output there is and when it was last written; none if there is none.
    fn written(&self, spool: &Spool) -> Option<Written>;

    /// Reads the last lines of what an agent wrote; nothing if it wrote nothing.
    fn end_of(&self, spool: &Spool, stream: Stream) -> BoxFuture<'static, io::Result<Vec<u8>>>;

    /// Makes a spool for an agent that others run.
    ///
    /// # Errors
    /// When it cannot be made.
    fn open_external(&self, spool: &Spool) -> io::Result<()>;

    /// Appends what others report of an agent that they run.
    fn append_external(&self, spool: &Spool, lines: Vec<String>) -> BoxFuture<'static, io::Result<()>>;

    /// Returns what the machine can do for a sandbox; `path` is where programs are looked for.
    fn sandbox_support(&self, path: &str) -> Support;

    /// Returns whether a mistake is made on purpose.
    fn makes(&self, _: crate::Mistake) -> bool {
        false
    }
}

/// An agent that runs, or ran when it was last looked at.
pub type Running = Arc<dyn RunningProcess>;

/// Talks to one agent. Dropping it does nothing to the agent.
pub trait RunningProcess: Debug + Send + Sync + 'static {
    /// Returns who runs.
    fn record(&self) -> &Record;

    /// Asks how the agent is.
    fn status(&self) -> BoxFuture<'static, Result<Status, Error>>;

    /// Hands the agent a numbered message; sending a number again hands it over once.
    fn input(&self, number: u64, bytes: Vec<u8>) -> BoxFuture<'static, Result<(), Error>>;

    /// Ends the agent's input once everything sent before was handed over.
    fn close_input(&self) -> BoxFuture<'static, Result<(), Error>>;

    /// Stops the agent and everything it started, and returns how it ended.
    fn stop(&self, how: Stop) -> BoxFuture<'static, Result<Exit, Error>>;

    /// Waits until the agent and everything it started has ended, and returns how.
    fn ended(&self) -> BoxFuture<'static, Result<Exit, Error>>;
}

/// Reads the output of one agent, line by line.
pub trait OutputTail: Send {
    /// Waits for the next line; none when the agent has ended and everything was returned. Dropping the future loses
    /// nothing.
    fn next(&mut self) -> BoxFuture<'_, io::Result<Option<Line>>>;

    /// Returns the next line if it is there whole and ends no further than at `limit`; waits for nothing.
    ///
    /// # Errors
    /// When the output cannot be read.
    fn next_before(&mut self, limit: u64) -> io::Result<Option<Line>>;
}

/// The state of the agent of a spool.
pub enum Adopted {
    /// It runs.
    Running(Running),
    /// It ended, and this is how.
    Ended(Exit),
    /// How it ended is not known, or whether it did.
    Lost {
        /// Why.
        why: Loss,
        /// Kills what is left of it and returns how many processes that were; none if nothing is known to be left.
        kill_leftover: Option<BoxFuture<'static, usize>>,
    },
}

/// How much output an agent wrote.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Written {
    /// Bytes.
    pub bytes: u64,
    /// When it last wrote.
    pub at: Timestamp,
}

/// Processes of this machine, each below a shim of its own.
#[derive(Debug, Clone)]
pub struct MachineProcesses {
    supervisor: Supervisor,
    watcher: Watcher,
}

impl MachineProcesses {
    /// Starts agents by a supervisor and follows them by a watcher.
    #[must_use]
    pub fn new(supervisor: Supervisor, watcher: Watcher) -> Self {
        Self { supervisor, watcher }
    }
}

impl Processes for MachineProcesses {
    fn start<'a>(&'a self, spool: &'a Spool, launch: &'a Launch) -> BoxFuture<'a, Result<Running, Error>> {
        async move { Ok(Arc::new(self.supervisor.start(spool, launch).await?) as Running) }.boxed()
    }

    fn adopt<'a>(&'a self, spool: &'a Spool) -> BoxFuture<'a, Adopted> {
        let adopted = async move {
            match self.supervisor.adopt(spool).await {
                supervisor::Adopted::Running(running) => Adopted::Running(Arc::new(running)),
                supervisor::Adopted::Ended(exit) => Adopted::Ended(exit),
                supervisor::Adopted::Lost { why, leftover } => {
                    Adopted::Lost { why, kill_leftover: leftover.map(|leftover| leftover.end().boxed()) }
                }
            }
        };
        adopted.boxed()
    }

    fn is_begun(&self, spool: &Spool) -> bool {
        // A shim takes the log before anything else, and a second one gives up.
        spool.log(Stream::Output).exists()
    }

    fn record(&self, spool: &Spool) -> Option<Record> {
        spool.record().ok().flatten()
    }

    fn exit(&self, spool: &Spool) -> Option<Exit> {
        spool.exit().ok().flatten()
    }

    fn tail(&self, spool: &Spool) -> io::Result<Box<dyn OutputTail>> {
        Ok(Box::new(self.watcher.tail(spool, Stream::Output, 0)?))
    }

    fn give_up(&self, spool: &Spool) -> io::Result<()> {
        self.watcher.give_up(spool)
    }

    fn written(&self, spool: &Spool) -> Option<Written> {
        let log = std::fs::metadata(spool.log(Stream::Output)).ok()?;
        Some(Written { bytes: log.len(), at: Timestamp::try_from(log.modified().ok()?).ok()? })
    }

    fn end_of(&self, spool: &Spool, stream: Stream) -> BoxFuture<'static, io::Result<Vec<u8>>> {
        let log: PathBuf = spool.log(stream);
        runtime::blocking(move || output::end_of(&log)).boxed()
    }

    fn open_external(&self, spool: &Spool) -> io::Result<()> {
        output::touch(spool).map(drop)
    }

    fn append_external(&self, spool: &Spool, lines: Vec<String>) -> BoxFuture<'static, io::Result<()>> {
        let spool = spool.clone();
        runtime::blocking(move || output::append(&spool, &lines)).boxed()
    }

    fn sandbox_support(&self, path: &str) -> Support {
        Support::of_machine(path).probed(self.supervisor.program())
    }
}

impl RunningProcess for supervisor::Running {
    fn record(&self) -> &Record {
        self.record()
    }

    fn status(&self) -> BoxFuture<'static, Result<Status, Error>> {
        let own = self.clone();
        async move { own.status().await }.boxed()
    }

    fn input(&self, number: u64, bytes: Vec<u8>) -> BoxFuture<'static, Result<(), Error>> {
        let own = self.clone();
        async move { own.input(number, &bytes).await }.boxed()
    }

    fn close_input(&self) -> BoxFuture<'static, Result<(), Error>> {
        let own = self.clone();
        async move { own.close_input().await }.boxed()
    }

    fn stop(&self, how: Stop) -> BoxFuture<'static, Result<Exit, Error>> {
        let own = self.clone();
        async move { own.stop(how).await }.boxed()
    }

    fn ended(&self) -> BoxFuture<'static, Result<Exit, Error>> {
        let own = self.clone();
        async move { own.ended().await }.boxed()
    }
}

impl OutputTail for supervisor::Tail {
    fn next(&mut self) -> BoxFuture<'_, io::Result<Option<Line>>> {
        self.next().boxed()
    }

    fn next_before(&mut self, limit: u64) -> io::Result<Option<Line>> {
        self.next_before(limit)
    }
}
