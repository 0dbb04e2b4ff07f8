//! Sessions and where they come from, under `/sessions`.

use api::Listing;
use api::claude_fleet::{
    ContinueSession, CreateSession, ForkSession, GetLineage, GetSessionNode, LineageView, ListWorkerSessions,
    SessionNode, SpawnWorker, TrimSession,
};
use sessions::Cut;
use store::{Query, by};
use tokens::Member;
use types::{Role, Session};

use super::{LIST_MAX, listing};
use crate::{Caller, Handle, Result, Service};

/// Characters that are kept of a conversation where none are asked for.
const KEEP_CHARS: u32 = 20_000;

impl Handle<CreateSession> for Service {
    async fn handle(&self, caller: &Caller, op: CreateSession) -> Result<SessionNode> {
        let asked = SpawnWorker {
            team_name: op.team_name,
            working_dir: op.working_dir,
            in_place: op.in_place,
            agent: op.agent,
            model: op.model,
            ..SpawnWorker::new(op.handle, op.prompt)
        };
        let session = self.spawn_worker(caller.member()?, asked).await?;
        Ok(self.session_node(&session))
    }
}

impl Handle<GetSessionNode> for Service {
    async fn handle(&self, caller: &Caller, op: GetSessionNode) -> Result<SessionNode> {
        Ok(self.session_node(&self.session(caller.member()?, &op.id).await?))
    }
}

impl Handle<ListWorkerSessions> for Service {
    async fn handle(&self, caller: &Caller, op: ListWorkerSessions) -> Result<Listing<SessionNode>> {
        let member = caller.member()?;
        // The owner has no team: the last session with the name decides which team.
        let team = match member.role {
            Role::Owner => self.last_worker(member, &op.handle).await?.team,
            Role::TeamLead | Role::Coordinator | Role::Worker | Role::Monitor | Role::Notifier | Role::Merger => {
                member.team.clone()
            }
        };
        let group = by::session::handle(&team, &op.handle);
        let page = self.page_of::<Session>(member, Query::latest(group, LIST_MAX), op.page, |_| true).await?;
        Ok(listing(page, |session| self.session_node(&session)))
    }
}

impl Handle<TrimSession> for Service {
    async fn handle(&self, caller: &Caller, op: TrimSession) -> Result<SessionNode> {
        let (member, session) = self.parent(caller, &op.id).await?;
        let stamp = self.stamp(member, &session.team);
        let cut = Cut { chars_max: op.keep_chars.unwrap_or(KEEP_CHARS) as usize };
        Ok(self.session_node(&self.sessions.trim(&session.id, cut, op.prompt, &stamp).await?))
    }
}

impl Handle<ContinueSession> for Service {
    async fn handle(&self, caller: &Caller, op: ContinueSession) -> Result<SessionNode> {
        let (member, session) = self.parent(caller, &op.id).await?;
        let stamp = self.stamp(member, &session.team);
        Ok(self.session_node(&self.sessions.continue_from(&session.id, op.prompt, &stamp).await?))
    }
}

impl Handle<ForkSession> for Service {
    async fn handle(&self, caller: &Caller, op: ForkSession) -> Result<SessionNode> {
        let (member, session) = self.parent(caller, &op.id).await?;
        let stamp = self.stamp(member, &session.team);
        Ok(self.session_node(&self.sessions.fork(&session.id, op.prompt, op.handle, &stamp).await?))
    }
}

impl Handle<GetLineage> for Service {
    async fn handle(&self, caller: &Caller, op: GetLineage) -> Result<LineageView> {
        let member = caller.member()?;
        let (who, session) = (self.viewer(member), self.session(member, &op.id).await?);
        let lineage = self.sessions.lineage(&session.id).await?;
        let nodes = |sessions: &[Session]| -> Vec<SessionNode> {
            sessions.iter().filter(|it| who.sees(*it)).map(|it| self.session_node(it)).collect()
        };
        let mut chain = nodes(&lineage.ancestors);
        chain.push(self.session_node(&lineage.session));
        let descendants = nodes(&lineage.descendants);
        let all = || chain.iter().chain(&descendants);
        Ok(LineageView {
            session_id: session.id,
            total_tokens: all().map(|node| node.tokens.total).sum(),
            total_cost_usd: all().map(|node| node.cost_usd).sum(),
            chain,
            descendants,
        })
    }
}

impl Service {
    async fn parent<'a>(&self, caller: &'a Caller, id: &types::SessionId) -> Result<(&'a Member, Session)> {
        let member = caller.member()?;
        Ok((member, self.session(member, id).await?))
    }
}
