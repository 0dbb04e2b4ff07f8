//! The shim: the parent of one agent, in a process of its own.
//!
//! It owns the agent's input, hears of its end, and adopts whatever the agent leaves behind, so that a stop finds all
//! of it. It has no runtime and no second thread, and uses no processor time unless something happens. The agent's
//! output does not pass through it. Start with [`main`], then read `shim/work.rs`.

mod agent;
mod clients;
mod input;
mod stopping;
mod work;

use std::ffi::OsString;
use std::fs::OpenOptions;
use std::io::{self, Read as _, Write as _};
use std::os::unix::net::UnixListener;
use std::path::Path;

use runtime::Clock;
use rustix::fs::Mode;

use crate::files::{self, Keep};
use crate::identity::{Identity, boot_id};
use crate::launch::Launch;
use crate::record::{End, Exit, Record};
use crate::spool::{ERRORS, EXIT, OUTPUT, RECORD, SOCKET};
use crate::wire::{self, Started};
use agent::Agent;
use input::Input;
use work::{Signals, Work};

/// The word after which the program is a shim; the folder of the spool follows.
pub const WORD: &str = "__shim";

/// Is the shim of an agent until that has ended, and returns the exit code of the program.
///
/// Call it before any thread is started. `args` are what follows [`WORD`]; the [`Launch`] is read from standard input,
/// and what came of it is one line on standard output.
#[must_use]
pub fn main(args: &[OsString]) -> u8 {
    let [folder] = args else { return 2 };
    let clock = Clock::system();
    let prepared = prepare(Path::new(folder), &clock);
    let (said, work) = match prepared {
        Ok(work) => (Started::Ready(work.record().clone()), Some(work)),
        Err(error) => (Started::Failed { why: error.to_string() }, None),
    };
    // Whoever started this shim may be gone by now; the agent goes on all the same.
    let _ = say(&said);
    match work.map(Work::run) {
        Some(Ok(())) => 0,
        Some(Err(_)) | None => 1,
    }
}

/// Makes everything ready and starts the agent; on an error nothing runs.
fn prepare(folder: &Path, clock: &Clock) -> io::Result<Work> {
    let mut order = Vec::new();
    io::stdin().lock().read_to_end(&mut order)?;
    let launch: Launch = serde_json::from_slice(&order)?;
    // A session of its own: no terminal and no group of the server reaches it.
    rustix::process::setsid()?;
    rustix::process::set_child_subreaper(Some(rustix::process::getpid()))?;
    std::env::set_current_dir(folder)?;
    let output = files::create_appended(Path::new(OUTPUT)).map_err(used_before)?;
    let errors = files::create_appended(Path::new(ERRORS)).map_err(used_before)?;
    let listener = listen()?;
    let signals = Signals::take()?;
    let (boot, own) = (boot_id()?, Identity::own()?);

    let started_at = clock.now();
    let (agent, pipe) = match Agent::start(&launch, output, errors) {
        Ok(started) => started,
        Err(error) => {
            not_started(&launch, clock, &error)?;
            return Err(error);
        }
    };
    let record = Record { launch: launch.id, boot, shim: own, agent: agent.identity(), started_at };
    let text = serde_json::to_string(&record)?;
    if let Err(error) = files::replace(Path::new(RECORD), &text, Keep::UntilReboot) {
        agent.abandon();
        return Err(error);
    }
    Ok(Work::new(clock.clone(), record, launch.stop, agent, Input::new(pipe), listener, signals))
}

/// Listens in the spool, where it is the current directory so that the address is short.
fn listen() -> io::Result<UnixListener> {
    let usual = rustix::process::umask(Mode::from_raw_mode(0o177));
    let listener = UnixListener::bind(SOCKET);
    // The agent is to have the mask that everybody else has.
    rustix::process::umask(usual);
    let listener = listener?;
    listener.set_nonblocking(true)?;
    Ok(listener)
}

/// Two shims may be started in one spool, but the logs can be made once: so at most one starts an agent.
fn used_before(error: io::Error) -> io::Error {
    if error.kind() == io::ErrorKind::AlreadyExists {
        io::Error::new(error.kind(), "an agent was started in this spool before")
    } else {
        error
    }
}

/// Leaves word that there was no agent, for whoever looks into the spool later.
fn not_started(launch: &Launch, clock: &Clock, error: &io::Error) -> io::Result<()> {
    let now = clock.now();
    let exit = Exit {
        launch: launch.id.clone(),
        end: End::NotStarted { why: error.to_string() },
        stopped: false,
        started_at: now,
        ended_at: now,
        input_delivered: 0,
        survivors: Vec::new(),
    };
    files::replace(Path::new(EXIT), &serde_json::to_string(&exit)?, Keep::ForEver)?;
    files::remove(Path::new(SOCKET))
}

/// Says the first and last word to whoever started this shim, and lets go of the pipes.
fn say(said: &Started) -> io::Result<()> {
    let mut stdout = io::stdout().lock();
    let written = wire::encode(said).and_then(|line| stdout.write_all(&line)).and_then(|()| stdout.flush());
    let nothing = OpenOptions::new().read(true).write(true).open("/dev/null")?;
    rustix::stdio::dup2_stdin(&nothing)?;
    rustix::stdio::dup2_stdout(&nothing)?;
    written
}
