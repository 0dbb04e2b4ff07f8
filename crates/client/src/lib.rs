//! The typed client: one generic function calls every operation of the contract.
//!
//! `client.call(GetMission { mission }).await?` is the whole use of it. [`Client::send`] does the same without types,
//! for callers that only know an operation's [`Spec`](api::Spec) at run time; [`Client::stream`] opens a stream of
//! events. Nothing here reads the environment, a file or a clock, and nothing is tried twice: whether a second try is
//! safe is for the caller to say.

mod client;
mod connector;
mod frame;
mod reply;
mod request;
mod stream;

pub use api::Error;
pub use client::Client;
pub use frame::Frame;
pub use reply::{RawReply, Reply};
pub use request::Request;
pub use stream::Stream;
