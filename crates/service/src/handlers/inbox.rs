//! What waits for a person: read here, decided in [`crate::inbox`].

use std::collections::HashMap;

use api::fleet::{InboxItem, ListInbox};
use api::{Listing, Page};
use store::{Query, Record, by};
use tokens::Member;
use types::{
    Approval, ApprovalState, ApprovalStateName, ExecutionStateName, LandingStateName, Mission, MissionId, Project,
    Question, QuestionState, QuestionStateName, Session, SessionState, Start, StateName, Wait,
};

use super::{LIST_MAX, limit};
use crate::inbox::{Account, Ready, Records, UsedUp, ranked};
use crate::{Belongs, Caller, Handle, Result, Service};

/// The states of landings that may need a person.
const LANDINGS: [LandingStateName; 3] = [LandingStateName::Review, LandingStateName::Stuck, LandingStateName::Waiting];

impl Handle<ListInbox> for Service {
    async fn handle(&self, caller: &Caller, op: ListInbox) -> Result<Listing<InboxItem>> {
        let member = caller.member()?;
        let mut records = self.waiting_records(member).await?;
        records.ready = self.ready_missions(member).await?;
        Ok(page(ranked(&records), &op.page))
    }
}

/// Cuts a page out; its cursor counts the items before it, since what is ranked has no other order.
fn page(items: Vec<InboxItem>, page: &Page) -> Listing<InboxItem> {
    let from = page.after.as_deref().and_then(|after| after.parse().ok()).unwrap_or(0);
    let end = limit(page.limit).saturating_add(from);
    let next = (items.len() > end).then(|| end.to_string());
    Listing { items: items.into_iter().skip(from).take(end - from).collect(), next }
}

impl Service {
    /// Counts what waits for a person.
    pub(super) async fn waiting_for_person(&self, member: &Member) -> Result<u64> {
        Ok(ranked(&self.waiting_records(member).await?).len() as u64)
    }

    /// Reads what waits for a person that the member may see, at most [`LIST_MAX`] of each kind.
    async fn waiting_records(&self, member: &Member) -> Result<Records> {
        let mut records = Records {
            approvals: self.waiting_approvals(member).await?,
            questions: self.waiting_questions(member).await?,
            executions: self.visible(member, vec![by::execution::state(ExecutionStateName::Running)]).await?,
            landings: self.visible(member, LANDINGS.map(by::landing::state).into()).await?,
            ..Records::default()
        };
        let now = self.clock.now();
        let parked: Vec<Mission> = self.visible(member, vec![by::mission::state(StateName::Parked)]).await?;
        let used = |mission: &Mission| sessions::own_budget(mission).and_then(|budget| budget.used_up(now));
        let with_budget = |mission: Mission| {
            let used = used(&mission);
            (mission, used)
        };
        records.parked = parked.into_iter().map(with_budget).collect();
        // Agents do not see those of the whole fleet.
        if member.session.is_none() {
            records.accounts = self.waiting_accounts().await?;
            records.budgets = self.used_up_budgets(member).await?;
        }
        Ok(records)
    }

    /// Lists the approvals without an answer and that some session still waits for.
    async fn waiting_approvals(&self, member: &Member) -> Result<Vec<Approval>> {
        let stored: Vec<Approval> = self.visible(member, vec![by::approval::state(ApprovalStateName::Waiting)]).await?;
        let mut waiting = Vec::with_capacity(stored.len());
        for approval in stored {
            // Of a session that is over nothing waits, whatever is stored.
            let approval = self.sessions.settled(approval).await?;
            waiting.extend((approval.state == ApprovalState::Waiting).then_some(approval));
        }
        Ok(waiting)
    }

    /// Lists the questions that some session still waits with.
    async fn waiting_questions(&self, member: &Member) -> Result<Vec<Question>> {
        let stored: Vec<Question> = self.visible(member, vec![by::question::state(QuestionStateName::Waiting)]).await?;
        let mut waiting = Vec::with_capacity(stored.len());
        for question in stored {
            // Of a session that is over nothing waits, whatever is stored.
            let question = self.sessions.settled_question(question).await?;
            waiting.extend((question.state == QuestionState::Waiting).then_some(question));
        }
        Ok(waiting)
    }

    async fn waiting_accounts(&self) -> Result<Vec<Account>> {
        let parked = self.sessions.parked().await?.into_iter().filter(|parked| parked.until.is_none());
        let registry = self.sessions.agent_registry();
        let login = |account: &str| {
            let name = registry.names().find(|name| registry.account(name) == account)?;
            registry.find(name).ok()?.discovery()?.login_command
        };
        let missions = |account: &str| missions_of(self.waiting_for(account));
        Ok(parked
            .map(|parked| Account { login: login(&parked.account), missions: missions(&parked.account), parked })
            .collect())
    }

    async fn used_up_budgets(&self, member: &Member) -> Result<Vec<UsedUp>> {
        let (now, today) = (self.clock.now(), self.sessions.today());
        let projects: Vec<Project> = self.visible(member, vec![by::project::budgeted()]).await?;
        let waits = |session: &Session| matches!(session.state, SessionState::Waiting { wait: Wait::Budget, .. });
        let waiting: Vec<Session> =
            self.sessions.everyone().into_iter().map(|live| live.session).filter(waits).collect();
        let mut found = Vec::new();
        for project in projects.iter().map(Some).chain([None]) {
            let allotment = project.map_or_else(|| self.settings().budget(), |project| project.budget);
            for (ceiling, day) in [(allotment.daily, Some(today)), (allotment.total, None)] {
                let budget = self.budget(project, ceiling, day);
                let Some(used) = budget.used_up(now) else { continue };
                let under = |session: &&Session| project.is_none_or(|it| session.project.as_ref() == Some(&it.id));
                found.push(UsedUp {
                    project: project.map(|project| (project.id.clone(), project.name.clone())),
                    daily: day.is_some(),
                    used,
                    resets_at: budget.resets_at,
                    missions: missions_of(waiting.iter().filter(under).cloned()),
                });
            }
        }
        Ok(found)
    }

    /// Lists the missions that would start by themselves, with the account that each would use.
    async fn ready_missions(&self, member: &Member) -> Result<Vec<Ready>> {
        let missions: Vec<Mission> = self.visible(member, vec![by::mission::state(StateName::Ready)]).await?;
        let registry = self.sessions.agent_registry();
        let mut projects: HashMap<_, Option<Project>> = HashMap::new();
        let mut ready = Vec::with_capacity(missions.len());
        for mission in missions.into_iter().filter(|mission| mission.start == Start::WhenReady) {
            if let Some(id) = mission.project.as_ref().filter(|id| !projects.contains_key(*id)) {
                projects.insert(id.clone(), self.store.get::<Project>(id).await?);
            }
            let project = mission.project.as_ref().and_then(|id| projects.get(id)?.as_ref());
            let account = registry.account(&self.around(&mission, project).agent.value);
            let Mission { id, depends_on, project, .. } = mission;
            ready.push(Ready { mission: id, depends_on, project, account });
        }
        Ok(ready)
    }

    /// Lists the records of groups that the member may see; of missions the most urgent, of others the newest.
    async fn visible<R: Record + Belongs>(&self, member: &Member, groups: Vec<String>) -> Result<Vec<R>> {
        let who = self.viewer(member);
        let query = Query { groups, ..Query::latest(String::new(), LIST_MAX) };
        self.first(query, |record: &R| who.sees(record)).await
    }
}

fn missions_of(sessions: impl IntoIterator<Item = Session>) -> Vec<MissionId> {
    sessions.into_iter().filter_map(|session| session.mission.map(|assignment| assignment.mission)).collect()
}
