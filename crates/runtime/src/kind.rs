//! What the task tree does with a task, as data.
//!
//! A kind is a name that can be said in an incident; [`Kind::rules`] is the one table of what it means. A new kind is
//! a variant and a row.

use std::fmt;

/// Says what sort of task this is, and so when it stops and what its failure means.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Kind {
    /// Accepts connections.
    Listener,
    /// Begins new work: a dispatcher, a scheduler.
    Starter,
    /// Does a chore from time to time that can be cut short at any await: a sweep, a metric, a file watch.
    Chore,
    /// Serves one client until its answer is written.
    Connection,
    /// Does one piece of work that someone waits for.
    Job,
    /// Copies what happens to one reader, who can come back and resume: a tail, a subscription.
    Feed,
    /// Writes what others have handed over.
    Writer,
    /// Owns a store or another thing that everything else uses to the last.
    Keeper,
}

/// The steps of a shutdown, in their order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Phase {
    /// No new connections.
    StopListening,
    /// No new work.
    StopStarting,
    /// Work in progress ends or is parked.
    Drain,
    /// What was handed over is written.
    Flush,
    /// Stores are closed.
    Close,
}

/// What cancelling a task means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cancel {
    /// It is told through its [`crate::Stop`] and awaited within the grace period.
    Wait,
    /// It is dropped at its current await.
    Abort,
}

/// What an error or a panic of a task means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Failure {
    /// It concerns that task alone.
    Log,
    /// The server cannot do without it and shuts down.
    StopServer,
}

/// Everything the tree knows about a kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rules {
    /// When in a shutdown it is stopped.
    pub phase: Phase,
    /// What stopping does to it.
    pub cancel: Cancel,
    /// What its error or panic does to the server.
    pub failure: Failure,
}

impl Kind {
    /// All kinds, in the order in which they stop.
    pub const ALL: [Self; 8] = [
        Self::Listener,
        Self::Starter,
        Self::Chore,
        Self::Connection,
        Self::Job,
        Self::Feed,
        Self::Writer,
        Self::Keeper,
    ];

    /// Returns its name, for logs.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Listener => "listener",
            Self::Starter => "starter",
            Self::Chore => "chore",
            Self::Connection => "connection",
            Self::Job => "job",
            Self::Feed => "feed",
            Self::Writer => "writer",
            Self::Keeper => "keeper",
        }
    }

    /// Returns what this kind means.
    #[must_use]
    pub const fn rules(self) -> Rules {
        use Cancel::{Abort, Wait};
        use Failure::{Log, StopServer};
        let (phase, cancel, failure) = match self {
            Self::Listener => (Phase::StopListening, Wait, StopServer),
            Self::Starter => (Phase::StopStarting, Wait, StopServer),
            Self::Chore => (Phase::StopStarting, Abort, Log),
            Self::Connection => (Phase::Drain, Wait, Log),
            Self::Job => (Phase::Drain, Wait, Log),
            Self::Feed => (Phase::Drain, Abort, Log),
            Self::Writer => (Phase::Flush, Wait, StopServer),
            Self::Keeper => (Phase::Close, Wait, StopServer),
        };
        Rules { phase, cancel, failure }
    }
}

impl Phase {
    /// All phases, in the order in which a shutdown goes through them.
    pub const ALL: [Self; 5] = [Self::StopListening, Self::StopStarting, Self::Drain, Self::Flush, Self::Close];

    /// Returns the name used in logs.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::StopListening => "stop-listening",
            Self::StopStarting => "stop-starting",
            Self::Drain => "drain",
            Self::Flush => "flush",
            Self::Close => "close",
        }
    }

    /// Returns the place of this phase in [`Phase::ALL`].
    pub(crate) const fn index(self) -> usize {
        self as usize
    }
}

impl fmt::Display for Phase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn phases_and_kinds_are_listed_in_the_order_they_stop() {
        assert!(Phase::ALL.is_sorted());
        assert!(Phase::ALL.iter().enumerate().all(|(at, phase)| phase.index() == at));
        assert!(Kind::ALL.map(|kind| kind.rules().phase).is_sorted());
    }

    #[test]
    fn what_is_cut_short_is_never_what_the_server_depends_on() {
        for kind in Kind::ALL {
            let rules = kind.rules();
            assert!(rules.cancel == Cancel::Wait || rules.failure == Failure::Log, "{kind:?}");
        }
    }
}
