//! The bridge: speaks a two-way protocol with an agent, and Fleet's own lines with the shim.
//!
//! It runs between the shim and the agent. What it prints are `agents::Event`s and what it reads are `agents::Say`s,
//! one JSON object a line, so the state of the protocol lives and dies with the agent, and the server may come and go.
//! Every question of the agent is judged by the session's permissions, read anew each time, and written to its journal;
//! without permissions the call is refused. A person's yes comes from the server alone: it is proved by a key that the server
//! gives before the agent runs, and is for one call. What the protocol means is decided in `agents::Dialogue`; how it ends is
//! decided in `leaving.rs`; nothing else is decided here. It leaves no process behind. Start with [`main`], then read
//! `talk.rs`.

mod agent;
mod cooldown;
mod judge;
mod shutdown;
mod sources;
mod talk;

use std::ffi::OsString;
use std::io::{self, Write as _};
use std::path::PathBuf;

use agents::Spoken;
use runtime::Clock;
use rustix::process::DumpableBehavior;

use judge::Judge;
use talk::Talk;

/// The word after which the program is the bridge.
pub const WORD: &str = agents::bridge::COMMAND;

/// What the bridge is started with.
#[derive(Debug)]
struct Args {
    spoken: Spoken,
    /// The folder of the permissions and the journal.
    folder: PathBuf,
    /// The agent's command line.
    agent: Vec<OsString>,
}

/// Is the bridge until the agent is gone, and returns the exit code of the program.
///
/// `args` are what follows [`WORD`]. The [`agents::Opening`] is the first line of standard input.
#[must_use]
pub fn main(args: &[OsString]) -> u8 {
    let ended = Args::of(args).ok_or(Trouble::Arguments).and_then(run);
    ended.unwrap_or_else(|trouble| {
        // The parent may have closed standard error.
        let _ = writeln!(io::stderr(), "{WORD}: {trouble}");
        trouble.code()
    })
}

/// Why the bridge cannot continue.
#[derive(Debug, thiserror::Error)]
enum Trouble {
    #[error("it is started as `{WORD} acp|codex --private FOLDER -- PROGRAM…`")]
    Arguments,
    #[error("the first line of standard input is not an opening: {0}")]
    Opening(String),
    #[error("{what} failed: {error}")]
    System { what: &'static str, error: io::Error },
}

impl Trouble {
    fn system(what: &'static str) -> impl FnOnce(io::Error) -> Self {
        move |error| Self::System { what, error }
    }

    /// Two, as programs return that are called in a wrong way; one where the machine is to blame.
    const fn code(&self) -> u8 {
        match self {
            Self::Arguments | Self::Opening(_) => 2,
            Self::System { .. } => 1,
        }
    }
}

impl Args {
    fn of(args: &[OsString]) -> Option<Self> {
        let [spoken, option, folder, dashes, agent @ ..] = args else { return None };
        let as_it_should = option == agents::bridge::PRIVATE && dashes == "--" && !agent.is_empty();
        let spoken = Spoken::named(spoken.to_str()?)?;
        as_it_should.then(|| Self { spoken, folder: PathBuf::from(folder), agent: agent.to_vec() })
    }
}

fn run(args: Args) -> Result<u8, Trouble> {
    // The agent runs as the same user. It must not write to our standard input, or read the key from our memory.
    rustix::process::set_dumpable_behavior(DumpableBehavior::NotDumpable)
        .map_err(|error| Trouble::system("shutting itself off from the agent")(error.into()))?;
    let clock = Clock::system();
    let ears = sources::Sources::open().map_err(Trouble::system("taking signals and standard input"))?;
    let judge = Judge::new(&args.folder, clock.clone());
    Talk::begin(args, ears, judge, clock)?.run()
}
