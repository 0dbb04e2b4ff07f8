//! Removes what is too old: one table of kinds, and one loop that walks it.
//!
//! [`KINDS`] says what is kept for how long, by which setting. The loop looks at each kind in slices of bounded size and
//! removes what is due; it keeps no state of its own, so a server that is killed anywhere in between begins again and
//! finishes. Nothing goes that something live needs: `needed.rs` says what that is. Worktrees of landed work go as soon
//! as the landing is in the change feed; everything else waits for the hourly sweep. The crate decides no age and starts
//! nothing. Start with [`Retention::run`].

mod find;
mod kinds;
mod machine;
mod needed;
mod outside;
mod remove;
mod sweep;

pub use kinds::{KINDS, Keep, Kind, Rule};
pub use machine::Machine;
pub use outside::{Outside, References, Refused};
pub use sweep::{Mode, Parts, Retention, Swept};
