//! Who is ready and what each waits for: a picture of the store that follows the feed.

use std::collections::{BTreeMap, BTreeSet};

use schedule::{Candidate, Dependency, Fairness, Priority, Stands};
use types::{Mission, MissionId, MissionState, Start, Timestamp};

use crate::runner::Post;

/// The ready missions.
#[derive(Debug, Default)]
pub(crate) struct Line {
    ready: BTreeMap<MissionId, Place>,
    /// Who waits for a mission.
    waiting: BTreeMap<MissionId, BTreeSet<MissionId>>,
    /// Missions that wait for no mission and no person, in order of their turn: no others can start.
    turns: BTreeSet<Priority>,
    fairness: Fairness,
}

/// A mission's place in the line.
#[derive(Debug, Clone, PartialEq)]
struct Place {
    candidate: Candidate,
    /// When the mission itself was last changed: a failure to start it says nothing about what it is since.
    updated_at: Timestamp,
    /// For which mission it waited last, if it waits no more.
    freed_by: Option<MissionId>,
}

impl Line {
    /// Puts a mission into the line as it is now, or takes it out; `dependencies` are its own, with where they stand.
    /// Returns whether that changed anything.
    pub(crate) fn put(&mut self, mission: &Mission, post: Post, dependencies: Vec<Dependency>) -> bool {
        let before = self.remove(&mission.id);
        let MissionState::Ready { since } = mission.state else { return before.is_some() };
        for dependency in &dependencies {
            self.waiting.entry(dependency.on.clone()).or_default().insert(mission.id.clone());
        }
        let same = before.as_ref().filter(|before| before.updated_at == mission.updated_at);
        let place = Place {
            freed_by: before.as_ref().and_then(|before| freed_by(before, &dependencies)),
            updated_at: mission.updated_at,
            candidate: Candidate {
                mission: mission.id.clone(),
                project: mission.project.clone(),
                agent: post.agent,
                account: post.account,
                priority: mission.priority,
                since,
                start: mission.start,
                not_before: same.and_then(|before| before.candidate.not_before),
                budget: post.budget,
                dependencies,
            },
        };
        let changed = before.as_ref() != Some(&place);
        if is_free(&place.candidate) {
            self.turns.insert(self.fairness.turn(&place.candidate));
        }
        self.ready.insert(mission.id.clone(), place);
        changed
    }

    /// Takes a mission out of the queue; returns whether it was in it.
    pub(crate) fn leave(&mut self, mission: &MissionId) -> bool {
        self.remove(mission).is_some()
    }

    fn remove(&mut self, mission: &MissionId) -> Option<Place> {
        let place = self.ready.remove(mission)?;
        self.turns.remove(&self.fairness.turn(&place.candidate));
        for dependency in &place.candidate.dependencies {
            if let Some(waiting) = self.waiting.get_mut(&dependency.on) {
                waiting.remove(mission);
                if waiting.is_empty() {
                    self.waiting.remove(&dependency.on);
                }
            }
        }
        Some(place)
    }

    /// Takes every mission out of the queue that is not among these.
    pub(crate) fn keep(&mut self, known: &BTreeSet<MissionId>) {
        let gone: Vec<MissionId> = self.ready.keys().filter(|mission| !known.contains(mission)).cloned().collect();
        for mission in gone {
            self.remove(&mission);
        }
    }

    /// Notes the state of a mission that others may wait for; returns whether that is new to any of them.
    pub(crate) fn stands(&mut self, on: &MissionId, state: Option<&MissionState>) -> bool {
        let stands = Dependency::new(on.clone(), state).stands;
        if self.known(on).is_none_or(|known| known == stands) {
            return false;
        }
        for waiting in self.waiting.get(on).into_iter().flatten() {
            let Some(place) = self.ready.get_mut(waiting) else { continue };
            let was_open = is_open(&place.candidate.dependencies);
            for dependency in place.candidate.dependencies.iter_mut().filter(|dependency| dependency.on == *on) {
                dependency.stands = stands;
            }
            match (was_open, is_open(&place.candidate.dependencies)) {
                (true, false) => place.freed_by = Some(on.clone()),
                (_, true) => place.freed_by = None,
                (false, false) => {}
            }
            let turn = self.fairness.turn(&place.candidate);
            let _ = if is_free(&place.candidate) { self.turns.insert(turn) } else { self.turns.remove(&turn) };
        }
        true
    }

    /// Returns a mission and what it waits for.
    pub(crate) fn with_dependencies(&self, mission: &MissionId) -> BTreeSet<MissionId> {
        let dependencies = self.ready.get(mission).into_iter().flat_map(|place| &place.candidate.dependencies);
        dependencies.map(|dependency| &dependency.on).chain([mission]).cloned().collect()
    }

    /// Returns the state of a mission, if a mission in the queue waits for it.
    pub(crate) fn known(&self, on: &MissionId) -> Option<Stands> {
        let place = self.ready.get(self.waiting.get(on)?.first()?)?;
        place.candidate.dependencies.iter().find(|dependency| dependency.on == *on).map(|dependency| dependency.stands)
    }

    /// Notes that a mission could not be started as it is now.
    pub(crate) fn failed(&mut self, mission: &MissionId, again_at: Timestamp) {
        if let Some(place) = self.ready.get_mut(mission) {
            place.candidate.not_before = Some(again_at);
        }
    }

    /// Returns the mission that another had waited for last.
    pub(crate) fn freed_by(&self, mission: &MissionId) -> Option<MissionId> {
        self.ready.get(mission)?.freed_by.clone()
    }

    /// Returns everyone who is ready.
    pub(crate) fn candidates(&self) -> Vec<Candidate> {
        self.ready.values().map(|place| place.candidate.clone()).collect()
    }

    /// Returns whether no mission can start, whatever else is decided.
    pub(crate) fn is_blocked(&self) -> bool {
        self.turns.is_empty()
    }

    /// Puts the line in another order, if priority and waiting are weighed otherwise now.
    pub(crate) fn weigh(&mut self, fairness: Fairness) {
        if self.fairness != fairness {
            self.fairness = fairness;
            let free = self.ready.values().map(|place| &place.candidate).filter(|candidate| is_free(candidate));
            self.turns = free.map(|candidate| fairness.turn(candidate)).collect();
        }
    }

    /// Returns the missions that wait for no mission and no person, in order of their turn.
    pub(crate) fn startable(&self) -> impl Iterator<Item = &Candidate> {
        self.turns.iter().filter_map(|turn| self.ready.get(turn.mission())).map(|place| &place.candidate)
    }
}

/// Says for which mission another waited last, when it was put anew and waits no more.
fn freed_by(before: &Place, dependencies: &[Dependency]) -> Option<MissionId> {
    if is_open(dependencies) {
        return None;
    }
    let is_among = |on: &MissionId| dependencies.iter().any(|dependency| dependency.on == *on);
    let opened = before.candidate.dependencies.iter().filter(|dependency| dependency.stands != Stands::Done);
    let last = opened.map(|dependency| &dependency.on).chain(&before.freed_by).find(|on| is_among(on));
    last.cloned()
}

/// Returns whether a mission waits for no mission and no person.
fn is_free(candidate: &Candidate) -> bool {
    match candidate.start {
        Start::WhenReady => !is_open(&candidate.dependencies),
        Start::ByHand => false,
    }
}

fn is_open(dependencies: &[Dependency]) -> bool {
    dependencies.iter().any(|dependency| dependency.stands != Stands::Done)
}

#[cfg(test)]
#[path = "queue_tests.rs"]
mod tests;
