//! Finds an agent again: reads its spool, and trusts it only if the processes agree.

use std::fmt;
use std::time::Duration;

use runtime::Clock;

use crate::identity::{boot_id, wait_for_end};
use crate::leftover::Leftover;
use crate::record::{Exit, Record};
use crate::running::Running;
use crate::spool::Spool;

/// How long a process may take from the end of its connections to its own.
const DYING_TIME: Duration = Duration::from_secs(2);

/// What happened to the agent of a spool.
#[derive(Debug)]
pub enum Adopted {
    /// It runs, and its shim answers.
    Running(Running),
    /// It ended, and this is how.
    Ended(Exit),
    /// It is unknown how it ended, or whether it did.
    Lost {
        /// What is known.
        why: Loss,
        /// What continues without a shim, or with one that cannot be spoken to; none if nothing is known to.
        leftover: Option<Leftover>,
    },
}

/// Why it is not known how an agent ended.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Loss {
    /// No agent was started in this spool, or its shim is starting right now.
    NeverStarted,
    /// What the shim wrote cannot be read.
    Unreadable(String),
    /// The machine was restarted, and everything on it ended.
    Rebooted,
    /// The shim was killed.
    ShimDied,
    /// The shim runs and does not answer.
    ShimSilent,
}

pub(crate) async fn adopt(clock: &Clock, spool: &Spool) -> Adopted {
    let record = match read(spool) {
        Ok(Read::Started(record)) => record,
        Ok(Read::Ended(exit)) => return Adopted::Ended(exit),
        Err(why) => return Adopted::Lost { why, leftover: None },
    };
    if record.shim.runs() {
        let running = Running::new(spool.clone(), record.clone(), clock.clone());
        if running.answers().await {
            return Adopted::Running(running);
        }
    }
    match without_asking(spool).await {
        Ok(exit) => Adopted::Ended(exit),
        Err(why) => {
            let (place, because) = (spool.clone(), why.clone());
            let leftover = runtime::blocking(move || Leftover::find(&place, &record, &because)).await;
            Adopted::Lost { why, leftover }
        }
    }
}

/// Finds out how an agent ended whose shim cannot be spoken to.
///
/// A process that ends closes its connections first and is gone a moment later, so a shim that is still there is
/// given that moment before it is said to be silent.
pub(crate) async fn without_asking(spool: &Spool) -> Result<Exit, Loss> {
    let shim = match read(spool)? {
        Read::Ended(exit) => return Ok(exit),
        Read::Started(record) => record.shim,
    };
    let gone = match shim.hold() {
        Some(process) => runtime::blocking(move || wait_for_end(&process, DYING_TIME)).await,
        None => true,
    };
    match read(spool)? {
        // It left its word before it was gone.
        Read::Ended(exit) => Ok(exit),
        Read::Started(_) if gone => Err(Loss::ShimDied),
        Read::Started(_) => Err(Loss::ShimSilent),
    }
}

enum Read {
    Started(Record),
    Ended(Exit),
}

fn read(spool: &Spool) -> Result<Read, Loss> {
    let unreadable = |error: std::io::Error| Loss::Unreadable(error.to_string());
    if let Some(exit) = spool.exit().map_err(unreadable)? {
        return Ok(Read::Ended(exit));
    }
    let record = spool.record().map_err(unreadable)?.ok_or(Loss::NeverStarted)?;
    if record.boot == boot_id().map_err(unreadable)? { Ok(Read::Started(record)) } else { Err(Loss::Rebooted) }
}

impl fmt::Display for Loss {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NeverStarted => f.write_str("no agent was started in this spool"),
            Self::Unreadable(why) => write!(f, "what the shim wrote cannot be read: {why}"),
            Self::Rebooted => f.write_str("the machine was restarted while the agent ran"),
            Self::ShimDied => f.write_str("the shim of the agent was killed"),
            Self::ShimSilent => f.write_str("the shim of the agent runs and does not answer"),
        }
    }
}
