//! Messages to agents: stored before anything is promised, then handed over once and in order.

use std::time::Duration;

use sha2::{Digest as _, Sha256};
use store::{Query, Stamp, by};
use types::{Delivery, Event, Letter, LetterId, Session, SessionId, Timestamp};

use crate::actor::Command;
use crate::error::Refusal;
use crate::manager::{SessionManager, Shared};
use crate::{Error, Result};

/// Why a message to a session that is over will not be read.
pub(crate) const OVER: &str = "the session is over";

/// Letters read at once.
const LETTERS_MAX: usize = 1_000;

impl SessionManager {
    /// Writes to the agent of a session; the letter is stored, and handed over as soon as a process can take it.
    ///
    /// # Errors
    /// Refuses a session that is over, or an agent that cannot be told anything.
    pub async fn write(&self, id: &SessionId, text: &str, stamp: &Stamp) -> Result<Letter> {
        let session = self.get(id).await?;
        let Some(reach) = self.0.reach(id).filter(|_| session.state.is_live()) else {
            return Err(Refusal::WrongState { session: id.clone(), state: session.state.name() }.into());
        };
        if !self.0.agent_registry().find(&session.order.agent)?.capabilities().live_input {
            return Err(Refusal::Incapable { agent: session.order.agent, what: "be told anything" }.into());
        }
        let letter = self.0.parts.store.transact(stamp, |tx| async move {
            // Read here too, so that a letter to a session that ends at this moment is not taken.
            if let Some(held) = tx.get::<Session>(id).await?
                && !held.record.state.is_live()
            {
                return Err(Refusal::WrongState { session: id.clone(), state: held.record.state.name() }.into());
            }
            let code = self.0.parts.rng.short_code(8);
            let number = tx.next_number(&by::session::letters(id)).await?;
            let fault = |error: types::IdError| Error::File {
                what: "cannot make a letter".to_owned(),
                source: std::io::Error::other(error),
            };
            let letter = Letter {
                id: LetterId::from_code(&code).map_err(fault)?,
                session: id.clone(),
                number,
                from: stamp.handle.clone(),
                text: text.to_owned(),
                delivery: Delivery::Queued,
                created_at: stamp.at,
            };
            tx.insert(&letter)?;
            tx.append(Event::LetterWritten { session: id.clone(), number });
            Ok::<_, Error>(letter)
        });
        let letter = letter.await?;
        // A session that ends meanwhile looks for letters when it does.
        let _ = reach.commands.send(Command::Letters);
        Ok(letter)
    }

    /// Reads a letter.
    ///
    /// # Errors
    /// When the store fails.
    pub async fn letter(&self, id: &LetterId) -> Result<Option<Letter>> {
        let Some(letter) = self.0.parts.store.get::<Letter>(id).await? else { return Ok(None) };
        let session = self.0.parts.store.get::<Session>(&letter.session).await?;
        Ok(Some(settled(letter, session.as_ref())))
    }

    /// Lists the letters of a session, in the order they were written.
    ///
    /// # Errors
    /// When the store fails.
    pub async fn letters(&self, id: &SessionId) -> Result<Vec<Letter>> {
        let letters = self.0.letters(id, None).await?;
        let session = self.0.parts.store.get::<Session>(id).await?;
        Ok(letters.into_iter().map(|letter| settled(letter, session.as_ref())).collect())
    }
}

impl SessionManager {
    /// Follows a letter until its delivery is as asked, or for as long as asked; returns it as it is then.
    ///
    /// # Errors
    /// When the store fails.
    pub async fn followed(
        &self,
        letter: Letter,
        at_most: Duration,
        until: impl Fn(&Delivery) -> bool,
    ) -> Result<Letter> {
        // Listened to before the look, so that what happens in between is heard.
        let mut post = self.0.post.subscribe();
        let clock = &self.0.parts.clock;
        let deadline = clock.monotonic() + at_most;
        loop {
            let found = self.letter(&letter.id).await?.unwrap_or_else(|| letter.clone());
            let rest = deadline.saturating_sub(clock.monotonic());
            if until(&found.delivery) || rest.is_zero() {
                return Ok(found);
            }
            // When the time is up it is looked at once more.
            let _ = clock.timeout(rest, post.changed()).await;
        }
    }
}

/// A server that dies right after a session ended has not recorded the fate of the last messages.
fn settled(letter: Letter, session: Option<&Session>) -> Letter {
    match letter.delivery {
        Delivery::Queued | Delivery::Delivered { .. } if session.is_none_or(|session| !session.state.is_live()) => {
            Letter { delivery: Delivery::Undelivered { why: OVER.to_owned() }, ..letter }
        }
        Delivery::Queued
        | Delivery::Delivered { .. }
        | Delivery::Acknowledged { .. }
        | Delivery::Undelivered { .. } => letter,
    }
}

impl Shared {
    /// Reads letters behind a place of the list.
    async fn letters(&self, session: &SessionId, after: Option<String>) -> Result<Vec<Letter>> {
        let mut query = Query { after, ..Query::earliest(by::session::letters(session), LETTERS_MAX) };
        let mut found = Vec::new();
        loop {
            let page = self.parts.store.list::<Letter>(query.clone()).await?;
            found.extend(page.records);
            if page.next.is_none() {
                return Ok(found);
            }
            query.after = page.next;
        }
    }

    /// Reads the messages after a number that were not delivered.
    pub(crate) async fn queued(&self, session: &SessionId, behind: u64) -> Result<Vec<Letter>> {
        let letters = self.letters(session, Some(format!("{behind:012}"))).await?;
        Ok(letters.into_iter().filter(|letter| letter.delivery == Delivery::Queued).collect())
    }

    /// Writes down how far a letter got; what is over stays as it is.
    pub(crate) async fn delivered(&self, session: &Session, id: &LetterId, delivery: Delivery) -> Result<()> {
        let (delivery, stamp) = (&delivery, self.stamp(session));
        self.parts
            .store
            .transact(&stamp, |tx| async move {
                if let Some(held) = tx.get::<Letter>(id).await?
                    && may_follow(&held.record.delivery, delivery)
                {
                    tx.update(&held, &Letter { delivery: delivery.clone(), ..held.record.clone() })?;
                }
                Ok::<_, Error>(())
            })
            .await?;
        self.post.send_modify(|count| *count += 1);
        Ok(())
    }

    /// Puts back what a process took and did not acknowledge; once the session is over, marks it as undelivered.
    pub(crate) async fn settle_letters(&self, session: &Session, over: Option<&str>) -> Result<()> {
        for letter in self.letters(&session.id, None).await? {
            match (&letter.delivery, over) {
                (Delivery::Queued | Delivery::Delivered { .. }, Some(why)) => {
                    self.delivered(session, &letter.id, Delivery::Undelivered { why: why.to_owned() }).await?;
                }
                (Delivery::Delivered { .. }, None) => self.delivered(session, &letter.id, Delivery::Queued).await?,
                (Delivery::Queued | Delivery::Acknowledged { .. } | Delivery::Undelivered { .. }, _) => {}
            }
        }
        Ok(())
    }

    /// Says in whose name a session's own task changes something.
    pub(crate) fn stamp(&self, session: &Session) -> Stamp {
        Stamp { at: self.parts.clock.now(), handle: session.handle.clone(), team: session.team.clone() }
    }
}

/// What an agent has acknowledged stays so, and nothing follows what was given up.
fn may_follow(now: &Delivery, next: &Delivery) -> bool {
    match now {
        Delivery::Queued | Delivery::Delivered { .. } => now != next,
        Delivery::Acknowledged { .. } | Delivery::Undelivered { .. } => false,
    }
}

/// Agents acknowledge by UUID, so a letter has one that is made of its id.
pub(crate) fn uuid(id: &str) -> String {
    let digest = Sha256::digest(id.as_bytes());
    let hex: String = digest.iter().take(16).map(|byte| format!("{byte:02x}")).collect();
    let part = |from: usize, to: usize| hex.get(from..to).unwrap_or_default().to_owned();
    format!("{}-{}-4{}-a{}-{}", part(0, 8), part(8, 12), part(13, 16), part(17, 20), part(20, 32))
}

/// The letter that was handed over just now.
pub(crate) fn handed_over(at: Timestamp) -> Delivery {
    Delivery::Delivered { at }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::samples::session;

    fn deliveries() -> [Delivery; 4] {
        let at = Timestamp::UNIX_EPOCH;
        let why = "gone".to_owned();
        [Delivery::Queued, Delivery::Delivered { at }, Delivery::Acknowledged { at }, Delivery::Undelivered { why }]
    }

    fn letter(delivery: Delivery) -> Letter {
        Letter {
            id: "l-aaaaaaaa".parse().unwrap(),
            session: session().id,
            number: 1,
            from: "bob".parse().unwrap(),
            text: String::new(),
            delivery,
            created_at: Timestamp::UNIX_EPOCH,
        }
    }

    #[test]
    fn what_was_acknowledged_or_given_up_stays_so() {
        for next in deliveries() {
            let [queued, delivered, acknowledged, undelivered] = deliveries();
            assert_eq!(may_follow(&queued, &next), next != queued);
            assert_eq!(may_follow(&delivered, &next), next != delivered);
            assert!(!may_follow(&acknowledged, &next) && !may_follow(&undelivered, &next));
        }
    }

    #[test]
    fn nobody_is_told_that_a_letter_waits_for_a_session_that_is_over() {
        let ending = types::SessionEnding::Cancelled { by: "bob".parse().unwrap() };
        let over = Session { state: types::SessionState::Ended { at: Timestamp::UNIX_EPOCH, ending }, ..session() };
        for delivery in deliveries() {
            assert_eq!(settled(letter(delivery.clone()), Some(&session())).delivery, delivery, "it goes on");
            let waits = matches!(delivery, Delivery::Queued | Delivery::Delivered { .. });
            let told = if waits { Delivery::Undelivered { why: OVER.to_owned() } } else { delivery.clone() };
            assert_eq!(settled(letter(delivery), Some(&over)).delivery, told);
        }
    }

    proptest! {
        #[test]
        fn two_letters_have_two_uuids_in_the_form_that_agents_take(a in "[a-z0-9]{1,12}", b in "[a-z0-9]{1,12}") {
            prop_assert_eq!(uuid(&a) == uuid(&b), a == b);
            let parts: Vec<usize> = uuid(&a).split('-').map(str::len).collect();
            prop_assert_eq!(parts, [8, 4, 4, 4, 12]);
        }
    }
}
