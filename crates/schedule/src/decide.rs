//! The decision: one pass over the line, first come by their turn.

use types::{MissionId, Timestamp};

use crate::blocker::Blockers;
use crate::slots::SlotTable;
use crate::{Candidate, Inputs, Why};

/// What to do now.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Plan {
    /// What starts, in this order.
    pub start: Vec<MissionId>,
    /// What does not: first the missions in the queue for a slot, in its order, then those that could not start anyway,
    /// by id.
    pub wait: Vec<Waiting>,
    /// When a mission that waits could next start without anything having happened; none if never. A slot may be free
    /// for it then or not.
    pub wake_at: Option<Timestamp>,
}

/// A mission that does not start now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Waiting {
    /// Which.
    pub mission: MissionId,
    /// Why.
    pub why: Why,
}

impl Plan {
    /// Says why a mission does not run yet; none if the plan does not speak of it.
    #[must_use]
    pub fn why(&self, mission: &MissionId) -> Option<Why> {
        if self.start.contains(mission) {
            return Some(Why::Starting);
        }
        self.wait.iter().find(|waiting| waiting.mission == *mission).map(|waiting| waiting.why.clone())
    }
}

/// Decides which ready missions start.
///
/// A mission without another blocker queues by priority and waiting time, and takes its slots if all of them are
/// free; those behind may start before it with slots that it cannot use. Only a mission that has waited for longer than
/// [`Fairness::patience_secs`](crate::Fairness) keeps others of its project waiting for one.
#[must_use]
pub fn decide(floor: &Inputs) -> Plan {
    let obstacles = Blockers::of(floor);
    let mut line: Vec<&Candidate> = Vec::new();
    let mut hindered: Vec<Waiting> = Vec::new();
    let mut wake_at: Option<Timestamp> = None;
    for candidate in &floor.ready {
        match obstacles.before(candidate) {
            None => line.push(candidate),
            Some(obstacle) => {
                wake_at = wake_at.into_iter().chain(obstacle.until).min();
                hindered.push(Waiting { mission: candidate.mission.clone(), why: obstacle.why });
            }
        }
    }
    line.sort_by_cached_key(|candidate| floor.fairness.turn(candidate));
    hindered.sort_unstable_by(|a, b| a.mission.cmp(&b.mission));
    let mut rooms = SlotTable::of(floor);
    let mut plan = Plan { wake_at, ..Plan::default() };
    for candidate in line {
        let mission = candidate.mission.clone();
        match rooms.enter(candidate, floor.fairness.is_overdue(candidate, floor.now)) {
            Ok(()) => plan.start.push(mission),
            Err(why) => plan.wait.push(Waiting { mission, why: *why }),
        }
    }
    plan.wait.append(&mut hindered);
    plan
}

#[cfg(test)]
#[path = "decide_tests.rs"]
mod tests;
