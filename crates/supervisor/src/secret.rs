//! The secret of one launch: a client that shows it to the shim is the server.
//!
//! The shim makes it and writes it into its record, which its owner alone reads and no sandbox shows to an agent. It is
//! in no environment and no argument, and is not printed.

use std::fmt;

use runtime::Rng;
use serde::{Deserialize, Serialize};

/// Bytes of a secret.
const LENGTH: usize = 32;

/// What a client must show to be obeyed.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Secret(String);

impl Secret {
    /// Draws a secret from the system.
    pub(crate) fn random() -> Self {
        let mut bytes = [0; LENGTH];
        Rng::from_os().fill(&mut bytes);
        Self(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
    }

    /// Returns whether this is the one, in a time that says nothing about where the two differ.
    pub(crate) fn is(&self, shown: &Self) -> bool {
        let (own, shown) = (self.0.as_bytes(), shown.0.as_bytes());
        let differs = own.iter().zip(shown).fold(0, |differs, (one, other)| differs | (one ^ other));
        !own.is_empty() && own.len() == shown.len() && differs == 0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(…)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_is_itself_and_no_other_and_an_empty_one_is_none() {
        let (one, other) = (Secret::random(), Secret::random());
        assert!(one.is(&one.clone()) && !one.is(&other));
        let cut = Secret(one.0[..one.0.len() - 1].to_owned());
        assert!(!one.is(&cut) && !cut.is(&one));
        assert!(!Secret(String::new()).is(&Secret(String::new())));
        assert!(!format!("{one:?}").contains(&one.0));
    }
}
