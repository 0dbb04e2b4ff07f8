//! Starts short-lived commands and ends them with everything they started: the one crate that does so.
//!
//! git, recipes, checks, `gh` and questions to other programs all run through [`Command`]. A shell runs only if it is
//! named; a command sees no variable and no input but those given. Each command leads a process group of its own.
//! A command that runs too long, or whose future is dropped, is ended with its group; one that is marked is ended with
//! all its descendants, including processes that left the group. Agents are not started here: the supervisor does that.

mod capture;
mod command;
mod group;
mod mark;
mod proxy;
mod running;

pub use capture::Keep;
pub use command::{Command, Input};
pub use mark::Mark;
pub use proxy::shown;
pub use running::{End, Finished, Running};
