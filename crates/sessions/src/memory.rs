//! Processes and files in memory, for tests and for the simulation: no process is started and no disk is touched.
//!
//! What an agent does is played through [`MemoryAgent`]: its output, its errors, its end. A spool outlives the session
//! manager that started it, as on a disk, so a second manager on the same [`MemoryProcesses`] finds what the first left.

mod files;
mod output_tail;
mod processes;

pub use files::MemoryFiles;
pub use processes::{AgentScript, MemoryAgent, MemoryProcesses};
