//! How an answer proves that it is the server's, and which call it is for.
//!
//! The server gives a key to the bridge before the agent runs; both keep it to themselves. A yes that comes without a
//! proof made by it, or with one for another question or another call, is none.

use std::fmt;

use hmac::{Hmac, Mac as _};
use sha2::Sha256;

use crate::call::Call;

/// Proves answers. It is not printed.
#[derive(Clone)]
pub struct AnswerKey(Hmac<Sha256>);

impl AnswerKey {
    /// Takes a secret text as a key; none if it is empty.
    #[must_use]
    pub fn of(secret: &str) -> Option<Self> {
        let secret = Some(secret.trim()).filter(|secret| !secret.is_empty())?;
        Some(Self(Hmac::new_from_slice(secret.as_bytes()).ok()?))
    }

    /// Returns the proof that this very call may run, as the answer to this question.
    #[must_use]
    pub fn prove(&self, request: &str, call: &Call) -> String {
        let proof = self.mac(request, call).finalize().into_bytes();
        proof.iter().map(|byte| format!("{byte:02x}")).collect()
    }

    /// Returns whether a proof is for this very call, as the answer to this question.
    #[must_use]
    pub fn holds(&self, proof: &str, request: &str, call: &Call) -> bool {
        let digit = |at: usize| u8::from_str_radix(proof.get(at..at + 2)?, 16).ok();
        let bytes: Option<Vec<u8>> = (0..proof.len()).step_by(2).map(digit).collect();
        bytes.is_some_and(|bytes| self.mac(request, call).verify_slice(&bytes).is_ok())
    }

    fn mac(&self, request: &str, call: &Call) -> Hmac<Sha256> {
        let mut mac = self.0.clone();
        mac.update(&request.len().to_le_bytes());
        mac.update(request.as_bytes());
        mac.update(call.key().as_bytes());
        mac
    }
}

impl fmt::Debug for AnswerKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("AnswerKey(…)")
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::Dialect;

    fn call(command: &str) -> Call {
        Call::of(Dialect::Claude, "Bash", &json!({"command": command}))
    }

    #[test]
    fn a_proof_holds_for_its_own_call_question_and_key_and_for_no_other() {
        let key = AnswerKey::of("a key").unwrap();
        let proof = key.prove("ask-1", &call("git status"));
        assert!(key.holds(&proof, "ask-1", &call("git status")));
        assert!(!key.holds(&proof, "ask-2", &call("git status")));
        assert!(!key.holds(&proof, "ask-1", &call("git push --force")));
        assert!(!AnswerKey::of("another").unwrap().holds(&proof, "ask-1", &call("git status")));
        for wrong in ["", "00", "zz", "é", &proof[1..], &format!("{proof}00")] {
            assert!(!key.holds(wrong, "ask-1", &call("git status")), "{wrong}");
        }
    }

    #[test]
    fn a_key_is_not_empty_and_not_printed() {
        assert!(AnswerKey::of(" \n").is_none());
        assert_eq!(format!("{:?}", AnswerKey::of("a key").unwrap()), "AnswerKey(…)");
    }
}
