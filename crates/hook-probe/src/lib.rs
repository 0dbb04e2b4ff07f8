//! Tries, once for each version of an agent, whether its tool calls are held where Fleet wants to hold them.
//!
//! Hooks of agents fail open and change with versions, and some are skipped without a word. So the real program is
//! started in an empty repository, with a home of its own and no account, and talks to a model on loopback whose script
//! makes it call its shell and write a file, with permissions that deny everything. Held is what was checked, was
//! denied there and did nothing. What was found is kept in a file, and thirty sessions that begin at once wait for one
//! trial. [`admit`] says what follows for a session. Nothing here knows a session, and no real model is ever asked.
//! Start with [`HookProbes`], then `trial.rs`.

mod finding;
mod findings_file;
mod folders;
mod probes;
mod program;
mod trial;

pub use finding::{Admission, Evidence, Finding, admit, judge};
pub use findings_file::{Key, StoredFinding};
pub use probes::{HookProbes, Parts};
pub use program::Program;
pub use trial::{Fenced, Subject};
