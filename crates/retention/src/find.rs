//! Finds what is due of a kind, a slice at a time.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use store::{Query, Record, Store, by};
use types::{
    Approval, ApprovalStateName, Day, Execution, KeyedCall, Landing, LandingStateName, Letter, Mission, Question,
    Report, Session, SessionId, StateName, Timestamp, Violation,
};

use crate::kinds::Kind;
use crate::needed::{self, is_old, landing_ended, mission_ended, session_ended};
use crate::outside::{Outside, References};
use crate::sweep::Error;

/// Records looked at in one slice.
const SLICE: usize = 100;

/// Something that is due.
#[derive(Debug)]
pub(crate) enum Due {
    Worktree(Box<Session>),
    Branch(Box<Landing>),
    Events(Box<Mission>),
    Files(Box<Session>),
    Approval(Box<Approval>),
    Question(Box<Question>),
    Execution(Box<Execution>),
    Violation(Box<Violation>),
    Mission(Box<Mission>),
    Session(Box<Session>),
    Report(Box<Report>),
    Landing(Box<Landing>),
    Answer(Box<KeyedCall>),
    /// So many changes of the feed.
    Changes(usize),
    /// So many amounts.
    Spending(usize),
}

/// Some things of a kind.
#[derive(Debug, Default)]
pub(crate) struct Slice {
    /// The part that is due.
    pub(crate) due: Vec<Due>,
    /// Where the next slice begins; nothing, at the end.
    pub(crate) next: Option<String>,
}

/// Looks for what is due; lives as long as one sweep.
#[derive(Debug)]
pub(crate) struct Finder<'a> {
    pub(crate) store: &'a Store,
    pub(crate) outside: &'a dyn Outside,
    /// Whether worktrees of landed work go at once.
    pub(crate) landed_at_once: bool,
    /// What repositories have, as it was when the sweep first asked.
    pub(crate) references: HashMap<String, References>,
}

impl Finder<'_> {
    /// Looks at the next slice of a kind. What ended before `before` is due; without a time nothing is due by its age.
    pub(crate) async fn slice(
        &mut self,
        kind: Kind,
        before: Option<Timestamp>,
        after: Option<String>,
    ) -> Result<Slice, Error> {
        match (kind, before) {
            (Kind::Worktrees, before) => self.worktrees(before, after).await,
            (_, None) | (Kind::Output, _) => Ok(Slice::default()),
            (Kind::Branches, Some(before)) => self.branches(before, after).await,
            (Kind::Events | Kind::Missions, Some(before)) => self.missions(kind, before, after).await,
            (Kind::Files | Kind::Sessions, Some(before)) => self.sessions(kind, before, after).await,
            (Kind::Approvals, Some(before)) => self.approvals(before, after).await,
            (Kind::Questions, Some(before)) => self.questions(before, after).await,
            (Kind::Executions, Some(before)) => self.executions(before, after).await,
            (Kind::Violations, Some(before)) => self.violations(before, after).await,
            (Kind::Answers, Some(before)) => self.answers(before, after).await,
            (Kind::Reports, Some(before)) => self.reports(before, after).await,
            (Kind::Landings, Some(before)) => self.landings(before, after).await,
            (Kind::Spending, Some(before)) => {
                let found = self.store.expired_spending(Day::of(before));
                Ok(Slice { due: (found > 0).then_some(Due::Spending(found)).into_iter().collect(), next: None })
            }
            (Kind::Feed, Some(before)) => {
                let found = self.store.expired_changes(before).await?.rows;
                Ok(Slice { due: (found > 0).then_some(Due::Changes(found)).into_iter().collect(), next: None })
            }
        }
    }

    async fn worktrees(&self, before: Option<Timestamp>, after: Option<String>) -> Result<Slice, Error> {
        let found = self.outside.with_worktree(after, SLICE).await?;
        let next = found.last().filter(|_| found.len() == SLICE).cloned();
        let mut due = Vec::new();
        for session in found.iter().filter_map(|id| id.parse::<SessionId>().ok()) {
            // Whose worktree it is cannot be told without a record, so it stays.
            let Some(session) = self.store.get::<Session>(&session).await? else { continue };
            let over = session_ended(&session).filter(|_| !self.outside.is_live(&session.id));
            let is_old = before.is_some_and(|before| is_old(over, before));
            let at_once = self.landed_at_once && over.is_some();
            if is_old || (at_once && needed::has_landed(self.store, &session).await?) {
                due.push(Due::Worktree(Box::new(session)));
            }
        }
        Ok(Slice { due, next })
    }

    async fn branches(&mut self, before: Timestamp, after: Option<String>) -> Result<Slice, Error> {
        let group = by::landing::state(LandingStateName::Landed);
        let (landings, next) = page::<Landing>(self.store, vec![group], before, after, |one| one.created_at).await?;
        let mut due = Vec::new();
        for landing in landings.into_iter().filter(|landing| is_old(landing_ended(landing), before)) {
            let has = match self.references.entry(landing.folder.clone()) {
                Entry::Occupied(known) => known.get().has(&landing),
                Entry::Vacant(unknown) => {
                    // A repository that is gone has nothing.
                    let found = self.outside.references(&landing.folder).await.unwrap_or_default();
                    unknown.insert(found).has(&landing)
                }
            };
            if has && needed::is_over(self.store, self.outside, &landing.session).await? {
                due.push(Due::Branch(Box::new(landing)));
            }
        }
        Ok(Slice { due, next })
    }

    async fn missions(&self, kind: Kind, before: Timestamp, after: Option<String>) -> Result<Slice, Error> {
        let ended = [StateName::Done, StateName::Failed, StateName::Cancelled];
        // Their order is not their age, so all of them are looked at.
        let query =
            Query { groups: ended.map(by::mission::state).into(), after, ..Query::earliest(String::new(), SLICE) };
        let page = self.store.list::<Mission>(query).await?;
        let mut due = Vec::new();
        for mission in page.records.into_iter().filter(|mission| is_old(mission_ended(mission), before)) {
            if kind == Kind::Missions {
                if needed::may_mission_go(self.store, &mission, before).await? {
                    due.push(Due::Mission(Box::new(mission)));
                }
            } else if self.has_history(&mission).await? {
                due.push(Due::Events(Box::new(mission)));
            }
        }
        Ok(Slice { due, next: page.next })
    }

    async fn has_history(&self, mission: &Mission) -> Result<bool, Error> {
        let callbacks = Query::earliest(by::callback::mission(&mission.id), 1);
        Ok(self.store.has_events(&mission.id).await?
            || !self.store.list::<types::Callback>(callbacks).await?.records.is_empty())
    }

    async fn sessions(&self, kind: Kind, before: Timestamp, after: Option<String>) -> Result<Slice, Error> {
        let groups = vec![by::session::all()];
        let (sessions, next) = page::<Session>(self.store, groups, before, after, |one| one.created_at).await?;
        let mut due = Vec::new();
        for session in sessions.into_iter().filter(|session| is_old(session_ended(session), before)) {
            let mission = session.mission.as_ref().map(|assignment| &assignment.mission);
            let may = if kind == Kind::Sessions {
                !needed::has_mission(self.store, mission).await? && !self.outside.has_worktree(&session)
            } else {
                self.outside.has_files(&session) || self.has_messages(&session).await?
            };
            if may && needed::may_session_go(self.store, self.outside, &session, before).await? {
                let session = Box::new(session);
                due.push(if kind == Kind::Sessions { Due::Session(session) } else { Due::Files(session) });
            }
        }
        Ok(Slice { due, next })
    }

    async fn has_messages(&self, session: &Session) -> Result<bool, Error> {
        let query = Query::earliest(by::session::letters(&session.id), 1);
        Ok(!self.store.list::<Letter>(query).await?.records.is_empty())
    }

    async fn approvals(&self, before: Timestamp, after: Option<String>) -> Result<Slice, Error> {
        let groups = vec![by::approval::all()];
        let (found, next) = page::<Approval>(self.store, groups, before, after, |one| one.created_at).await?;
        let mut due = Vec::new();
        for one in found.into_iter().filter(|one| one.updated_at < before) {
            let is_decided = one.state.name() != ApprovalStateName::Waiting;
            if is_decided && needed::is_over(self.store, self.outside, &one.session).await? {
                due.push(Due::Approval(Box::new(one)));
            }
        }
        Ok(Slice { due, next })
    }

    async fn questions(&self, before: Timestamp, after: Option<String>) -> Result<Slice, Error> {
        let groups = vec![by::question::all()];
        let (found, next) = page::<Question>(self.store, groups, before, after, |one| one.asked_at).await?;
        let mut due = Vec::new();
        for one in found.into_iter().filter(|one| one.updated_at < before) {
            // One that was left waiting by a session that is over needs no answer.
            if needed::is_over(self.store, self.outside, &one.session).await? {
                due.push(Due::Question(Box::new(one)));
            }
        }
        Ok(Slice { due, next })
    }

    async fn executions(&self, before: Timestamp, after: Option<String>) -> Result<Slice, Error> {
        let groups = vec![by::execution::all()];
        let (found, next) = page::<Execution>(self.store, groups, before, after, |one| one.created_at).await?;
        let due = found.into_iter().filter(|one| is_over(one, before)).map(|one| Due::Execution(Box::new(one)));
        Ok(Slice { due: due.collect(), next })
    }

    async fn violations(&self, before: Timestamp, after: Option<String>) -> Result<Slice, Error> {
        let groups = vec![by::violation::all()];
        let (found, next) = page::<Violation>(self.store, groups, before, after, |one| one.at).await?;
        Ok(Slice { due: found.into_iter().map(|one| Due::Violation(Box::new(one))).collect(), next })
    }

    async fn answers(&self, before: Timestamp, after: Option<String>) -> Result<Slice, Error> {
        let groups = vec![by::keyed_call::all()];
        let (found, next) = page::<KeyedCall>(self.store, groups, before, after, |one| one.created_at).await?;
        Ok(Slice { due: found.into_iter().map(|one| Due::Answer(Box::new(one))).collect(), next })
    }

    async fn reports(&self, before: Timestamp, after: Option<String>) -> Result<Slice, Error> {
        let groups = vec![by::report::all()];
        let (found, next) = page::<Report>(self.store, groups, before, after, |one| one.created_at).await?;
        let mut due = Vec::new();
        for report in found.into_iter().filter(|report| report.updated_at < before) {
            if !needed::has_mission(self.store, report.mission.as_ref()).await? {
                due.push(Due::Report(Box::new(report)));
            }
        }
        Ok(Slice { due, next })
    }

    async fn landings(&self, before: Timestamp, after: Option<String>) -> Result<Slice, Error> {
        let groups = vec![by::landing::all()];
        let (found, next) = page::<Landing>(self.store, groups, before, after, |one| one.created_at).await?;
        let mut due = Vec::new();
        for landing in found.into_iter().filter(|landing| is_old(landing_ended(landing), before)) {
            if !needed::has_mission(self.store, Some(&landing.mission)).await? {
                due.push(Due::Landing(Box::new(landing)));
            }
        }
        Ok(Slice { due, next })
    }
}

/// Reads the next records of groups that are ordered by age, up to those that are too young to be due.
/// Returns whether an execution ended before a time, and waits for no mission.
pub(crate) fn is_over(execution: &Execution, before: Timestamp) -> bool {
    execution.stopping.is_empty() && is_old(execution.state.ended(), before)
}

async fn page<R: Record>(
    store: &Store,
    groups: Vec<String>,
    before: Timestamp,
    after: Option<String>,
    made: impl Fn(&R) -> Timestamp,
) -> Result<(Vec<R>, Option<String>), Error> {
    let query = Query { groups, after, ..Query::earliest(String::new(), SLICE) };
    let mut page = store.list::<R>(query).await?;
    let read = page.records.len();
    page.records.retain(|record| made(record) < before);
    let next = page.next.filter(|_| page.records.len() == read);
    Ok((page.records, next))
}
