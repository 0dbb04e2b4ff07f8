//! Tokens: signed proof of who calls.
//!
//! The server signs and checks them; the command line signs one for the local owner, since a user who can read the key
//! file is the owner. Nothing here reads a file, a clock or the environment: keys and times are arguments.

mod jwt;
mod keys;
mod member;

pub use keys::{Keys, TokenError};
pub use member::Member;
