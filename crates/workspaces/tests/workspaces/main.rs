//! What the crate promises, against the real git in directories of its own: no network, no settings of the developer.
#![expect(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    reason = "a test speaks by panicking, and sets up its repositories by hand"
)]

mod filters;
mod kill;
mod landed;
mod nested;
mod picture;
mod pool;
mod prepare;
mod recipe;
mod removal;
mod sandbox;
mod space;
mod states;
mod work;
