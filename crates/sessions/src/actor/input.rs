//! What a process is told: answers to what it asks, and letters, until its work is done.

use std::time::Duration;

use agents::Say;
use types::Delivery;

use super::Actor;
use super::follow::{Following, unreadable};
use super::stream_state::Wish;
use crate::Result;
use crate::messages::{handed_over, uuid};
use crate::outbox::{Cause, Hand, Outbox, Sent};
use crate::processes::Running;

/// How long an agent may take to exit on its own once its work is done and its input is closed.
const LINGER: Duration = Duration::from_secs(20);

impl Actor {
    pub(super) async fn grant(&mut self, following: &mut Following, wish: Wish) -> Result<()> {
        match wish {
            Wish::Answer { request, say } => {
                if let (Some(line), Some(outbox)) = (self.adapter()?.say(&say), &mut following.outbox) {
                    outbox.push(Cause::Answer { request }, line).map_err(unreadable)?;
                }
            }
            Wish::Decide { request, tool, input } => self.asked(following, request, &tool, input).await?,
            Wish::Acknowledged { id } => self.acknowledged(&id).await?,
            Wish::Servers(servers) => self.fared(servers).await?,
            Wish::TurnOver => {
                self.tell_answers(following).await?;
                self.load_letters(following).await?;
                self.close_if_done(following).await;
            }
            Wish::Stop(stop) => self.halt(following, stop, None),
        }
        Ok(())
    }

    /// Closes the input of an agent whose work is done, which asks it to go. It may have something to say all the
    /// same, and has its time to go again after that.
    async fn close_if_done(&self, following: &mut Following) {
        let busy = following.outbox.as_ref().is_some_and(Outbox::is_busy);
        if let Some(running) = &following.running
            && following.heard.is_done()
            && !busy
        {
            if following.linger.is_none() {
                // A shim that is gone has closed it already.
                let _ = running.close_input().await;
            }
            let now = self.shared.parts.clock.now();
            following.linger = Some(now + LINGER);
        }
    }

    /// Puts letters into the outbox that were written since.
    pub(super) async fn load_letters(&mut self, following: &mut Following) -> Result<()> {
        let Some(outbox) = &mut following.outbox else { return Ok(()) };
        if following.stop.is_some() || following.linger.is_some() || following.heard.has_left() {
            return Ok(());
        }
        // A letter begins a turn: it waits until there is something to spend.
        if self.shared.overdrawn(&self.session, self.shared.parts.clock.now()).await?.is_some() {
            return Ok(());
        }
        let adapter = self.shared.agent_registry().of_session(&self.session.order.agent);
        for letter in self.shared.queued(&self.session.id, following.letters).await? {
            following.letters = letter.number;
            let say = Say::Message { id: uuid(letter.id.as_str()), text: letter.text };
            if let Some(line) = adapter.say(&say) {
                // Before it is sent: it may be acknowledged before the delivery is reported.
                self.told.insert(uuid(letter.id.as_str()), letter.id.clone());
                outbox.push(Cause::Letter { id: letter.id }, line).map_err(unreadable)?;
            }
        }
        Ok(())
    }

    pub(super) async fn sent(&mut self, following: &mut Following, sent: Sent) -> Result<()> {
        let now = self.shared.parts.clock.now();
        match (sent.cause, sent.result) {
            (Cause::Letter { id }, Ok(())) => {
                following.heard.told(uuid(id.as_str()), now);
                self.shared.delivered(&self.session, &id, handed_over(now)).await?;
            }
            // What was not handed over stays in the queue; the end of the process settles it.
            (cause, Err(error)) => {
                tracing::debug!(session = %self.session.id, ?cause, %error, "an agent could not be told something");
            }
            (Cause::Opening { .. } | Cause::Answer { .. }, Ok(())) => {}
        }
        self.close_if_done(following).await;
        Ok(())
    }

    async fn acknowledged(&mut self, id: &str) -> Result<()> {
        let Some(letter) = self.told.get(id).cloned() else { return Ok(()) };
        let at = self.shared.parts.clock.now();
        self.shared.delivered(&self.session, &letter, Delivery::Acknowledged { at }).await
    }
}

/// Says how lines get to an agent.
pub(super) fn hand(running: Running) -> Hand {
    Box::new(move |seq, bytes| running.input(seq, bytes))
}

/// Waits until a line is handed over; for ever if none is to be.
pub(super) async fn next_sent(outbox: &mut Option<Outbox>) -> Sent {
    match outbox {
        Some(outbox) => outbox.next().await,
        None => futures::future::pending().await,
    }
}
