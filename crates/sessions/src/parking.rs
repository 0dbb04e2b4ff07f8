//! Accounts that are not good for now, and who waits for them.

use config::Parking;
use store::{Query, Stamp, Transaction, by};
use types::{FailureClass, ParkedAccount, Session, SessionState, Timestamp, Wait};

use crate::Result;
use crate::manager::{SessionManager, Shared};

/// Most accounts that can be parked at once.
const ACCOUNTS_MAX: usize = 100;

impl SessionManager {
    /// Lists the accounts that are not good for now.
    ///
    /// # Errors
    /// When the store fails.
    pub async fn parked(&self) -> Result<Vec<ParkedAccount>> {
        let now = self.0.parts.clock.now();
        Ok(self.0.parked().await?.into_iter().filter(|parked| lasts(parked, now)).collect())
    }

    /// Marks an account as usable again; sessions that waited for it continue. Returns whether it was parked.
    ///
    /// # Errors
    /// When the store fails.
    pub async fn unpark(&self, account: &str, stamp: &Stamp) -> Result<bool> {
        let account = account.to_owned();
        let account = &account;
        let found = self.0.parts.store.transact(stamp, |tx| async move { unpark(&tx, account).await }).await?;
        self.0.unparked.send_modify(|count| *count += 1);
        self.0.slots.ease();
        Ok(found)
    }
}

impl Shared {
    async fn parked(&self) -> Result<Vec<ParkedAccount>> {
        Ok(self.parts.store.list(Query::earliest(by::session::parked(), ACCOUNTS_MAX)).await?.records)
    }

    /// Says what a session has to wait for before it may start a process.
    pub(crate) async fn blocked(&self, session: &Session, now: Timestamp) -> Result<Option<ParkedAccount>> {
        let account = self.agent_registry().account(&session.order.agent);
        let parking = self.settings().parking;
        let parked = self.parked().await?;
        Ok(parked.into_iter().filter(|parked| in_the_way(parked, &account, parking, now)).max_by_key(until))
    }
}

/// Returns whether a parked account blocks an agent.
fn in_the_way(parked: &ParkedAccount, account: &str, parking: Parking, now: Timestamp) -> bool {
    let concerned = match parking {
        Parking::Off => false,
        Parking::Account => parked.account == account,
        Parking::Fleet => true,
    };
    concerned && lasts(parked, now)
}

fn lasts(parked: &ParkedAccount, now: Timestamp) -> bool {
    parked.until.is_none_or(|until| until > now)
}

/// Who waits for a person waits longest.
fn until(parked: &ParkedAccount) -> Timestamp {
    parked.until.unwrap_or(Timestamp::MAX)
}

/// Parks an account in a transaction; one that waits for a person continues waiting.
pub(crate) async fn park(
    tx: &Transaction,
    account: &str,
    class: &FailureClass,
    text: &str,
    until: Option<Timestamp>,
    now: Timestamp,
) -> std::result::Result<(), store::Error> {
    let (account, class, text) = (account.to_owned(), class.clone(), text.to_owned());
    let parked = ParkedAccount { account: account.clone(), class, text, until, since: now };
    match tx.get::<ParkedAccount>(&account).await? {
        Some(held) if held.record.until.is_none() => Ok(()),
        Some(held) => tx.update(&held, &parked),
        None => tx.insert(&parked),
    }
}

/// Forgets that an account was parked.
pub(crate) async fn unpark(tx: &Transaction, account: &str) -> Result<bool> {
    let held = tx.get::<ParkedAccount>(&account.to_owned()).await?;
    if let Some(held) = &held {
        tx.delete(held);
    }
    Ok(held.is_some())
}

/// Returns whether a session in this state takes a slot.
pub(crate) fn needs_slot(state: &SessionState) -> bool {
    match state {
        SessionState::Starting { .. }
        | SessionState::Running { .. }
        | SessionState::Stopping { .. }
        | SessionState::Waiting { wait: Wait::BackOff { .. }, .. } => true,
        SessionState::Waiting {
            wait: Wait::Parked { .. } | Wait::Slot | Wait::Budget | Wait::Approval { .. } | Wait::Question { .. },
            ..
        }
        | SessionState::Ended { .. } => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(second: i64) -> Timestamp {
        Timestamp::from_second(second).unwrap()
    }

    fn parked(account: &str, until: Option<i64>) -> ParkedAccount {
        let (class, text) = (FailureClass::Auth, String::new());
        ParkedAccount { account: account.to_owned(), class, text, until: until.map(at), since: at(0) }
    }

    #[test]
    fn an_account_is_in_the_way_of_its_own_agents_or_of_all_or_of_none() {
        let own = parked("a", Some(10));
        let who = |parking| [in_the_way(&own, "a", parking, at(5)), in_the_way(&own, "b", parking, at(5))];
        assert_eq!(who(Parking::Account), [true, false]);
        assert_eq!(who(Parking::Fleet), [true, true]);
        assert_eq!(who(Parking::Off), [false, false]);
    }

    #[test]
    fn an_account_is_good_again_at_its_time_and_one_without_a_time_never_by_itself() {
        let when =
            |until| [9, 10, 1_000_000].map(|now| in_the_way(&parked("a", until), "a", Parking::Account, at(now)));
        assert_eq!(when(Some(10)), [true, false, false]);
        assert_eq!(when(None), [true, true, true]);
    }

    #[test]
    fn only_sessions_that_may_have_a_process_take_a_place() {
        let since = at(0);
        let waits = |wait| SessionState::Waiting { wait, until: None };
        let class = FailureClass::Overloaded;
        let takes = [
            (SessionState::Starting { since }, true),
            (SessionState::Running { since }, true),
            (SessionState::Stopping { since, by: "ann".parse().unwrap() }, true),
            (waits(Wait::BackOff { class: class.clone() }), true),
            (waits(Wait::Parked { class }), false),
            (waits(Wait::Slot), false),
            (waits(Wait::Budget), false),
            (waits(Wait::Approval { approval: "a-x7k2m".parse().unwrap() }), false),
            (waits(Wait::Question { question: "q-x7k2m".parse().unwrap() }), false),
        ];
        for (state, expected) in takes {
            assert_eq!(needs_slot(&state), expected, "{state:?}");
        }
    }
}
