//! The shim: the parent of one agent, in a process of its own.
//!
//! It owns the agent's input, hears of its end, and adopts whatever the agent leaves behind, so that a stop finds all
//! of it. It has no runtime and no second thread, and uses no processor time unless something happens. The agent's
//! output does not pass through it, unless the agent wants a terminal. Start with [`main`], then read `shim/work.rs`.

mod agent;
mod clients;
mod egress;
mod growth;
mod input;
mod last_word;
mod output;
mod rest;
mod screen;
mod signals;
mod stopping;
mod work;

use std::ffi::OsString;
use std::fs::{File, OpenOptions};
use std::io::{self, Read as _, Write as _};
use std::os::unix::net::UnixListener;
use std::path::Path;

use jiff::Timestamp;
use runtime::Clock;
use rustix::fs::Mode;

use crate::files::{self, Keep};
use crate::identity::{Identity, boot_id};
use crate::launch::{Launch, Stdin};
use crate::mark::Mark;
use crate::record::Record;
use crate::secret::Secret;
use crate::spool::{RECORD, SOCKET};
use crate::wire::{self, Started};
use agent::Agent;
use input::Input;
use output::{Logs, Output};
use signals::Signals;
use work::{Streams, Work};

/// The word after which the program is a shim; the folder in which its spool was made follows, for people to see.
pub const WORD: &str = "__shim";

/// Is the shim of an agent until that has ended, and returns the exit code of the program.
///
/// Call it before any thread is started, in the folder of the spool. `args` are what follows [`WORD`]; the [`Launch`]
/// is read from standard input, and what came of it is one line on standard output. A standard input that ends without
/// one is not an error: the shim was pooled and never used.
#[must_use]
pub fn main(args: &[OsString]) -> u8 {
    let [_spool] = args else { return 2 };
    let clock = Clock::system();
    let (said, work) = match prepare(&clock) {
        Ok(Some(work)) => (Started::Ready(work.record().clone()), Some(work)),
        // The server that would have sent the launch is gone.
        Ok(None) => return 0,
        Err(error) => (Started::Failed { why: error.to_string() }, None),
    };
    // The server that started this shim may be gone by now; the agent continues.
    let _ = say(&said);
    match work.map(Work::run) {
        Some(Ok(())) => 0,
        Some(Err(_)) | None => 1,
    }
}

/// Makes everything ready, waits for what to start, and starts it; on an error, and without an order, nothing runs.
fn prepare(clock: &Clock) -> io::Result<Option<Work>> {
    // A session of its own: no terminal and no group of the server reaches it.
    rustix::process::setsid()?;
    rustix::process::set_child_subreaper(Some(rustix::process::getpid()))?;
    let Some(launch) = read_order()? else { return Ok(None) };
    let logs = Logs::claim()?;
    begin(&launch, logs, clock).map(Some).or_else(|error| {
        last_word::not_started(&launch, clock, &error)?;
        Err(error)
    })
}

/// Starts the agent. What it does not need to begin is done after it began: a start is as slow as what comes before.
fn begin(launch: &Launch, logs: Logs, clock: &Clock) -> io::Result<Work> {
    let (output, handles) = Output::new(logs, launch)?;
    // Before the agent: a shim that is asked to end in between would leave it alone.
    let signals = Signals::take()?;
    let shim = Identity::own()?;
    let started_at = clock.now();
    let (agent, pipe) = Agent::start(launch, &Mark::new(&launch.id, shim), handles)?;
    // First of all: the agent waits for it.
    let mut input = Input::new(pipe);
    input.open_with(&launch.opening);
    match launch.stdin {
        Stdin::Opening => input.close(),
        Stdin::Closed | Stdin::Piped => {}
    }
    match introduce(launch, shim, &agent, started_at) {
        Ok((record, listener)) => {
            let streams = Streams { input, output };
            Ok(Work::new(clock.clone(), record, launch.stop, agent, streams, listener, signals))
        }
        Err(error) => {
            agent.abandon();
            Err(error)
        }
    }
}

/// Waits for the launch; none if the server is gone.
fn read_order() -> io::Result<Option<Launch>> {
    let mut order = Vec::new();
    File::from(rustix::stdio::stdin().try_clone_to_owned()?).read_to_end(&mut order)?;
    if order.is_empty() {
        return Ok(None);
    }
    Ok(Some(serde_json::from_slice(&order)?))
}

/// Makes the agent one that can be found: listens for it, and writes down who it is.
fn introduce(
    launch: &Launch,
    shim: Identity,
    agent: &Agent,
    started_at: Timestamp,
) -> io::Result<(Record, UnixListener)> {
    // The agent has begun with the default mask; this one is for the socket, which takes no mode.
    rustix::process::umask(Mode::from_raw_mode(0o177));
    // The spool is the current directory, so that the address is short.
    let listener = UnixListener::bind(SOCKET)?;
    listener.set_nonblocking(true)?;
    let record = Record {
        launch: launch.id.clone(),
        boot: boot_id()?,
        shim,
        agent: agent.identity(),
        started_at,
        log_max: launch.log_max,
        sandbox: launch.sandbox.as_ref().map(|plan| plan.reached.clone()),
        version: wire::VERSION,
        secret: Some(Secret::random()),
    };
    files::replace(Path::new(RECORD), &serde_json::to_string(&record)?, Keep::UntilReboot)?;
    Ok((record, listener))
}

/// Sends the first and last message to the server that started this shim, and closes the pipes.
fn say(said: &Started) -> io::Result<()> {
    let mut stdout = File::from(rustix::stdio::stdout().try_clone_to_owned()?);
    let written = wire::encode(said).and_then(|line| stdout.write_all(&line));
    let nothing = OpenOptions::new().read(true).write(true).open("/dev/null")?;
    rustix::stdio::dup2_stdin(&nothing)?;
    rustix::stdio::dup2_stdout(&nothing)?;
    written
}
