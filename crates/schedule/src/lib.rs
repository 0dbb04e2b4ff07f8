//! Which ready missions start now, in which order, and why each other one does not.
//!
//! Everything here is pure and total: the floor is looked at as it was read, time is an argument, the same floor gives
//! the same plan. Nothing is started, stored or waited for; whoever carries a plan out takes a lease first and decides
//! anew when something has changed.

mod budget;
mod decide;
mod dependency;
mod floor;
mod obstacle;
mod room;
mod starts;
mod state;
mod turn;
mod why;

pub use budget::{Budget, Overdrawn, Scope, Spender, Used, allowance, overdrawn, time_up_at};
pub use decide::{Plan, Waiting, decide};
pub use dependency::{Dependency, Stands};
pub use floor::{Busy, Candidate, Floor, Parking, Place, Slots};
pub use starts::{Starts, starts};
pub use state::why;
pub use turn::{Fairness, Turn};
pub use why::{Slot, Why};
