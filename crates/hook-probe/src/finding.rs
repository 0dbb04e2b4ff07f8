//! What a trial shows, and what follows from it: pure decisions.

use std::fmt;

use serde::{Deserialize, Serialize};
use types::{Access, Held, Sandboxed};

/// What was found out about a version of an agent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Finding {
    /// Its calls are judged before they run.
    Held,
    /// They are not.
    Broken {
        /// What was seen.
        why: String,
    },
    /// Nothing: the trial could not be carried out.
    NotTried {
        /// Why not.
        why: String,
    },
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Held => f.write_str("its calls are judged before they run"),
            Self::Broken { why } => write!(f, "its calls are not judged before they run: {why}"),
            Self::NotTried { why } => write!(f, "the trial could not be carried out: {why}"),
        }
    }
}

/// What was seen in a trial.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Evidence {
    /// How often the agent asked its model.
    pub asked: usize,
    /// Of the calls that the model made, those for which the agent brought a result.
    pub answered: usize,
    /// Calls that were checked and denied.
    pub denied: usize,
    /// Calls that were checked and not denied.
    pub passed: usize,
    /// What should not be there and is.
    pub appeared: Vec<String>,
    /// How the run ended, for people.
    pub end: String,
}

/// Whether a session may start.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Admission {
    /// It may, and this is how its calls are held.
    Runs(Held),
    /// It must not.
    Refused {
        /// Why, and what can be done.
        why: String,
    },
}

/// Says what a trial shows.
#[must_use]
pub fn judge(seen: &Evidence) -> Finding {
    let Evidence { asked, answered, denied, passed, appeared, end } = seen;
    let broken = |why: String| Finding::Broken { why };
    if !appeared.is_empty() {
        return broken(format!(
            "a call that had to be denied was carried out: `{}` was written",
            appeared.join("`, `")
        ));
    }
    if *asked == 0 {
        return Finding::NotTried { why: format!("it asked its model nothing: {end}") };
    }
    if *passed > 0 {
        return broken(format!("{passed} calls were let through that had to be denied"));
    }
    if *denied == 0 {
        return broken(format!("no call was checked: {end}"));
    }
    if denied < answered {
        return broken(format!("only {denied} of {answered} calls were checked"));
    }
    Finding::Held
}

/// Returns whether a session may start whose agent was found so, which may reach that far, behind that sandbox.
///
/// A read-only agent needs some enforcement: by the permission hook, or by the kernel alone.
#[must_use]
pub fn admit(access: Access, found: &Finding, sandbox: &Sandboxed) -> Admission {
    let why = match found {
        Finding::Held => return Admission::Runs(Held::Enforced),
        Finding::Broken { why } => why.clone(),
        Finding::NotTried { why } => format!("it could not be tried: {why}"),
    };
    match access {
        Access::ReadOnly if !sandbox.holds_readers() => Admission::Refused {
            why: format!(
                "this agent's tool calls cannot be held ({why}), and no sandbox keeps it from writing ({sandbox}); \
                 `fleet agent test` tries it again"
            ),
        },
        Access::ReadOnly | Access::Workspace | Access::Full => Admission::Runs(Held::Unenforced { why }),
    }
}

#[cfg(test)]
#[path = "finding_tests.rs"]
mod tests;
