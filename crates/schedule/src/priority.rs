//! Whose turn it is: priority, and waiting that makes up for it.
//!
//! All waiting missions gain alike, so the order of two never changes while both wait. It can be computed from when a
//! mission became ready and from its priority alone, without the time of day.

use types::{MissionId, Timestamp};

use crate::Candidate;

/// How priority and waiting are weighed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Fairness {
    /// How long a mission waits to make up for one point of priority, in seconds.
    pub step_secs: u32,
    /// The highest priority that counts, and the lowest with a minus; it bounds how long a mission can be overtaken.
    pub priority_max: u16,
    /// After how long a wait, in seconds, a mission is kept a slot of its project that it cannot yet use.
    pub patience_secs: u32,
}

impl Default for Fairness {
    /// A point of priority is worth ten minutes, and a hundred points, most of a day, are all that count.
    fn default() -> Self {
        Self { step_secs: 600, priority_max: 100, patience_secs: 3600 }
    }
}

/// A mission's place in the line; the least goes first.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Priority {
    /// When a mission without priority would have had to be ready to go at the same time, in milliseconds.
    ready_ms: i64,
    since: Timestamp,
    mission: MissionId,
}

impl Priority {
    /// Returns whose turn it is.
    #[must_use]
    pub const fn mission(&self) -> &MissionId {
        &self.mission
    }
}

impl Fairness {
    /// Returns the position of a mission in the queue.
    #[must_use]
    pub fn turn(self, candidate: &Candidate) -> Priority {
        let most = i64::from(self.priority_max);
        let head_start_ms = i64::from(candidate.priority).clamp(-most, most) * i64::from(self.step_secs) * 1000;
        let ready_ms = candidate.since.as_millisecond().saturating_sub(head_start_ms);
        Priority { ready_ms, since: candidate.since, mission: candidate.mission.clone() }
    }

    /// Returns whether a mission has waited for longer than it should.
    pub(crate) fn is_overdue(self, candidate: &Candidate, now: Timestamp) -> bool {
        now.as_second().saturating_sub(candidate.since.as_second()) >= i64::from(self.patience_secs)
    }
}
