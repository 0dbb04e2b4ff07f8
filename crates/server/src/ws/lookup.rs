//! What only the application knows about what was heard on a socket or happened in the fleet.

use api::claude_fleet::TaskStatus;
use service::{Result, Service};
use types::{Change, Event, Session, SessionId, SessionStateName};

use super::talk::{Heard, News, Talk};

/// Finds out whether whoever wants to follow a chat takes part in it.
pub(super) async fn chat(service: &Service, talk: &Talk, chat: String, uid: Option<String>) -> Result<Heard> {
    let participant = match talk.member() {
        Some(member) => service.in_chat(member, &chat).await?,
        None => false,
    };
    Ok(Heard::Subscribe { chat, uid, participant })
}

/// Finds what there is to tell of an event; nothing, to those who may not see the team it is of.
pub(super) async fn news(service: &Service, talk: &Talk, change: &Change, event: &Event) -> Result<Option<News>> {
    if !talk.member().is_some_and(|member| member.sees(&change.team)) {
        return Ok(None);
    }
    match event {
        Event::MissionAssigned { mission, to, from } => {
            let given = service.assignment(mission, from, to).await?;
            Ok(given.map(|(chat, task)| News::Assigned {
                chat,
                by: task.created_by_handle.clone(),
                task: Box::new(task),
            }))
        }
        Event::MissionMoved { mission, to, .. } => {
            let owner = service.task(mission).await?.and_then(|task| task.owner_handle);
            let (status, team) = (TaskStatus::of(*to), change.team.clone());
            Ok(Some(News::Moved { task: mission.clone(), status, team, owner }))
        }
        Event::ProjectCreated { .. }
        | Event::ProjectUpdated { .. }
        | Event::ProjectDeleted { .. }
        | Event::MissionCreated { .. }
        | Event::MissionUpdated { .. }
        | Event::MissionDeleted { .. }
        | Event::AgentRegistered { .. }
        | Event::AutoDispatched { .. }
        | Event::LandingMoved { .. }
        | Event::ApprovalMoved { .. }
        | Event::DependencyMet { .. }
        | Event::DispatchFailed { .. }
        | Event::CallbackDelivered { .. }
        | Event::CallbackFailed { .. }
        | Event::ServerFailed { .. }
        | Event::ReportMade { .. }
        | Event::BudgetUsedUp { .. }
        | Event::BudgetRenewed { .. }
        | Event::LetterWritten { .. }
        | Event::RuleCreated { .. }
        | Event::RuleUpdated { .. }
        | Event::RuleDeleted { .. }
        | Event::CallRefused { .. } => Ok(None),
        Event::SessionCreated { session, .. } => spawned(service, session).await,
        Event::SessionMoved { session, from, to, .. } => match (over(*from), over(*to)) {
            (true, false) => spawned(service, session).await,
            (false, true) => gone(service, session, *to).await,
            (true, true) | (false, false) => Ok(None),
        },
    }
}

async fn spawned(service: &Service, session: &SessionId) -> Result<Option<News>> {
    let found = service.store().get::<Session>(session).await?;
    Ok(found.map(|session| News::Spawned(Box::new(service.spawned(&session)))))
}

async fn gone(service: &Service, session: &SessionId, how: SessionStateName) -> Result<Option<News>> {
    let found = service.store().get::<Session>(session).await?;
    Ok(found.map(|session| News::Gone { session: session.id, team: session.team, handle: session.handle, how }))
}

/// Tells whether nothing more can come of a session in this state.
fn over(state: SessionStateName) -> bool {
    match state {
        SessionStateName::Completed | SessionStateName::Failed | SessionStateName::Cancelled => true,
        SessionStateName::Starting
        | SessionStateName::Running
        | SessionStateName::Waiting
        | SessionStateName::Stopping => false,
    }
}
