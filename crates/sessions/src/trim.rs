//! Room that the output of agents takes: which sessions keep only its end, and the pass that sees to it.
//!
//! Only a session that is over loses anything, and it keeps what people look for: its record, the end of what each of
//! its processes wrote, and the word that there was more. Conversations are the agents' own and lie elsewhere, so a
//! session continues, is forked or is cut from there as before.

use std::path::PathBuf;

use config::Settings;
use supervisor::{Kept, Spool, Trimmed};
use types::{Session, SessionId, Timestamp};

use crate::manager::{SessionManager, Shared};

/// What stays of each process: enough for the last turns, and for the error that ended it.
const KEPT: Kept = Kept { output: 64 << 10, errors: 16 << 10 };

/// Megabytes are counted as disks do.
const MEGABYTE: u64 = 1_000_000;

/// The seconds of a day.
const DAY_SECS: i64 = 86_400;

/// What the output of one session takes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Found {
    pub(crate) session: String,
    pub(crate) spools: Vec<Spool>,
    /// When something was last written.
    pub(crate) last: Timestamp,
    pub(crate) bytes: u64,
    /// What of it would go.
    pub(crate) removable: u64,
    pub(crate) live: bool,
}

/// What the settings say.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Rules {
    days: Option<u32>,
    bytes_max: Option<u64>,
}

impl SessionManager {
    /// Sees to the room that the output of agents takes.
    pub async fn trim_spools(&self) {
        self.0.trim_spools().await;
    }

    /// Returns whether something that a session's agent wrote is not there any more.
    #[must_use]
    pub fn trimmed(&self, session: &Session) -> Option<Trimmed> {
        let runs = (1..=session.runs).rev().map(|run| self.0.spools.run(session, run));
        // A word that cannot be read says at least nothing wrong.
        runs.filter_map(|spool| spool.trimmed().ok().flatten()).next()
    }
}

impl Shared {
    pub(crate) async fn trim_spools(&self) {
        let rules = Rules::of(&self.settings());
        let clock = &self.parts.clock;
        if rules == (Rules { days: None, bytes_max: None }) {
            return;
        }
        let spools = self.spools.clone();
        let mut found = runtime::blocking(move || spools.found(KEPT)).await;
        for one in &mut found {
            one.live = self.is_live(&one.session);
        }
        let (mut sessions, mut freed) = (0_u64, 0_u64);
        for one in plan(&found, rules, clock.now()) {
            // Asked again: it may have been resumed. A process that begins meanwhile has a spool of its own.
            if self.may_trim(&one.session).await {
                freed += self.trim(one.spools.clone()).await;
                sessions += 1;
            }
        }
        if sessions > 0 {
            tracing::info!(sessions, freed, "what agents of ended sessions wrote was trimmed");
        }
    }

    async fn trim(&self, spools: Vec<Spool>) -> u64 {
        let now = self.parts.clock.now();
        let trim = move || spools.iter().map(|spool| (spool.path().to_owned(), spool.trim(KEPT, now))).collect();
        let done: Vec<(PathBuf, std::io::Result<u64>)> = runtime::blocking(trim).await;
        let freed = done.into_iter().filter_map(|(path, freed)| {
            let told = |error: &std::io::Error| tracing::warn!(%error, path = %path.display(), "cannot trim a spool");
            freed.inspect_err(told).ok()
        });
        freed.sum()
    }

    fn is_live(&self, session: &str) -> bool {
        session.parse::<SessionId>().is_ok_and(|id| self.reach(&id).is_some())
    }

    /// Returns whether a session is over for certain; one whose record is gone is.
    async fn may_trim(&self, session: &str) -> bool {
        let Ok(id) = session.parse::<SessionId>() else { return false };
        if self.reach(&id).is_some() {
            return false;
        }
        match self.parts.store.get::<Session>(&id).await {
            Ok(found) => found.is_none_or(|session| !session.state.is_live()),
            Err(_) => false,
        }
    }
}

impl Rules {
    fn of(settings: &Settings) -> Self {
        let days = settings.spool_keep_days;
        let megabytes = settings.spools_mb_max;
        Self { days: (days > 0).then_some(days), bytes_max: (megabytes > 0).then_some(u64::from(megabytes) * MEGABYTE) }
    }
}

/// Decides which sessions keep only the end of their output: what is too old, then the oldest until there is room.
fn plan(found: &[Found], rules: Rules, now: Timestamp) -> Vec<&Found> {
    let mut total: u64 = found.iter().map(|one| one.bytes).sum();
    let mut over: Vec<&Found> = found.iter().filter(|one| !one.live && one.removable > 0).collect();
    over.sort_by_key(|one| one.last);
    over.retain(|one| {
        let age = now.as_second().saturating_sub(one.last.as_second());
        let is_old = rules.days.is_some_and(|days| age >= i64::from(days) * DAY_SECS);
        let is_too_much = rules.bytes_max.is_some_and(|most| total > most);
        if is_old || is_too_much {
            total = total.saturating_sub(one.removable);
        }
        is_old || is_too_much
    });
    over
}

#[cfg(test)]
#[path = "trim_tests.rs"]
mod tests;
