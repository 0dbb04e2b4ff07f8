//! The loop: waits for a landing or for the hour, and walks the table.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use config::Settings;
use futures::stream::{self, StreamExt as _};
use runtime::{Clock, Stop};
use store::{Store, Tail};
use tokio::sync::watch;
use types::{Event, Landing, LandingId, LandingStateName, Session, Timestamp};

use crate::find::{Due, Finder};
use crate::kinds::{KINDS, Keep, Kind, Rule};
use crate::needed;
use crate::outside::{Outside, Refused};
use crate::remove::Remover;

/// How long a new server waits before its first sweep: starting has precedence.
const FIRST: Duration = Duration::from_secs(5);

/// How often everything is looked at.
const EVERY: Duration = Duration::from_secs(3_600);

/// Pause between two slices, so that a sweep through much takes a small share of the machine.
const BREATH: Duration = Duration::from_millis(5);

/// Records that are removed at the same time, so that their commits share a disk write.
const AT_ONCE: usize = 16;

/// Pause after a failure of the store.
const PAUSE: Duration = Duration::from_secs(60);

/// What keeps something from being looked at or removed.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Error {
    /// The store failed.
    #[error(transparent)]
    Store(#[from] store::Error),
    /// Git, or the disk.
    #[error(transparent)]
    Outside(#[from] Refused),
}

/// What retention works with.
#[derive(Debug)]
pub struct Parts {
    /// Where records are.
    pub store: Store,
    /// What time it is.
    pub clock: Clock,
    /// The settings in force.
    pub settings: watch::Receiver<Arc<Settings>>,
    /// What is not in the store.
    pub outside: Arc<dyn Outside>,
}

/// Removes what is too old; clones are the same.
#[derive(Debug, Clone)]
pub struct Retention(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    parts: Parts,
    /// Held during a sweep: two at once would do the same work.
    turn: tokio::sync::Mutex<()>,
    last: Mutex<Option<Timestamp>>,
}

/// Whether a sweep removes what it finds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// It only counts.
    Look,
    /// It removes.
    Remove,
}

/// What a sweep found of a kind.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Swept {
    /// The kind.
    pub kind: Kind,
    /// Its name.
    pub name: &'static str,
    /// What goes, in a few words.
    pub what: &'static str,
    /// The setting that says when.
    pub setting: &'static str,
    /// How long it is kept.
    pub keep: Keep,
    /// How much is due, or was removed.
    pub count: u64,
    /// Why some could not be looked at or removed; the first reason.
    pub failed: Option<String>,
}

impl Retention {
    /// Makes the loop; nothing is removed yet.
    #[must_use]
    pub fn new(parts: Parts) -> Self {
        Self(Arc::new(Inner { parts, turn: tokio::sync::Mutex::default(), last: Mutex::default() }))
    }

    /// Removes what is too old until it is asked to stop.
    pub async fn run(&self, stop: &Stop) {
        tokio::select! {
            biased;
            () = stop.asked() => {}
            () = self.endlessly() => {}
        }
    }

    /// Walks the whole table once.
    pub async fn sweep(&self, mode: Mode) -> Vec<Swept> {
        let _turn = self.0.turn.lock().await;
        let settings = Arc::clone(&self.0.parts.settings.borrow());
        let mut finder = self.finder(&settings);
        let mut swept = Vec::with_capacity(KINDS.len());
        for rule in &KINDS {
            swept.push(self.walk(&mut finder, rule, &settings, mode).await);
        }
        if mode == Mode::Remove {
            *self.0.last.lock().unwrap_or_else(PoisonError::into_inner) = Some(self.0.parts.clock.now());
            tell(&swept);
        }
        swept
    }

    /// Returns when everything was last looked at and removed.
    #[must_use]
    pub fn last(&self) -> Option<Timestamp> {
        *self.0.last.lock().unwrap_or_else(PoisonError::into_inner)
    }

    async fn endlessly(&self) {
        let Parts { store, clock, .. } = &self.0.parts;
        let mut tail = store.tail(store.position());
        let mut next = clock.monotonic().saturating_add(FIRST);
        loop {
            let rest = next.saturating_sub(clock.monotonic());
            tokio::select! {
                biased;
                () = clock.sleep(rest) => {
                    self.sweep(Mode::Remove).await;
                    next = clock.monotonic().saturating_add(EVERY);
                }
                landed = landed(&mut tail) => match landed {
                    Ok(landings) => self.landed(&landings).await,
                    Err(error) => {
                        tracing::warn!(%error, "retention cannot read the change feed; it continues from its end");
                        clock.sleep(PAUSE).await;
                        tail = store.tail(store.position());
                    }
                },
            }
        }
    }

    /// Removes the worktrees of work that has just landed; what cannot be removed now waits for the sweep.
    async fn landed(&self, landings: &[LandingId]) {
        let _turn = self.0.turn.lock().await;
        if self.0.parts.settings.borrow().keep_landed_worktrees {
            return;
        }
        for landing in landings {
            if let Err(error) = self.remove_landed(landing).await {
                tracing::warn!(%landing, %error, "the worktree of what has landed cannot be removed now");
            }
        }
    }

    async fn remove_landed(&self, landing: &LandingId) -> Result<(), Error> {
        let Parts { store, outside, .. } = &self.0.parts;
        let Some(landing) = store.get::<Landing>(landing).await? else { return Ok(()) };
        let Some(session) = store.get::<Session>(&landing.session).await? else { return Ok(()) };
        let is_over = needed::is_over(store, outside.as_ref(), &session.id).await?;
        if is_over && outside.has_worktree(&session) && needed::has_landed(store, &session).await? {
            outside.remove_worktree(&session).await?;
        }
        Ok(())
    }

    fn finder(&self, settings: &Settings) -> Finder<'_> {
        let Parts { store, outside, .. } = &self.0.parts;
        let landed_at_once = !settings.keep_landed_worktrees;
        Finder { store, outside: outside.as_ref(), landed_at_once, references: HashMap::new() }
    }

    async fn walk(&self, finder: &mut Finder<'_>, rule: &Rule, settings: &Settings, mode: Mode) -> Swept {
        let Rule { kind, name, what, setting, .. } = *rule;
        let keep = rule.keep(settings);
        let mut swept = Swept { kind, name, what, setting, keep, count: 0, failed: None };
        let clock = &self.0.parts.clock;
        let before = match keep {
            Keep::For(age) => clock.now().checked_sub(age).ok(),
            Keep::Forever => None,
        };
        if kind == Kind::Output && mode == Mode::Remove {
            self.0.parts.outside.trim_output().await;
        }
        let mut after = None;
        loop {
            let slice = match finder.slice(kind, before, after).await {
                Ok(slice) => slice,
                Err(error) => {
                    swept.failed.get_or_insert(error.to_string());
                    return swept;
                }
            };
            match mode {
                Mode::Look => swept.count += slice.due.iter().map(many).sum::<u64>(),
                Mode::Remove => self.remove_all(slice.due, before, &mut swept).await,
            }
            after = slice.next;
            if after.is_none() {
                break;
            }
            clock.sleep(BREATH).await;
        }
        if kind == Kind::Branches && mode == Mode::Remove {
            for folder in finder.references.keys() {
                if let Err(error) = self.0.parts.outside.pack(folder).await {
                    swept.failed.get_or_insert(error.to_string());
                }
            }
        }
        swept
    }

    async fn remove_all(&self, due: Vec<Due>, before: Option<Timestamp>, swept: &mut Swept) {
        // One process of git at a time.
        let is_git = matches!(swept.kind, Kind::Worktrees | Kind::Branches);
        let at_once = if is_git { 1 } else { AT_ONCE };
        let mut removing = stream::iter(due).map(|due| self.remove(due, before)).buffer_unordered(at_once);
        while let Some(removed) = removing.next().await {
            match removed {
                Ok(gone) => swept.count += gone,
                Err(error) => {
                    tracing::warn!(kind = swept.name, %error, "something old could not be removed");
                    swept.failed.get_or_insert(error.to_string());
                }
            }
        }
    }

    async fn remove(&self, due: Due, before: Option<Timestamp>) -> Result<u64, Error> {
        let Parts { store, outside, clock, .. } = &self.0.parts;
        let (now, before) = (clock.now(), before.unwrap_or(Timestamp::MIN));
        let remover = Remover { store, outside: outside.as_ref(), now, before };
        // What is counted and not listed goes some at a time.
        let (all, is_feed) = (many(&due), matches!(due, Due::Changes(_)));
        let again = || if is_feed { Due::Changes(0) } else { Due::Spending(0) };
        let (mut gone, mut next) = (0, Some(due));
        while let Some(due) = next.take() {
            let removed = remover.remove(due).await?;
            gone += removed;
            next = (removed > 0 && gone < all).then(again);
        }
        Ok(gone)
    }
}

/// How many things a due thing is.
fn many(due: &Due) -> u64 {
    match due {
        Due::Changes(count) | Due::Spending(count) => *count as u64,
        Due::Worktree(_)
        | Due::Branch(_)
        | Due::Events(_)
        | Due::Files(_)
        | Due::Approval(_)
        | Due::Question(_)
        | Due::Execution(_)
        | Due::Violation(_)
        | Due::Answer(_)
        | Due::Mission(_)
        | Due::Session(_)
        | Due::Report(_)
        | Due::Landing(_) => 1,
    }
}

/// Waits until something has landed.
async fn landed(tail: &mut Tail) -> Result<Vec<LandingId>, store::Error> {
    loop {
        let entry = tail.next().await?;
        let mut landings = Vec::new();
        for event in &entry.change.events {
            if let Event::LandingMoved { landing, to: LandingStateName::Landed, .. } = event {
                landings.push(landing.clone());
            }
        }
        if !landings.is_empty() {
            return Ok(landings);
        }
    }
}

fn tell(swept: &[Swept]) {
    for one in swept.iter().filter(|one| one.count > 0) {
        tracing::info!(kind = one.name, removed = one.count, "removed what was too old");
    }
}
