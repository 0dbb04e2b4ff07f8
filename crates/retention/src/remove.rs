//! Removes what is due. Each call finds out again that it still is, and does nothing if not.

use store::{Query, Record, Stamp, Store, Transaction, by};
use types::{
    Approval, Callback, CallbackState, Day, Event, Execution, Handle, KeyedCall, Landing, Letter, Mission, Question,
    Report, Session, TeamName, Timestamp, Violation,
};

use crate::find::{Due, is_over};
use crate::needed::{self, is_old, landing_ended, mission_ended, session_ended};
use crate::outside::Outside;
use crate::sweep::Error;

/// Records that go in one commit; each has a few places.
const PER_COMMIT: usize = 20;

/// Removes one thing after another.
#[derive(Debug)]
pub(crate) struct Remover<'a> {
    pub(crate) store: &'a Store,
    pub(crate) outside: &'a dyn Outside,
    pub(crate) now: Timestamp,
    pub(crate) before: Timestamp,
}

impl Remover<'_> {
    /// Removes what is due; returns how many things went.
    pub(crate) async fn remove(&self, due: Due) -> Result<u64, Error> {
        match due {
            Due::Worktree(session) => self.outside.remove_worktree(&session).await.map(|()| 1).map_err(Error::from),
            Due::Branch(landing) => self.outside.remove_branch(&landing).await.map(u64::from).map_err(Error::from),
            Due::Events(mission) => self.events(&mission).await,
            Due::Files(session) => self.files(&session).await,
            Due::Mission(mission) => self.mission(&mission).await,
            Due::Session(session) => self.session(&session).await,
            Due::Approval(one) => self.delete(&one.team, &one.id, |one: &Approval| one.updated_at < self.before).await,
            Due::Question(one) => self.delete(&one.team, &one.id, |one: &Question| one.updated_at < self.before).await,
            Due::Execution(one) => self.delete(&one.team, &one.id, |one: &Execution| is_over(one, self.before)).await,
            Due::Answer(one) => self.delete(&one.team, &one.id, |one: &KeyedCall| one.created_at < self.before).await,
            Due::Violation(one) => self.delete(&one.team, &one.id, |one: &Violation| one.at < self.before).await,
            Due::Report(one) => self.delete(&one.team, &one.id, |one: &Report| one.updated_at < self.before).await,
            Due::Landing(one) => {
                self.delete(&one.team, &one.id, |one: &Landing| is_old(landing_ended(one), self.before)).await
            }
            Due::Changes(_) => Ok(self.store.trim_feed(self.before).await?.rows as u64),
            Due::Spending(_) => {
                let stamp = self.stamp(&TeamName::default_team());
                Ok(self.store.remove_spending(Day::of(self.before), &stamp).await? as u64)
            }
        }
    }

    /// Removes what happened to a mission, and the callbacks that are not to be sent any more.
    async fn events(&self, mission: &Mission) -> Result<u64, Error> {
        while self.store.remove_events(&mission.id).await?.more {}
        let is_sent = |one: &Callback| !matches!(one.state, CallbackState::Due { .. });
        self.delete_all::<Callback>(by::callback::mission(&mission.id), &mission.team, is_sent).await?;
        Ok(1)
    }

    /// Removes the folder of a session, and what was said to it.
    async fn files(&self, session: &Session) -> Result<u64, Error> {
        if !needed::may_session_go(self.store, self.outside, session, self.before).await? {
            return Ok(0);
        }
        self.outside.remove_files(session).await?;
        self.delete_all::<Letter>(by::session::letters(&session.id), &session.team, |_| true).await?;
        Ok(1)
    }

    async fn mission(&self, mission: &Mission) -> Result<u64, Error> {
        self.events(mission).await?;
        let (id, before, stamp) = (&mission.id, self.before, self.stamp(&mission.team));
        let gone = self.store.transact(&stamp, |tx| async move {
            let held = tx.get::<Mission>(id).await?.filter(|held| is_old(mission_ended(&held.record), before));
            let Some(held) = held else { return Ok::<_, store::Error>(0) };
            // Read behind the mission, whose change by then would undo this.
            if !needed::may_mission_go(self.store, &held.record, before).await? {
                return Ok(0);
            }
            tx.delete(&held);
            tx.append(Event::MissionDeleted { mission: id.clone() });
            Ok(1)
        });
        Ok(gone.await?)
    }

    async fn session(&self, session: &Session) -> Result<u64, Error> {
        if self.files(session).await? == 0 {
            return Ok(0);
        }
        let is_over = |one: &Session| is_old(session_ended(one), self.before) && !self.outside.is_live(&one.id);
        self.delete(&session.team, &session.id, is_over).await
    }

    async fn delete<R: Record>(&self, team: &TeamName, id: &R::Id, may: impl Fn(&R) -> bool) -> Result<u64, Error> {
        let (may, stamp) = (&may, self.stamp(team));
        let gone = self.store.transact(&stamp, |tx| async move { delete(&tx, id, may).await });
        Ok(gone.await?)
    }

    /// Removes the records of a group that may go, some in each commit.
    async fn delete_all<R: Record>(
        &self,
        group: String,
        team: &TeamName,
        may: impl Fn(&R) -> bool,
    ) -> Result<(), Error> {
        let (may, stamp, mut after) = (&may, self.stamp(team), None);
        loop {
            let query = Query { after, ..Query::earliest(group.clone(), PER_COMMIT) };
            let page = self.store.list::<R>(query).await?;
            let ids = &page.records.iter().map(Record::id).collect::<Vec<_>>();
            if !ids.is_empty() {
                let gone = self.store.transact(&stamp, |tx| async move {
                    for id in ids {
                        delete(&tx, id, may).await?;
                    }
                    Ok::<_, store::Error>(())
                });
                gone.await?;
            }
            match page.next {
                Some(next) => after = Some(next),
                None => return Ok(()),
            }
        }
    }

    fn stamp(&self, team: &TeamName) -> Stamp {
        Stamp { at: self.now, handle: Handle::owner(), team: team.clone() }
    }
}

async fn delete<R: Record>(tx: &Transaction, id: &R::Id, may: &impl Fn(&R) -> bool) -> Result<u64, store::Error> {
    match tx.get::<R>(id).await?.filter(|held| may(&held.record)) {
        Some(held) => {
            tx.delete(&held);
            Ok(1)
        }
        None => Ok(0),
    }
}
