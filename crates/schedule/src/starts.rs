//! The decision for a caller that keeps the queue in order: only as much of it is read as there are slots.

use types::{MissionId, Timestamp};

use crate::blocker::Blockers;
use crate::slots::SlotTable;
use crate::{Candidate, Inputs};

/// What starts now, and when to look again.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Starts {
    /// What starts, in this order.
    pub start: Vec<MissionId>,
    /// When a waiting mission could next start without an event. None if never, and none while all
    /// slots are taken: a released slot is an event.
    pub wake_at: Option<Timestamp>,
}

/// Decides which of a line start, which is in the order of [`Fairness::turn`](crate::Fairness::turn).
///
/// The same start as by [`decide`](crate::decide) on inputs with these candidates; those of `inputs` itself do not
/// count. No reasons are computed, so a queue may be long without this taking long.
pub fn starts<'a>(line: impl IntoIterator<Item = &'a Candidate>, floor: &'a Inputs) -> Starts {
    let obstacles = Blockers::of(floor);
    let mut rooms = SlotTable::of(floor);
    let mut found = Starts::default();
    for candidate in line {
        if rooms.are_full() {
            return Starts { wake_at: None, ..found };
        }
        match obstacles.before(candidate) {
            Some(obstacle) => found.wake_at = found.wake_at.into_iter().chain(obstacle.until).min(),
            None if rooms.enter(candidate, floor.fairness.is_overdue(candidate, floor.now)).is_ok() => {
                found.start.push(candidate.mission.clone());
            }
            None => {}
        }
    }
    found
}
