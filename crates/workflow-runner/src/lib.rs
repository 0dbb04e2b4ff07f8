//! Keeps executions of workflows going: reads in the feed what happened to their missions, asks [`workflow::advance`] what
//! follows, and commits that.
//!
//! The missions of steps are made in the commit that says that the step runs, under ids derived from it: so no step runs
//! twice, however often the server is killed. What is done outside, stopping a mission and landing its work, is done
//! after the commit and asked for again until it has happened. Nothing is polled: an execution is looked at when one of
//! its missions moves, when it is changed, or when a time has come.

mod facts;
mod hands;
mod look;
mod runner;

pub use hands::Hands;
pub use look::{Change, changed, commit};
pub use runner::{Parts, WorkflowRunner};
