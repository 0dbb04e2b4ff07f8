//! What follows from recorded streams of real agents.
#![expect(clippy::unwrap_used, reason = "a test speaks by panicking")]

mod accounting;
mod dialogues;
mod fixtures;
mod golden;
mod outcomes;
mod phases;
mod properties;
mod resumed;
