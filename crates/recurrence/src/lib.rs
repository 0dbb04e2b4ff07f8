//! Runs missions again and again: at the times of a cron expression a scheduled mission is copied, and the copy starts.
//!
//! A copy is an insert whose id is made of the mission and the due time, in the commit that notes the time as handled: so
//! none is made twice, however often the server is killed. When something is due is decided in [`decide`], what a copy is
//! in [`occurrence`]; both do no I/O. The loop sleeps until the next time; it never starts anything itself, which is the
//! dispatcher's work.

mod cron;
mod decide;
mod occurrence;
mod scheduler;

pub use cron::{Cron, CronError};
pub use decide::{CATCH_UP_MAX, Decision, LATE_MAX, decide};
pub use occurrence::{id_of, occurrence};
pub use scheduler::Scheduler;
