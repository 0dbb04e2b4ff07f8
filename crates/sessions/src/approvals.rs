//! Calls that wait for a person: what is asked, what was answered, and who is told.
//!
//! An answer is stored first. The session's task hears of it then, or finds it when it is taken up: so none is lost,
//! whenever the server is killed.

use store::{Query, Record, Stamp, Transaction, by};
use types::{Approval, ApprovalId, ApprovalState, ApprovalStateName, Event, Rule, Session, SessionId, TeamName};

use crate::Result;
use crate::actor::Command;
use crate::error::{Error, Refusal};
use crate::manager::{SessionManager, Shared};
use crate::messages::OVER;

/// Records read at once.
const READ_AT_ONCE: usize = 200;

/// What a person says to a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Answer {
    /// It may run.
    Allow,
    /// It may not.
    Deny {
        /// Why, for the agent to read; may be empty.
        why: String,
    },
}

impl Answer {
    fn state(&self, stamp: &Stamp) -> ApprovalState {
        let (by, at) = (stamp.handle.clone(), stamp.at);
        match self {
            Self::Allow => ApprovalState::Allowed { by, at },
            Self::Deny { why } => ApprovalState::Denied { by, at, why: why.clone() },
        }
    }
}

impl SessionManager {
    /// Has the agents of a team judged by the rules as they are now, from their next call on.
    pub fn rules_changed(&self, team: &TeamName) {
        for reach in self.0.reaches() {
            if reach.live.borrow().session.team == *team {
                // One that ends meanwhile makes no more calls.
                let _ = reach.commands.send(Command::PermissionsChanged);
            }
        }
    }

    /// Reads an approval.
    ///
    /// # Errors
    /// When the store fails.
    pub async fn approval(&self, id: &ApprovalId) -> Result<Option<Approval>> {
        match self.0.parts.store.get::<Approval>(id).await? {
            Some(approval) => self.settled(approval).await.map(Some),
            None => Ok(None),
        }
    }

    /// Returns an approval as it stands: a server that dies right after a session ended has not written down that
    /// nobody needs an answer any more.
    ///
    /// # Errors
    /// When the store fails.
    pub async fn settled(&self, approval: Approval) -> Result<Approval> {
        if approval.state != ApprovalState::Waiting {
            return Ok(approval);
        }
        let session = self.0.parts.store.get::<Session>(&approval.session).await?;
        Ok(lapsed_with(approval, session.as_ref()))
    }

    /// Finds what a session waits for a person to say, the first of it.
    ///
    /// # Errors
    /// When the store fails.
    pub async fn asks(&self, session: &SessionId) -> Result<Option<Approval>> {
        let waits = self.0.approvals(session).await?;
        match waits.into_iter().find(is_waiting) {
            Some(approval) => Ok(Some(self.settled(approval).await?).filter(is_waiting)),
            None => Ok(None),
        }
    }

    /// Answers an approval, and lets its session go on. The same answer may be given again.
    ///
    /// # Errors
    /// Refuses an approval that has another answer, or whose session is over, and to allow a call that cannot be shown
    /// whole.
    pub async fn answer(&self, id: &ApprovalId, answer: &Answer, stamp: &Stamp) -> Result<Approval> {
        let answered = self.0.parts.store.transact(stamp, |tx| async move {
            let held = tx.get::<Approval>(id).await?;
            let held = held.ok_or_else(|| Refusal::ApprovalNotFound { approval: id.clone() })?;
            // Read here, so that a session which ends at this moment has either heard the answer or refused it.
            let session = tx.get::<Session>(&held.record.session).await?;
            let now = lapsed_with(held.record.clone(), session.as_ref().map(|held| &held.record));
            let state = answer.state(stamp);
            if now.state != ApprovalState::Waiting {
                let same = now.state.name() == state.name();
                let refusal = Refusal::Settled { approval: id.clone(), state: now.state.name() };
                return if same { Ok(now) } else { Err(refusal.into()) };
            }
            if let (Answer::Allow, Some(why)) = (answer, &now.wanted.hidden) {
                return Err(Refusal::Hidden { approval: id.clone(), why: why.clone() }.into());
            }
            let next = Approval { state, updated_at: stamp.at, ..held.record.clone() };
            tx.update(&held, &next)?;
            tx.append(moved(&next, Some(ApprovalStateName::Waiting)));
            Ok::<_, Error>(next)
        });
        let answered = answered.await?;
        if let Some(reach) = self.0.reach(&answered.session) {
            // One that ends meanwhile needs no answer.
            let _ = reach.commands.send(Command::PermissionsChanged);
        }
        Ok(answered)
    }
}

fn is_waiting(approval: &Approval) -> bool {
    approval.state == ApprovalState::Waiting
}

/// What waits for nobody any more has lapsed.
fn lapsed_with(approval: Approval, session: Option<&Session>) -> Approval {
    match (&approval.state, session) {
        (ApprovalState::Waiting, Some(session)) if session.state.is_live() => approval,
        (ApprovalState::Waiting, session) => {
            let at = session.map_or(approval.updated_at, |session| session.updated_at);
            Approval { state: ApprovalState::Lapsed { at, why: OVER.to_owned() }, ..approval }
        }
        (ApprovalState::Allowed { .. } | ApprovalState::Denied { .. } | ApprovalState::Lapsed { .. }, _) => approval,
    }
}

/// Asks a person in a transaction, unless that was done before.
pub(crate) async fn ask(tx: &Transaction, approval: &Approval) -> std::result::Result<(), store::Error> {
    if tx.get::<Approval>(&approval.id).await?.is_none() {
        tx.insert(approval)?;
        tx.append(moved(approval, None));
    }
    Ok(())
}

/// Says what became of an approval.
fn moved(approval: &Approval, from: Option<ApprovalStateName>) -> Event {
    Event::ApprovalMoved {
        approval: approval.id.clone(),
        session: approval.session.clone(),
        mission: approval.mission.clone(),
        from,
        to: approval.state.name(),
    }
}

impl Shared {
    /// Reads the rules of a team.
    pub(crate) async fn rules(&self, team: &TeamName) -> Result<Vec<Rule>> {
        self.all(by::rule::team(team)).await
    }

    /// Reads the approvals of a session, the first first.
    pub(crate) async fn approvals(&self, session: &SessionId) -> Result<Vec<Approval>> {
        self.all(by::approval::session(session)).await
    }

    async fn all<R: Record>(&self, group: String) -> Result<Vec<R>> {
        let mut query = Query::earliest(group, READ_AT_ONCE);
        let mut found = Vec::new();
        loop {
            let page = self.parts.store.list::<R>(query.clone()).await?;
            found.extend(page.records);
            if page.next.is_none() {
                return Ok(found);
            }
            query.after = page.next;
        }
    }

    /// Finds the approval of a call that has not lapsed.
    pub(crate) async fn asked(&self, session: &SessionId, key: &str) -> Result<Option<Approval>> {
        let query = Query::earliest(by::approval::call(session, key), 1);
        Ok(self.parts.store.list::<Approval>(query).await?.records.pop())
    }

    /// Says of what still waits for an answer that none is needed any more.
    pub(crate) async fn lapse_approvals(&self, session: &Session) -> Result<()> {
        let stamp = self.stamp(session);
        for approval in self.approvals(&session.id).await? {
            if approval.state != ApprovalState::Waiting {
                continue;
            }
            let (id, stamp) = (&approval.id, &stamp);
            let lapsed = self.parts.store.transact(stamp, |tx| async move {
                let held = tx.get::<Approval>(id).await?;
                let Some(held) = held.filter(|held| held.record.state == ApprovalState::Waiting) else { return Ok(()) };
                let state = ApprovalState::Lapsed { at: stamp.at, why: OVER.to_owned() };
                let next = Approval { state, updated_at: stamp.at, ..held.record.clone() };
                tx.update(&held, &next)?;
                tx.append(moved(&next, Some(ApprovalStateName::Waiting)));
                Ok::<_, Error>(())
            });
            lapsed.await?;
        }
        Ok(())
    }
}
