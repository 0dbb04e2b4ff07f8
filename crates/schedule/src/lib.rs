//! Which ready missions start now, in which order, and why each other one does not.
//!
//! Everything here is pure and total: the inputs are used as they were read, time is an argument, the same inputs give
//! the same plan. Nothing is started, stored or waited for; the caller that carries a plan out takes a lease first and
//! decides anew when something has changed.

mod blocker;
mod budget;
mod decide;
mod dependency;
mod inputs;
mod priority;
mod slots;
mod starts;
mod state;
mod why;
mod why_commands;

pub use budget::{Budget, Overdrawn, Scope, Spender, Used, allowance, overdrawn, time_up_at};
pub use decide::{Plan, Waiting, decide};
pub use dependency::{Dependency, Stands};
pub use inputs::{Busy, Candidate, Inputs, Parking, Place, Slots};
pub use priority::{Fairness, Priority};
pub use starts::{Starts, starts};
pub use state::why;
pub use why::{Slot, Why};
