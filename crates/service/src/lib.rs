//! The application: one handler per operation, over the store and the pure rules.
//!
//! A handler reads, decides through a pure crate, and commits; it never speaks HTTP, MCP or JSON. Everything around a
//! call (who may, which input, which error) happens once, in [`Registry::call`]. A handler that is missing does not
//! compile.

mod briefing;
mod caller;
mod checked;
mod crew;
mod error;
mod gate;
mod handlers;
mod input;
mod landing_queue;
mod login;
mod registry;
mod scope;
mod service;

pub use caller::Caller;
pub use error::Error;
pub use input::{Contract, Given};
pub use landing_queue::land;
pub use registry::{Answer, Entry, Handle, Registry};
pub use service::{Facts, Parts, Service};

/// What a handler returns.
pub type Result<T> = std::result::Result<T, Error>;
