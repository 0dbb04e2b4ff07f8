//! A check that Fleet ran itself: the evidence beside what an agent says.

use serde::{Deserialize, Serialize};

use crate::Sandboxed;

/// One run of one check.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CheckRun {
    /// What was run, as the project names it.
    pub command: String,
    /// How it ended.
    pub outcome: CheckOutcome,
    /// The last lines of what it said.
    pub output_tail: String,
    /// How long it took.
    pub duration_ms: u64,
    /// What the kernel kept from it; none if that was not written down, or it did not run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sandbox: Option<Sandboxed>,
    /// Hosts that its proxy refused, each with its port, how often and why.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub refused: Vec<String>,
}

/// How a check ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum CheckOutcome {
    /// With exit code 0.
    Passed,
    /// With another code; 128 and the signal's number if a signal ended it, as shells tell it.
    Failed {
        /// The code.
        code: i32,
    },
    /// It ran longer than it may and was ended with everything it had started.
    TimedOut,
    /// It did not run at all.
    NotStarted {
        /// Why.
        why: String,
    },
}

impl CheckRun {
    /// Whether the check is green.
    #[must_use]
    pub fn is_green(&self) -> bool {
        self.outcome == CheckOutcome::Passed
    }
}

impl std::fmt::Display for CheckOutcome {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Passed => f.write_str("passed"),
            Self::Failed { code } => write!(f, "failed with exit code {code}"),
            Self::TimedOut => f.write_str("did not end in time"),
            Self::NotStarted { why } => write!(f, "could not be started: {why}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_is_kept_by_words_that_do_not_change() {
        let run = |outcome| CheckRun {
            command: "make".to_owned(),
            outcome,
            output_tail: String::new(),
            duration_ms: 7,
            sandbox: None,
            refused: Vec::new(),
        };
        let kept = serde_json::to_string(&run(CheckOutcome::Failed { code: 2 })).unwrap();
        let expected = r#"{"command":"make","outcome":{"kind":"failed","code":2},"output_tail":"","duration_ms":7}"#;
        assert_eq!(kept, expected);
        for outcome in [CheckOutcome::Passed, CheckOutcome::TimedOut, CheckOutcome::NotStarted { why: "x".to_owned() }]
        {
            let one = run(outcome);
            assert_eq!(serde_json::from_str::<CheckRun>(&serde_json::to_string(&one).unwrap()).unwrap(), one);
        }
    }
}
