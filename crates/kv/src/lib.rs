//! The narrow engine under everything Fleet stores: four methods, one conformance suite.
//!
//! This crate knows no entity and no engine of the outside world. It holds the [`Engine`] trait, the in-memory engine
//! that tests and simulations run on, a wrapper that injects seeded faults, and the suite every engine must pass.

mod engine;
mod key;
mod limits;

pub use engine::{Action, Commit, Engine, Error, Expect, Operation, Order, Outcome, Revision, Row, Scan, Source};
pub use key::{Key, Partition};
pub use limits::{Excess, KEY_BYTES_MAX, Limits};
