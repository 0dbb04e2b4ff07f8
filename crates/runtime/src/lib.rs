//! Everything that makes one run of a program differ from the next: time, chance, tasks, threads and signals.
//!
//! No other crate spawns a task, reads a clock or draws a random number; they take a [`Clock`], an [`Rng`] or a
//! [`Tree`] as a value, so that a test owns all three. This crate knows nothing of Fleet: no entity, no setting, no
//! store. Start with [`Tree`], which also stops everything it started, in order.

mod clock;
mod kind;
mod process;
mod program;
mod rng;
mod shutdown;
mod signal;
mod task;
mod threads;
mod tree;

pub use clock::{Clock, Elapsed};
pub use kind::{Cancel, Failure, Kind, Phase, Rules};
pub use process::{Process, resident_memory_bytes};
pub use program::find_program;
pub use rng::{CODE_ALPHABET, Rng};
pub use shutdown::{PhaseReport, Report};
pub use signal::{Signal, Signals, signals};
pub use task::{Live, Outcome, Stop, StopReason, Task};
pub use threads::{blocking, thread};
pub use tree::{Spawn, TaskFuture, Tree};
