//! Agents that run nowhere: a script plays them.

use std::collections::BTreeMap;
use std::fmt::Debug;
use std::io;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use futures::FutureExt as _;
use futures::future::BoxFuture;
use runtime::Clock;
use sandbox::Support;
use supervisor::{
    End, Error, Exit, Identity, InputStatus, Launch, Loss, Phase, Record, Refusal, Spool, Status, Stop, Stream,
};
use tokio::sync::watch;
use types::{Sandboxed, Timestamp};

use super::output_tail::MemoryTail;
use crate::processes::{Adopted, OutputTail, Processes, Running, RunningProcess, Written};

/// The signal of a stop, as an exit shows it.
const TERMINATED: i32 = 15;

/// Plays the agents that are started.
pub trait AgentScript: Debug + Send + Sync + 'static {
    /// Plays an agent that is about to run. [`Error::Silent`] lets it run and loses the answer; every other error keeps
    /// it from running.
    ///
    /// # Errors
    /// As the script wants the start to fail.
    fn start(&self, agent: &MemoryAgent, launch: &Launch) -> Result<(), Error>;

    /// Returns whether the sessions make a mistake on purpose.
    fn makes(&self, _: crate::Mistake) -> bool {
        false
    }
}

/// Processes in memory. Clones share them.
#[derive(Debug, Clone)]
pub struct MemoryProcesses(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    clock: Clock,
    script: Arc<dyn AgentScript>,
    spools: Mutex<BTreeMap<PathBuf, MemoryAgent>>,
    next_pid: AtomicU32,
}

/// What is in a spool.
#[derive(Debug, Default)]
pub(super) struct Contents {
    record: Option<Record>,
    pub(super) output: Vec<u8>,
    written_at: Timestamp,
    errors: Vec<u8>,
    exit: Option<Exit>,
    lost: Option<Loss>,
    given_up: bool,
    input: Vec<Vec<u8>>,
    input_closed: bool,
    stop: Option<Stop>,
}

impl Contents {
    pub(super) fn is_over(&self) -> bool {
        self.exit.is_some() || self.given_up
    }
}

/// One agent: what it does is said here, and what it is asked is read here. Clones are the same agent.
#[derive(Debug, Clone)]
pub struct MemoryAgent {
    clock: Clock,
    record: Record,
    contents: watch::Sender<Contents>,
}

impl MemoryProcesses {
    /// Lets a script play every agent that is started.
    #[must_use]
    pub fn new(clock: Clock, script: Arc<dyn AgentScript>) -> Self {
        let (spools, next_pid) = (Mutex::default(), AtomicU32::new(1_000));
        Self(Arc::new(Shared { clock, script, spools, next_pid }))
    }

    fn find(&self, spool: &Spool) -> Option<MemoryAgent> {
        self.0.spools.lock().unwrap_or_else(PoisonError::into_inner).get(spool.path()).cloned()
    }

    /// Takes a spool for an agent; none if it was taken before.
    fn take(&self, spool: &Spool, launch: &str) -> Option<MemoryAgent> {
        let mut spools = self.0.spools.lock().unwrap_or_else(PoisonError::into_inner);
        if spools.contains_key(spool.path()) {
            return None;
        }
        let pid = self.0.next_pid.fetch_add(2, Ordering::Relaxed);
        let identity = |pid| Identity { pid, start_ticks: u64::from(pid) };
        let record = Record {
            launch: launch.to_owned(),
            boot: "memory".to_owned(),
            shim: identity(pid),
            agent: identity(pid + 1),
            started_at: self.0.clock.now(),
            log_max: Launch::LOG_MAX,
            version: 0,
            secret: None,
            sandbox: Some(Sandboxed::Off { why: "it runs in memory".to_owned() }),
        };
        let agent = MemoryAgent { clock: self.0.clock.clone(), record, contents: watch::Sender::default() };
        spools.insert(spool.path().to_owned(), agent.clone());
        Some(agent)
    }

    fn begin(&self, spool: &Spool, launch: &Launch) -> Result<Running, Error> {
        let path = spool.path().to_owned();
        let used = || Error::Spool { path, source: io::ErrorKind::AlreadyExists.into() };
        let agent = self.take(spool, &launch.id).ok_or_else(used)?;
        let started = self.0.script.start(&agent, launch);
        match &started {
            Ok(()) | Err(Error::Silent) => agent.change(|contents| {
                contents.record = Some(agent.record.clone());
                // What it is told first has the first numbers, as in the outbox.
                contents.input = launch.opening.iter().map(|line| line.clone().into_bytes()).collect();
            }),
            Err(error) => agent.end(End::NotStarted { why: error.to_string() }),
        }
        started.map(|()| Arc::new(agent) as Running)
    }
}

impl Processes for MemoryProcesses {
    fn start<'a>(&'a self, spool: &'a Spool, launch: &'a Launch) -> BoxFuture<'a, Result<Running, Error>> {
        async move { self.begin(spool, launch) }.boxed()
    }

    fn adopt<'a>(&'a self, spool: &'a Spool) -> BoxFuture<'a, Adopted> {
        let lost = |why| Adopted::Lost { why, kill_leftover: None };
        let adopted = match self.find(spool) {
            None => lost(Loss::NeverStarted),
            Some(agent) => {
                let contents = agent.contents.borrow();
                match (&contents.exit, &contents.lost) {
                    (Some(exit), _) => Adopted::Ended(exit.clone()),
                    (None, Some(why)) => lost(why.clone()),
                    (None, None) => Adopted::Running(Arc::new(agent.clone())),
                }
            }
        };
        futures::future::ready(adopted).boxed()
    }

    fn is_begun(&self, spool: &Spool) -> bool {
        self.find(spool).is_some()
    }

    fn record(&self, spool: &Spool) -> Option<Record> {
        self.find(spool)?.contents.borrow().record.clone()
    }

    fn exit(&self, spool: &Spool) -> Option<Exit> {
        self.find(spool)?.exit()
    }

    fn tail(&self, spool: &Spool) -> io::Result<Box<dyn OutputTail>> {
        let agent = self.find(spool).ok_or(io::ErrorKind::NotFound)?;
        Ok(Box::new(MemoryTail::new(agent.contents.subscribe())))
    }

    fn give_up(&self, spool: &Spool) -> io::Result<()> {
        let agent = self.find(spool).ok_or(io::ErrorKind::NotFound)?;
        agent.change(|contents| contents.given_up = true);
        Ok(())
    }

    fn written(&self, spool: &Spool) -> Option<Written> {
        let agent = self.find(spool)?;
        let contents = agent.contents.borrow();
        Some(Written { bytes: contents.output.len() as u64, at: contents.written_at })
    }

    fn end_of(&self, spool: &Spool, stream: Stream) -> BoxFuture<'static, io::Result<Vec<u8>>> {
        let read = |agent: MemoryAgent| {
            let contents = agent.contents.borrow();
            match stream {
                Stream::Output => contents.output.clone(),
                Stream::Errors => contents.errors.clone(),
            }
        };
        futures::future::ready(Ok(self.find(spool).map(read).unwrap_or_default())).boxed()
    }

    fn open_external(&self, spool: &Spool) -> io::Result<()> {
        // One that is there is the one to continue with.
        drop(self.take(spool, "external"));
        Ok(())
    }

    fn append_external(&self, spool: &Spool, lines: Vec<String>) -> BoxFuture<'static, io::Result<()>> {
        let taken = self.take(spool, "external").or_else(|| self.find(spool));
        lines.iter().for_each(|line| taken.iter().for_each(|agent| agent.say(line)));
        futures::future::ready(Ok(())).boxed()
    }

    fn sandbox_support(&self, _path: &str) -> Support {
        Support::none("agents run in memory")
    }

    fn makes(&self, mistake: crate::Mistake) -> bool {
        self.0.script.makes(mistake)
    }
}

impl MemoryAgent {
    /// Returns the id of its start: the session and the number of its process.
    #[must_use]
    pub fn id(&self) -> &str {
        &self.record.launch
    }

    /// Writes a line of output.
    pub fn say(&self, line: &str) {
        let now = self.clock.now();
        self.change(|contents| {
            contents.output.extend_from_slice(line.as_bytes());
            contents.output.push(b'\n');
            contents.written_at = now;
        });
    }

    /// Writes a line of errors.
    pub fn complain(&self, line: &str) {
        self.change(|contents| {
            contents.errors.extend_from_slice(line.as_bytes());
            contents.errors.push(b'\n');
        });
    }

    /// Ends with an exit code.
    pub fn exit_with(&self, code: i32) {
        self.end(End::Exited { code });
    }

    /// Ends by the signal of a stop.
    pub fn terminate(&self) {
        self.end(End::Signalled { signal: TERMINATED });
    }

    /// Is gone, and how is not known.
    pub fn lose(&self, why: Loss) {
        self.change(|contents| contents.lost = Some(why));
    }

    /// Ends, unless it has.
    pub fn end(&self, end: End) {
        let ended_at = self.clock.now();
        self.change(|contents| {
            let exit = Exit {
                launch: self.record.launch.clone(),
                end,
                stopped: contents.stop.is_some(),
                capped: None,
                started_at: self.record.started_at,
                ended_at,
                input_delivered: contents.input.len() as u64,
                survivors: Vec::new(),
            };
            contents.exit.get_or_insert(exit);
        });
    }

    /// Returns how it ended.
    #[must_use]
    pub fn exit(&self) -> Option<Exit> {
        self.contents.borrow().exit.clone()
    }

    /// Returns the lines that it was handed.
    #[must_use]
    pub fn input(&self) -> Vec<String> {
        self.contents.borrow().input.iter().map(|line| String::from_utf8_lossy(line).trim().to_owned()).collect()
    }

    /// Waits until it was handed so many lines, and returns all.
    pub async fn input_of(&self, lines: usize) -> Vec<String> {
        self.wait_until(|contents| contents.input.len() >= lines).await;
        self.input()
    }

    /// Returns whether it was asked to stop.
    #[must_use]
    pub fn is_stopped(&self) -> bool {
        self.contents.borrow().stop.is_some()
    }

    /// Waits until it is asked to stop.
    pub async fn stopped(&self) {
        self.wait_until(|contents| contents.stop.is_some()).await;
    }

    /// Waits until its input is closed.
    pub async fn input_closed(&self) {
        self.wait_until(|contents| contents.input_closed).await;
    }

    async fn wait_until(&self, reached: impl Fn(&Contents) -> bool) {
        // This agent is the sender, so the channel stays open.
        let _ = self.contents.subscribe().wait_for(|contents| reached(contents)).await;
    }

    fn change(&self, change: impl FnOnce(&mut Contents)) {
        self.contents.send_modify(change);
    }

    /// Waits for its end; one that is lost has none.
    fn end_or_loss(&self) -> BoxFuture<'static, Result<Exit, Error>> {
        let own = self.clone();
        let ended = async move {
            own.wait_until(|contents| contents.exit.is_some() || contents.lost.is_some()).await;
            let contents = own.contents.borrow();
            match (&contents.exit, &contents.lost) {
                (Some(exit), _) => Ok(exit.clone()),
                (None, why) => Err(Error::Lost(why.clone().unwrap_or(Loss::ShimDied))),
            }
        };
        ended.boxed()
    }
}

impl RunningProcess for MemoryAgent {
    fn record(&self) -> &Record {
        &self.record
    }

    fn status(&self) -> BoxFuture<'static, Result<Status, Error>> {
        let contents = self.contents.borrow();
        let delivered = contents.input.len() as u64;
        let status = Status {
            agent: self.record.agent,
            phase: if contents.stop.is_some() { Phase::Stopping } else { Phase::Running },
            input: InputStatus { open: !contents.input_closed, accepted: delivered, delivered },
        };
        let gone = || Error::Connection(io::ErrorKind::ConnectionRefused.into());
        futures::future::ready(if contents.is_over() { Err(gone()) } else { Ok(status) }).boxed()
    }

    fn input(&self, number: u64, bytes: Vec<u8>) -> BoxFuture<'static, Result<(), Error>> {
        let mut taken = Ok(());
        self.change(|contents| {
            let expected = contents.input.len() as u64 + 1;
            taken = match number {
                _ if contents.is_over() || contents.input_closed => Err(Error::Refused(Refusal::InputClosed)),
                number if number < expected => Ok(()),
                number if number > expected => Err(Error::Refused(Refusal::OutOfOrder { expected })),
                _ => {
                    contents.input.push(bytes);
                    Ok(())
                }
            };
        });
        futures::future::ready(taken).boxed()
    }

    fn close_input(&self) -> BoxFuture<'static, Result<(), Error>> {
        self.change(|contents| contents.input_closed = true);
        futures::future::ready(Ok(())).boxed()
    }

    fn stop(&self, how: Stop) -> BoxFuture<'static, Result<Exit, Error>> {
        self.change(|contents| contents.stop = Some(how));
        self.end_or_loss()
    }

    fn ended(&self) -> BoxFuture<'static, Result<Exit, Error>> {
        self.end_or_loss()
    }
}
