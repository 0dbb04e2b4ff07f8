//! What must hold of every plan, tried on floors of all kinds.
#![expect(clippy::unwrap_used, clippy::panic, reason = "a test speaks by panicking")]

mod budgets;
mod floors;
mod large;
mod monotone;
mod obstacles;
mod order;
mod slots;
mod spending;
mod starts;
mod starving;
mod waking;
