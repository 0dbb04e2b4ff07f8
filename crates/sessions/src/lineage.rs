//! The lineage of sessions: resumed, forked, trimmed, continued.

use agents::Event as Told;
use store::{Query, Stamp, Transaction, by};
use types::{Begun, Event, Handle, Order, Origin, Place, Session, SessionId, SessionState};

use crate::ask::{Asked, NewSession};
use crate::assign::{Going, take};
use crate::error::Refusal;
use crate::manager::{SessionManager, Shared};
use crate::{Error, Result};

/// Most sessions of one lineage that are looked at.
const LINEAGE_MAX: usize = 1_000;

/// A session with its ancestors, the first first, and its descendants.
#[derive(Debug, Clone, PartialEq)]
pub struct Lineage {
    /// Those it comes from, the first first.
    pub ancestors: Vec<Session>,
    /// Itself.
    pub session: Session,
    /// Its descendants, oldest first.
    pub descendants: Vec<Session>,
}

/// How much of a conversation is kept by a cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cut {
    /// Most characters of what was said and done last.
    pub chars_max: usize,
}

impl SessionManager {
    /// Finds the lineage of a session.
    ///
    /// # Errors
    /// When there is no such session, or the store fails.
    pub async fn lineage(&self, id: &SessionId) -> Result<Lineage> {
        let session = self.get(id).await?;
        let mut ancestors = Vec::new();
        let mut above = session.origin.parent().cloned();
        while let Some(parent) = above.take()
            && ancestors.len() < LINEAGE_MAX
            && let Some(found) = self.0.parts.store.get::<Session>(&parent).await?
        {
            above = found.origin.parent().cloned();
            ancestors.insert(0, found);
        }
        let mut descendants: Vec<Session> = Vec::new();
        let mut next = vec![id.clone()];
        while let Some(parent) = next.pop()
            && descendants.len() < LINEAGE_MAX
        {
            let query = Query::earliest(by::session::parent(&parent), LINEAGE_MAX);
            let children = self.0.parts.store.list::<Session>(query).await?.records;
            next.extend(children.iter().map(|child| child.id.clone()));
            descendants.extend(children);
        }
        descendants.sort_by_key(|session| session.created_at);
        Ok(Lineage { ancestors, session, descendants })
    }

    /// Begins a session with a copy of another's conversation, at the commit of that one's branch.
    ///
    /// # Errors
    /// Refuses an agent that cannot fork, or a session without a conversation.
    pub async fn fork(&self, id: &SessionId, prompt: String, handle: Option<Handle>, stamp: &Stamp) -> Result<Session> {
        let parent = self.get(id).await?;
        if !self.0.agent_registry().find(&parent.order.agent)?.capabilities().fork {
            let agent = parent.order.agent;
            return Err(Refusal::Incapable { agent, what: "continue a copy of a conversation" }.into());
        }
        let live = self.live(id);
        let told = live.as_ref().and_then(|live| live.conversation.clone());
        let conversation = told.or_else(|| parent.conversation.clone());
        let conversation = conversation.ok_or_else(|| Refusal::NoConversation { session: id.clone() })?;
        let seen = live.map_or(parent.spending, |live| live.spending);
        let origin = Origin::Fork { of: id.clone() };
        let new = NewSession { conversation: Some(conversation), seen, ..heir(&parent, origin, prompt, handle) };
        self.spawn(new, stamp).await
    }

    /// Begins a new conversation with the last of another session's output, at the commit of that one's branch.
    ///
    /// # Errors
    /// When there is no such session, or what it wrote cannot be read.
    pub async fn trim(&self, id: &SessionId, cut: Cut, prompt: Option<String>, stamp: &Stamp) -> Result<Session> {
        let parent = self.get(id).await?;
        let kept = self.last_words(&parent, cut).await?;
        let asked = prompt.unwrap_or_else(|| parent.order.prompt.clone());
        let prompt = format!("{asked}\n\n## What was said and done last\n\n{kept}");
        self.spawn(heir(&parent, Origin::Trim { of: id.clone() }, prompt, None), stamp).await
    }

    /// Begins a new conversation that continues from where another session ended.
    ///
    /// # Errors
    /// When there is no such session.
    pub async fn continue_from(&self, id: &SessionId, prompt: Option<String>, stamp: &Stamp) -> Result<Session> {
        let parent = self.get(id).await?;
        let prompt = prompt.unwrap_or_else(|| {
            let ending = match &parent.state {
                SessionState::Ended { ending: types::SessionEnding::Completed { text }, .. } => text.clone(),
                SessionState::Ended { ending: types::SessionEnding::Failed { class, text }, .. } => {
                    format!("It failed ({}): {text}", class.as_str())
                }
                SessionState::Ended { ending: types::SessionEnding::Cancelled { .. }, .. }
                | SessionState::Starting { .. }
                | SessionState::Running { .. }
                | SessionState::Waiting { .. }
                | SessionState::Stopping { .. } => "It did not come to an end.".to_owned(),
            };
            format!("{}\n\n## How the session before ended\n\n{ending}", parent.order.prompt)
        });
        self.spawn(heir(&parent, Origin::Continue { of: id.clone() }, prompt, None), stamp).await
    }

    /// Reads the end of what was said and done so far; what a running agent says next is not waited for.
    async fn last_words(&self, session: &Session, cut: Cut) -> Result<String> {
        let mut words = String::new();
        for run in (1..=session.runs).rev() {
            let events = self.last_events(session, run).await?;
            words.insert_str(0, &events.iter().filter_map(line).collect::<String>());
            if words.chars().count() >= cut.chars_max {
                break;
            }
        }
        let skip = words.chars().count().saturating_sub(cut.chars_max);
        Ok(words.chars().skip(skip).collect())
    }
}

/// What an event comes to in a summary.
fn line(event: &Told) -> Option<String> {
    match event {
        Told::Text { text, .. } => Some(format!("{text}\n")),
        Told::ToolCall { name, input, .. } => Some(format!("[{name}] {input}\n")),
        Told::ToolResult { text, .. } => Some(format!("{text}\n")),
        Told::Started(_)
        | Told::Thinking { .. }
        | Told::Usage(_)
        | Told::RateLimited(_)
        | Told::Asking { .. }
        | Told::Acknowledged { .. }
        | Told::Background { .. }
        | Told::Result(_)
        | Told::Ended { .. }
        | Told::Raw { .. } => None,
    }
}

/// A session that takes over from another: same agent, same tools, same commit.
fn heir(parent: &Session, origin: Origin, prompt: String, handle: Option<Handle>) -> NewSession {
    let place = match &parent.workspace {
        Some(types::Workspace { worktree: Some(tree), .. }) => {
            Place::Inherit { folder: tree.repository.clone(), branch: tree.branch.clone() }
        }
        Some(_) | None => parent.order.place.clone(),
    };
    let order = Order { prompt, again: None, place, ..parent.order.clone() };
    NewSession { handle, project: parent.project.clone(), origin, ..NewSession::new(parent.team.clone(), order) }
}

impl Shared {
    /// Opens a session again that is over, in its transaction.
    pub(crate) async fn reopen(
        &self,
        tx: &Transaction,
        id: &SessionId,
        asked: &Asked,
        stamp: &Stamp,
    ) -> Result<Session> {
        let held = tx.get::<Session>(id).await?;
        let held = held.ok_or_else(|| Refusal::NotFound { session: id.clone() })?;
        let before = &held.record;
        if before.state.is_live() {
            return Err(Refusal::WrongState { session: id.clone(), state: before.state.name() }.into());
        }
        if before.conversation.is_none() {
            return Err(Refusal::NoConversation { session: id.clone() }.into());
        }
        if let Some(other) = self.named(&before.team, &before.handle).await? {
            return Err(Refusal::HandleTaken { handle: before.handle.clone(), session: other.id }.into());
        }
        let mut session = before.clone();
        if let Some(assignment) = &before.mission {
            session.mission = Some(take(tx, &assignment.mission, id, &before.handle, Going::On, stamp).await?);
        }
        session.order = reordered(&before.order, asked);
        session.runs += 1;
        (session.begun, session.failures, session.restarts) = (Begun::Resumed, 0, 0);
        session.state = SessionState::Starting { since: stamp.at };
        session.updated_at = stamp.at;
        tx.update(&held, &session)?;
        let mission = session.mission.as_ref().map(|assignment| assignment.mission.clone());
        let (from, to) = (before.state.name(), session.state.name());
        tx.append(Event::SessionMoved { session: id.clone(), mission, from, to });
        Ok::<_, Error>(session)
    }
}

fn reordered(order: &Order, asked: &Asked) -> Order {
    Order {
        again: asked.prompt.clone().or_else(|| order.again.clone()),
        model: asked.model.clone().or_else(|| order.model.clone()),
        system_prompt: asked.system_prompt.clone().or_else(|| order.system_prompt.clone()),
        limits: asked.limits.unwrap_or(order.limits),
        allowed_tools: asked.allowed_tools.clone().or_else(|| order.allowed_tools.clone()),
        context_mode: order.context_mode || asked.context_mode,
        sandbox: asked.sandbox.clone().unwrap_or_else(|| order.sandbox.clone()),
        // Listed tools belong to no preset.
        preset: order.preset.clone().filter(|_| asked.allowed_tools.is_none()),
        ..order.clone()
    }
}
