//! Accounts of model providers that are not good for now.

use api::Listing;
use api::fleet::{ListParkedAccounts, ParkedAccountView, UnparkAccount, Unparked};

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
        let stamp = self.stamp(member, &member.team);
        let parked = self.sessions.unpark(&op.account, &stamp).await?;
        Ok(Unparked { account: op.account, parked })
    }
}
