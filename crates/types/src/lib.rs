//! The nouns of Fleet as plain data: ids, entities, states, events.
//!
//! This crate holds no rule and does no I/O. Rules about missions live in `missions`; the words that each dialect uses
//! for these nouns live in `api`.

mod agent;
mod event;
mod id;
mod mission;
mod name;
mod project;
mod role;
mod text;

pub use agent::Agent;
pub use event::{Change, Event};
pub use id::{ID_ALPHABET, IdError, MissionId, ProjectId};
pub use jiff::Timestamp;
pub use mission::{Failure, Holder, Limits, Mission, MissionState, Proof, Retry, Schedule, Start, StateName};
pub use name::{Handle, NameError, TeamName, Uid};
pub use project::{Project, ProjectNotes};
pub use role::{Role, UnknownRole};
