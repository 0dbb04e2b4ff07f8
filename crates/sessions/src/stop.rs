//! The end of a session on request, and its beginning again.

use std::time::Duration;

use store::Stamp;
use types::{Handle, Session, SessionId, SessionState};

use crate::Result;
use crate::actor::Command;
use crate::ask::Asked;
use crate::error::Refusal;
use crate::manager::SessionManager;
use crate::messages::OVER;
use crate::slots::Seat;

/// How long, and how often, to wait for the task of a session that was just begun.
const PAUSE: Duration = Duration::from_millis(10);
const TRIES_MAX: u32 = 100;

impl SessionManager {
    /// Ends a session and waits until everything its agent started is gone.
    ///
    /// # Errors
    /// When there is no such session, or the store fails; when the server stops before the session was told.
    pub async fn stop(&self, id: &SessionId, who: &Handle) -> Result<Session> {
        let mut tries = 0;
        loop {
            let told = match self.0.reach(id) {
                // A session that ends by itself meanwhile hears nothing, and has ended.
                Some(mut reach) => {
                    let _ = reach.commands.send(Command::Stop { by: who.clone() });
                    let _ = reach.live.wait_for(|live| !live.session.state.is_live()).await;
                    true
                }
                None => false,
            };
            let session = self.get(id).await?;
            let stops = matches!(session.state, SessionState::Stopping { .. } | SessionState::Ended { .. });
            if stops {
                return Ok(session);
            }
            tries += 1;
            if told || tries > TRIES_MAX {
                return Err(Refusal::WrongState { session: id.clone(), state: session.state.name() }.into());
            }
            // It was committed a moment ago, and its task is about to begin.
            self.0.parts.clock.sleep(PAUSE).await;
        }
    }

    /// Takes a session up again that is over, in the same conversation and the same folder.
    ///
    /// # Errors
    /// Refuses one that is not over, whose agent cannot resume, or which never had a conversation.
    pub async fn resume(&self, id: &SessionId, asked: Asked, stamp: &Stamp) -> Result<Session> {
        let session = self.get(id).await?;
        let agent = self.0.agent_registry().find(&session.order.agent)?;
        if !agent.capabilities().resume {
            let agent = session.order.agent;
            return Err(Refusal::Incapable { agent, what: "continue a conversation" }.into());
        }
        let slot = self.0.slot(Seat::of(&session))?;
        // What was unread before stays unread.
        if !session.state.is_live() {
            self.0.settle_letters(&session, Some(OVER)).await?;
        }
        let asked = &asked;
        let store = &self.0.parts.store;
        let opened = store.transact(stamp, |tx| async move { self.0.reopen(&tx, id, asked, stamp).await }).await;
        self.0.attend(opened, Some(id.clone()), slot)
    }
}
