//! What only the application knows about what was heard on a socket or happened in the fleet.

use api::claude_fleet::TaskStatus;
use service::{Result, Service, Viewer};
use sessions::Said;
use types::{Change, Event, Mission, Session, SessionId, SessionStateName};

use super::talk::{Heard, News, Talk};

/// Finds out whether the client that wants to follow a chat takes part in it.
pub(super) async fn chat(service: &Service, talk: &Talk, chat: String, uid: Option<String>) -> Result<Heard> {
    let participant = match talk.member() {
        Some(member) => service.in_chat(member, &chat).await?,
        None => false,
    };
    Ok(Heard::Subscribe { chat, uid, participant })
}

/// Returns the news of an event; none for callers that may not see its team.
pub(super) async fn news(service: &Service, talk: &Talk, change: &Change, event: &Event) -> Result<Option<News>> {
    let Some(who) = talk.member().filter(|member| member.sees(&change.team)).map(|member| service.viewer(member))
    else {
        return Ok(None);
    };
    if let Event::MissionAssigned { mission, .. } | Event::MissionMoved { mission, .. } = event
        && !service.store().get::<Mission>(mission).await?.is_some_and(|mission| who.sees(&mission))
    {
        return Ok(None);
    }
    if let Event::MissionAssigned { mission, to, from } = event {
        let given = service.assignment(mission, from, to).await?;
        return Ok(given.map(|(chat, task)| News::Assigned {
            chat,
            by: task.created_by_handle.clone(),
            task: Box::new(task),
        }));
    }
    if let Event::MissionMoved { mission, to, .. } = event {
        let owner = service.task(mission).await?.and_then(|task| task.owner_handle);
        let (status, team) = (TaskStatus::of(*to), change.team.clone());
        return Ok(Some(News::Moved { task: mission.clone(), status, team, owner }));
    }
    if let Event::SessionCreated { session, .. } = event {
        return spawned(service, &who, session).await;
    }
    let Event::SessionMoved { session, from, to, .. } = event else { return Ok(None) };
    match (over(*from), over(*to)) {
        (true, false) => spawned(service, &who, session).await,
        (false, true) => gone(service, &who, session, *to).await,
        (true, true) | (false, false) => Ok(None),
    }
}

async fn spawned(service: &Service, who: &Viewer, session: &SessionId) -> Result<Option<News>> {
    let found = service.store().get::<Session>(session).await?.filter(|session| who.sees(session));
    Ok(found.map(|session| News::Spawned(Box::new(service.spawned(&session)))))
}

async fn gone(service: &Service, who: &Viewer, session: &SessionId, how: SessionStateName) -> Result<Option<News>> {
    let found = service.store().get::<Session>(session).await?.filter(|session| who.sees(session));
    Ok(found.map(|session| News::Gone { session: session.id, team: session.team, handle: session.handle, how }))
}

/// Returns whether a client may hear what a worker says; of the teams, `talk` decides.
pub(super) fn may_hear(service: &Service, talk: &Talk, said: &Said) -> bool {
    let Some(who) = talk.member().map(|member| service.viewer(member)) else { return false };
    let live = || service.sessions().live(&said.session);
    who.agent().is_none() || live().is_some_and(|live| who.sees(&live.session))
}

/// Returns whether a session in this state has ended.
fn over(state: SessionStateName) -> bool {
    match state {
        SessionStateName::Completed | SessionStateName::Failed | SessionStateName::Cancelled => true,
        SessionStateName::Starting
        | SessionStateName::Running
        | SessionStateName::Waiting
        | SessionStateName::Stopping => false,
    }
}
