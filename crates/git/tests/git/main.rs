//! What the crate promises, against the real git in directories of its own: no network, no settings of the developer.
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::disallowed_methods,
    reason = "a test speaks by panicking, and sets up its repositories by hand"
)]

mod attach;
mod create;
mod follow;
mod forged;
mod landing;
mod names;
mod open;
mod picture;
mod private;
mod private_attacks;
mod process;
mod register;
mod remove;
mod sandbox;
mod snapshot;
mod states;
mod submodule;
mod trust;
