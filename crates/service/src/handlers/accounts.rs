//! Accounts of model providers that are not good for now.

use std::collections::BTreeSet;

use api::fleet::{ListParkedAccounts, ParkedAccountView, UnparkAccount, Unparked};
use api::{Code, Error, Listing};
use types::{Session, SessionState, Wait};

use crate::{Caller, Handle, Result, Service};

impl Handle<ListParkedAccounts> for Service {
    async fn handle(&self, _: &Caller, _: ListParkedAccounts) -> Result<Listing<ParkedAccountView>> {
        let parked = self.sessions.parked().await?;
        Ok(Listing::whole(parked.into_iter().map(ParkedAccountView::from).collect()))
    }
}

impl Handle<UnparkAccount> for Service {
    async fn handle(&self, caller: &Caller, op: UnparkAccount) -> Result<Unparked> {
        let member = caller.member()?;
        let account = op.account;
        let known = self.known_accounts().await?;
        if !known.contains(&account) {
            let message = format!("no account is called `{account}`");
            let known = known.into_iter().collect::<Vec<_>>().join(", ");
            return Err(Error::new(Code::ACCOUNT_UNKNOWN, message)
                .hint(format!("The accounts are {known}; `fleet account list` shows those that are parked."))
                .into());
        }
        let stamp = self.stamp(member, &member.team);
        let waited = self.waiting_for(&account).len() as u64;
        let was_parked = self.sessions.unpark(&account, &stamp).await?;
        let sessions =
            |count| if count == 1 { "1 session continues".to_owned() } else { format!("{count} sessions continue") };
        let summary = match (was_parked, waited) {
            (false, _) => format!("Account {account} was not parked."),
            (true, 0) => format!("Account {account} is not parked any more; no session waited for it."),
            (true, count) => format!("Account {account} is not parked any more; {}.", sessions(count)),
        };
        Ok(Unparked { account, summary, parked: false, was_parked, waited })
    }
}

impl Service {
    /// Returns the accounts that agents use, and those that are parked.
    async fn known_accounts(&self) -> Result<BTreeSet<String>> {
        let registry = self.sessions.agent_registry();
        let used = registry.names().map(|name| registry.account(name)).collect::<Vec<_>>();
        let parked = self.sessions.parked().await?.into_iter().map(|parked| parked.account);
        Ok(used.into_iter().chain(parked).collect())
    }

    /// Returns the sessions that wait for an account.
    pub(super) fn waiting_for(&self, account: &str) -> Vec<Session> {
        let registry = self.sessions.agent_registry();
        let waits = |session: &Session| {
            matches!(session.state, SessionState::Waiting { wait: Wait::Parked { .. }, .. })
                && registry.account(&session.order.agent) == account
        };
        self.sessions.everyone().into_iter().map(|live| live.session).filter(waits).collect()
    }
}
