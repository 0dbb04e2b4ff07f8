//! What may be said anew about a mission that exists.

use types::{LandMode, Mission, MissionId, MissionKind, SandboxRules, Schedule, Start, Timestamp, ToolChoice};

use crate::create::{distinct, given};

/// The fields to change; `None` leaves a field as it is.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Edit {
    /// One line.
    pub title: Option<String>,
    /// What to do.
    pub prompt: Option<String>,
    /// How to tell that it is done.
    pub acceptance: Option<String>,
    /// What kind of work it is.
    pub kind: Option<MissionKind>,
    /// Higher runs earlier.
    pub priority: Option<i32>,
    /// Words to find it by.
    pub tags: Option<Vec<String>>,
    /// Missions that must be done first.
    pub depends_on: Option<Vec<MissionId>>,
    /// The mission it is made for.
    pub parent: Option<MissionId>,
    /// Whether it starts by itself.
    pub start: Option<Start>,
    /// What becomes of its branch.
    pub land: Option<LandMode>,
    /// The agent asked for; empty for none.
    pub agent: Option<String>,
    /// The model asked for; empty for none.
    pub model: Option<String>,
    /// The tools of its agents; `Some(None)` leaves them to its kind.
    pub allowed_tools: Option<Option<ToolChoice>>,
    /// Most turns.
    pub turns_max: Option<u32>,
    /// Most dollars.
    pub dollars_max: Option<f64>,
    /// Most tokens.
    pub tokens_max: Option<u64>,
    /// Most seconds in which agents run.
    pub secs_max: Option<u64>,
    /// Cron fields; empty for none.
    pub cron: Option<String>,
    /// Whether the schedule is in force.
    pub schedule_enabled: Option<bool>,
    /// Told when it ends; empty for nobody.
    pub callback_url: Option<String>,
    /// What is said about the sandbox of its agents.
    pub sandbox: Option<SandboxRules>,
    /// Most tries after the first.
    pub retries_max: Option<u32>,
    /// Whether it retries by itself.
    pub retry_automatic: Option<bool>,
}

/// Applies an edit; a mission that it does not change comes back as it was, with its old time of change.
#[must_use]
pub fn edit(mission: &Mission, edit: Edit, now: Timestamp) -> Mission {
    let mut edited = mission.clone();
    replace(&mut edited.title, edit.title);
    replace(&mut edited.prompt, edit.prompt);
    replace(&mut edited.acceptance, edit.acceptance);
    replace(&mut edited.kind, edit.kind);
    replace(&mut edited.priority, edit.priority);
    replace(&mut edited.tags, edit.tags.map(distinct));
    replace(&mut edited.depends_on, edit.depends_on.map(distinct));
    replace(&mut edited.start, edit.start);
    replace(&mut edited.parent, edit.parent.map(Some));
    replace(&mut edited.land, edit.land.map(Some));
    replace(&mut edited.agent, edit.agent.map(|agent| given(Some(agent))));
    replace(&mut edited.model, edit.model.map(|model| given(Some(model))));
    replace(&mut edited.allowed_tools, edit.allowed_tools);
    replace(&mut edited.limits.turns_max, edit.turns_max.map(Some));
    replace(&mut edited.limits.dollars_max, edit.dollars_max.map(Some));
    replace(&mut edited.limits.tokens_max, edit.tokens_max.map(Some));
    replace(&mut edited.limits.secs_max, edit.secs_max.map(Some));
    replace(&mut edited.callback_url, edit.callback_url.map(|url| given(Some(url))));
    replace(&mut edited.sandbox, edit.sandbox);
    replace(&mut edited.retry.times_max, edit.retries_max);
    replace(&mut edited.retry.automatic, edit.retry_automatic);
    edited.schedule = reschedule(edited.schedule, edit.cron, edit.schedule_enabled, now);
    if edited != *mission {
        edited.updated_at = now;
    }
    edited
}

fn replace<T>(field: &mut T, new: Option<T>) {
    if let Some(new) = new {
        *field = new;
    }
}

/// A new expression starts a schedule afresh and in force; the switch alone keeps the expression. Times that passed while
/// it was off are not due.
fn reschedule(old: Option<Schedule>, cron: Option<String>, enabled: Option<bool>, now: Timestamp) -> Option<Schedule> {
    let kept = match cron {
        Some(cron) if old.as_ref().is_some_and(|old| old.cron == cron) => old,
        Some(cron) => crate::create::schedule(Some(cron), now),
        None => old,
    };
    kept.map(|schedule| {
        let is_on = enabled.unwrap_or(schedule.enabled);
        let since = if is_on && !schedule.enabled { Some(now) } else { schedule.since };
        Schedule { enabled: is_on, since, ..schedule }
    })
}

#[cfg(test)]
#[path = "edit_tests.rs"]
mod tests;
