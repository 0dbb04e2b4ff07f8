//! The control plane in a box: dispatcher, leases, retries, parking and budgets in a seeded, virtual-time simulation.
//!
//! Everything runs on one thread; which task goes on next, when the server dies, what the store refuses and what agents
//! do is drawn from one seed, so a seed is a story that can be told again, step by step. The server is the shipped code:
//! [`sessions::SessionManager`] with its actors, ledger, slots and budget watch, the [`dispatcher`], the
//! [`mission_runner`] and the [`landing_queue`] with its workers. Only what they act on is played: processes and files are
//! [`sessions::memory`], agents are scripts, git is a [`field`]. The [`auditor`] looks at every commit and says which
//! invariant it violates. Start with [`run`].

mod agent;
mod auditor;
mod bug;
mod engine;
mod executor;
mod field;
mod kept;
mod lander;
mod people;
mod purse;
mod server;
mod site;
mod tampering;
mod trace;
mod worktrees;
mod world;

pub use bug::Bug;
pub use kept::kept_seeds;
pub use trace::Trace;
pub use world::{Report, run, run_with};
