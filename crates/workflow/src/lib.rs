//! What the steps of a workflow mean: which definitions make sense, and what happens next in an execution.
//!
//! Everything here is pure: definitions, records and times are arguments. [`check`] finds what is wrong with a
//! definition, [`begin`] makes an execution of one, [`advance`] says what changes in it and what is to be done outside.
//! Who reads the records and does it is `workflow-runner`. Start reading at [`advance`].

mod advance;
mod ancestry;
mod begin;
mod bounds;
mod check;
mod command;
mod ending;
mod expression;
mod file;
mod graph;
mod launch;
mod locate;
mod scope;
mod settle;
mod template;

pub use advance::{Act, Advance, Facts, MissionFact, Start, advance};
pub use ancestry::dependencies;
pub use begin::{BeginError, RUNS_MAX, Request, begin};
pub use check::{Problem, check};
pub use command::{CommandError, cancel, complete, pause, restart, resume};
pub use file::{Fault, File, FileError, Format, read};
pub use graph::{Drawing, draw};
pub use launch::SHELL;
pub use scope::choice_of;
pub use template::{Template, TemplateError};
