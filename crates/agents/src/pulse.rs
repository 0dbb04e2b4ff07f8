//! Whether a running agent is alive: silence with a tool call under way is work, silence without one is not.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use types::Timestamp;

use crate::{Event, RateLimited, Stage};

/// When an agent was last heard, and what it is doing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pulse {
    /// From when on silence counts.
    heard_at: Timestamp,
    /// Tool calls under way, and since when.
    calls: BTreeMap<String, Timestamp>,
    /// Whether it has nothing to do but wait: for a message or an answer.
    waiting: bool,
}

/// How long an agent may be silent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Patience {
    /// Until it is degraded.
    pub degraded_secs: u32,
    /// Until it is unhealthy.
    pub unhealthy_secs: u32,
    /// How long one tool call may take.
    pub call_secs_max: u32,
}

/// As the contracts have it, and half an hour for a build or a test run.
impl Default for Patience {
    fn default() -> Self {
        Self { degraded_secs: 30, unhealthy_secs: 60, call_secs_max: 1_800 }
    }
}

/// How a running agent is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Health {
    /// It was heard lately, works on a call, or waits for a person.
    Healthy,
    /// It has been silent for some time.
    Degraded,
    /// It has been silent for too long: stale.
    Unhealthy,
}

impl Pulse {
    /// Starts to listen.
    #[must_use]
    pub fn new(now: Timestamp) -> Self {
        Self { heard_at: now, calls: BTreeMap::new(), waiting: false }
    }

    /// Starts to watch an agent that has nothing to do until it gets a message.
    #[must_use]
    pub fn idle(now: Timestamp) -> Self {
        Self { waiting: true, ..Self::new(now) }
    }

    /// Returns since when on silence counts.
    #[must_use]
    pub fn heard_at(&self) -> Timestamp {
        self.heard_at
    }

    /// Hears an event.
    pub fn hear(&mut self, event: &Event, now: Timestamp) {
        self.heard_at = now;
        match event {
            Event::ToolCall { id, .. } => {
                self.waiting = false;
                self.calls.insert(id.clone(), now);
            }
            Event::ToolResult { id, .. } => {
                self.waiting = false;
                self.calls.remove(id);
            }
            Event::Result(_) | Event::Ended { .. } => {
                self.waiting = true;
                self.calls.clear();
            }
            Event::Asking { .. } => self.waiting = true,
            Event::RateLimited(RateLimited::Retrying { delay_ms, .. }) => {
                // It said for how long it would be silent.
                let until = now.as_millisecond().saturating_add_unsigned(*delay_ms);
                self.heard_at = Timestamp::from_millisecond(until).unwrap_or(now);
            }
            Event::Text { .. }
            | Event::Thinking { .. }
            | Event::Usage(_)
            | Event::Acknowledged { stage: Stage::Begun, .. } => self.waiting = false,
            // To be up is nothing to do.
            Event::Started(_)
            | Event::RateLimited(RateLimited::Window { .. })
            | Event::Acknowledged { .. }
            | Event::Background { .. }
            | Event::Raw { .. } => {}
        }
    }

    /// Notes that the agent was told something, so that it has something to do again.
    pub fn told(&mut self, now: Timestamp) {
        self.heard_at = now;
        self.waiting = false;
    }

    /// Returns when the agent becomes unhealthy if it stays silent; never while it waits for a person.
    #[must_use]
    pub fn stale_at(&self, patience: Patience) -> Option<Timestamp> {
        if self.waiting {
            return None;
        }
        let (since, secs) = match self.calls.values().min() {
            Some(since) => (self.heard_at.max(*since), patience.call_secs_max),
            None => (self.heard_at, patience.unhealthy_secs),
        };
        // A second later than the last healthy one.
        Timestamp::from_second(since.as_second().saturating_add(i64::from(secs)).saturating_add(1)).ok()
    }

    /// Returns how the agent is.
    #[must_use]
    pub fn health(&self, now: Timestamp, patience: Patience) -> Health {
        let silent = |since: Timestamp| now.as_second().saturating_sub(since.as_second());
        if self.waiting {
            return Health::Healthy;
        }
        if let Some(since) = self.calls.values().min() {
            // Subagents speak while the call that holds them is under way: only silence is measured.
            let silence = silent(self.heard_at.max(*since));
            return if silence > patience.call_secs_max.into() { Health::Unhealthy } else { Health::Healthy };
        }
        match silent(self.heard_at) {
            secs if secs > patience.unhealthy_secs.into() => Health::Unhealthy,
            secs if secs > patience.degraded_secs.into() => Health::Degraded,
            _ => Health::Healthy,
        }
    }
}

#[cfg(test)]
#[path = "pulse_tests.rs"]
mod tests;
