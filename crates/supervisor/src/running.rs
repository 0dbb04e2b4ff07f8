//! An agent that runs, as its supervisor sees it.
//!
//! Every request is a connection of its own, so a handle holds nothing that a crash could lose and any number of them
//! may speak to one agent.

use std::io;
use std::os::fd::AsRawFd as _;
use std::time::Duration;

use runtime::Clock;
use rustix::process::{Signal as Raw, pidfd_send_signal};
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::UnixStream;

use crate::adopt;
use crate::descriptor;
use crate::error::Error;
use crate::files;
use crate::launch::{Signal, Stop};
use crate::leftover::Leftover;
use crate::record::{Exit, Record};
use crate::spool::{SOCKET, Spool};
use crate::wire::{self, Bytes, LINE_MAX, Reply, Request, Status};

/// How long a shim, which never waits for anything but its own poll, may take to answer.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(5);
/// How long it may take to answer that it stops the agent; after that the agent is asked without it.
const STOP_ANSWER_TIMEOUT: Duration = Duration::from_secs(2);
/// What a shim that does not answer may take to stop its agent when it is asked by a signal, at least.
const SIGNAL_TIMEOUT: Duration = Duration::from_millis(1500);
/// What a shim that answered may take to kill what outlived the grace, with a margin for a machine that has much to do.
const KILL_TIMEOUT: Duration = Duration::from_secs(5);

/// A handle on an agent that runs, or ran when it was last looked at. Dropping it does nothing to the agent.
#[derive(Debug, Clone)]
pub struct Running {
    spool: Spool,
    record: Record,
    clock: Clock,
}

impl Running {
    pub(crate) const fn new(spool: Spool, record: Record, clock: Clock) -> Self {
        Self { spool, record, clock }
    }

    /// Returns who runs.
    #[must_use]
    pub const fn record(&self) -> &Record {
        &self.record
    }

    /// Returns where its output is.
    #[must_use]
    pub const fn spool(&self) -> &Spool {
        &self.spool
    }

    /// Asks how the agent is.
    ///
    /// # Errors
    /// When the shim does not answer.
    pub async fn status(&self) -> Result<Status, Error> {
        match self.ask(&Request::Status).await? {
            Reply::Status(status) => Ok(status),
            other @ (Reply::Pong { .. } | Reply::Done | Reply::Refused { .. }) => Err(unexpected(other)),
        }
    }

    /// Sends a signal to the agent and to its process group.
    ///
    /// # Errors
    /// When the shim does not answer.
    pub async fn signal(&self, signal: Signal) -> Result<(), Error> {
        self.done(&Request::Signal { signal }).await
    }

    /// Stops the agent and everything it started, and returns how it ended.
    ///
    /// It is over within ten seconds: the grace, and then what killing takes. An agent that has ended already is not an
    /// error. A shim that does not answer, or does not do it in time, is ended together with everything below it.
    ///
    /// # Errors
    /// When the shim died and left no word: before, or because it was ended here.
    pub async fn stop(&self, how: Stop) -> Result<Exit, Error> {
        let asked = self.clock.monotonic();
        let told = self.clock.timeout(STOP_ANSWER_TIMEOUT, self.done(&Request::Stop(how))).await;
        let limit = match told.unwrap_or(Err(Error::Silent)) {
            Ok(()) => how.grace() + KILL_TIMEOUT,
            Err(Error::Silent) => {
                self.ask_by_signal();
                let left = Leftover::of(&self.spool, &self.record);
                runtime::blocking(move || left.ask(how.signal)).await;
                // One that only did not get to answer has a moment to do it in its own way.
                how.grace().max(STOP_ANSWER_TIMEOUT + SIGNAL_TIMEOUT)
            }
            // It may have ended a moment ago: then its spool shows how. If not, others keep it from being reached, or it has
            // another version: it is asked without words.
            Err(_) => {
                self.ask_by_signal();
                how.grace() + KILL_TIMEOUT
            }
        };
        let rest = limit.saturating_sub(self.clock.monotonic() - asked);
        if let Ok(ended) = self.clock.timeout(rest, self.ended()).await {
            return ended;
        }
        tracing::warn!(spool = %self.spool.path().display(), "a shim does not stop its agent; both are ended");
        Leftover::of(&self.spool, &self.record).end().await;
        adopt::without_asking(&self.spool).await.map_err(Error::Lost)
    }

    /// Hands the agent a message, and returns when the whole of it is in the agent's pipe.
    ///
    /// Messages of one agent are numbered 1, 2, 3…; sending one again is safe and hands it over once. A caller that
    /// gives up does not take the message back: send the same number again to learn what happened to it.
    ///
    /// # Errors
    /// When the agent reads no input, the number does not come next, or the connection breaks.
    pub async fn input(&self, seq: u64, bytes: &[u8]) -> Result<(), Error> {
        let request = Request::Input { seq, bytes: Bytes(bytes.to_vec()) };
        // No time limit: an agent reads when it wants to.
        let mut stream = self.connect().await.map_err(Error::Connection)?;
        done(self.exchange(&mut stream, &request).await.map_err(Error::Connection)?)
    }

    /// Ends the agent's input once everything sent before was handed over.
    ///
    /// # Errors
    /// When the shim does not answer.
    pub async fn close_input(&self) -> Result<(), Error> {
        self.done(&Request::CloseInput).await
    }

    /// Waits until the agent and everything it started has ended, and returns how. Costs nothing while it waits.
    ///
    /// # Errors
    /// [`Error::Lost`] when the shim died and left no word; [`Error::Connection`] when the system does not let it be
    /// waited for.
    pub async fn ended(&self) -> Result<Exit, Error> {
        // The shim is the last of them all to go.
        if let Some(shim) = self.record.shim.hold() {
            let shim = descriptor::readable(shim).map_err(Error::Connection)?;
            shim.readable().await.map_err(Error::Connection)?.retain_ready();
        }
        adopt::without_asking(&self.spool).await.map_err(Error::Lost)
    }

    /// Asks the shim to stop its agent as its launch says: no client can be in the way of that, and every version of a shim
    /// understands it.
    fn ask_by_signal(&self) {
        let spool = self.spool.path().display();
        match self.record.shim.hold().map(|shim| pidfd_send_signal(&shim, Raw::TERM)) {
            Some(Ok(())) => tracing::warn!(%spool, "a shim is asked to stop its agent by a signal"),
            Some(Err(error)) => tracing::warn!(%spool, %error, "a shim cannot be asked to stop its agent by a signal"),
            None => tracing::warn!(%spool, "a shim that is to stop its agent is gone"),
        }
    }

    /// Returns whether the shim of this very record answers.
    pub(crate) async fn answers(&self) -> bool {
        let expected = Reply::Pong { launch: self.record.launch.clone(), shim: self.record.shim };
        self.ask(&Request::Ping).await.is_ok_and(|reply| reply == expected)
    }

    async fn done(&self, request: &Request) -> Result<(), Error> {
        done(self.ask(request).await?)
    }

    async fn ask(&self, request: &Request) -> Result<Reply, Error> {
        let ask = async {
            let mut stream = self.connect().await?;
            self.exchange(&mut stream, request).await
        };
        match self.clock.timeout(ANSWER_TIMEOUT, ask).await {
            Ok(reply) => reply.map_err(Error::Connection),
            Err(_) => Err(Error::Silent),
        }
    }

    /// Connects to the shim of this record and to no other process.
    async fn connect(&self) -> io::Result<UnixStream> {
        // The address of a socket has room for 107 bytes, and a spool may lie deeper than that.
        let folder = files::open(self.spool.path())?;
        let stream = UnixStream::connect(format!("/proc/self/fd/{}/{SOCKET}", folder.as_raw_fd())).await?;
        let listener = stream.peer_cred()?.pid().and_then(|pid| u32::try_from(pid).ok());
        if listener == Some(self.record.shim.pid) {
            Ok(stream)
        } else {
            Err(io::Error::new(io::ErrorKind::ConnectionRefused, "another process listens"))
        }
    }

    /// Shows who asks, and asks. The one that listens is known to be the shim, so the secret goes to no other.
    async fn exchange(&self, stream: &mut UnixStream, request: &Request) -> io::Result<Reply> {
        stream.write_all(&wire::encode_request(self.record.secret.as_ref(), request)?).await?;
        let mut line = Vec::new();
        BufReader::new(stream).take(LINE_MAX as u64).read_until(b'\n', &mut line).await?;
        if line.is_empty() {
            return Err(io::Error::new(io::ErrorKind::UnexpectedEof, "the shim did not answer: it ended, or refused"));
        }
        wire::decode(&line)
    }
}

fn done(reply: Reply) -> Result<(), Error> {
    match reply {
        Reply::Done => Ok(()),
        other @ (Reply::Pong { .. } | Reply::Status(_) | Reply::Refused { .. }) => Err(unexpected(other)),
    }
}

fn unexpected(reply: Reply) -> Error {
    match reply {
        Reply::Refused { why } => Error::Refused(why),
        other @ (Reply::Pong { .. } | Reply::Status(_) | Reply::Done) => Error::Connection(io::Error::new(
            io::ErrorKind::InvalidData,
            format!("an answer to something else: {other:?}"),
        )),
    }
}
