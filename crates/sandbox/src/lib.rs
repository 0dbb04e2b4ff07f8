//! Keeps an agent to what its work needs: some files to read, fewer to write, some ports, nobody's processes.
//!
//! [`Wish`] says what is wanted, [`Support`] what the machine can do, and [`plan`] makes of both what will stand,
//! or a refusal where less is not enough. [`confined`] and [`main`] put it up with landlock, around the thread or the
//! program that starts the agent; nothing here undoes it, and no process is started here. A plan is carried out
//! whole or the agent does not start: what it says was reached, was.

mod error;
mod hidden;
mod plan;
mod ports;
mod support;
mod visible;
mod walls;
mod wish;
mod wrap;

pub use error::{Error, Refused};
pub use plan::{Outer, Plan, Walls, plan};
pub use ports::ports_named;
pub use support::Support;
pub use visible::{Listing, System};
pub use walls::confined;
pub use wish::{GitDirs, Wish};
pub use wrap::{WORD, main, wrapped};
