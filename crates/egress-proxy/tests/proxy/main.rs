//! Attacks on the proxy, each beside what must work; nothing here reaches beyond loopback.

#![expect(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "a test starts and times what it tests, and fails by panicking"
)]

mod attacks;
mod namespace;
mod traffic;
mod world;
