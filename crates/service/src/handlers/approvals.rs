//! Tool calls that wait for a person, and their answers. No agent answers: neither its own question nor another's.

use api::fleet::{AllowApproval, ApprovalView, DenyApproval, GetApproval, ListApprovals};
use api::{Code, Error, Listing};
use sessions::Answer;
use store::{Query, by};
use tokens::Member;
use types::{Approval, ApprovalId, ApprovalStateName, Role};

use super::limit;
use super::not_found;
use crate::{Caller, Handle, Result, Service};

impl Handle<ListApprovals> for Service {
    async fn handle(&self, caller: &Caller, op: ListApprovals) -> Result<Listing<ApprovalView>> {
        let member = caller.member()?;
        let (who, limit) = (self.viewer(member), limit(op.page.limit));
        let status = op.status.map(ApprovalStateName::from);
        let group = group(member, &op, status);
        let (mut after, mut found) = (op.page.after.clone(), Vec::new());
        // What the index cannot tell is filtered here, page by page.
        loop {
            let query = Query { after, ..Query::latest(group.clone(), limit - found.len()) };
            let page = self.store.list::<Approval>(query).await?;
            for approval in page.records {
                // Of a session that is over nothing waits, whatever is stored.
                let approval = self.sessions.settled(approval).await?;
                if who.sees(&approval) && fits(&op, status, &approval) {
                    found.push(approval.into());
                }
            }
            after = page.next;
            if after.is_none() || found.len() >= limit {
                return Ok(Listing { items: found, next: after });
            }
        }
    }
}

/// Picks the narrowest index there is for what was asked.
fn group(member: &Member, op: &ListApprovals, status: Option<ApprovalStateName>) -> String {
    match (&op.session_id, &op.mission_id, status) {
        (Some(session), _, _) => by::approval::session(session),
        (None, Some(mission), _) => by::approval::mission(mission),
        // One that lapsed may still be stored as one that waits.
        (None, None, Some(ApprovalStateName::Lapsed) | None) if member.role == Role::Owner => by::approval::all(),
        (None, None, Some(ApprovalStateName::Lapsed) | None) => by::approval::team(&member.team),
        (None, None, Some(state)) if member.role == Role::Owner => by::approval::state(state),
        (None, None, Some(state)) => by::approval::team_state(&member.team, state),
    }
}

fn fits(op: &ListApprovals, status: Option<ApprovalStateName>, approval: &Approval) -> bool {
    op.mission_id.as_ref().is_none_or(|mission| approval.mission.as_ref() == Some(mission))
        && op.session_id.as_ref().is_none_or(|session| approval.session == *session)
        && status.is_none_or(|status| approval.state.name() == status)
}

impl Handle<GetApproval> for Service {
    async fn handle(&self, caller: &Caller, op: GetApproval) -> Result<ApprovalView> {
        Ok(self.approval(caller.member()?, &op.approval).await?.into())
    }
}

impl Handle<AllowApproval> for Service {
    async fn handle(&self, caller: &Caller, op: AllowApproval) -> Result<ApprovalView> {
        self.answer(caller.member()?, &op.approval, Answer::Allow).await
    }
}

impl Handle<DenyApproval> for Service {
    async fn handle(&self, caller: &Caller, op: DenyApproval) -> Result<ApprovalView> {
        let why = op.why.unwrap_or_default().trim().to_owned();
        self.answer(caller.member()?, &op.approval, Answer::Deny { why }).await
    }
}

impl Service {
    async fn approval(&self, member: &Member, id: &ApprovalId) -> Result<Approval> {
        let who = self.viewer(member);
        let found = self.sessions.approval(id).await?.filter(|approval| who.sees(approval));
        found.ok_or_else(|| not_found::approval().into())
    }

    async fn answer(&self, member: &Member, id: &ApprovalId, answer: Answer) -> Result<ApprovalView> {
        let approval = self.approval(member, id).await?;
        self.no_agent(member).await?;
        let stamp = self.stamp(member, &approval.team);
        Ok(self.sessions.answer(id, &answer, &stamp).await?.into())
    }

    /// Refuses an agent that Fleet runs, whatever role its token has: a person answers.
    pub(super) async fn no_agent(&self, member: &Member) -> Result<()> {
        if member.role == Role::Owner {
            return Ok(());
        }
        match self.sessions.named(&member.team, &member.handle).await? {
            Some(session) => {
                let message = format!("`{}` is an agent at work, in session `{}`", member.handle, session.id);
                Err(Error::new(Code::ROLE_REFUSED, message).hint("A person of the team has to answer.").into())
            }
            None => Ok(()),
        }
    }
}
