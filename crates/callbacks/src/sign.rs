//! The signature by which a receiver knows that Fleet speaks, and when it did.

use hmac::{Hmac, Mac as _};
use sha2::Sha256;

/// Signs a body: `t=SECONDS,v1=HEX`, where HEX is the HMAC-SHA256 of `SECONDS.BODY` under the secret.
///
/// The time is signed too, so that a recorded request cannot be replayed later.
#[must_use]
pub fn signature(secret: &[u8], seconds: i64, body: &str) -> String {
    // A key of any length is taken.
    let Ok(mut mac) = Hmac::<Sha256>::new_from_slice(secret) else { return String::new() };
    mac.update(seconds.to_string().as_bytes());
    mac.update(b".");
    mac.update(body.as_bytes());
    let hex: String = mac.finalize().into_bytes().iter().map(|byte| format!("{byte:02x}")).collect();
    format!("t={seconds},v1={hex}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_signature_is_what_any_other_hmac_says() {
        // printf '1750000000.{"a":1}' | openssl dgst -sha256 -hmac secret
        let expected = "t=1750000000,v1=801fe104511cda3cd833e99ab98bd20d3ccdc9e83aa6a23d988ac197ac58bc30";
        assert_eq!(signature(b"secret", 1_750_000_000, r#"{"a":1}"#), expected);
    }

    #[test]
    fn another_body_time_or_secret_has_another_signature() {
        let own = signature(b"secret", 1, "body");
        assert!(
            [signature(b"secreT", 1, "body"), signature(b"secret", 2, "body"), signature(b"secret", 1, "bodY")]
                .iter()
                .all(|other| other[4..] != own[4..])
        );
    }
}
