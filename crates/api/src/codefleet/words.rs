//! The one place that knows which of codefleet's words stands for which of Fleet's.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use types::{Claim, Failure, FailureClass, Mission, MissionState, Reason};

use crate::fleet::LoginState;
use crate::{Code, Error, Kind};

/// Whether an executor is logged in
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum AuthStatus {
    /// It is, or needs no login
    Configured,
    /// It is not
    Missing,
    /// Unknown before it runs
    Unknown,
}

impl From<LoginState> for AuthStatus {
    fn from(login: LoginState) -> Self {
        match login {
            LoginState::Yes | LoginState::NotNeeded => Self::Configured,
            LoginState::No => Self::Missing,
            LoginState::Unknown => Self::Unknown,
        }
    }
}

/// The status of a worker
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum WorkerStatus {
    /// Its turn has not come, or it waits for a quota, a budget or a person
    Pending,
    /// Its agent works
    Running,
    /// Its work is done, as far as Fleet can see
    Succeeded,
    /// Its work is not done
    Failed,
    /// It was called off
    Cancelled,
    /// It took longer than it may
    TimedOut,
}

impl WorkerStatus {
    /// Every status.
    pub const ALL: [Self; 6] =
        [Self::Pending, Self::Running, Self::Succeeded, Self::Failed, Self::Cancelled, Self::TimedOut];

    /// Returns the word on the wire.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::Running => "running",
            Self::Succeeded => "succeeded",
            Self::Failed => "failed",
            Self::Cancelled => "cancelled",
            Self::TimedOut => "timed_out",
        }
    }

    /// Returns the word in lines for people.
    #[must_use]
    pub const fn label(self) -> &'static str {
        match self {
            Self::Pending => "[PENDING]",
            Self::Running => "[RUNNING]",
            Self::Succeeded => "[OK]",
            Self::Failed => "[FAILED]",
            Self::Cancelled => "[CANCELLED]",
            Self::TimedOut => "[TIMED OUT]",
        }
    }
}

impl From<&Mission> for WorkerStatus {
    fn from(mission: &Mission) -> Self {
        match &mission.state {
            MissionState::Draft | MissionState::Ready { .. } | MissionState::Parked { .. } => Self::Pending,
            MissionState::Held { .. } | MissionState::Landing { .. } => Self::Running,
            MissionState::Done { .. } => Self::Succeeded,
            MissionState::Cancelled { .. } => Self::Cancelled,
            MissionState::Failed { failure: Failure::Session { class: FailureClass::Timeout, .. }, .. } => {
                Self::TimedOut
            }
            // Its agent looked and found nothing to do, which these clients count as success.
            MissionState::Failed { failure: Failure::NotDone { reasons, .. }, .. }
                if reasons.iter().all(|reason| *reason == Reason::NothingToDo) =>
            {
                Self::Succeeded
            }
            MissionState::Failed { .. } => Self::Failed,
        }
    }
}

/// What a worker says about how far it got
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum ResultStatus {
    /// It is done
    Completed,
    /// It looked, and nothing needed doing
    CompletedNoChanges,
    /// It could not continue
    Blocked,
}

impl ResultStatus {
    /// Returns the word on the wire.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Completed => "completed",
            Self::CompletedNoChanges => "completed_no_changes",
            Self::Blocked => "blocked",
        }
    }
}

impl From<Claim> for ResultStatus {
    fn from(claim: Claim) -> Self {
        match claim {
            Claim::Done | Claim::Unclear => Self::Completed,
            Claim::NothingToDo => Self::CompletedNoChanges,
            Claim::Blocked => Self::Blocked,
        }
    }
}

/// Writes how long something took or takes.
#[must_use]
pub fn span(secs: Option<u64>) -> String {
    match secs {
        None => "-".to_owned(),
        Some(secs) if secs < 60 => format!("{secs}s"),
        Some(secs) if secs < 3600 => format!("{}m {:02}s", secs / 60, secs % 60),
        Some(secs) => format!("{}h {:02}m", secs / 3600, secs / 60 % 60),
    }
}

/// Counts what there is by its words, in the order of the words: `5 workers: 2 running, 2 ok, 1 failed`.
#[must_use]
pub fn tally(noun: &str, statuses: &[WorkerStatus]) -> String {
    let total = crate::quantity::counted(statuses.len() as u64, noun);
    let counts = WorkerStatus::ALL.into_iter().filter_map(|status| {
        let count = statuses.iter().filter(|known| **known == status).count();
        let word = if status == WorkerStatus::Succeeded { "ok" } else { status.as_str() };
        (count > 0).then(|| format!("{count} {}", word.replace('_', " ")))
    });
    let counts: Vec<String> = counts.collect();
    if counts.is_empty() { total } else { format!("{total}: {}", counts.join(", ")) }
}

/// Returns the result by which a client of these tools knows a refusal: the class of the error and what it says.
///
/// None for what the tool itself does not answer: wrong arguments, a caller that is not known, a server that fails.
#[must_use]
pub fn domain_error(error: &Error) -> Option<Value> {
    let class = class(error.code)?;
    let details: Vec<&str> = std::iter::once(&error.message).chain(&error.hints).map(String::as_str).collect();
    Some(json!({ "error": class, "details": details.join(". ") }))
}

fn class(code: Code) -> Option<&'static str> {
    match (code, code.kind()) {
        (
            Code::FIELDS_INVALID
            | Code::BODY_MALFORMED
            | Code::BODY_TOO_LARGE
            | Code::ROUTE_NOT_FOUND
            | Code::TOKEN_INVALID,
            _,
        )
        | (_, Kind::Unauthenticated | Kind::Unavailable | Kind::Internal) => None,
        (Code::PATH_NOT_FOUND | Code::AGENT_UNREADY, _) => Some("FileNotFoundError"),
        (Code::WORKSPACE_REFUSED, _) => Some("GitError"),
        (_, Kind::Invalid | Kind::NotFound) => Some("ValueError"),
        (_, Kind::Forbidden | Kind::Conflict | Kind::Exhausted) => Some("RuntimeError"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refusal_has_a_class_and_its_text_with_what_to_do() {
        let refused = Error::new(Code::MISSION_NOT_FOUND, "no such worker").hint("List them.");
        let shown = json!({ "error": "ValueError", "details": "no such worker. List them." });
        assert_eq!(domain_error(&refused), Some(shown));
    }

    #[test]
    fn a_span_is_written_by_its_two_largest_units_and_counts_by_their_words() {
        let spans = [None, Some(7), Some(61), Some(3_720)].map(span);
        assert_eq!(spans, ["-", "7s", "1m 01s", "1h 02m"]);
        let (ok, failed) = (WorkerStatus::Succeeded, WorkerStatus::Failed);
        let statuses = [WorkerStatus::Running, ok, failed, ok, WorkerStatus::Running];
        assert_eq!(tally("worker", &statuses), "5 workers: 2 running, 2 ok, 1 failed");
        assert_eq!(
            (tally("worker", &[]), tally("worker", &[WorkerStatus::TimedOut])),
            ("0 workers".to_owned(), "1 worker: 1 timed out".to_owned())
        );
    }

    #[test]
    fn what_a_tool_does_not_answer_itself_has_no_class() {
        for code in [Code::FIELDS_INVALID, Code::TOKEN_INVALID, Code::SERVER_UNREACHABLE, Code::INTERNAL] {
            assert_eq!(domain_error(&Error::new(code, "")), None, "{code:?}");
        }
    }
}
