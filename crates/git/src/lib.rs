//! Worktrees, snapshots, merges and diffs: the only code that runs git.
//!
//! The user's own checkout, index and ignore rules are never modified, but for a clean checkout that goes forward with
//! its branch by [`Repository::follow`]; and no worktree is removed before everything in it is in a snapshot that gives
//! every byte back. The crate knows no mission and decides nothing about them; it speaks to git through the command
//! line, so filters and credential helpers do what the user set up, and none that a repository names is run. Hooks run
//! only where Fleet does what a person would do himself: [`Repository::commit_all`], [`Repository::push`],
//! [`Repository::prepare`]. Start with [`Git::open`], which gives a [`Repository`]; worktrees are made by
//! [`Repository::create`], are given to an agent by [`Repository::give_private`], and end by [`Repository::remove`].

mod answers;
mod attach;
mod beneath;
mod branch;
mod command;
mod commit;
mod create;
mod diff;
mod disk;
mod dissolve;
mod environment;
mod error;
mod escape;
mod follow;
mod halfway;
mod hold;
mod import;
mod lfs;
mod locks;
mod manifest;
mod merge;
mod modules;
mod oid;
mod pattern;
mod plain;
mod private;
mod private_config;
mod private_make;
mod private_state;
mod programs;
mod prune;
mod push;
mod quarantine;
mod register;
mod remove;
mod repository;
mod restore;
mod rewire;
mod scratch;
mod share;
mod snapshot;
mod stage;
mod staged;
mod state;
mod status;
mod store;
mod take_over;
mod tips;
mod transaction;
mod upkeep;
mod walk;
mod worktree;

pub use attach::{At, Attach};
pub use branch::{BranchName, NameError, SnapshotName};
pub use command::Git;
pub use commit::{Committed, Identity, Swap};
pub use create::{Checkout, Created, NewWorktree, Strategy, Submodules};
pub use diff::{Change, ChangeKind, LoggedCommit};
pub use environment::Environment;
pub use error::{Error, Failure};
pub use follow::{Follow, Look};
pub use hold::Hold;
pub use merge::Merge;
pub use oid::Oid;
pub use pattern::{Pattern, PatternError, Subject, slug};
pub use prune::{Candidate, Plan, Reason, Use, free_bytes, plan, used_bytes};
pub use remove::{BranchFate, Removal, Remove};
pub use repository::{Head, Kind, Repository};
pub use restore::{Restored, RestoredHead};
pub use snapshot::{Ignored, Snapshot};
pub use status::Status;
pub use tips::{Apart, Tip};
pub use transaction::Prepared;
pub use worktree::{Worktree, registered};
