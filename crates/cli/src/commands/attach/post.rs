//! Messages that were sent from here, and how far each got.

use std::time::Duration;

use api::devfleet::{DeliveryStatus, ListSessionMessages, MessageRow, SendSessionMessage};
use client::Client;
use config::Environment;
use futures::FutureExt as _;
use futures::future::BoxFuture;
use runtime::Clock;
use types::{LetterId, SessionId};

use crate::failure::Failure;
use crate::options::Options;
use crate::session::cut;

/// How often it is looked how far messages got, while any is under way.
const LOOK_EVERY: Duration = Duration::from_millis(200);
/// Characters of a message by which a person knows it again.
const KNOWN_BY: usize = 40;

/// Sends, and watches what happens to it.
pub(super) struct Post {
    session: SessionId,
    options: Options,
    environment: Environment,
    clock: Clock,
    sent: Vec<Sent>,
    /// A look that continues, whatever else comes meanwhile.
    looking: Option<BoxFuture<'static, Vec<MessageRow>>>,
    failed: bool,
}

struct Sent {
    id: LetterId,
    text: String,
    delivery: DeliveryStatus,
}

impl Post {
    pub(super) fn new(session: SessionId, options: &Options, environment: &Environment, clock: &Clock) -> Self {
        let (options, environment, clock) = (options.clone(), environment.clone(), clock.clone());
        Self { session, options, environment, clock, sent: Vec::new(), looking: None, failed: false }
    }

    /// Sends a message.
    pub(super) async fn send(&mut self, text: &str) -> Result<(), Failure> {
        let message = SendSessionMessage { session: self.session.clone(), text: text.to_owned() };
        let sent = match self.client().await {
            Ok(client) => client.call(message).await.map_err(Failure::from),
            Err(failure) => Err(failure),
        };
        let sent = sent.inspect_err(|_| self.failed = true)?.output;
        self.sent.push(Sent { id: sent.id, text: text.to_owned(), delivery: sent.delivery });
        Ok(())
    }

    /// Looks how far messages got, and says what is new; waits for ever while none is under way.
    ///
    /// Dropping the future loses nothing.
    pub(super) async fn look(&mut self) -> Result<Vec<String>, Failure> {
        if self.sent.iter().all(|sent| is_settled(sent.delivery)) {
            return std::future::pending().await;
        }
        let begun = match self.looking.take() {
            Some(looking) => looking,
            None => self.rows(),
        };
        let rows = self.looking.insert(begun).await;
        self.looking = None;
        let mut told = Vec::new();
        for sent in &mut self.sent {
            if let Some(row) = rows.iter().find(|row| row.id == sent.id && row.delivery != sent.delivery) {
                sent.delivery = row.delivery;
                told.push(format!("  {} \"{}\"", state(row), cut(&sent.text, KNOWN_BY)));
            }
        }
        self.failed |= self.sent.iter().any(|sent| sent.delivery == DeliveryStatus::Undelivered);
        Ok(told)
    }

    fn rows(&self) -> BoxFuture<'static, Vec<MessageRow>> {
        let (options, environment, clock) = (self.options.clone(), self.environment.clone(), self.clock.clone());
        let list = ListSessionMessages { session: self.session.clone() };
        let rows = async move {
            clock.sleep(LOOK_EVERY).await;
            // The follower of the session reports a server that is gone.
            let Ok(client) = options.connect(&environment, &clock).await else { return Vec::new() };
            client.call(list).await.map(|reply| reply.output.items).unwrap_or_default()
        };
        rows.boxed()
    }

    /// Returns whether no message waits for the agent any more.
    pub(super) fn is_handed_over(&self) -> bool {
        self.waiting() == 0
    }

    /// Counts the messages that wait for the agent.
    pub(super) fn waiting(&self) -> usize {
        self.sent.iter().filter(|sent| sent.delivery == DeliveryStatus::Queued).count()
    }

    /// Returns whether a message was refused, or will not be read.
    pub(super) fn failed(&self) -> bool {
        self.failed
    }

    /// A server that was started anew may listen elsewhere.
    async fn client(&self) -> Result<Client, Failure> {
        self.options.connect(&self.environment, &self.clock).await
    }
}

fn is_settled(delivery: DeliveryStatus) -> bool {
    match delivery {
        DeliveryStatus::Queued | DeliveryStatus::Delivered => false,
        DeliveryStatus::Acknowledged | DeliveryStatus::Undelivered => true,
    }
}

fn state(row: &MessageRow) -> String {
    match row.delivery {
        DeliveryStatus::Queued => "waits again:".to_owned(),
        DeliveryStatus::Delivered => "delivered:".to_owned(),
        DeliveryStatus::Acknowledged => "acknowledged:".to_owned(),
        DeliveryStatus::Undelivered => {
            format!("not delivered ({}):", row.why.as_deref().unwrap_or("the session is over"))
        }
    }
}
