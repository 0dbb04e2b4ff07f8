//! What the settings of sessions can be: who waits for a quota, seconds as the four systems write them, names.
//!
//! It says what a text may be; what sessions do with it is decided where sessions are.

use crate::value::{Form, Value};

/// The most characters of an agent's name.
const NAME_MAX: usize = 32;

/// The most bytes of a branch pattern; what fills its places must still fit.
const PATTERN_MAX: usize = 60;

/// What the name of an agent can be.
pub(crate) const AGENT_NAME: &str = "takes the name of an agent: 1 to 32 of a-z, 0-9, `_` and `-`";

/// What a branch pattern can have in it.
const PLACES: [&str; 4] = ["{session}", "{short}", "{task}", "{agent}"];

/// Who waits when the quota of an account is used up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Parking {
    /// Every session of that account.
    Account,
    /// Every session.
    Fleet,
    /// None: the session fails.
    Off,
}

/// Whole seconds, read also from a number with a fraction, which is rounded up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Seconds(u32);

impl Parking {
    /// Returns the name, as the settings write it.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Account => "account",
            Self::Fleet => "fleet",
            Self::Off => "off",
        }
    }
}

impl Value for Parking {
    const FORM: Form = Form::Text;

    fn parse(text: &str) -> Result<Self, String> {
        let all = [Self::Account, Self::Fleet, Self::Off];
        let found = all.into_iter().find(|parking| text == parking.as_str());
        found.ok_or_else(|| "takes account, fleet or off".to_owned())
    }
}

impl Value for Seconds {
    const FORM: Form = Form::Integer;

    /// Rounded up, so that a short wait does not become none.
    fn parse(text: &str) -> Result<Self, String> {
        let takes = || format!("takes seconds, from 0 to {}", u32::MAX);
        let (whole, fraction) = text.split_once('.').unwrap_or((text, "0"));
        let digits = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
        if !digits(whole) || !digits(fraction) {
            return Err(takes());
        }
        let more = u32::from(fraction.bytes().any(|byte| byte != b'0'));
        whole.parse::<u32>().ok().and_then(|whole| whole.checked_add(more)).map(Self).ok_or_else(takes)
    }
}

impl From<Seconds> for u32 {
    fn from(seconds: Seconds) -> Self {
        seconds.0
    }
}

/// Returns whether an agent can have this name: it is used in keys, branches and paths.
pub(crate) fn is_agent_name(name: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || b"_-".contains(&byte);
    (1..=NAME_MAX).contains(&name.len()) && name.bytes().all(plain)
}

/// Says what keeps a text from being a branch pattern.
///
/// Stricter than git: git must never refuse a branch that was accepted here.
pub(crate) fn branch_pattern_fault(pattern: &str) -> Option<&'static str> {
    if !pattern.contains("{session}") && !pattern.contains("{short}") {
        return Some("needs `{session}` or `{short}`, which tell the branches of sessions apart");
    }
    // Each place as a letter, which is what a name may have anywhere.
    let filled = PLACES.iter().fold(pattern.to_owned(), |text, place| text.replace(place, "x"));
    if pattern.len() > PATTERN_MAX || filled.contains("..") || !filled.split('/').all(is_branch_part) {
        return Some(
            "takes a branch name of at most 60 letters, digits, `_`, `-`, `.` and `/`, and of the places {session}, \
             {short}, {task}, {agent}",
        );
    }
    None
}

fn is_branch_part(part: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"_-.".contains(&byte);
    let edges = part.starts_with(['-', '.']) || part.ends_with('.') || part.ends_with(".lock");
    !part.is_empty() && !edges && part.bytes().all(plain)
}

#[cfg(test)]
#[path = "sessions_tests.rs"]
mod tests;
