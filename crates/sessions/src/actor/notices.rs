//! Writes down what Fleet says of the session, where in the output it happened.

use store::{Query, by};
use types::{Begun, Landing, ParkReason, SessionEnding, Timestamp, Wait};

use super::Actor;
use crate::Result;
use crate::next::{Decided, Next};
use crate::notices::{self, Notice};

impl Actor {
    /// Says something about the process that runs, or will; once, however often it is found out.
    pub(super) fn note(&mut self, text: String) {
        let run = self.session.runs;
        let offset = if self.heard.0 == run { self.heard.1 } else { 0 };
        let known = |notice: &Notice| notice.run == run && notice.text == text;
        if !self.notices.iter().any(known) {
            self.write_notice(Notice { run, offset, text });
        }
    }

    /// Says which calls wait for a person, and what was answered.
    pub(super) fn note_approvals(&mut self) {
        let texts = |approval| [Some(notices::asked(approval)), notices::answered(approval)];
        let said: Vec<String> = self.approvals.iter().flat_map(texts).flatten().collect();
        for text in said {
            // An id is in every such text, so that none is said twice in a session.
            if !self.notices.iter().any(|notice| notice.text == text) {
                self.note(text);
            }
        }
    }

    /// Says what an agent is told that is taken up again.
    pub(super) async fn note_told(&mut self) -> Result<()> {
        if self.session.begun != Begun::Resumed {
            return Ok(());
        }
        let Some(prompt) = self.session.order.again.clone() else { return Ok(()) };
        let landing = match &self.session.mission {
            Some(held) => {
                let newest = Query::latest(by::landing::mission(&held.mission), 1);
                self.shared.parts.store.list::<Landing>(newest).await?.records.pop()
            }
            None => None,
        };
        let landing = landing.filter(|landing| landing.session == self.session.id);
        self.note(notices::told(landing.as_ref(), &prompt));
        Ok(())
    }

    /// Says how a process broke off, unless it was asked to or what follows says more.
    pub(super) fn note_end(&mut self, decided: &Decided, errors: &str) {
        let Some(trouble) = &decided.trouble else { return };
        let why = match &decided.next {
            Next::End(SessionEnding::Failed { .. }) if errors.trim().is_empty() => return,
            Next::End(_) | Next::Again(_) | Next::Ask { .. } => notices::broke_off(trouble, errors, None),
            Next::Later { wait, until, .. } => match wait {
                Wait::Parked { class } => {
                    let (class, text) = (class.clone(), trouble.text.clone());
                    notices::parked(&self.session, ParkReason::Account { class, text }, *until)
                }
                Wait::Budget => {
                    let text = trouble.text.clone();
                    notices::parked(&self.session, ParkReason::Budget { text }, *until)
                }
                Wait::BackOff { .. } | Wait::Slot | Wait::Approval { .. } | Wait::Question { .. } => {
                    notices::broke_off(trouble, errors, *until)
                }
            },
        };
        self.note(why);
    }

    /// Says that the session waits without a process, and what helps.
    pub(super) fn note_parked(&mut self, why: &ParkReason, until: Option<Timestamp>) {
        self.note(notices::parked(&self.session, why.clone(), until));
    }

    fn write_notice(&mut self, notice: Notice) {
        let path = self.shared.spools.notices(&self.session);
        match notices::add(self.shared.parts.files.as_ref(), &path, &mut self.notices, notice) {
            Ok(_) => {
                let count = self.notices.len();
                self.live.send_modify(|live| live.notices = count);
            }
            // The work goes on; only a reader of the log misses a sentence.
            Err(error) => tracing::warn!(session = %self.session.id, %error, "cannot write what is said of a session"),
        }
    }
}
