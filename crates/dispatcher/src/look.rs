//! Bringing the line up to what is stored: all of it, or the missions that have changed.
//!
//! The state of a dependency is read once, however many wait for it; from then on the feed reports changes.

use std::collections::{BTreeMap, BTreeSet};

use schedule::Dependency;
use store::{Query, Store, by};
use types::{Mission, MissionId, MissionState, StateName};

use crate::queue::Line;
use crate::runner::MissionRunner;

/// Missions read at once.
const PAGE: usize = 500;

/// What was read of missions that others wait for.
type Read = BTreeMap<MissionId, Option<MissionState>>;

/// Makes the line anew from what is stored; what was tried and failed is remembered.
pub(crate) async fn renew<C: MissionRunner>(store: &Store, crew: &C, line: &mut Line) -> Result<(), store::Error> {
    let found = ready(store).await?;
    let mut read: Read = found.iter().map(|mission| (mission.id.clone(), Some(mission.state.clone()))).collect();
    line.keep(&read.keys().cloned().collect());
    for on in found.iter().flat_map(|mission| &mission.depends_on) {
        if !read.contains_key(on) {
            let state = store.get::<Mission>(on).await?.map(|mission| mission.state);
            read.insert(on.clone(), state);
        }
    }
    for mission in &found {
        let dependencies = mission.depends_on.iter();
        let stand = |on: &MissionId| Dependency::new(on.clone(), read.get(on).and_then(Option::as_ref));
        let post = crew.post(mission).await;
        line.put(mission, post, dependencies.map(stand).collect());
    }
    Ok(())
}

async fn ready(store: &Store) -> Result<Vec<Mission>, store::Error> {
    let mut found = Vec::new();
    let mut query = Query::latest(by::mission::state(StateName::Ready), PAGE);
    loop {
        let page = store.list::<Mission>(query.clone()).await?;
        found.extend(page.records);
        match page.next {
            Some(next) => query.after = Some(next),
            None => return Ok(found),
        }
    }
}

/// Takes in the changes of some missions; returns whether any position in the queue has changed.
pub(crate) async fn look<C: MissionRunner>(
    store: &Store,
    crew: &C,
    line: &mut Line,
    missions: &BTreeSet<MissionId>,
) -> Result<bool, store::Error> {
    let mut found = Vec::with_capacity(missions.len());
    let mut changed = false;
    for id in missions {
        let mission = store.get::<Mission>(id).await?;
        changed |= line.stands(id, mission.as_ref().map(|mission| &mission.state));
        match mission {
            Some(mission) => found.push(mission),
            None => changed |= line.leave(id),
        }
    }
    for mission in &found {
        let mut dependencies = Vec::with_capacity(mission.depends_on.len());
        if matches!(mission.state, MissionState::Ready { .. }) {
            for on in &mission.depends_on {
                dependencies.push(dependency(store, line, on).await?);
            }
        }
        let post = crew.post(mission).await;
        changed |= line.put(mission, post, dependencies);
    }
    Ok(changed)
}

async fn dependency(store: &Store, line: &Line, on: &MissionId) -> Result<Dependency, store::Error> {
    if let Some(stands) = line.known(on) {
        return Ok(Dependency { on: on.clone(), stands });
    }
    let state = store.get::<Mission>(on).await?.map(|mission| mission.state);
    Ok(Dependency::new(on.clone(), state.as_ref()))
}
