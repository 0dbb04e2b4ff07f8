//! What to start, and how it wants to be stopped: plain data, handed to the shim as it is.

use std::path::PathBuf;
use std::time::Duration;

use egress_proxy::Order;
use sandbox::Plan;
use serde::{Deserialize, Serialize};

/// An agent to start.
///
/// It goes to a shim that is this very program, so both sides have one version. A shim that does not know a field starts
/// nothing, for the field may restrict the agent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Launch {
    /// Names this start; a server that finds the process again can see that it is the one that was requested.
    pub id: String,
    /// The program; one without a slash is looked for in the `PATH` of [`Self::env`].
    pub program: PathBuf,
    /// Its arguments.
    pub args: Vec<String>,
    /// Its whole environment: nothing else is passed on, but for `FLEET_LAUNCH`, by which what it starts is known.
    pub env: Vec<(String, String)>,
    /// Where it runs.
    pub cwd: PathBuf,
    /// What it reads.
    pub stdin: Stdin,
    /// What it reads first: messages 1, 2, 3… of [`crate::Running::input`], handed over by the shim as soon as the
    /// agent runs. Sending one of them again is safe, as it is with every other.
    pub opening: Vec<String>,
    /// The terminal that its standard output is, for a program that holds lines back without one; a file if none.
    ///
    /// The shim then copies what is written there into the log: what it has not copied when it is killed is lost, and
    /// the agent cannot write any more. Input and errors are what they are without a terminal, and it is in raw mode,
    /// so the log has the very bytes that were written. It is not the one that `/dev/tty` names.
    pub terminal: Option<Terminal>,
    /// How many bytes each of its logs may have. An agent that writes more is stopped and the
    /// [`crate::Exit::capped`] of its end says so; what it wrote until then is kept.
    pub log_max: u64,
    /// Its sandbox; none if there is none. It is set up whole, or the agent is not started.
    pub sandbox: Option<Plan>,
    /// The proxy by which it reaches listed hosts, which runs as long as it does; none where it needs none.
    #[serde(default)]
    pub egress: Option<Order>,
    /// How it is stopped when the shim itself is asked to end, and what its children get when it ends by itself.
    pub stop: Stop,
}

/// What an agent reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Stdin {
    /// Nothing: it is at its end at once.
    Closed,
    /// What it reads first, [`Launch::opening`], and then its end.
    Opening,
    /// What is sent to it while it runs.
    Piped,
}

/// The size of a terminal, in characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Terminal {
    /// Its height.
    pub rows: u16,
    /// Its width.
    pub columns: u16,
}

/// How to stop an agent: ask, wait, end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stop {
    /// What asks it to end.
    pub signal: Signal,
    /// How long it may take, in milliseconds, before everything left is killed; at most [`Self::GRACE_MAX`].
    pub grace_ms: u64,
}

/// A signal that an agent may be sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Signal {
    /// `SIGHUP`.
    Hangup,
    /// `SIGINT`: what Ctrl-C sends.
    Interrupt,
    /// `SIGQUIT`.
    Quit,
    /// `SIGTERM`.
    Terminate,
    /// `SIGKILL`.
    Kill,
    /// `SIGUSR1`.
    User1,
    /// `SIGUSR2`.
    User2,
}

impl Launch {
    /// The usual [`Self::log_max`]: a disk has room for many of it, and no reader needs more.
    pub const LOG_MAX: u64 = 1 << 30;
}

impl Stop {
    /// The longest grace: with what killing takes, a stop is over within ten seconds.
    pub const GRACE_MAX: Duration = Duration::from_secs(8);

    /// Makes a stop by `signal` with the given grace.
    #[must_use]
    pub fn new(signal: Signal, grace: Duration) -> Self {
        Self { signal, grace_ms: u64::try_from(grace.as_millis()).unwrap_or(u64::MAX) }
    }

    /// Returns the grace that is given.
    #[must_use]
    pub fn grace(self) -> Duration {
        Duration::from_millis(self.grace_ms).min(Self::GRACE_MAX)
    }
}

impl Signal {
    pub(crate) const fn raw(self) -> rustix::process::Signal {
        use rustix::process::Signal as Raw;
        match self {
            Self::Hangup => Raw::HUP,
            Self::Interrupt => Raw::INT,
            Self::Quit => Raw::QUIT,
            Self::Terminate => Raw::TERM,
            Self::Kill => Raw::KILL,
            Self::User1 => Raw::USR1,
            Self::User2 => Raw::USR2,
        }
    }
}
