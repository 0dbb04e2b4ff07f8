//! What an agent may do: the fence of its session, and the decision about each of its tool calls.
//!
//! A [`Call`] is normalised from the words of whichever agent makes it, then [`decide`] holds it against the [`Fence`]:
//! what people answered, the rules, and the session's tools, which often come from a preset ([`PRESETS`]). Decisions are
//! pure and total: any input gets a verdict, and what is not understood is not let through. Only `file.rs` touches a
//! disk. Nothing here starts, asks or stores anything.
//!
//! Start with `decide.rs`, then `within.rs` for tools and `rules.rs` for rules.

mod call;
mod decide;
mod dialect;
mod fence;
mod file;
mod git_words;
mod hazard;
mod hosts;
mod matcher;
mod patch;
mod paths;
mod presets;
mod rules;
mod shell;
mod tools;
mod within;

pub use call::{Call, Dialect};
pub use decide::{By, Verdict, decide};
pub use fence::{Answer, Fence, Judged, OnAsk, concerning};
pub use file::{FENCE_DRAFT, FENCE_FILE, FenceError, JOURNAL_FILE};
pub use presets::{PRESETS, WORKER, preset};
pub use rules::{RuleError, check_rule};
pub use tools::{ToolError, access, check_tools};
pub use types::{About, Access, Decision, Pattern, Rule};
