//! Tasks: missions as a team gives and takes them.

use api::claude_fleet::{
    AgentView, CreateTask, GetTask, GetTeamStatus, ListTeamTasks, TaskFilter, TaskStatus, TaskView, TeamStatus,
    UpdateTask,
};
use api::{Code, Error, Listing};
use missions::{Move, Statement};
use store::{Query, by};
use tokens::Member;
use types::{Agent, Handle as AgentHandle, Mission, Role, TeamName, Uid};

use super::{LIST_MAX, listing};
use crate::{Caller, Handle, Result, Service};

const NOUN: &str = "Task";

impl Handle<ListTeamTasks> for Service {
    async fn handle(&self, caller: &Caller, op: ListTeamTasks) -> Result<Listing<TaskView>> {
        let member = caller.member()?;
        let team = op.team_name.as_ref().unwrap_or(&member.team);
        let fits = |mission: &Mission| match op.filter {
            TaskFilter::All => true,
            TaskFilter::Mine => mission.assignee.as_ref() == Some(&member.handle),
            TaskFilter::Unassigned => mission.assignee.is_none(),
        };
        let query = Query::latest(by::mission::team_age(team), LIST_MAX);
        Ok(listing(self.page_of(member, query, op.page, fits).await?, TaskView::from))
    }

    fn groups_read(&self, op: &ListTeamTasks) -> Option<Vec<String>> {
        // What is assigned to the caller, or belongs to its own team, differs from caller to caller.
        let team = op.team_name.as_ref().filter(|_| op.filter == TaskFilter::All)?;
        Some(vec![by::mission::team_age(team)])
    }
}

impl Handle<GetTeamStatus> for Service {
    async fn handle(&self, caller: &Caller, _: GetTeamStatus) -> Result<TeamStatus> {
        let team = caller.member()?.team.clone();
        let agents: Vec<AgentView> = self.members(&team).await?.into_iter().map(Into::into).collect();
        Ok(TeamStatus { health: self.health().await?, count: agents.len(), team, agents })
    }
}

impl Handle<CreateTask> for Service {
    async fn handle(&self, caller: &Caller, op: CreateTask) -> Result<TaskView> {
        let sender = self.sender(caller.member()?, &op.team_name, &op.from_uid).await?;
        let assignee = Uid::of(&op.team_name, &op.to_handle);
        if self.store.get::<Agent>(&assignee).await?.is_none() {
            return Err(agent_not_found(format!("Agent {} not found", op.to_handle), &op.team_name).into());
        }
        let said = Statement {
            depends_on: op.blocked_by,
            assignee: Some(op.to_handle),
            ..Statement::new(op.team_name, op.subject, op.description.unwrap_or_default())
        };
        Ok(self.state(&sender, None, said).await?.into())
    }
}

impl Handle<GetTask> for Service {
    async fn handle(&self, caller: &Caller, op: GetTask) -> Result<TaskView> {
        Ok(self.mission(caller.member()?, &op.task_id, NOUN).await?.into())
    }
}

impl Handle<UpdateTask> for Service {
    async fn handle(&self, caller: &Caller, op: UpdateTask) -> Result<TaskView> {
        let member = caller.member()?;
        let step = match op.status {
            TaskStatus::Open => Move::Open,
            TaskStatus::InProgress => Move::Claim,
            TaskStatus::Resolved => Move::Finish,
            TaskStatus::Blocked => Move::Park,
        };
        Ok(self.step(member, &op.task_id, step, NOUN).await?.into())
    }
}

impl Service {
    /// Finds the member a task comes from: the caller, or the member that the owner names.
    async fn sender(&self, member: &Member, team: &TeamName, from: &Uid) -> Result<Member> {
        if *from == member.uid() {
            let role = member.role;
            return Ok(Member { handle: member.handle.clone(), team: team.clone(), role, session: None });
        }
        let agent = self.store.get::<Agent>(from).await?.filter(|agent| agent.team == *team);
        let found =
            agent.map(|agent| Member { handle: agent.handle, team: agent.team, role: Role::Owner, session: None });
        found.ok_or_else(|| agent_not_found("Sender not found".to_owned(), team).into())
    }
}

fn agent_not_found(message: String, team: &TeamName) -> Error {
    Error::new(Code::AGENT_NOT_FOUND, message)
        .hint(format!("`fleet teams {team}` lists the members; `fleet auth HANDLE {team}` registers one."))
}

/// The members of a team that a task could be given to.
impl Service {
    pub(super) async fn members(&self, team: &TeamName) -> Result<Vec<Agent>> {
        let query = Query::earliest(by::agent::team(team), LIST_MAX);
        let mut agents = self.store.list::<Agent>(query).await?.records;
        for agent in &mut agents {
            agent.seen_at = self.seen(&agent.uid).unwrap_or(agent.seen_at).max(agent.seen_at);
        }
        Ok(agents)
    }

    /// Returns whether a member takes part in the direct chat of that id.
    ///
    /// The owner may follow every chat. It is registered in no team and gives tasks in all of them, so every member has
    /// a chat with it.
    ///
    /// # Errors
    /// Fails when the store does.
    pub async fn in_chat(&self, member: &Member, chat: &str) -> Result<bool> {
        let uid = member.uid();
        let owner = Uid::of(&member.team, &AgentHandle::owner());
        if member.role == Role::Owner || uid.direct_chat(&owner) == chat {
            return Ok(true);
        }
        let others = self.members(&member.team).await?;
        Ok(others.iter().any(|other| uid.direct_chat(&other.uid) == chat))
    }

    /// Returns the id of the chat in which a mission was given, and the mission as its clients see it.
    ///
    /// # Errors
    /// Fails when the store does.
    pub async fn assignment(
        &self,
        mission: &types::MissionId,
        from: &Uid,
        to: &AgentHandle,
    ) -> Result<Option<(String, TaskView)>> {
        let mission = self.store.get::<Mission>(mission).await?;
        Ok(mission.map(|mission| (from.direct_chat(&Uid::of(&mission.team, to)), TaskView::from(mission))))
    }

    /// Returns a task as its clients see it.
    ///
    /// # Errors
    /// Fails when the store does.
    pub async fn task(&self, mission: &types::MissionId) -> Result<Option<TaskView>> {
        Ok(self.store.get::<Mission>(mission).await?.map(TaskView::from))
    }
}
