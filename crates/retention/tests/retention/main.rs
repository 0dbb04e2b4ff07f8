//! Sweeps over a store and a world outside of it, in virtual time.
#![expect(clippy::unwrap_used, reason = "a test speaks by panicking")]
#![expect(clippy::disallowed_methods, reason = "a test makes files, reads what it is asked for, and measures")]

mod soak;
mod sweeps;
mod world;
