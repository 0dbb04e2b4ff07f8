//! Starts every mission as soon as it may: listens to the change feed, asks [`schedule`] and hands over to a
//! [`MissionRunner`].
//!
//! What is ready and what it waits for is kept in memory and follows the feed, so a change costs a look at the missions
//! it concerns and not at all of them. Nothing is polled: a waiting mission is woken by a change, by a slot that
//! becomes free, or by the time at which something changes by itself. A crash loses nothing, for the line is made anew
//! from the store. The dispatcher holds no lease and no rule: taking a mission is the runner's transaction, and
//! deciding is `schedule`'s.

mod dispatcher;
mod look;
mod queue;
mod runner;

pub use dispatcher::{Dispatcher, plan, why};
pub use runner::{Conditions, MissionRunner, NotStarted, Post};
