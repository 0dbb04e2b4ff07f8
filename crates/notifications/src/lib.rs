//! Notifies people outside of Fleet of what waits for them: on the desktop, by a signed POST, in Slack.
//!
//! What is to be told is written down by a reader of the change feed, in the commit that moves its bookmark: so a crash
//! loses none and makes none twice. It is sent until it is heard, a bounded number of times, and not at all once it is
//! settled; what comes together, or in quiet hours, is sent as one. Which events are told is decided in [`kind_of`], which
//! does no I/O. Addresses are in the settings alone: nothing that an agent says is ever one.

mod desktop;
mod digest;
mod gather;
mod kind;
mod notifier;
mod subject;

pub use desktop::Desktop;
pub use digest::{Digest, digest};
pub use kind::{Kind, kind_of};
pub use notifier::{Notifier, Parts};
