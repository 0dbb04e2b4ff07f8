//! Tries, once for each version of an agent, whether its tool calls are held where Fleet wants to hold them.
//!
//! Hooks of agents fail open and change with versions, and some are skipped without a word. So the real program is started
//! in an empty repository, with a home of its own and no account, and talks to a model on loopback whose script makes it
//! call its shell and write a file, in a fence that lets nothing through. Held is what came before the fence, was denied
//! there and did nothing. What was found is kept in a file, and thirty sessions that begin at once wait for one trial.
//! [`admit`] says what follows for a session. Nothing here knows a session, and no real model is ever asked. Start with
//! [`Canaries`], then `trial.rs`.

mod book;
mod canaries;
mod finding;
mod place;
mod program;
mod trial;

pub use book::{Kept, Key};
pub use canaries::{Canaries, Parts};
pub use finding::{Admission, Evidence, Finding, admit, judge};
pub use program::Program;
pub use trial::{Fenced, Subject};
