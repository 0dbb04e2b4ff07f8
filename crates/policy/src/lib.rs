//! What an agent may do: the fence of its session, and the decision about each of its tool calls.
//!
//! A [`Call`] is normalised from the words of whichever agent makes it, then [`decide`] holds it against the [`SessionPermissions`]:
//! what people answered, the rules, and the session's tools, which often come from a preset ([`PRESETS`]). Decisions are
//! pure and total: any input gets a verdict, and what is not understood is not let through. Only `file.rs` touches a
//! disk. Nothing here starts, asks or stores anything.
//!
//! Start with `decide.rs`, then `within.rs` for tools and `rules.rs` for rules.

mod answer_key;
mod call;
mod decide;
mod dialect;
mod file;
mod git_words;
mod hazard;
mod hosts;
mod matcher;
mod patch;
mod paths;
mod permissions;
mod presets;
mod rules;
mod same_script;
mod script;
mod shell;
mod shown;
mod tools;
mod within;
mod words;
mod wrapped;

pub use answer_key::AnswerKey;
pub use call::{Call, Dialect};
pub use decide::{By, Verdict, decide};
pub use file::{JOURNAL_FILE, PERMISSIONS_DRAFT, PERMISSIONS_FILE, PermissionsError, SLICE, Slice};
pub use permissions::{Answer, Judged, OnAsk, SessionPermissions, concerning};
pub use presets::{PRESETS, WORKER, preset};
pub use rules::{RuleError, check_rule};
pub use shown::{Redacted, wanted};
pub use tools::{ToolError, access, check_tools};
pub use types::{About, Access, Decision, Pattern, Rule};
