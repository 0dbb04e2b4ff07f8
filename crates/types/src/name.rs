//! Names of people and agents: handles, teams, and the uid made of both.

use std::borrow::Cow;
use std::str::FromStr;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

/// Most characters of a handle or a team name.
const NAME_LENGTH_MAX: usize = 50;

/// Hex digits of a uid.
const UID_LENGTH: usize = 24;

/// A text that is not a name of the kind asked for.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("a {kind} is {form}")]
pub struct NameError {
    kind: &'static str,
    form: &'static str,
}

/// Declares a checked text type: what it is, how it looks, and the pattern clients see.
macro_rules! names {
    ($($(#[$doc:meta])* $name:ident, $kind:literal, $form:literal, $pattern:literal, $example:literal, $valid:expr;)*) => {$(
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(try_from = "String", into = "String")]
        pub struct $name(String);

        impl $name {
            /// Returns the name as text.
            #[must_use]
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl FromStr for $name {
            type Err = NameError;

            fn from_str(text: &str) -> Result<Self, NameError> {
                let valid: fn(&str) -> bool = $valid;
                if valid(text) { Ok(Self(text.to_owned())) } else { Err(NameError { kind: $kind, form: $form }) }
            }
        }

        crate::text::checked_text!($name, NameError);

        impl JsonSchema for $name {
            fn schema_name() -> Cow<'static, str> {
                stringify!($name).into()
            }

            fn json_schema(_: &mut SchemaGenerator) -> Schema {
                json_schema!({
                    "type": "string",
                    "description": concat!("A ", $kind, ": ", $form),
                    "pattern": $pattern,
                    "examples": [$example],
                })
            }
        }
    )*};
}

names! {
    /// What an agent or a person is called within a team.
    Handle, "handle", "1 to 50 letters, digits, `_` or `-`", "^[A-Za-z0-9_-]{1,50}$", "scout-1", is_name;
    /// A team: who may see and act on the same missions.
    TeamName, "team name", "1 to 50 letters, digits, `_` or `-`", "^[A-Za-z0-9_-]{1,50}$", "default", is_name;
    /// A step of a workflow, within its definition.
    StepKey, "step key", "1 to 50 letters, digits, `_` or `-`", "^[A-Za-z0-9_-]{1,50}$", "review", is_name;
    /// A member of a team as clients address it: derived from team and handle, so it survives any restart.
    Uid, "uid", "24 lower-case hex digits", "^[0-9a-f]{24}$", "2c26b46b68ffc68ff99b453c", is_uid;
}

impl TeamName {
    /// The team of the local owner, and of callers that name none.
    #[must_use]
    pub fn default_team() -> Self {
        Self("default".to_owned())
    }
}

impl Handle {
    /// The person whose key file this is.
    #[must_use]
    pub fn owner() -> Self {
        Self("owner".to_owned())
    }
}

impl Uid {
    /// Derives the uid of a member.
    #[must_use]
    pub fn of(team: &TeamName, handle: &Handle) -> Self {
        Self(hex_digest(&format!("{team}:{handle}"), UID_LENGTH))
    }

    /// Derives the id of the direct chat of two members, the same from either side.
    #[must_use]
    pub fn direct_chat(&self, other: &Self) -> String {
        let (first, second) = if self <= other { (self, other) } else { (other, self) };
        hex_digest(&format!("{first}:{second}"), 16)
    }
}

fn is_name(text: &str) -> bool {
    (1..=NAME_LENGTH_MAX).contains(&text.len())
        && text.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b'-')
}

fn is_uid(text: &str) -> bool {
    text.len() == UID_LENGTH && text.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'))
}

/// Written out by hand: a list of a thousand tasks shows two thousand uids.
fn hex_digest(text: &str, digits: usize) -> String {
    const HEX: &[u8; 16] = b"0123456789abcdef";
    let digest = Sha256::digest(text.as_bytes());
    let halves = digest.iter().flat_map(|byte| [byte >> 4, byte & 15]);
    halves.take(digits).map(|half| char::from(HEX[usize::from(half)])).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_uid_is_the_head_of_the_digest_of_team_and_handle() {
        let uid = Uid::of(&"alpha".parse().unwrap(), &"lead".parse().unwrap());
        assert_eq!(uid.as_str(), &hex_digest("alpha:lead", 64)[..24]);
        assert_eq!(uid.as_str().parse::<Uid>(), Ok(uid));
    }

    #[test]
    fn a_direct_chat_has_one_id_from_both_sides() {
        let team = TeamName::default_team();
        let (a, b) = (Uid::of(&team, &"a".parse().unwrap()), Uid::of(&team, &"b".parse().unwrap()));
        assert_eq!(a.direct_chat(&b), b.direct_chat(&a));
        assert_eq!(a.direct_chat(&b).len(), 16);
    }

    #[test]
    fn names_hold_no_separators_and_no_paths() {
        for text in ["", "a b", "a/b", "..", "a:b", "é", "x\n", &"x".repeat(51)] {
            assert!(text.parse::<Handle>().is_err(), "{text:?}");
        }
        assert!("Scout_1-b".parse::<Handle>().is_ok());
    }
}
