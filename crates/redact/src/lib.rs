//! Takes secrets out of what is shown: those that are known, and those that are known by their shape.
//!
//! A [`Redactor`] reads a text once, whatever is in it, and gives it back as it is where no secret stands. What it puts
//! in their place fits into JSON. [`Passage`] does the same for text that comes in pieces. Nothing is read from
//! anywhere here, and what is kept in files is not touched.

mod passage;
mod redactor;
mod shape;

pub use passage::Passage;
pub use redactor::{REDACTED, Redactor, is_secret_name};
