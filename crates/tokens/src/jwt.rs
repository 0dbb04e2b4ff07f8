//! JSON Web Tokens signed with HMAC-SHA-256, and no other kind: `header.claims.signature`, each part in base64url.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use hmac::{Hmac, Mac};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use sha2::Sha256;

/// The one algorithm that is written and believed.
const ALGORITHM: &str = "HS256";

/// A secret, ready to sign with.
#[derive(Clone)]
pub(crate) struct Secret(Option<Hmac<Sha256>>);

/// The header before the claims.
#[derive(Serialize, Deserialize)]
struct Header {
    #[serde(skip_deserializing)]
    typ: &'static str,
    alg: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    kid: Option<String>,
    /// Extensions that a reader must know to believe the token; none is known here.
    #[serde(default, skip_serializing)]
    crit: Option<Vec<String>>,
}

impl Secret {
    pub(crate) fn new(bytes: &[u8]) -> Self {
        // HMAC takes a key of any length; none would sign nothing and believe nothing.
        Self(Hmac::new_from_slice(bytes).ok())
    }

    /// Signs claims, under the name of the key if it has one.
    pub(crate) fn sign(&self, kid: Option<&str>, claims: &impl Serialize) -> Option<String> {
        let header = Header { typ: "JWT", alg: ALGORITHM.to_owned(), kid: kid.map(str::to_owned), crit: None };
        let mut token = encoded(&header)?;
        token.push('.');
        token.push_str(&encoded(claims)?);
        let signature = self.0.clone()?.chain_update(&token).finalize().into_bytes();
        token.push('.');
        URL_SAFE_NO_PAD.encode_string(signature, &mut token);
        Some(token)
    }

    /// Authenticates words other than a token: no token has a line break in it.
    pub(crate) fn seal(&self, about: &str, words: &[&str]) -> Option<String> {
        Some(URL_SAFE_NO_PAD.encode(self.mac(about, words)?.finalize().into_bytes()))
    }

    /// Returns whether this secret authenticated those words; compares in constant time.
    pub(crate) fn sealed(&self, about: &str, words: &[&str], seal: &str) -> bool {
        let Ok(seal) = URL_SAFE_NO_PAD.decode(seal) else { return false };
        self.mac(about, words).is_some_and(|mac| mac.verify_slice(&seal).is_ok())
    }

    fn mac(&self, about: &str, words: &[&str]) -> Option<Hmac<Sha256>> {
        let start = self.0.clone()?.chain_update("fleet ").chain_update(about);
        Some(words.iter().fold(start, |mac, word| mac.chain_update("\n").chain_update(word)))
    }

    /// Reads the claims of a token that this secret signed; whether its time is over is not looked at.
    pub(crate) fn open<C: DeserializeOwned>(&self, token: &str) -> Option<C> {
        let (signed, signature) = token.rsplit_once('.')?;
        let (_, claims) = signed.split_once('.')?;
        let signature = URL_SAFE_NO_PAD.decode(signature).ok()?;
        // Compares in constant time.
        self.0.clone()?.chain_update(signed).verify_slice(&signature).ok()?;
        serde_json::from_slice(&URL_SAFE_NO_PAD.decode(claims).ok()?).ok()
    }
}

/// Returns the name of the key that a token says it is signed with; nothing, if it is not a token of this kind.
pub(crate) fn key_name(token: &str) -> Option<Option<String>> {
    let header = URL_SAFE_NO_PAD.decode(token.split_once('.')?.0).ok()?;
    let header: Header = serde_json::from_slice(&header).ok()?;
    (header.alg == ALGORITHM && header.crit.is_none()).then_some(header.kid)
}

fn encoded(part: &impl Serialize) -> Option<String> {
    serde_json::to_vec(part).ok().map(|json| URL_SAFE_NO_PAD.encode(json))
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn with_header(header: &Value) -> String {
        format!("{}.e30.e30", URL_SAFE_NO_PAD.encode(header.to_string()))
    }

    /// The example of RFC 7515, appendix A.1.
    #[test]
    fn the_token_of_the_standard_is_read() {
        let key = "AyM1SysPpbyDfgZld3umj1qzKObwVMkoqQ-EstJQLr_T-1qS0gZH75aKtMN3Yj0iPS4hcgUuTwjAzZr1Z9CAow";
        let secret = Secret::new(&URL_SAFE_NO_PAD.decode(key).unwrap());
        let token = [
            "eyJ0eXAiOiJKV1QiLA0KICJhbGciOiJIUzI1NiJ9",
            "eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ",
            "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk",
        ]
        .join(".");
        assert_eq!(key_name(&token), Some(None));
        let claims: Value = secret.open(&token).unwrap();
        assert_eq!(claims, json!({ "iss": "joe", "exp": 1_300_819_380, "http://example.com/is_root": true }));
        assert_eq!(Secret::new(b"another").open::<Value>(&token), None);
    }

    #[test]
    fn other_algorithms_and_extensions_are_refused() {
        assert_eq!(key_name(&with_header(&json!({ "alg": "HS256", "kid": "local" }))), Some(Some("local".to_owned())));
        for header in [
            json!({ "alg": "none" }),
            json!({ "alg": "HS512" }),
            json!({ "alg": "RS256" }),
            json!({ "typ": "JWT" }),
            json!({ "alg": "HS256", "crit": ["b64"] }),
            json!([]),
        ] {
            assert_eq!(key_name(&with_header(&header)), None, "{header}");
        }
    }

    #[test]
    fn a_token_with_more_or_fewer_parts_is_none() {
        let secret = Secret::new(b"secret");
        let token = secret.sign(None, &json!({})).unwrap();
        assert!(secret.open::<Value>(&token).is_some());
        for other in [format!("{token}."), format!("{token}.e30"), token.replace('.', ""), format!(".{token}")] {
            assert_eq!(secret.open::<Value>(&other), None, "{other}");
        }
    }
}
