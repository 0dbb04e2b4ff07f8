//! What people answered to the agent's questions: told to its process when its turn is over, or to the next one.

use store::Transaction;
use types::{Hearing, Question, QuestionId, SessionId, SessionState, Submission, Wait};

use super::Actor;
use super::follow::Following;
use crate::Result;
use crate::manager::Shared;
use crate::questions::{hear, is_waiting, told};

impl Actor {
    /// Sends the agent the answers that no call of its own waits for. In the middle of a turn it may ask again, after an answer that
    /// was lost on its way; so that waits until the turn is over.
    pub(super) async fn tell_answers(&mut self, following: &mut Following) -> Result<()> {
        let is_reached = following.outbox.is_some() && following.stop.is_none() && following.linger.is_none();
        let listens = self.adapter()?.capabilities().live_input;
        if !is_reached || !listens || following.heard.in_turn() || following.heard.has_left() {
            return Ok(());
        }
        if self.shared.answers_to_letters(&self.session).await? {
            self.load_letters(following).await?;
        }
        Ok(())
    }

    /// Returns the question that the session waits for once its process has ended; none if its agent has reported since
    /// that it is through.
    pub(super) async fn unanswered(&self) -> Result<Option<QuestionId>> {
        let unheard = self.shared.unheard(&self.session.id).await?;
        let Some(first) = unheard.into_iter().next() else { return Ok(None) };
        let submission = self.shared.parts.store.get::<Submission>(&self.session.id).await?;
        let is_through = submission.is_some_and(|submission| submission.run == self.session.runs);
        Ok(Some(first.id).filter(|_| !is_through))
    }

    /// Returns what the next process begins with, for a session that waited for it.
    pub(super) async fn answers(&self) -> Result<Vec<Question>> {
        match &self.session.state {
            SessionState::Waiting { wait: Wait::Question { .. }, .. } => {
                let unheard = self.shared.unheard(&self.session.id).await?;
                Ok(unheard.into_iter().filter(|question| !is_waiting(question)).collect())
            }
            SessionState::Waiting { .. }
            | SessionState::Starting { .. }
            | SessionState::Running { .. }
            | SessionState::Stopping { .. }
            | SessionState::Ended { .. } => Ok(Vec::new()),
        }
    }
}

impl Shared {
    /// Returns whether a session that waits for an answer has one, or has nothing to wait for any more.
    pub(super) async fn may_go_on(&self, session: &SessionId) -> Result<bool> {
        let unheard = self.unheard(session).await?;
        Ok(unheard.is_empty() || !unheard.iter().all(is_waiting))
    }
}

/// Writes down in a transaction that the next process is told the answers, and says them.
pub(super) async fn hear_all(tx: &Transaction, answers: &[Question]) -> Result<Option<String>> {
    let mut texts = Vec::new();
    for question in answers {
        if let Some(heard) = hear(tx, &question.id, Hearing::Prompt).await? {
            texts.push(told(&heard));
        }
    }
    texts.push("Continue your task.".to_owned());
    Ok((texts.len() > 1).then(|| texts.join("\n\n")))
}
