//! Keeps an agent to what its work needs: some files to read, fewer to write, some ports, no process but its own.
//!
//! [`Wish`] says what is wanted, [`Support`] what the machine can do, and [`plan`] makes rules of both, or refuses where
//! less is not enough. [`Handover`] passes them to a process that is started with [`WORD`]; there, [`main`] enters
//! the sandbox and becomes the agent. Layers, from the outside: namespaces, limits, Landlock, a filter of system calls.
//! A plan is enforced whole or the agent does not start. Nothing here undoes it, and the only processes made here are
//! the first one of the namespaces and a probe of what the machine can do.

mod bubblewrap;
mod cgroup;
mod command;
mod enter;
mod error;
mod init;
mod landlock_rules;
mod layers;
mod limits;
mod mounts;
mod namespaces;
mod network;
mod paths;
mod plan;
mod ports;
mod seccomp;
mod support;
mod sys;
mod visible;
mod wish;

pub use cgroup::Cgroup;
pub use command::{CommandPlace, CommandRules, CommandSandboxes, Confined, Egress, NAMING_READ, at_home};
pub use enter::{Handover, WORD, main};
pub use error::{Error, Refused};
pub use layers::{Caches, Layer, remove_private};
pub use limits::Limits;
pub use network::{HANDED_OVER, Listen};
pub use plan::{Bubblewrap, Isolation, Namespaces, Plan, Proc, Rules, plan};
pub use ports::{LOOKUPS, ports_named};
pub use seccomp::{Inet, Sockets};
pub use support::Support;
pub use visible::{Listing, System};
pub use wish::{GitDirs, Wish};
