//! The sessions of streamable HTTP: whose each is, and enough of it to begin it anew.
//!
//! The library keeps a session alive with tasks and buffers, and drops them when it was idle for long. What is kept
//! here is a few bytes more: with them the session of an agent that thought for hours continues as if nothing had been,
//! and only the member who opened a session can use it.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use rmcp::model::{ClientCapabilities, Implementation, InitializeRequestParams, ProtocolVersion};
use rmcp::transport::streamable_http_server::session::{SessionState, SessionStore, SessionStoreError};
use types::Uid;

/// Sessions remembered; the one unused for longest is forgotten first.
const SESSIONS_MAX: usize = 4096;

/// See the module.
#[derive(Debug, Default)]
pub(super) struct Sessions(Mutex<Known>);

#[derive(Debug, Default)]
struct Known {
    /// Grows with every use, so that the session unused for longest is the one with the lowest.
    uses: u64,
    sessions: HashMap<String, Session>,
}

#[derive(Debug)]
struct Session {
    /// None, between the library's opening it and the answer with its id.
    owner: Option<Uid>,
    version: ProtocolVersion,
    used: u64,
}

impl Sessions {
    /// Notes who opened a session.
    pub(super) fn opened(&self, id: &str, owner: Uid) {
        if let Some(session) = self.known().sessions.get_mut(id) {
            session.owner = Some(owner);
        }
    }

    /// Returns whether a member may use a session, which counts as a use of it.
    pub(super) fn usable(&self, id: &str, member: &Uid) -> bool {
        let mut known = self.known();
        known.uses += 1;
        let used = known.uses;
        match known.sessions.get_mut(id).filter(|session| session.owner.as_ref() == Some(member)) {
            Some(session) => {
                session.used = used;
                true
            }
            None => false,
        }
    }

    fn remember(&self, id: &str, version: ProtocolVersion) {
        let mut known = self.known();
        known.uses += 1;
        let session = Session { owner: None, version, used: known.uses };
        known.sessions.insert(id.to_owned(), session);
        if known.sessions.len() > SESSIONS_MAX {
            let oldest = known.sessions.iter().min_by_key(|(_, session)| session.used).map(|(id, _)| id.clone());
            oldest.and_then(|id| known.sessions.remove(&id));
        }
    }

    fn known(&self) -> MutexGuard<'_, Known> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[async_trait::async_trait]
impl SessionStore for Sessions {
    async fn load(&self, id: &str) -> Result<Option<SessionState>, SessionStoreError> {
        let version = self.known().sessions.get(id).map(|session| session.version.clone());
        Ok(version.map(|version| {
            let client = Implementation::new("returning", "0");
            let params = InitializeRequestParams::new(ClientCapabilities::default(), client);
            SessionState::new(params.with_protocol_version(version))
        }))
    }

    /// Keeps the version alone: nothing else that a client says of itself is ever asked for, and it may be long.
    async fn store(&self, id: &str, state: &SessionState) -> Result<(), SessionStoreError> {
        let asked = &state.initialize_params.protocol_version;
        let known = ProtocolVersion::KNOWN_VERSIONS.iter().find(|version| *version == asked);
        self.remember(id, known.unwrap_or(&ProtocolVersion::LATEST_WITH_INITIALIZE).clone());
        Ok(())
    }

    async fn delete(&self, id: &str) -> Result<(), SessionStoreError> {
        self.known().sessions.remove(id);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn uid(handle: &str) -> Uid {
        Uid::of(&"default".parse().unwrap(), &handle.parse().unwrap())
    }

    #[test]
    fn a_session_is_usable_by_the_one_who_opened_it() {
        let sessions = Sessions::default();
        sessions.remember("s", ProtocolVersion::V_2025_11_25);
        assert!(!sessions.usable("s", &uid("scout")));
        sessions.opened("s", uid("scout"));
        assert!(sessions.usable("s", &uid("scout")));
        assert!(!sessions.usable("s", &uid("other")));
        assert!(!sessions.usable("t", &uid("scout")));
    }

    #[test]
    fn the_session_unused_for_longest_is_forgotten_first() {
        let sessions = Sessions::default();
        for number in 0..SESSIONS_MAX {
            sessions.remember(&number.to_string(), ProtocolVersion::V_2025_11_25);
            sessions.opened(&number.to_string(), uid("scout"));
        }
        assert!(sessions.usable("0", &uid("scout")));
        sessions.remember("one more", ProtocolVersion::V_2025_11_25);
        assert!(sessions.usable("0", &uid("scout")));
        assert!(!sessions.usable("1", &uid("scout")));
        assert!(sessions.usable("2", &uid("scout")));
    }
}
