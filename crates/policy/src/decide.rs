//! The decision about one call. Pure: the same fence and the same call give the same verdict.

use serde::{Deserialize, Serialize};
use types::{Decision, Handle, RuleId};

use crate::call::Call;
use crate::permissions::SessionPermissions;
use crate::{rules, within};

/// Bytes of a command that is still looked at.
const COMMAND_MAX: usize = 1 << 16;

/// The tool by which an agent CLI asks the person at its terminal.
const ASKS: &str = "AskUserQuestion";

/// What an agent is told that asks at a terminal.
const NO_TERMINAL: &str = "no person sees this question: ask with the tool `mcp__fleet__ask_human`, which waits for a person; \
                      if you do not have it, decide by yourself and say so in your report";

/// What becomes of a call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "verdict", rename_all = "snake_case")]
pub enum Verdict {
    /// It runs.
    Allow,
    /// It does not run.
    Block {
        /// What stopped it.
        by: By,
        /// Why, for the agent and for people.
        why: String,
    },
    /// A person is asked.
    Ask {
        /// What stopped it.
        by: By,
        /// Why, for the agent and for people.
        why: String,
    },
}

/// What stopped a call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum By {
    /// A rule.
    Rule {
        /// Which.
        id: RuleId,
        /// What people call it.
        name: String,
    },
    /// The tools that the session has.
    Preset,
    /// A person's answer.
    Person {
        /// Whose.
        handle: Handle,
    },
    /// The fence itself: it or the call cannot be read.
    SessionPermissions,
}

impl Verdict {
    /// Refuses a call because the fence, the journal or the call itself cannot be read or written.
    #[must_use]
    pub fn unreadable(why: impl Into<String>) -> Self {
        Self::Block { by: By::SessionPermissions, why: why.into() }
    }
}

/// Decides about a call: an answer to exactly this one comes first, then the rules, then the tools of the session.
///
/// Neither a rule that allows nor one that asks widens the tools: what they do not have stays blocked.
#[must_use]
pub fn decide(fence: &SessionPermissions, call: &Call) -> Verdict {
    if call.command.as_ref().is_some_and(|command| command.len() > COMMAND_MAX) && !fence.judges_nothing() {
        return Verdict::unreadable(format!(
            "a command of more than {COMMAND_MAX} bytes is not judged; write a script"
        ));
    }
    // Fleet's own tool outlives the process and reaches a person; the terminal that this one needs is not there.
    if call.tool == ASKS {
        return Verdict::Block { by: By::Preset, why: NO_TERMINAL.to_owned() };
    }
    let key = call.key();
    if let Some(answer) = fence.answers.iter().rev().find(|answer| answer.key == key) {
        if answer.allow {
            return Verdict::Allow;
        }
        let why = answer.why.clone().unwrap_or_else(|| format!("{} said no", answer.by));
        return Verdict::Block { by: By::Person { handle: answer.by.clone() }, why };
    }
    let preset = || match within::refuse(fence, call) {
        None => Verdict::Allow,
        Some(why) => Verdict::Block { by: By::Preset, why },
    };
    let Some(rules::Met { rule, unclear }) = rules::first(fence, call) else { return preset() };
    let by = By::Rule { id: rule.id.clone(), name: rule.name.clone() };
    let mut why = rule.why.clone().unwrap_or_else(|| rule.name.clone());
    if let Some(unclear) = unclear {
        why.push_str(&format!(" (it may run this: {unclear})"));
    }
    match rule.decision {
        Decision::Block => Verdict::Block { by, why },
        Decision::Allow => preset(),
        Decision::Ask => match preset() {
            Verdict::Allow => Verdict::Ask { by, why },
            blocked @ (Verdict::Block { .. } | Verdict::Ask { .. }) => blocked,
        },
    }
}

impl SessionPermissions {
    fn judges_nothing(&self) -> bool {
        self.tools.is_none() && self.rules.is_empty()
    }
}

#[cfg(test)]
#[path = "decide_tests.rs"]
mod tests;
