//! Which times of a schedule are due now.

use std::time::Duration;

use types::{CatchUp, Schedule, Timestamp};

use crate::cron::Cron;

/// How late a time may be handled and still count as being on time: a server that was busy has not missed it.
pub const LATE_MAX: Duration = Duration::from_secs(60);

/// Most missed times that are made up for, the newest of them.
pub const CATCH_UP_MAX: usize = 24;

/// What is to be done about a schedule now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Decision {
    /// The times to run it for, oldest first.
    pub run: Vec<Timestamp>,
    /// The last time that is dealt with by this, run or missed.
    pub handled: Option<Timestamp>,
    /// When to look again.
    pub next: Option<Timestamp>,
}

/// Decides what is due of a schedule that is in force.
///
/// Times are counted from the last one that was handled, or from when the schedule was put in force. What was missed since,
/// because no server ran, is dealt with as the schedule says.
#[must_use]
pub fn decide(cron: &Cron, schedule: &Schedule, since: Timestamp, now: Timestamp) -> Decision {
    let from = schedule.fired_at.map_or(since, |handled| handled.max(since));
    let next = cron.next_after(now.max(from));
    let Some(latest) = cron.last_until(now).filter(|latest| *latest > from) else {
        return Decision { run: Vec::new(), handled: None, next };
    };
    let is_on_time = latest.saturating_add(LATE_MAX).is_ok_and(|limit| now <= limit);
    let run = match schedule.catch_up {
        CatchUp::Skip => is_on_time.then_some(latest).into_iter().collect(),
        CatchUp::Once => vec![latest],
        CatchUp::All => missed(cron, from, latest),
    };
    Decision { run, handled: Some(latest), next }
}

/// The newest times behind one up to another, oldest first.
fn missed(cron: &Cron, from: Timestamp, latest: Timestamp) -> Vec<Timestamp> {
    let before = |time: &Timestamp| {
        let earlier = time.checked_sub(jiff::SignedDuration::from_secs(1)).ok()?;
        cron.last_until(earlier).filter(|earlier| *earlier > from)
    };
    let mut times: Vec<Timestamp> = std::iter::successors(Some(latest), before).take(CATCH_UP_MAX).collect();
    times.reverse();
    times
}

#[cfg(test)]
#[path = "decide_tests.rs"]
mod tests;
