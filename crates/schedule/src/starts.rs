//! The decision for whoever keeps the line in order: only as much of it is looked at as there is room for.

use types::{MissionId, Timestamp};

use crate::obstacle::Obstacles;
use crate::room::Rooms;
use crate::{Candidate, Floor};

/// What starts now, and when to look again.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Starts {
    /// What starts, in this order.
    pub start: Vec<MissionId>,
    /// When somebody who waits could next start without anything having happened. None if never, and none while all
    /// slots are taken: whoever frees one says so.
    pub wake_at: Option<Timestamp>,
}

/// Decides which of a line start, which is in the order of [`Fairness::turn`](crate::Fairness::turn).
///
/// The same start as by [`decide`](crate::decide) on a floor with these candidates; those of `floor` itself do not
/// count. Nobody is told why it waits, so a line may be long without this taking long.
pub fn starts<'a>(line: impl IntoIterator<Item = &'a Candidate>, floor: &'a Floor) -> Starts {
    let obstacles = Obstacles::of(floor);
    let mut rooms = Rooms::of(floor);
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
