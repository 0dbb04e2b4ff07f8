//! Who is ready and what each waits for: a picture of the store that follows the feed.

use std::collections::{BTreeMap, BTreeSet};

use schedule::{Candidate, Dependency, Stands};
use types::{Mission, MissionId, MissionState, Timestamp};

use crate::crew::Post;

/// The ready missions.
#[derive(Debug, Default)]
pub(crate) struct Line {
    ready: BTreeMap<MissionId, Candidate>,
    /// Who waits for a mission.
    waiting: BTreeMap<MissionId, BTreeSet<MissionId>>,
    /// When those that could not be started are worth another try.
    again: BTreeMap<MissionId, Timestamp>,
    /// Of those that wait no more, for which mission each waited last.
    freed_by: BTreeMap<MissionId, MissionId>,
}

impl Line {
    /// Puts a mission into the line as it is now, or takes it out; `dependencies` are its own, with where they stand.
    pub(crate) fn put(&mut self, mission: &Mission, post: Post, dependencies: Vec<Dependency>) {
        self.remove(&mission.id);
        let MissionState::Ready { since } = mission.state else { return };
        for dependency in &dependencies {
            self.waiting.entry(dependency.on.clone()).or_default().insert(mission.id.clone());
        }
        let candidate = Candidate {
            mission: mission.id.clone(),
            project: mission.project.clone(),
            agent: post.agent,
            account: post.account,
            priority: mission.priority,
            since,
            start: mission.start,
            not_before: self.again.get(&mission.id).copied(),
            dependencies,
        };
        self.ready.insert(mission.id.clone(), candidate);
    }

    /// Takes a mission out of the line.
    pub(crate) fn remove(&mut self, mission: &MissionId) {
        let Some(candidate) = self.ready.remove(mission) else { return };
        for dependency in candidate.dependencies {
            if let Some(waiting) = self.waiting.get_mut(&dependency.on) {
                waiting.remove(mission);
                if waiting.is_empty() {
                    self.waiting.remove(&dependency.on);
                }
            }
        }
    }

    /// Notes where a mission stands that others may wait for.
    pub(crate) fn stands(&mut self, on: &MissionId, state: Option<&MissionState>) {
        let stands = Dependency::new(on.clone(), state).stands;
        for waiting in self.waiting.get(on).into_iter().flatten() {
            let Some(candidate) = self.ready.get_mut(waiting) else { continue };
            let open = candidate.dependencies.iter().filter(|dependency| dependency.stands != Stands::Done).count();
            for dependency in candidate.dependencies.iter_mut().filter(|dependency| dependency.on == *on) {
                if open == 1 && stands == Stands::Done && dependency.stands != Stands::Done {
                    self.freed_by.insert(waiting.clone(), on.clone());
                }
                dependency.stands = stands;
            }
        }
    }

    /// Notes that a mission could not be started.
    pub(crate) fn failed(&mut self, mission: &MissionId, again_at: Timestamp) {
        self.again.insert(mission.clone(), again_at);
        if let Some(candidate) = self.ready.get_mut(mission) {
            candidate.not_before = Some(again_at);
        }
    }

    /// Notes that a mission was started, and returns the one it had waited for last.
    pub(crate) fn started(&mut self, mission: &MissionId) {
        self.remove(mission);
        self.again.remove(mission);
        self.freed_by.remove(mission);
    }

    /// Returns the mission that another had waited for last.
    pub(crate) fn freed_by(&self, mission: &MissionId) -> Option<MissionId> {
        self.freed_by.get(mission).cloned()
    }

    /// Returns everyone who is ready.
    pub(crate) fn candidates(&self) -> Vec<Candidate> {
        self.ready.values().cloned().collect()
    }

    /// Tells whether nobody is ready.
    pub(crate) fn is_empty(&self) -> bool {
        self.ready.is_empty()
    }
}
