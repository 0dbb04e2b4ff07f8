//! Takes secrets out of what is shown: known values, and values of a known shape.
//!
//! A [`Redactor`] reads a text once and returns it unchanged where it has no secret. The replacement is valid within
//! JSON. [`Passage`] does the same for text that comes in pieces, [`Redactor::command`] for a command that a person is to
//! approve. This crate reads no file and changes nothing that is stored.

mod command;
mod passage;
mod redactor;
mod shape;

pub use command::{CUT, Shown, without_secrets};
pub use passage::Passage;
pub use redactor::{REDACTED, Redactor, is_secret_name};
