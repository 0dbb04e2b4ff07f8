//! The keys that sign tokens, and what a token must be to be believed.

use std::collections::HashMap;
use std::net::SocketAddr;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use types::{Handle, Role, SessionId, TeamName, Timestamp, Uid};

use crate::Member;
use crate::jwt::{self, Secret};

/// Marks a token that the local key signed.
const LOCAL: &str = "local";

/// Signs and checks tokens.
///
/// The local key is the one in the home directory. A shared secret, where one is set, signs what the server hands out,
/// so that other programs can make tokens of their own; but only the local key makes an owner.
pub struct Keys {
    local: Secret,
    /// The name of the server, which is told from its local key: tokens that it issues are for it alone.
    server: String,
    shared: Option<Secret>,
    /// Tokens that were believed: a client sends the same one with every request, and checking a signature costs as
    /// much as reading a record.
    believed: Mutex<HashMap<String, Believed>>,
}

/// The account of a token, and its expiry.
#[derive(Clone)]
struct Believed {
    member: Member,
    expires: i64,
}

/// Tokens remembered before all are forgotten and checked anew.
const BELIEVED_MAX: usize = 4096;

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
    /// The server that the token is for. Other programs that know the shared secret, and versions before this, name
    /// none.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    aud: Value,
}

impl Keys {
    /// Takes the local key, and the shared secret if there is one.
    #[must_use]
    pub fn new(local: &[u8], shared: Option<&str>) -> Self {
        let shared = shared.map(|secret| Secret::new(secret.as_bytes()));
        let local = Secret::new(local);
        let server = local.seal("server", &[]).unwrap_or_default();
        Self { local, server, shared, believed: Mutex::default() }
    }

    /// Returns the name of the server that has this local key.
    #[must_use]
    pub fn server(&self) -> &str {
        &self.server
    }

    /// Proves to a client that this server has the local key, without telling it: answers a challenge.
    ///
    /// The address is the one that the client called, as this end of the connection has it: another server that passes
    /// the challenge on gets a proof for the wrong address.
    #[must_use]
    pub fn prove(&self, challenge: &str, address: SocketAddr) -> Option<String> {
        self.local.seal("server at", &[challenge, &address.to_string()])
    }

    /// Checks that a server which was called at this address has the local key.
    #[must_use]
    pub fn is_proven(&self, challenge: &str, address: SocketAddr, proof: &str) -> bool {
        self.local.sealed("server at", &[challenge, &address.to_string()], proof)
    }

    /// Signs a token for a member.
    ///
    /// # Errors
    /// Fails only if the signature cannot be made, which no key of ours brings about.
    pub fn issue(&self, member: &Member, now: Timestamp, lifetime: Duration) -> Result<String, TokenError> {
        let (secret, kid) = match (&self.shared, member.role) {
            (Some(shared), role) if role != Role::Owner => (shared, None),
            (Some(_) | None, _) => (&self.local, Some(LOCAL)),
        };
        let claims = Claims {
            uid: Some(member.uid()),
            handle: Some(member.handle.clone()),
            team_name: Some(member.team.clone()),
            agent_type: Some(member.role),
            session: member.session.clone(),
            iat: now.as_second(),
            exp: Some(now.as_second().saturating_add_unsigned(lifetime.as_secs())),
            aud: Value::from(self.server.as_str()),
        };
        secret.sign(kid, &claims).ok_or(TokenError::Invalid)
    }

    /// Reads the account of a token, if one of the keys signed it and it has not expired.
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
        let kid = jwt::key_name(token).ok_or(TokenError::Invalid)?;
        let local = kid.as_deref() == Some(LOCAL);
        let secret = if local { Some(&self.local) } else { self.shared.as_ref() };
        let claims: Claims = secret.and_then(|secret| secret.open(token)).ok_or(TokenError::Invalid)?;
        if !is_for(&self.server, &claims.aud) {
            return Err(TokenError::Invalid);
        }
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

/// Returns whether a token that names this audience is for the server.
fn is_for(server: &str, audience: &Value) -> bool {
    match audience {
        Value::Null => true,
        Value::String(name) => name == server,
        Value::Array(names) => names.is_empty() || names.iter().any(|name| name == server),
        Value::Bool(_) | Value::Number(_) | Value::Object(_) => false,
    }
}

impl std::fmt::Debug for Keys {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Keys").finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

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
        let secret = Secret::new(b"a shared secret that is long enough");
        let claims = |role| Claims {
            uid: Some(Member::owner().uid()),
            handle: Some(Handle::owner()),
            team_name: Some(TeamName::default_team()),
            agent_type: Some(role),
            session: None,
            iat: 0,
            exp: Some(3600),
            aud: Value::Null,
        };
        let sign = |role| secret.sign(None, &claims(role)).unwrap();
        assert_eq!(keys().verify(&sign(Role::Owner), NOW), Err(TokenError::Invalid));
        assert!(keys().verify(&sign(Role::Worker), NOW).is_ok());
    }

    #[test]
    fn a_token_that_is_meant_for_another_is_not_believed() {
        let secret = Secret::new(b"a shared secret that is long enough");
        let uid = worker().uid();
        let token = |aud: Value| {
            let claims =
                json!({ "uid": uid, "handle": "scout", "teamName": "alpha", "agentType": "worker", "exp": 3600 });
            let mut claims = claims.as_object().unwrap().clone();
            claims.insert("aud".to_owned(), aud);
            secret.sign(None, &claims).unwrap()
        };
        for aud in [json!("other"), json!(["other"])] {
            assert_eq!(keys().verify(&token(aud), NOW), Err(TokenError::Invalid));
        }
        assert_eq!(keys().verify(&token(Value::Null), NOW), Ok(worker()));
    }

    #[test]
    fn a_token_of_one_server_is_not_believed_by_another_that_shares_its_secret() {
        let other = Keys::new(b"another local key of 32 bytes...", Some("a shared secret that is long enough"));
        let token = keys().issue(&worker(), NOW, HOUR).unwrap();
        assert_eq!(keys().verify(&token, NOW), Ok(worker()));
        assert_eq!(other.verify(&token, NOW), Err(TokenError::Invalid));
        assert_ne!(other.server(), keys().server());
    }

    #[test]
    fn a_proof_is_good_for_one_challenge_one_address_and_one_key() {
        let (here, elsewhere) = ("127.0.0.1:3847".parse().unwrap(), "127.0.0.1:9999".parse().unwrap());
        let proof = keys().prove("challenge", here).unwrap();
        assert!(keys().is_proven("challenge", here, &proof));
        assert!(!keys().is_proven("another", here, &proof) && !keys().is_proven("challenge", elsewhere, &proof));
        assert!(!Keys::new(b"another local key of 32 bytes...", None).is_proven("challenge", here, &proof));
        assert!(!keys().is_proven("challenge", here, "") && !keys().is_proven("challenge", here, "AAAA"));
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
