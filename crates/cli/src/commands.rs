//! The commands that are written by hand, one file each: what it takes, then what it does.

pub(crate) mod attach;
pub(crate) mod completions;
pub(crate) mod config;
pub(crate) mod diff;
pub(crate) mod explain;
pub(crate) mod init;
pub(crate) mod login;
pub(crate) mod logs;
pub(crate) mod open;
pub(crate) mod report;
pub(crate) mod retry;
pub(crate) mod run;
pub(crate) mod task_create;
pub(crate) mod token;
pub(crate) mod workflow;
