//! What keeps something from being removed, however old it is.
//!
//! A mission is needed while it is not over, while another one waits for it or was made by it and is not as old, and
//! while its parent is at work. A session is needed while it or one that goes on from it is not as old, and while its
//! mission is not. Whatever cannot be told is needed.

use store::{Error, Query, Store, by};
use types::{Landing, LandingState, Mission, MissionId, MissionState, Session, SessionId, SessionState, Timestamp};

use crate::outside::Outside;

/// Records read at once.
const PAGE: usize = 100;

/// Sessions that are looked at to find whether a lineage is over; a larger one is kept.
const LINEAGE_MAX: usize = 500;

/// Returns when a mission ended.
pub(crate) fn mission_ended(mission: &Mission) -> Option<Timestamp> {
    match &mission.state {
        MissionState::Done { at, .. } | MissionState::Failed { at, .. } | MissionState::Cancelled { at, .. } => {
            Some(*at)
        }
        MissionState::Draft
        | MissionState::Ready { .. }
        | MissionState::Held { .. }
        | MissionState::Landing { .. }
        | MissionState::Parked { .. } => None,
    }
}

/// Returns when a session ended.
pub(crate) fn session_ended(session: &Session) -> Option<Timestamp> {
    match &session.state {
        SessionState::Ended { at, .. } => Some(*at),
        SessionState::Starting { .. }
        | SessionState::Running { .. }
        | SessionState::Waiting { .. }
        | SessionState::Stopping { .. } => None,
    }
}

/// Returns when a landing was over for good.
pub(crate) fn landing_ended(landing: &Landing) -> Option<Timestamp> {
    match &landing.state {
        LandingState::Landed { .. } | LandingState::Dropped { .. } => Some(landing.updated_at),
        LandingState::Queued { .. }
        | LandingState::Review { .. }
        | LandingState::Waiting { .. }
        | LandingState::Cleared { .. }
        | LandingState::Returned { .. }
        | LandingState::Stuck { .. } => None,
    }
}

pub(crate) fn is_old(ended: Option<Timestamp>, before: Timestamp) -> bool {
    ended.is_some_and(|ended| ended < before)
}

/// Returns whether a mission with all that hangs on it ended before a time, and none that is younger refers to it.
pub(crate) async fn may_mission_go(store: &Store, mission: &Mission, before: Timestamp) -> Result<bool, Error> {
    if !is_old(mission_ended(mission), before) || is_newest(store, mission).await? {
        return Ok(false);
    }
    if let Some(parent) = &mission.parent
        && store.get::<Mission>(parent).await?.is_some_and(|parent| mission_ended(&parent).is_none())
    {
        return Ok(false);
    }
    for group in [by::mission::dependency(&mission.id), by::mission::parent(&mission.id)] {
        let is_young = |other: &Mission| !is_old(mission_ended(other), before);
        if any::<Mission>(store, group, is_young).await? {
            return Ok(false);
        }
    }
    let waits = |landing: &Landing| !is_old(landing_ended(landing), before);
    Ok(!any::<Landing>(store, by::landing::mission(&mission.id), waits).await?)
}

/// Returns whether a mission has the last number of its project, behind which the next one is counted.
async fn is_newest(store: &Store, mission: &Mission) -> Result<bool, Error> {
    let Some(project) = &mission.project else { return Ok(false) };
    let last = store.list::<Mission>(Query::latest(by::mission::number(project), 1)).await?.records;
    Ok(last.first().is_some_and(|last| last.id == mission.id))
}

/// Returns whether a mission is there that is not over, or ended after a time.
pub(crate) async fn is_mission_young(
    store: &Store,
    mission: Option<&MissionId>,
    before: Timestamp,
) -> Result<bool, Error> {
    let Some(mission) = mission else { return Ok(false) };
    let found = store.get::<Mission>(mission).await?;
    Ok(found.is_some_and(|mission| !is_old(mission_ended(&mission), before)))
}

/// Returns whether a mission is there.
pub(crate) async fn has_mission(store: &Store, mission: Option<&MissionId>) -> Result<bool, Error> {
    match mission {
        Some(mission) => Ok(store.get::<Mission>(mission).await?.is_some()),
        None => Ok(false),
    }
}

/// Returns whether a session and all that go on from it ended before a time, and so did its mission.
pub(crate) async fn may_session_go(
    store: &Store,
    outside: &dyn Outside,
    session: &Session,
    before: Timestamp,
) -> Result<bool, Error> {
    let mission = session.mission.as_ref().map(|assignment| &assignment.mission);
    if is_mission_young(store, mission, before).await? {
        return Ok(false);
    }
    let mut lineage = vec![session.clone()];
    let mut looked = 0;
    while let Some(one) = lineage.pop() {
        looked += 1;
        if looked > LINEAGE_MAX || outside.is_live(&one.id) || !is_old(session_ended(&one), before) {
            return Ok(false);
        }
        let page = store.list::<Session>(Query::earliest(by::session::parent(&one.id), PAGE)).await?;
        if page.next.is_some() {
            return Ok(false);
        }
        lineage.extend(page.records);
    }
    Ok(true)
}

/// Returns whether a session's work has landed: the last landing of it is on the target branch.
pub(crate) async fn has_landed(store: &Store, session: &Session) -> Result<bool, Error> {
    let Some(assignment) = &session.mission else { return Ok(false) };
    let landings = store.list::<Landing>(Query::latest(by::landing::mission(&assignment.mission), PAGE)).await?;
    let last = landings.records.into_iter().find(|landing| landing.session == session.id);
    Ok(last.is_some_and(|last| matches!(last.state, LandingState::Landed { .. })))
}

/// Returns whether a session is over, as far as its record and its task tell.
pub(crate) async fn is_over(store: &Store, outside: &dyn Outside, session: &SessionId) -> Result<bool, Error> {
    let found = store.get::<Session>(session).await?;
    Ok(!outside.is_live(session) && found.is_none_or(|session| !session.state.is_live()))
}

async fn any<R: store::Record>(store: &Store, group: String, is_it: impl Fn(&R) -> bool) -> Result<bool, Error> {
    let mut after = None;
    loop {
        let query = Query { after, ..Query::earliest(group.clone(), PAGE) };
        let page = store.list::<R>(query).await?;
        if page.records.iter().any(&is_it) {
            return Ok(true);
        }
        match page.next {
            Some(next) => after = Some(next),
            None => return Ok(false),
        }
    }
}
