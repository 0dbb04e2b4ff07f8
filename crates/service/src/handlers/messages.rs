//! Messages to the agents of sessions, under `/api/sessions/{session}/messages`.

use api::Listing;
use api::devfleet::{DeliveryStatus, ListSessionMessages, MessageRow, SendSessionMessage, SentMessage};

use crate::{Caller, Handle, Result, Service};

impl Handle<SendSessionMessage> for Service {
    async fn handle(&self, caller: &Caller, op: SendSessionMessage) -> Result<SentMessage> {
        let member = caller.member()?;
        let session = self.session(member, &op.session).await?;
        let stamp = self.stamp(member, &session.team);
        let letter = self.sessions.write(&session.id, &op.text, &stamp).await?;
        Ok(SentMessage { delivery: DeliveryStatus::from(&letter.delivery), id: letter.id })
    }
}

impl Handle<ListSessionMessages> for Service {
    async fn handle(&self, caller: &Caller, op: ListSessionMessages) -> Result<Listing<MessageRow>> {
        let session = self.session(caller.member()?, &op.session).await?;
        let letters = self.sessions.letters(&session.id).await?;
        Ok(Listing { items: letters.into_iter().map(MessageRow::from).collect(), next: None })
    }
}
