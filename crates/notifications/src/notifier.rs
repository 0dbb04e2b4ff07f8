//! The loop: read what waits for a person, store what is to be told, tell it, retry.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use callbacks::{Answer, Delivery, Manner, Next, after, send};
use config::{Secret, Settings};
use redact::Redactor;
use runtime::{Clock, Rng, Stop};
use store::{Query, Store, by};
use tokio::sync::watch;
use types::{Channel, Notification, Timestamp};

use crate::desktop::Desktop;
use crate::digest::{Digest, digest};
use crate::gather::{Gatherer, WAITING_MAX, by_itself};
use crate::subject::sentence;

/// How long to wait when the store fails.
const PAUSE: Duration = Duration::from_secs(1);

/// The least time between two messages by one channel; what comes in between is told as one.
const SPACING: Duration = Duration::from_secs(30);

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
    /// The desktop.
    pub desktop: Desktop,
}

/// Notifies people of what waits for them.
#[derive(Debug)]
pub struct Notifier(Parts);

/// When each channel was last used; lost with the server, which costs one message.
type LastSent = BTreeMap<Channel, Timestamp>;

impl Notifier {
    /// Makes the notifier; nothing is sent yet.
    #[must_use]
    pub fn new(parts: Parts) -> Self {
        Self(parts)
    }

    /// Sends until it is asked to stop. What is stored and was not sent is sent by the next server.
    pub async fn run(&self, stop: &Stop) {
        loop {
            tokio::select! {
                () = stop.asked() => return,
                failed = self.work() => match failed {
                    Ok(never) => match never {},
                    Err(error) => tracing::error!(%error, "notifications cannot continue; they are begun again"),
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
        let mut settings = self.0.settings.clone();
        let mut sent = LastSent::new();
        let mut next_at = self.deliver(&mut sent).await?;
        loop {
            tokio::select! {
                entry = gatherer.next() => {
                    let entry = entry?;
                    let now = Arc::clone(&settings.borrow_and_update());
                    if gatherer.take_in(entry.as_ref(), &self.channels(&now), &now).await? {
                        next_at = self.deliver(&mut sent).await?;
                    }
                }
                () = self.until(next_at) => next_at = self.deliver(&mut sent).await?,
                Ok(()) = settings.changed() => next_at = self.deliver(&mut sent).await?,
            }
        }
    }

    async fn until(&self, at: Option<Timestamp>) {
        match at {
            Some(at) => self.0.clock.sleep_until(at).await,
            None => std::future::pending().await,
        }
    }

    /// Returns the channels that the settings name.
    fn channels(&self, settings: &Settings) -> Vec<Channel> {
        let is_on = |channel: &Channel| match channel {
            Channel::Desktop => settings.notify_desktop && self.0.desktop.is_there(),
            Channel::Webhook => settings.notify_webhook.is_some(),
            Channel::Slack => settings.notify_slack.is_some(),
        };
        Channel::ALL.into_iter().filter(is_on).collect()
    }

    /// Sends what is due, and says when the next is.
    async fn deliver(&self, sent: &mut LastSent) -> Result<Option<Timestamp>, store::Error> {
        let mut next: Option<Timestamp> = None;
        for channel in Channel::ALL {
            let at = self.deliver_by(channel, sent).await?;
            next = next.into_iter().chain(at).min();
        }
        Ok(next)
    }

    async fn deliver_by(&self, channel: Channel, sent: &mut LastSent) -> Result<Option<Timestamp>, store::Error> {
        loop {
            let (now, settings) = (self.0.clock.now(), Arc::clone(&self.0.settings.borrow()));
            let due = Query::earliest(by::notification::due(channel), WAITING_MAX);
            let stored = self.0.store.list::<Notification>(due).await?.records;
            let Some(first) = stored.first().map(|first| first.at) else { return Ok(None) };
            let spaced =
                sent.get(&channel).map_or(first, |last| first.max(last.saturating_add(SPACING).unwrap_or(*last)));
            let quiet = settings.notify_quiet.as_ref().and_then(|quiet| quiet.ends_at(now.max(spaced)));
            let at = quiet.unwrap_or(spaced);
            if at > now {
                return Ok(Some(at));
            }
            let mut due = Vec::new();
            for one in stored.into_iter().filter(|one| one.at <= now) {
                // What was settled meanwhile, or is for a channel that is off, is not told.
                if self.channels(&settings).contains(&channel) && sentence(&self.0.store, &one.about).await?.is_some() {
                    due.push(one);
                } else {
                    self.settle(&one, None).await?;
                }
            }
            let Some(words) = digest(channel, &due) else { continue };
            let tries = due.iter().map(|one| one.tries).min().unwrap_or_default().saturating_add(1);
            let answer = self.send(channel, &settings, &due, &words, tries).await;
            sent.insert(channel, self.0.clock.now());
            self.follow_up(channel, &due, &answer).await?;
        }
    }

    async fn send(
        &self,
        channel: Channel,
        settings: &Settings,
        due: &[Notification],
        words: &Digest,
        attempt: u32,
    ) -> Answer {
        let clock = &self.0.clock;
        let url = match channel {
            Channel::Desktop => {
                // It is shown now or never: an old one does not help.
                return match self.0.desktop.show(clock, &words.text).await {
                    Ok(()) => Answer::Status(200),
                    Err(why) => Answer::Refused(why),
                };
            }
            Channel::Webhook => &settings.notify_webhook,
            Channel::Slack => &settings.notify_slack,
        };
        let Some(url) = url else { return Answer::Refused("no address is set".to_owned()) };
        let id = due.first().map_or("", |first| first.id.as_str());
        let secret = settings.callback_secret.as_ref().unwrap_or(&self.0.secret);
        let manner = Manner {
            secret: (channel == Channel::Webhook).then(|| secret.expose()),
            link_local: settings.callback_link_local,
            seconds: clock.now().as_second(),
        };
        send(clock, &Delivery { id, url: url.expose(), body: &words.body, attempt }, &manner).await
    }

    /// Writes down what came of a try.
    async fn follow_up(&self, channel: Channel, due: &[Notification], answer: &Answer) -> Result<(), store::Error> {
        let (now, chance) = (self.0.clock.now(), self.0.rng.below(1_000) as f64 / 1_000.0);
        for one in due {
            let again = match after(one.tries.saturating_add(1), answer, now, chance) {
                Next::Delivered { .. } => None,
                Next::Again { at, .. } => Some(at),
                Next::GiveUp { why } => {
                    tracing::warn!(channel = channel.as_str(), id = %one.id, why, "a notification is given up");
                    None
                }
            };
            self.settle(one, again).await?;
        }
        Ok(())
    }

    /// Removes a notification, or has it tried again.
    async fn settle(&self, one: &Notification, again: Option<Timestamp>) -> Result<(), store::Error> {
        let stamp = by_itself(self.0.clock.now());
        self.0
            .store
            .transact(&stamp, |tx| async move {
                let Some(held) = tx.get::<Notification>(&one.id).await? else { return Ok(()) };
                match again {
                    Some(at) => {
                        let next = Notification { tries: one.tries.saturating_add(1), at, ..held.record.clone() };
                        tx.update(&held, &next)
                    }
                    None => {
                        tx.delete(&held);
                        Ok(())
                    }
                }
            })
            .await
    }
}

#[cfg(test)]
#[path = "notifier_tests.rs"]
mod tests;
