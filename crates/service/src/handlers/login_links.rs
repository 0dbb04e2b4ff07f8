//! Fleet's own operations: sign-in links, and ids by their beginning.

use api::fleet::{CreateLoginLink, LoginLink, ResolveId, Resolved};
use api::{Code, Error, IsoTime};
use store::Record;
use types::{Approval, Mission, Project, ProjectServer, Session};

use crate::login::LINK_LIFETIME;
use crate::{Caller, Handle, Result, Service};

/// Characters of a sign-in code: more than anyone can guess in five minutes.
const CODE_LENGTH: usize = 40;

/// Ids named in the message when a prefix fits several.
const NAMED_MAX: usize = 5;

impl Handle<CreateLoginLink> for Service {
    async fn handle(&self, _: &Caller, _: CreateLoginLink) -> Result<LoginLink> {
        let (now, code) = (self.clock.now(), self.rng.short_code(CODE_LENGTH));
        let expires_at = now.checked_add(LINK_LIFETIME).map_err(|error| crate::Error::Fault(error.to_string()))?;
        self.logins.add(code.clone(), expires_at, now);
        Ok(LoginLink { path: format!("/login?code={code}"), expires_at: IsoTime(expires_at) })
    }
}

impl Handle<ResolveId> for Service {
    async fn handle(&self, caller: &Caller, op: ResolveId) -> Result<Resolved> {
        let who = self.viewer(caller.member()?);
        let approvals = self.beginning(&op.prefix, |approval: &Approval| who.sees(approval)).await?;
        let missions = self.beginning(&op.prefix, |mission: &Mission| who.sees(mission)).await?;
        let projects = self.beginning(&op.prefix, |project: &Project| who.sees(project)).await?;
        let sessions = self.beginning(&op.prefix, |session: &Session| who.sees(session)).await?;
        let servers = self.beginning(&op.prefix, |server: &ProjectServer| who.sees(server)).await?;
        let resolved = |id: String, kind: &str, title| Resolved { id, kind: kind.to_owned(), title };
        let mut found: Vec<Resolved> = missions
            .into_iter()
            .map(|mission| resolved(mission.id.to_string(), "mission", mission.title))
            .chain(projects.into_iter().map(|project| resolved(project.id.to_string(), "project", project.name)))
            .chain(
                approvals
                    .into_iter()
                    .map(|approval| resolved(approval.id.to_string(), "approval", approval.wanted.summary)),
            )
            .chain(sessions.into_iter().map(|session| {
                let title = session.order.title.unwrap_or_else(|| session.handle.to_string());
                resolved(session.id.to_string(), "session", title)
            }))
            .chain(servers.into_iter().map(|server| resolved(server.id.to_string(), "mcp server", server.name)))
            .collect();
        // A whole id is never ambiguous, though a longer one may begin with it.
        if let Some(exact) = found.iter().position(|resolved| resolved.id == op.prefix) {
            return Ok(found.swap_remove(exact));
        }
        match found.len() {
            0 => Err(Error::new(Code::ID_NOT_FOUND, format!("nothing has an id that begins with `{}`", op.prefix))
                .hint("`fleet mission list` and `fleet project list` show what there is.")
                .into()),
            1 => Ok(found.swap_remove(0)),
            _ => Err(ambiguous(&op.prefix, &found).into()),
        }
    }
}

impl Service {
    /// Finds the first records whose ids begin so among those that are seen, however many others there are.
    async fn beginning<R: Record>(&self, prefix: &str, sees: impl Fn(&R) -> bool) -> Result<Vec<R>> {
        let mut limit = NAMED_MAX + 1;
        loop {
            let records = self.store.ids::<R>(prefix, limit).await?;
            let whole = records.len() < limit;
            let seen: Vec<R> = records.into_iter().filter(&sees).collect();
            if whole || seen.len() > NAMED_MAX {
                return Ok(seen);
            }
            limit *= 8;
        }
    }
}

fn ambiguous(prefix: &str, found: &[Resolved]) -> Error {
    let named: Vec<&str> = found.iter().take(NAMED_MAX).map(|resolved| resolved.id.as_str()).collect();
    Error::new(Code::ID_AMBIGUOUS, format!("`{prefix}` fits several: {}", named.join(", "))).hint("Type more of it.")
}
