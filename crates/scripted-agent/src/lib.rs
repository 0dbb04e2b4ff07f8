//! Plays the scripted agent `sim`: does in this process what crate `agents` reads out of a script.
//!
//! It is a program within the program, started by its [`WORD`] and told on standard input what to do, like any other
//! agent. It has no runtime, no second thread and no connection to Fleet, and uses no processor time while it waits,
//! so that hundreds can run on a small machine. What a script means is decided in `agents::sim`; nothing is decided
//! here. Start with [`main`], then read `player.rs`.

mod attempt;
mod clock;
mod commit;
mod folder;
mod input;
mod left;
mod player;
mod signals;
mod terminal;

use std::ffi::OsString;
use std::io::{self, Write as _};

use agents::sim::{Order, Script, ScriptError, Stepper};

use folder::Folder;
use input::{Input, InputEvent};
use player::Player;
use signals::Signals;

/// The word after which the program is the agent.
pub const WORD: &str = agents::sim::COMMAND;

/// Is the agent until its script ends, and returns the exit code of the program.
///
/// Call it before any thread is started. `args` are what follows [`WORD`]: nothing, unless it is called by itself. The
/// [`Order`] is the first line of standard input. Without one it can play, it says so in one line and returns 2.
#[must_use]
pub fn main(args: &[OsString]) -> u8 {
    let ended = match args {
        [] => play(),
        [word, secs] if word == left::LEAVE => left::leave(secs),
        [word, secs] if word == left::STAY => left::stay(secs),
        _ => Err(Trouble::Arguments),
    };
    ended.unwrap_or_else(|trouble| {
        // The parent may have closed standard error.
        let _ = writeln!(io::stderr(), "{WORD}: {}", in_one_line(&trouble.to_string()));
        trouble.code()
    })
}

/// Why the agent cannot continue.
#[derive(Debug, thiserror::Error)]
enum Trouble {
    #[error("it takes no arguments; give the order as the first line of standard input")]
    Arguments,
    #[error(r#"there is no order; give one as a line of standard input: {{"prompt": …, "session": …, "model": …}}"#)]
    NoOrder,
    #[error(
        r#"the first line of standard input is not an order ({0}); it looks like {{"prompt": …, "session": …, "model": …}}"#
    )]
    Order(serde_json::Error),
    #[error("the prompt of the order cannot be played: {0}")]
    Script(#[from] ScriptError),
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
            Self::Arguments | Self::NoOrder | Self::Order(_) | Self::Script(_) => 2,
            Self::System { .. } => 1,
        }
    }
}

fn play() -> Result<u8, Trouble> {
    let signals = Signals::take().map_err(Trouble::system("taking signals"))?;
    let folder = Folder::current().map_err(Trouble::system("opening the current folder"))?;
    let mut input = Input::standard().map_err(Trouble::system("opening standard input"))?;
    let order = order(&mut input)?;
    let script = Script::of_order(&order)?;
    Player::new(Stepper::new(order, script), input, folder, signals).run()
}

fn order(input: &mut Input) -> Result<Order, Trouble> {
    match input.next(None).map_err(Trouble::system("reading standard input"))? {
        InputEvent::Line(line) => serde_json::from_str(&line).map_err(Trouble::Order),
        InputEvent::Nothing | InputEvent::End => Err(Trouble::NoOrder),
    }
}

/// What reads the errors of an agent reads lines.
fn in_one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
