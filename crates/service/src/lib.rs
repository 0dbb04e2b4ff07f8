//! The application: one handler per operation, over the store and the pure rules.
//!
//! A handler reads, decides through a pure crate, and commits; it never speaks HTTP, MCP or JSON. Everything around a
//! call (who may, which input, which error) happens once, in [`Registry::call`]. A handler that is missing does not
//! compile.

mod answers;
mod authority;
mod authority_reference;
mod authorize;
mod caller;
mod chosen;
mod condition;
mod error;
mod handlers;
mod inbox;
mod input;
mod input_choices;
mod login;
mod once;
mod registry;
mod service;
mod target;
mod workflow_hands;

pub use authority::{Agent, Belonging, Belongs, Viewer};
pub use authority_reference::{Reach, agent_reach, authorization_reference, may};
pub use caller::Caller;
pub use error::Error;
pub use input::{Contract, Given};
pub use registry::{Answer, Binding, Entry, Handle, Registry};
pub use service::{Facts, Parts, Service};
pub use workflow_hands::WorkflowHands;

/// What a handler returns.
pub type Result<T> = std::result::Result<T, Error>;
