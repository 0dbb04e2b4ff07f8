//! The loop: read what ended, store deliveries, send them, retry.

use std::sync::Arc;
use std::time::Duration;

use config::{Secret, Settings};
use futures::future::join_all;
use redact::Redactor;
use runtime::{Clock, Rng, Stop};
use store::{Query, Store, by};
use tokio::sync::watch;
use types::{Callback, CallbackState, Event, Timestamp};

use crate::decide::{Next, after};
use crate::gather::{Gatherer, by_itself};
use crate::send::{Delivery, Manner, send};

/// How long to wait when the store fails.
const PAUSE: Duration = Duration::from_secs(1);

/// Most callbacks that are tried at once.
const AT_ONCE: usize = 16;

/// What telling takes.
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
    /// What takes secrets out of what is told.
    pub redactor: Arc<Redactor>,
    /// What is signed with, unless the settings name something else.
    pub secret: Secret,
}

/// Sends the callbacks.
#[derive(Debug)]
pub struct Outbox(Parts);

impl Outbox {
    /// Makes the outbox; nothing is sent yet.
    #[must_use]
    pub fn new(parts: Parts) -> Self {
        Self(parts)
    }

    /// Sends until it is asked to stop. Stored deliveries that were not sent are sent by the next server.
    pub async fn run(&self, stop: &Stop) {
        loop {
            tokio::select! {
                () = stop.asked() => return,
                failed = self.work() => match failed {
                    Ok(never) => match never {},
                    Err(error) => tracing::error!(%error, "callbacks cannot continue; they are begun again"),
                },
            }
            tokio::select! {
                () = stop.asked() => return,
                () = self.0.clock.sleep(PAUSE) => {}
            }
        }
    }

    async fn work(&self) -> Result<std::convert::Infallible, store::Error> {
        let mut gatherer = Gatherer::open(&self.0.store, &self.0.clock, &self.0.redactor).await?;
        let mut next_at = self.deliver().await?;
        loop {
            tokio::select! {
                entry = gatherer.next() => {
                    if gatherer.take_in(entry?.as_ref()).await? {
                        next_at = self.deliver().await?;
                    }
                }
                () = self.until(next_at) => next_at = self.deliver().await?,
            }
        }
    }

    async fn until(&self, at: Option<Timestamp>) {
        match at {
            Some(at) => self.0.clock.sleep_until(at).await,
            None => std::future::pending().await,
        }
    }

    /// Tries what is due, and says when the next is.
    async fn deliver(&self) -> Result<Option<Timestamp>, store::Error> {
        loop {
            let now = self.0.clock.now();
            let found = self.0.store.list::<Callback>(Query::earliest(by::callback::due(), AT_ONCE)).await?.records;
            let next_at = found.first().and_then(due_at);
            let due: Vec<_> =
                found.into_iter().filter(|callback| due_at(callback).is_some_and(|at| at <= now)).collect();
            if due.is_empty() {
                return Ok(next_at);
            }
            for done in join_all(due.iter().map(|callback| self.attempt(callback))).await {
                done?;
            }
        }
    }

    async fn attempt(&self, callback: &Callback) -> Result<(), store::Error> {
        let settings = Arc::clone(&self.0.settings.borrow());
        let secret = settings.callback_secret.as_ref().unwrap_or(&self.0.secret);
        let manner = Manner {
            secret: Some(secret.expose()),
            link_local: settings.callback_link_local,
            seconds: self.0.clock.now().as_second(),
        };
        let tries = callback.tries.saturating_add(1);
        let delivery = Delivery { id: callback.id.as_str(), url: &callback.url, body: &callback.body, attempt: tries };
        let answer = send(&self.0.clock, &delivery, &manner).await;
        let now = self.0.clock.now();
        let next = after(tries, &answer, now, self.0.rng.below(1_000) as f64 / 1_000.0);
        tracing::debug!(callback = %callback.id, mission = %callback.mission, ?next, "a callback was tried");
        self.settle(callback, tries, next, now).await
    }

    /// Writes down what came of a try.
    async fn settle(&self, callback: &Callback, tries: u32, next: Next, now: Timestamp) -> Result<(), store::Error> {
        let (mission, id) = (callback.mission.clone(), callback.id.clone());
        let (state, event) = match next {
            Next::Delivered { status } => {
                (CallbackState::Delivered { at: now, status }, Some(Event::CallbackDelivered { mission, callback: id }))
            }
            Next::Again { at, why } => (CallbackState::Due { at, why: Some(why) }, None),
            Next::GiveUp { why } => {
                tracing::warn!(callback = %id, %mission, why, "a callback is given up");
                let event = Event::CallbackFailed { mission, callback: id, why: why.clone() };
                (CallbackState::GivenUp { at: now, why }, Some(event))
            }
        };
        let (changed, event) = (&Callback { tries, state, updated_at: now, ..callback.clone() }, &event);
        let stamp = by_itself(now, callback.team.clone());
        self.0
            .store
            .transact(&stamp, |tx| async move {
                let Some(held) = tx.get::<Callback>(&changed.id).await? else { return Ok(()) };
                tx.update(&held, changed)?;
                event.iter().cloned().for_each(|event| tx.append(event));
                Ok(())
            })
            .await
    }
}

fn due_at(callback: &Callback) -> Option<Timestamp> {
    match &callback.state {
        CallbackState::Due { at, .. } => Some(*at),
        CallbackState::Delivered { .. } | CallbackState::GivenUp { .. } => None,
    }
}
