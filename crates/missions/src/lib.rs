//! The rules of missions: how one comes to be, what may change, and which state may follow which.
//!
//! Everything here is pure and total: time and who acts are arguments, the result is a new value or a refusal. Reading,
//! committing and telling others is `service`'s business.

mod arrive;
mod choice;
mod create;
mod dependencies;
mod edit;
mod family;
mod hold;
mod moves;
mod rules;
#[cfg(test)]
mod samples;
mod start_point;
mod way;

pub use arrive::{Arrival, Relaunch, Standing, arrive, relaunch, standing};
pub use choice::{Conflict, Voices, agent, model, named};
pub use create::{Statement, create};
pub use dependencies::{Cycle, cycle};
pub use edit::{Edit, edit};
pub use family::{CHILDREN_MAX, DEPTH_MAX, NoRoom, allot, handed_on, share, within};
pub use hold::{Release, recover, release, take};
pub use moves::{Actor, Move, Moved, Refusal, advance};
pub use rules::{FileRules, RULES_FILE, RulesError, effective, sandbox_of_file};
pub use start_point::{UnlandedWork, unlanded};
pub use way::{Way, way};
