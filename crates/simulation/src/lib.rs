//! The control plane in a box: dispatcher, leases, retries, parking and budgets in a seeded, virtual-time simulation.
//!
//! Everything runs on one thread; which task goes on next, when the server dies, what the store refuses and what agents
//! do is drawn from one seed, so a seed is a story that can be told again, step by step. What is decided is decided by
//! the product: the [`dispatcher`] itself, [`missions::take`] and [`missions::release`] through the store's transactions,
//! [`sessions::decide`], [`schedule::allowance`]. What acts on the world is
//! replaced: agents are scripts, git is a [`field`]. The [`auditor`] looks at every commit and says which promise was
//! broken. Start with [`run`].

mod agent;
mod auditor;
mod bug;
mod engine;
mod executor;
mod field;
mod lander;
mod people;
mod purse;
mod server;
mod site;
mod trace;
mod world;

pub use bug::Bug;
pub use trace::Trace;
pub use world::{Report, run, run_with};
