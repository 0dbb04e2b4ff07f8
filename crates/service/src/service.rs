//! What every handler can reach: the store, the clock, chance, the settings, the keys.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use config::{Home, Settings};
use mission_runner::Runner;
use retention::Retention;
use runtime::{Clock, Rng};
use sessions::SessionManager;
use store::{Stamp, Store, by};
use tokens::{Keys, Member};
use tokio::sync::{Mutex as Turns, watch};
use types::{MissionId, Report, Role, TeamName, Timestamp, Uid};
use workspaces::Workspaces;

use crate::answers::Answers;
use crate::condition::Condition;
use crate::login::LoginLinks;
use crate::once::KeysInUse;
use crate::{Caller, Result, authorize};

/// Characters behind the prefix of a new id. A taken id is a conflict, and the next try draws another.
const ID_LENGTH: usize = 5;

/// Members above which those that were not heard for long are forgotten, and how long that is.
const SEEN_MAX: usize = 10_000;
const SEEN_SECS: i64 = 86_400;

/// The application.
#[derive(Debug)]
pub struct Service {
    pub(crate) store: Store,
    pub(crate) clock: Clock,
    pub(crate) rng: Rng,
    pub(crate) settings: watch::Receiver<Arc<Settings>>,
    pub(crate) keys: Keys,
    pub(crate) sessions: SessionManager,
    pub(crate) workspaces: Workspaces,
    pub(crate) retention: Retention,
    /// Starts and resumes missions.
    pub(crate) runner: Runner,
    pub(crate) facts: Facts,
    pub(crate) logins: LoginLinks,
    pub(crate) answers: Answers,
    pub(crate) condition: Condition,
    /// Calls that link missions or take folders run one at a time: see `handlers::links`.
    pub(crate) linking: Turns<()>,
    /// Calls with an idempotency key that are under way.
    pub(crate) keys_in_use: KeysInUse,
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
    pub sessions: SessionManager,
    /// Who makes the folders they work in.
    pub workspaces: Workspaces,
    /// Who removes what is too old.
    pub retention: Retention,
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
    /// Where settings are changed on behalf of the owner; none if this server has no file of settings.
    pub home: Option<Home>,
    /// The home of the user, `~` in settings.
    pub user_home: Option<PathBuf>,
}

impl Service {
    /// Puts the parts together.
    #[must_use]
    pub fn new(parts: Parts) -> Self {
        let Parts { store, clock, rng, settings, keys, sessions, workspaces, retention, facts } = parts;
        let runner = Runner::new(mission_runner::Parts {
            store: store.clone(),
            clock: clock.clone(),
            settings: settings.clone(),
            sessions: sessions.clone(),
            working_dir: facts.working_dir.clone(),
        });
        let (logins, answers) = (LoginLinks::default(), Answers::default());
        let (linking, seen) = (Turns::default(), Mutex::default());
        Self {
            store,
            clock,
            rng,
            settings,
            keys,
            sessions,
            workspaces,
            retention,
            runner,
            facts,
            logins,
            answers,
            condition: Condition::default(),
            linking,
            keys_in_use: KeysInUse::default(),
            seen,
        }
    }

    /// Returns the caller of a bearer token; an anonymous one, without a token.
    ///
    /// # Errors
    /// Refuses a token that is not believed.
    pub fn authenticate(&self, token: Option<&str>) -> std::result::Result<Caller, api::Error> {
        let Some(token) = token else { return Ok(Caller::Anonymous) };
        let now = self.clock.now();
        let member = self.keys.verify(token, now).map_err(authorize::token_refused)?;
        if let Some(session) = &member.session {
            let speaks = |live: sessions::Live| live.session.state.is_live() && live.session.handle == member.handle;
            if !self.sessions.live(session).is_some_and(speaks) {
                return Err(authorize::session_over(session));
            }
        }
        // Whatever its claims say: an agent that leads could give itself rights that its sandbox takes away.
        let role = if member.session.is_some() { Role::Worker } else { member.role };
        let member = Member { role, ..member };
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        if seen.len() >= SEEN_MAX {
            // Every session is a member, so they do not end; one that was not heard for long is shown as unseen.
            seen.retain(|_, at| at.as_second() > now.as_second().saturating_sub(SEEN_SECS));
        }
        seen.insert(member.uid(), now);
        drop(seen);
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
        self.keys.issue(&Member::owner(), now, self.settings().jwt_expires_in).map_err(authorize::token_refused)
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
    pub fn sessions(&self) -> &SessionManager {
        &self.sessions
    }

    /// Returns what starts missions, for the dispatcher.
    #[must_use]
    pub fn runner(&self) -> &Runner {
        &self.runner
    }

    /// Returns the clock.
    #[must_use]
    pub fn clock(&self) -> &Clock {
        &self.clock
    }

    /// Returns the keys, for the proof that this server has them.
    #[must_use]
    pub fn keys(&self) -> &Keys {
        &self.keys
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

    /// Reads the newest report of a mission.
    pub(crate) async fn latest_report(&self, mission: &MissionId) -> Result<Option<Report>> {
        Ok(self.store.latest_report(by::report::mission(mission)).await?)
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
