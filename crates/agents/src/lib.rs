//! Agent command lines: how to start each, how to read what it prints, what it can do, and what its end means.
//!
//! Everything here is pure: no process is started, no file is read, no clock is asked. An [`Adapter`] turns a [`Brief`]
//! into a [`Launch`] that a supervisor carries out, and gives a [`Reader`] that turns each line of output into
//! [`Event`]s, the one vocabulary for all agents. Events fold into an [`Account`], which [`judge`]s how the run ended
//! and, through [`policy`], what to do about it. Start reading at [`Event`], then [`Adapter`].
//!
//! An agent's word proves nothing: success needs a terminal event that says so and no error flag, and a line that
//! unknown is kept as it is, never dropped.

pub mod acp;
mod adapter;
pub mod agy;
pub mod bridge;
mod brief;
mod built_in;
mod ceilings;
pub mod claude;
pub mod codex;
pub mod custom;
mod dialogue;
mod discovery;
mod event;
pub mod external;
pub mod forgotten;
pub mod gemini;
mod launch;
mod lines;
mod meter;
mod models;
pub mod opencode;
mod outcome;
mod phase;
mod price;
mod priced;
mod pulse;
mod retry_rules;
mod scripted;
mod setup;
pub mod shell;
pub mod shown;
pub mod sim;
mod task;
mod usage;

pub use adapter::{
    Adapter, Capabilities, ContextLimit, Counting, McpForm, Needs, PermissionHook, Reader, Say, SessionIdSource,
};
pub use brief::{ApprovalChannel, Brief, Conversation, McpServer, McpTransport, Permissions, Trust};
pub use built_in::{VENDORS, vendor};
pub use ceilings::breached;
pub use dialogue::{Dialogue, Loading, Opening, Out, Question, Spoken};
pub use discovery::{Discovery, LoginCheck, LoginState};
pub use event::{
    Ask, CallEnd, Denial, Ending, Event, Exit, RateLimited, Stage, Started, ToolServer, TurnResult, WindowStatus,
};
pub use launch::{Launch, LaunchError, PrivateFile, Signal, StdinProtocol, shell_line};
pub use meter::Meter;
pub use models::{BUILT_IN, Models};
pub use outcome::{Account, Outcome, Stop, judge, judge_by};
pub use phase::Phase;
pub use price::Price;
pub use pulse::{Health, Patience, Pulse};
pub use retry_rules::{BackOff, RetryRule, Scope, retry_rule};
pub use scripted::Scripted;
pub use setup::{Protocol, Setup};
pub use task::{Task, TaskKind};
pub use types::{Access, Cost, FailureClass, Tokens, Totals};
pub use usage::Usage;
