//! The one place that knows which of codefleet's words stands for which of Fleet's.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

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

/// Returns the result by which a client of these tools knows a refusal: the class of the error and what it says.
///
/// None for what is no answer of the tool itself: wrong arguments, a caller that is not known, a server that fails.
#[must_use]
pub fn domain_error(error: &Error) -> Option<Value> {
    let class = class(error.code)?;
    let details: Vec<&str> = std::iter::once(&error.message).chain(&error.hints).map(String::as_str).collect();
    Some(json!({ "error": class, "details": details.join(" ") }))
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
        let shown = json!({ "error": "ValueError", "details": "no such worker List them." });
        assert_eq!(domain_error(&refused), Some(shown));
    }

    #[test]
    fn what_is_no_answer_of_a_tool_has_no_class() {
        for code in [Code::FIELDS_INVALID, Code::TOKEN_INVALID, Code::SERVER_UNREACHABLE, Code::INTERNAL] {
            assert_eq!(domain_error(&Error::new(code, "")), None, "{code:?}");
        }
    }
}
