//! Runs sessions: starts an agent, follows what it writes, tells it what others say, ends it, takes it up again.
//!
//! Every live session has one task, its [`actor`], which alone writes the session's record; others ask it. What must
//! survive a crash of the server is committed before it is acted on, or can be read again from the spool: so a new
//! server that finds a session finds its process too, starts none twice, and loses no line and no message. Which state
//! follows which is decided in [`next`], without I/O. The crate speaks no dialect and knows no caller's role. Start
//! with [`SessionManager`].

mod actor;
mod agent_registry;
mod approvals;
mod ask;
mod assign;
mod budget_watch;
mod command_rules;
mod error;
mod examine;
mod files;
mod hook_probes;
mod landing_rules;
mod ledger;
mod lineage;
mod live;
mod live_output;
mod manager;
pub mod memory;
mod messages;
mod mistakes;
mod next;
mod notices;
mod outbox;
mod output;
mod parking;
mod parts;
mod processes;
mod programs;
mod questions;
mod redaction;
mod restarts;
#[cfg(test)]
mod samples;
mod session_folders;
mod session_pool;
mod session_workspaces;
mod slot_lending;
mod slots;
mod spawn;
mod spools;
mod start_point;
mod stop;
mod transcript;
mod trim;
mod wait;
mod waiting_time;

pub use agent_registry::AgentRegistry;
pub use approvals::Answer;
pub use ask::{Asked, Automatic, NewSession};
pub use assign::{unmet, unresolved};
pub use command_rules::hidden;
pub use error::{Error, Refusal};
pub use examine::{Examined, Login, Unready};
pub use files::{DiskFiles, Files};
pub use hook_probe::{Admission, Finding, StoredFinding};
pub use hook_probes::{Tried, hook_probes};
pub use landing_rules::landing_rules;
pub use ledger::own_budget;
pub use lineage::{Cut, Lineage};
pub use live::Live;
pub use live_output::{LiveOutput, Said};
pub use manager::SessionManager;
pub use mistakes::Mistake;
pub use next::{Decided, Ended, Next, Rules, decide};
pub use output::OutputFiles;
pub use parts::Parts;
pub use processes::{Adopted, MachineProcesses, OutputTail, Processes, Running, RunningProcess, Written};
pub use questions::{Asking, OPEN_MAX};
pub use restarts::RestartCount;
pub use session_workspaces::{InUse, SessionWorkspaces};
pub use slot_lending::Loans;
pub use slots::Bound;
pub use transcript::{Item, Transcript, Until};
pub use workspaces::Combined;

type Result<T> = std::result::Result<T, Error>;
