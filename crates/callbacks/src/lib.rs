//! Sends callbacks: reports the end of a mission to the URL that its creator gave.
//!
//! What is to be told is written down by a reader of the change feed, under an id made of the place in the feed: so a
//! crash loses none and makes none twice. It is sent until it is heard, a bounded number of times, each time with the
//! same id and the same body; a receiver that gets it twice can recognise it. What follows an attempt is decided in
//! [`after`], which addresses Fleet speaks to in [`address`]; both do no I/O. The crate never follows a redirect, and
//! never reads more of an answer than its status.

mod address;
mod decide;
mod gather;
mod outbox;
mod send;
mod sign;
mod told;

pub use address::{Refused, permitted, target};
pub use decide::{Answer, Next, TRIES_MAX, after};
pub use outbox::{Outbox, Parts};
pub use send::{Delivery, Manner, send};
pub use sign::signature;
