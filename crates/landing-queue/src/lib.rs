//! Which landings wait, who works on each queue, and what is settled: the record, the mission, and the agent.
//!
//! Each target branch of a repository has a queue, and each queue that is not empty has a worker: a task that ends when
//! nothing is left to do. Queues do not wait for each other. What is tried next and what follows from an outcome is
//! decided by [`landing::next`] and [`landing::follows`]; what lands is checked by [`landing`] on exactly the tree that
//! lands. Start with [`LandingQueues`], which reads in the feed what there is to do, then `worker` and `turn`.
//!
//! Nothing is kept in memory that the records do not say: a crash between any two steps leaves records from which the
//! next worker continues. A landing that is [`types::LandingState::Cleared`] may have landed, so the target branch is
//! read before anything else is done with it.

mod check_evidence;
mod clearance;
mod commands;
mod error;
mod feedback;
mod landing_workspaces;
mod landings;
mod log_lines;
mod publish;
mod queues;
mod records;
mod rules;
mod settle;
mod turn;
mod worker;

pub use commands::{CommandError, can_retry, drop_landing, not_now, retry};
pub use error::Error;
pub use landing_workspaces::LandingWorkspaces;
pub use landings::Parts;
pub use queues::LandingQueues;

type Result<T> = std::result::Result<T, Error>;
