//! The keys that sign tokens, and what a token must be to be believed.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use jsonwebtoken::{Algorithm, DecodingKey, EncodingKey, Header, Validation, decode, decode_header, encode};
use serde::{Deserialize, Serialize};
use types::{Handle, Role, SessionId, TeamName, Timestamp, Uid};

use crate::Member;

/// Marks a token that the local key signed.
const LOCAL: &str = "local";

/// Signs and checks tokens.
///
/// The local key is the one in the home directory. A shared secret, where one is set, signs what the server hands out,
/// so that other programs can make tokens of their own; but only the local key makes an owner.
pub struct Keys {
    local: Pair,
    shared: Option<Pair>,
    /// Tokens that were believed: a client sends the same one with every request, and checking a signature costs as
    /// much as reading a record.
    believed: Mutex<HashMap<String, Believed>>,
}

/// Whom a token speaks for, until when.
#[derive(Clone)]
struct Believed {
    member: Member,
    expires: i64,
}

/// Tokens remembered before all are forgotten and checked anew.
const BELIEVED_MAX: usize = 4096;

struct Pair {
    sign: EncodingKey,
    check: DecodingKey,
}

/// Why a token is not believed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum TokenError {
    /// It was good once.
    #[error("Token expired")]
    Expired,
    /// No key of ours signed it.
    #[error("Invalid token")]
    Invalid,
    /// It is signed, and does not say who it speaks for.
    #[error("Invalid token structure")]
    Malformed,
}

/// What is signed; the names are those that clients of claude-fleet know.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Claims {
    uid: Option<Uid>,
    handle: Option<Handle>,
    team_name: Option<TeamName>,
    agent_type: Option<Role>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    session: Option<SessionId>,
    #[serde(default)]
    iat: i64,
    exp: Option<i64>,
}

impl Keys {
    /// Takes the local key, and the shared secret if there is one.
    #[must_use]
    pub fn new(local: &[u8], shared: Option<&str>) -> Self {
        let shared = shared.map(|secret| Pair::of(secret.as_bytes()));
        Self { local: Pair::of(local), shared, believed: Mutex::default() }
    }

    /// Signs a token for a member.
    ///
    /// # Errors
    /// Fails only if the signature cannot be made, which no key of ours brings about.
    pub fn issue(&self, member: &Member, now: Timestamp, lifetime: Duration) -> Result<String, TokenError> {
        let pair = match (&self.shared, member.role) {
            (Some(shared), role) if role != Role::Owner => shared,
            (Some(_) | None, _) => &self.local,
        };
        let kid = std::ptr::eq(pair, &raw const self.local).then(|| LOCAL.to_owned());
        let claims = Claims {
            uid: Some(member.uid()),
            handle: Some(member.handle.clone()),
            team_name: Some(member.team.clone()),
            agent_type: Some(member.role),
            session: member.session.clone(),
            iat: now.as_second(),
            exp: Some(now.as_second().saturating_add_unsigned(lifetime.as_secs())),
        };
        encode(&Header { kid, ..Header::new(Algorithm::HS256) }, &claims, &pair.sign).map_err(|_| TokenError::Invalid)
    }

    /// Reads whom a token speaks for, if one of the keys signed it and its time is not over.
    ///
    /// # Errors
    /// Says why it is not believed.
    pub fn verify(&self, token: &str, now: Timestamp) -> Result<Member, TokenError> {
        let known = self.believed().get(token).cloned();
        let believed = match known {
            Some(believed) => believed,
            None => self.check(token)?,
        };
        if believed.expires <= now.as_second() {
            self.believed().remove(token);
            return Err(TokenError::Expired);
        }
        Ok(believed.member)
    }

    /// Checks the signature and what is signed, whatever the time, and remembers a token that is ours.
    fn check(&self, token: &str) -> Result<Believed, TokenError> {
        let header = decode_header(token).map_err(|_| TokenError::Invalid)?;
        let local = header.kid.as_deref() == Some(LOCAL);
        let pair = if local { &self.local } else { self.shared.as_ref().ok_or(TokenError::Invalid)? };
        let claims = decode::<Claims>(token, &pair.check, &validation()).map_err(|_| TokenError::Invalid)?.claims;
        let expires = claims.exp.ok_or(TokenError::Expired)?;
        let (Some(handle), Some(team), Some(role), Some(uid)) =
            (claims.handle, claims.team_name, claims.agent_type, claims.uid)
        else {
            return Err(TokenError::Malformed);
        };
        let member = Member { handle, team, role, session: claims.session };
        if uid != member.uid() {
            return Err(TokenError::Malformed);
        }
        if role == Role::Owner && !local {
            return Err(TokenError::Invalid);
        }
        let believed = Believed { member, expires };
        let mut all = self.believed();
        if all.len() >= BELIEVED_MAX {
            all.clear();
        }
        all.insert(token.to_owned(), believed.clone());
        Ok(believed)
    }

    fn believed(&self) -> MutexGuard<'_, HashMap<String, Believed>> {
        self.believed.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Pair {
    fn of(secret: &[u8]) -> Self {
        Self { sign: EncodingKey::from_secret(secret), check: DecodingKey::from_secret(secret) }
    }
}

impl std::fmt::Debug for Keys {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Keys").finish_non_exhaustive()
    }
}

/// One algorithm; the time is checked here, against a time that is handed in.
fn validation() -> Validation {
    let mut validation = Validation::new(Algorithm::HS256);
    validation.validate_exp = false;
    validation.required_spec_claims.clear();
    validation
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Timestamp = Timestamp::UNIX_EPOCH;
    const HOUR: Duration = Duration::from_secs(3600);

    fn keys() -> Keys {
        Keys::new(b"the local key of thirty-two byte", Some("a shared secret that is long enough"))
    }

    fn worker() -> Member {
        Member { handle: "scout".parse().unwrap(), team: "alpha".parse().unwrap(), role: Role::Worker, session: None }
    }

    #[test]
    fn a_token_speaks_for_the_member_it_was_issued_to_until_its_time_is_over() {
        let agent = Member::agent("s-abcde".parse().unwrap(), "scout".parse().unwrap(), "alpha".parse().unwrap());
        for member in [worker(), agent, Member::owner()] {
            let token = keys().issue(&member, NOW, HOUR).unwrap();
            assert_eq!(keys().verify(&token, NOW), Ok(member));
            let later = NOW.checked_add(HOUR).unwrap();
            assert_eq!(keys().verify(&token, later), Err(TokenError::Expired));
        }
    }

    #[test]
    fn a_token_of_another_key_is_not_believed() {
        let forged = Keys::new(b"another local key of 32 bytes...", None).issue(&Member::owner(), NOW, HOUR).unwrap();
        assert_eq!(keys().verify(&forged, NOW), Err(TokenError::Invalid));
    }

    #[test]
    fn whoever_knows_only_the_shared_secret_cannot_become_the_owner() {
        let secret = EncodingKey::from_secret(b"a shared secret that is long enough");
        let claims = |role| Claims {
            uid: Some(Member::owner().uid()),
            handle: Some(Handle::owner()),
            team_name: Some(TeamName::default_team()),
            agent_type: Some(role),
            session: None,
            iat: 0,
            exp: Some(3600),
        };
        let sign = |role| encode(&Header::new(Algorithm::HS256), &claims(role), &secret).unwrap();
        assert_eq!(keys().verify(&sign(Role::Owner), NOW), Err(TokenError::Invalid));
        assert!(keys().verify(&sign(Role::Worker), NOW).is_ok());
    }

    #[test]
    fn changing_one_character_anywhere_breaks_a_token() {
        let token = keys().issue(&worker(), NOW, HOUR).unwrap();
        for at in 0..token.len() - 1 {
            let mut bytes = token.clone().into_bytes();
            bytes[at] = if bytes[at] == b'A' { b'B' } else { b'A' };
            let forged = String::from_utf8(bytes).unwrap();
            assert!(forged == token || keys().verify(&forged, NOW).is_err(), "{at}");
        }
    }

    #[test]
    fn a_token_without_a_signature_is_not_believed() {
        let token = keys().issue(&worker(), NOW, HOUR).unwrap();
        let body = token.split('.').nth(1).unwrap();
        // {"alg":"none"}
        assert_eq!(keys().verify(&format!("eyJhbGciOiJub25lIn0.{body}."), NOW), Err(TokenError::Invalid));
    }
}
