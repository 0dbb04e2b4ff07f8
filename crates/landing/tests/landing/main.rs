//! What the crate promises, against the real git in directories of its own: no network, no settings of the developer.
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::disallowed_methods,
    reason = "a test speaks by panicking, and sets up its repositories by hand"
)]

mod batch;
mod checkout;
mod checks;
mod clearance;
mod cost;
mod kill;
mod plain;
mod push;
mod sandbox;
mod swapped;
mod target_red;
