//! The narrow engine under everything Fleet stores: four methods, one conformance suite.
//!
//! This crate knows no entity and no engine of the outside world. It holds the [`Engine`] trait, the in-memory engine
//! that tests and simulations run on, a wrapper that injects seeded faults, and the suite every engine must pass
//! (`conformance`, behind the feature of that name).

#[cfg(any(test, feature = "conformance"))]
pub mod conformance;
mod engine;
mod faulty;
mod key;
mod limits;
mod mem;
mod span;

pub use engine::{Action, Commit, Engine, Error, Expect, Operation, Order, Outcome, Revision, Row, Scan, Source};
pub use faulty::{Faulty, Injected};
pub use key::{Key, Partition};
pub use limits::{Excess, KEY_BYTES_MAX, Limits};
pub use mem::MemEngine;
pub use span::Span;
