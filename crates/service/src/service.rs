//! What every handler can reach: the store, the clock, chance, the settings, the keys.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use config::Settings;
use runtime::{Clock, Rng};
use sessions::Sessions;
use store::{Stamp, Store};
use tokens::{Keys, Member};
use tokio::sync::{Mutex as Turns, watch};
use types::{TeamName, Timestamp, Uid};
use workspaces::Workspaces;

use crate::login::LoginLinks;
use crate::{Caller, Result, gate};

/// Characters behind the prefix of a new id. A taken id is a conflict, and the next try draws another.
const ID_LENGTH: usize = 5;

/// The application.
#[derive(Debug)]
pub struct Service {
    pub(crate) store: Store,
    pub(crate) clock: Clock,
    pub(crate) rng: Rng,
    pub(crate) settings: watch::Receiver<Arc<Settings>>,
    pub(crate) keys: Keys,
    pub(crate) sessions: Sessions,
    pub(crate) workspaces: Workspaces,
    pub(crate) facts: Facts,
    pub(crate) logins: LoginLinks,
    /// Whoever ties missions to each other takes turns: see `handlers::links`.
    pub(crate) linking: Turns<()>,
    seen: Mutex<HashMap<Uid, Timestamp>>,
}

/// What an application is made of.
#[derive(Debug)]
pub struct Parts {
    /// Where records are.
    pub store: Store,
    /// What time it is.
    pub clock: Clock,
    /// Chance.
    pub rng: Rng,
    /// The settings in force.
    pub settings: watch::Receiver<Arc<Settings>>,
    /// What tokens are signed with.
    pub keys: Keys,
    /// Who runs agents.
    pub sessions: Sessions,
    /// Who makes the folders they work in.
    pub workspaces: Workspaces,
    /// What is true of this run.
    pub facts: Facts,
}

/// What is true of this run of the program.
#[derive(Debug, Clone)]
pub struct Facts {
    /// Fleet's version.
    pub version: String,
    /// The storage engine's name.
    pub persistence: String,
    /// The database's file name.
    pub database: String,
    /// Where projects are made that name no directory.
    pub projects_dir: PathBuf,
    /// Where the program was started, which is where agents work that name no directory.
    pub working_dir: PathBuf,
    /// When the program started.
    pub started_at: Timestamp,
}

impl Service {
    /// Puts the parts together.
    #[must_use]
    pub fn new(parts: Parts) -> Self {
        let Parts { store, clock, rng, settings, keys, sessions, workspaces, facts } = parts;
        let (logins, linking, seen) = (LoginLinks::default(), Turns::default(), Mutex::default());
        Self { store, clock, rng, settings, keys, sessions, workspaces, facts, logins, linking, seen }
    }

    /// Tells who a bearer token speaks for; nobody, without one.
    ///
    /// # Errors
    /// Refuses a token that is not believed.
    pub fn authenticate(&self, token: Option<&str>) -> std::result::Result<Caller, api::Error> {
        let Some(token) = token else { return Ok(Caller::Anonymous) };
        let now = self.clock.now();
        let member = self.keys.verify(token, now).map_err(gate::token_refused)?;
        if let Some(session) = &member.session {
            let speaks = |live: sessions::Live| live.session.state.is_live() && live.session.handle == member.handle;
            if !self.sessions.live(session).is_some_and(speaks) {
                return Err(gate::session_over(session));
            }
        }
        self.seen.lock().unwrap_or_else(PoisonError::into_inner).insert(member.uid(), now);
        Ok(Caller::Known(member))
    }

    /// Uses a sign-in code up and returns a token for the owner.
    ///
    /// # Errors
    /// Refuses a code that was used before or is too old.
    pub fn redeem_login(&self, code: &str) -> std::result::Result<String, api::Error> {
        let now = self.clock.now();
        if !self.logins.redeem(code, now) {
            let message = "this sign-in link was used already, or is older than five minutes";
            return Err(
                api::Error::new(api::Code::LOGIN_LINK_SPENT, message).hint("Make another: `fleet login --link`.")
            );
        }
        self.keys.issue(&Member::owner(), now, self.settings().jwt_expires_in).map_err(gate::token_refused)
    }

    /// Returns the settings in force.
    #[must_use]
    pub fn settings(&self) -> Arc<Settings> {
        Arc::clone(&self.settings.borrow())
    }

    /// Returns the store, for the streams that tail it.
    #[must_use]
    pub fn store(&self) -> &Store {
        &self.store
    }

    /// Returns the sessions, for the streams that follow them.
    #[must_use]
    pub fn sessions(&self) -> &Sessions {
        &self.sessions
    }

    /// Returns the clock.
    #[must_use]
    pub fn clock(&self) -> &Clock {
        &self.clock
    }

    /// Returns what is true of this run.
    #[must_use]
    pub fn facts(&self) -> &Facts {
        &self.facts
    }

    /// Returns when a member last called, if it did since the start.
    pub(crate) fn seen(&self, uid: &Uid) -> Option<Timestamp> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner).get(uid).copied()
    }

    /// Draws an id that is most likely free.
    pub(crate) fn draw_id<T>(&self, make: impl Fn(&str) -> std::result::Result<T, types::IdError>) -> Result<T> {
        make(&self.rng.short_code(ID_LENGTH)).map_err(|error| crate::Error::Fault(error.to_string()))
    }

    /// Says who changes something of a team, and when.
    pub(crate) fn stamp(&self, member: &Member, team: &TeamName) -> Stamp {
        Stamp { at: self.clock.now(), handle: member.handle.clone(), team: team.clone() }
    }
}
