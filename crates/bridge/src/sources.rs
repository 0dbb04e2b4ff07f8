//! Everything that can happen, as one stream: a thread waits for each source and passes on what it hears.

use std::io::{self, BufRead as _, BufReader, Read};
use std::os::unix::net::UnixStream;
use std::sync::mpsc::{self, Receiver, SyncSender};
use std::time::Duration;

use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};

/// What is heard and not yet looked at, at most; an agent that writes faster waits.
const WAITING_MAX: usize = 256;

/// Bytes of one line, at most; a longer line comes in pieces that are not understood.
const LINE_MAX: u64 = 64 << 20;

/// Something that happened.
#[derive(Debug)]
pub(crate) enum Input {
    /// A line from the shim.
    Said(Vec<u8>),
    /// Standard input is closed.
    SaidAll,
    /// The agent wrote this.
    Agent(Vec<u8>),
    /// The agent will write nothing more.
    AgentSilent,
    /// The agent's process has ended.
    AgentGone,
    /// The bridge was asked to end, by this signal.
    Signal(i32),
}

/// Where everything is heard.
#[derive(Debug)]
pub(crate) struct Sources {
    sender: SyncSender<Input>,
    receiver: Receiver<Input>,
}

impl Sources {
    /// Listens to signals and standard input.
    pub(crate) fn open() -> io::Result<Self> {
        let (sender, receiver) = mpsc::sync_channel(WAITING_MAX);
        let ears = Self { sender, receiver };
        ears.signals(SIGTERM, &[SIGTERM, SIGHUP])?;
        ears.signals(SIGINT, &[SIGINT])?;
        ears.lines("bridge-input", io::stdin(), Input::Said, Input::SaidAll)?;
        Ok(ears)
    }

    /// Hears these signals as the one.
    fn signals(&self, as_signal: i32, signals: &[i32]) -> io::Result<()> {
        let (mut ear, bell) = UnixStream::pair()?;
        for signal in signals {
            signal_hook::low_level::pipe::register(*signal, bell.try_clone()?)?;
        }
        self.listen("bridge-signals", move |sender| {
            let mut rings = [0];
            while ear.read_exact(&mut rings).is_ok() && sender.send(Input::Signal(as_signal)).is_ok() {}
        })
    }

    /// Listens to lines until their end.
    pub(crate) fn lines(
        &self,
        name: &str,
        source: impl Read + Send + 'static,
        line: fn(Vec<u8>) -> Input,
        end: Input,
    ) -> io::Result<()> {
        self.listen(name, move |sender| {
            let mut source = BufReader::new(source);
            loop {
                let mut bytes = Vec::new();
                let read = source.by_ref().take(LINE_MAX).read_until(b'\n', &mut bytes);
                if !matches!(read, Ok(1..)) || sender.send(line(bytes)).is_err() {
                    break;
                }
            }
            // The receiver may be gone.
            let _ = sender.send(end);
        })
    }

    /// Has a thread that says what it hears.
    pub(crate) fn listen(&self, name: &str, work: impl FnOnce(SyncSender<Input>) + Send + 'static) -> io::Result<()> {
        let sender = self.sender.clone();
        // Never joined: it ends with the process.
        runtime::thread(name, move || work(sender)).map(drop)
    }

    /// Waits for the next thing to happen; none if the time is over.
    pub(crate) fn next(&self, limit: Option<Duration>) -> Option<Input> {
        let Some(limit) = limit else { return self.receiver.recv().ok() };
        self.receiver.recv_timeout(limit).ok()
    }
}
