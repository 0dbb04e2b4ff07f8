//! Ids: short, typeable, prefixed. An id of one kind never parses as another.

use std::borrow::Cow;
use std::str::FromStr;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

/// The characters behind an id's prefix: none that can be taken for another when read aloud or retyped.
pub const ID_ALPHABET: &str = "23456789abcdefghjkmnpqrstuvwxyz";

/// Fewest and most characters behind the prefix; ids begin short and grow only when a short one is taken.
const CODE_LENGTH: std::ops::RangeInclusive<usize> = 5..=26;

/// Characters behind the prefix of a derived id: none is drawn anew, so no two texts may share one.
const DERIVED_LENGTH: usize = 10;

/// A text that is not an id of the kind asked for.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{text}` is not a {kind} id, which looks like `{prefix}-x7k2m`")]
pub struct IdError {
    text: String,
    kind: &'static str,
    prefix: &'static str,
}

/// Declares every id kind. Alphabetical and append-only: a retired prefix is never used again.
macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident = $prefix:literal, $kind:literal;)*) => {$(
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(try_from = "String", into = "String")]
        pub struct $name(String);

        impl $name {
            /// What every id of this kind begins with.
            pub const PREFIX: &'static str = concat!($prefix, "-");

            /// Builds an id from a code of [`ID_ALPHABET`] characters.
            ///
            /// # Errors
            /// Refuses a code of another length or with other characters.
            pub fn from_code(code: &str) -> Result<Self, IdError> {
                format!("{}{code}", Self::PREFIX).parse()
            }

            /// Derives the id that stands for a text: the same text, the same id.
            #[must_use]
            pub fn derived(text: &str) -> Self {
                Self(format!("{}{}", Self::PREFIX, derived_code(text)))
            }

            /// Returns the whole id as text.
            #[must_use]
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl FromStr for $name {
            type Err = IdError;

            fn from_str(text: &str) -> Result<Self, IdError> {
                match text.strip_prefix(Self::PREFIX) {
                    Some(code) if is_code(code) => Ok(Self(text.to_owned())),
                    Some(_) | None => Err(IdError { text: excerpt(text), kind: $kind, prefix: $prefix }),
                }
            }
        }

        crate::text::checked_text!($name, IdError);

        impl crate::RecordId for $name {
            const PREFIX: &'static str = Self::PREFIX;
        }

        impl JsonSchema for $name {
            fn schema_name() -> Cow<'static, str> {
                stringify!($name).into()
            }

            fn json_schema(_: &mut SchemaGenerator) -> Schema {
                json_schema!({
                    "type": "string",
                    "description": concat!("Id of a ", $kind),
                    "pattern": concat!("^", $prefix, "-[2-9a-hjkmnp-z]{5,26}$"),
                    "examples": [concat!($prefix, "-x7k2m")],
                })
            }
        }
    )*};
}

ids! {
    /// Names an approval.
    ApprovalId = "a", "approval";
    /// Names a callback.
    CallbackId = "c", "callback";
    /// Names the execution of a workflow.
    ExecutionId = "e", "execution";
    /// Names a workflow.
    WorkflowId = "f", "workflow";
    /// Names a landing.
    LandingId = "d", "landing";
    /// Names a message to an agent.
    LetterId = "l", "letter";
    /// Names a mission.
    MissionId = "m", "mission";
    /// Names a project.
    ProjectId = "p", "project";
    /// Names a report.
    ReportId = "r", "report";
    /// Names a rule.
    RuleId = "g", "rule";
    /// Names a session.
    SessionId = "s", "session";
    /// Names a call that was not let through.
    ViolationId = "v", "violation";
    /// Names an MCP server of a project.
    ServerId = "x", "server";
    /// Names a saved view.
    ViewId = "w", "saved view";
    /// Names a notification.
    NotificationId = "n", "notification";
    /// Names a question.
    QuestionId = "q", "question";
}

fn is_code(code: &str) -> bool {
    CODE_LENGTH.contains(&code.len()) && code.chars().all(|c| ID_ALPHABET.contains(c))
}

fn derived_code(text: &str) -> String {
    let letter = |byte: &u8| ID_ALPHABET.chars().nth(usize::from(*byte) % ID_ALPHABET.len());
    Sha256::digest(text).iter().filter_map(letter).take(DERIVED_LENGTH).collect()
}

/// Keeps error messages short whatever was sent.
fn excerpt(text: &str) -> String {
    text.chars().take(40).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn an_id_of_one_kind_never_parses_as_another() {
        assert!("m-x7k2m".parse::<MissionId>().is_ok());
        assert!("m-x7k2m".parse::<ProjectId>().is_err());
    }

    #[test]
    fn paths_and_oversized_texts_are_no_ids() {
        for text in ["", "m-", "m-abc", "../../etc/passwd", "m-../..", "m-x7k2m/..", "M-X7K2M", "m-o0il1"] {
            assert!(text.parse::<MissionId>().is_err(), "{text}");
        }
        assert!(format!("m-{}", "x".repeat(27)).parse::<MissionId>().is_err());
    }

    proptest! {
        #[test]
        fn a_text_stands_for_one_id_and_another_text_for_another(one in ".*", other in ".*") {
            let id = MissionId::derived(&one);
            prop_assert_eq!(&id, &MissionId::derived(&one));
            prop_assert_eq!(&id.as_str().parse::<MissionId>().unwrap(), &id);
            prop_assert_eq!(one == other, id == MissionId::derived(&other));
        }

        #[test]
        fn every_code_of_the_alphabet_round_trips(code in "[2-9a-hjkmnp-z]{5,26}") {
            let id = MissionId::from_code(&code).unwrap();
            prop_assert_eq!(serde_json::from_str::<MissionId>(&serde_json::to_string(&id).unwrap()).unwrap(), id);
        }
    }
}
