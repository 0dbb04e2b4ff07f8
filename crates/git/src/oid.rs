//! The name of an object: nothing but hexadecimal digits, so it can never be taken for an option.

use std::fmt;
use std::str::FromStr;

use crate::branch::NameError;

/// The name of a commit, tree or blob, in full.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Oid(String);

impl Oid {
    /// Returns the digits.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns the null object name of the same length.
    pub(crate) fn none_like(&self) -> String {
        "0".repeat(self.0.len())
    }

    /// Reads the digits that git printed.
    pub(crate) fn from_bytes(bytes: &[u8]) -> Option<Self> {
        std::str::from_utf8(bytes).ok()?.trim_end().parse().ok()
    }
}

impl FromStr for Oid {
    type Err = NameError;

    fn from_str(text: &str) -> Result<Self, NameError> {
        // SHA-1 or SHA-256; nothing shorter, because an abbreviation can come to mean something else.
        let full = matches!(text.len(), 40 | 64) && text.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'));
        if full { Ok(Self(text.to_owned())) } else { Err(NameError::new("object", text, "not a full object name")) }
    }
}

impl fmt::Display for Oid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Debug for Oid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_full_lower_case_names_are_objects() {
        assert!("a".repeat(40).parse::<Oid>().is_ok());
        assert!("0".repeat(64).parse::<Oid>().is_ok());
        for text in ["", "HEAD", "abc123", &"A".repeat(40), &"g".repeat(40), &"a".repeat(41), "--all"] {
            assert!(text.parse::<Oid>().is_err(), "{text}");
        }
    }
}
