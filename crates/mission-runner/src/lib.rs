//! Runs missions as sessions: turns a [`StartRequest`] into an order, checks it, and starts or resumes an agent.
//!
//! A request says what the caller wants of one start; what it leaves open comes from the mission, its project and the
//! settings, in that order. REST, MCP and the dispatcher all build a request: the crate speaks no dialect and knows no
//! caller's role. What an agent is told is gathered in `briefing` and written by [`reports`]. Start with
//! [`Runner::start`].

mod agent_choice;
mod allowed_folders;
mod briefing;
mod error;
mod explain;
mod request;
mod resume;
mod runner;
mod start;
mod start_point;
mod tools;

pub use agent_choice::AgentChoice;
pub use error::{Error, Refusal};
pub use request::{StartPlace, StartRequest};
pub use runner::{Parts, Runner};
pub use tools::{ChosenTools, ToolsError, check_kind, presets, tools_of_mission, tools_of_worker};

type Result<T> = std::result::Result<T, Error>;
