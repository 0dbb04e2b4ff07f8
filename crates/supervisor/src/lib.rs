//! Starts agents as processes that outlive the server, finds them again, talks to them and ends them.
//!
//! Each agent has a shim: this same program, executed again, which is the parent of the agent and of whatever the
//! agent leaves behind. The agent writes its output straight into files of the session's [`Spool`], so nothing passes
//! through anyone who could lose it (but for an agent that needs a [`Terminal`]); a [`Watcher`] follows those files. This crate is the only one that starts
//! agents. It knows no agent by name, reads no output, decides no restart, and signals no process that it has not
//! seen to be its own. Start with [`Supervisor`], and with [`shim::main`] for the other side.

mod adopt;
mod descriptor;
mod error;
mod execute;
mod files;
mod follower;
mod identity;
mod launch;
mod leftover;
mod lines;
mod mark;
mod query;
mod record;
mod running;
mod secret;
pub mod shim;
mod shim_pool;
mod spool;
mod start;
mod tail;
mod trim;
mod watcher;
mod wire;

pub use adopt::{Adopted, Loss};
pub use error::Error;
pub use identity::Identity;
pub use launch::{Launch, Signal, Stdin, Stop, Terminal};
pub use leftover::Leftover;
pub use lines::{Line, Splitter};
pub use query::{Answer, Question, ask};
pub use record::{End, Exit, Record};
pub use running::Running;
pub use secret::Secret;
pub use shim_pool::ShimPool;
pub use spool::{Spool, Stream};
pub use start::Supervisor;
pub use tail::Tail;
pub use trim::{Kept, Trimmed};
pub use watcher::Watcher;
pub use wire::{InputStatus, Phase, Refusal, Status};
