//! The copy of a scheduled mission that runs at one time.

use missions::Statement;
use types::{Mission, MissionId, Start, Timestamp};

use crate::cron::Cron;

/// Marks a copy.
const SCHEDULED: &str = "scheduled";

/// Most tags that a mission has.
const TAGS_MAX: usize = 16;

/// Returns the id of the copy for a due time: the same, however often it is asked for.
#[must_use]
pub fn id_of(template: &MissionId, due: Timestamp) -> MissionId {
    MissionId::derived(&format!("{template}@{due}"))
}

/// Returns what the copy of a mission for a due time says. It starts by itself and has the scheduled mission as its parent;
/// neither dependencies, callback nor schedule are copied.
#[must_use]
pub fn occurrence(template: &Mission, cron: &Cron, due: Timestamp) -> Statement {
    let mark = [SCHEDULED.to_owned(), format!("template:{}", template.id)];
    let tags = template.tags.iter().take(TAGS_MAX - mark.len()).cloned().chain(mark).collect();
    let title = format!("{} ({})", template.title, cron.at(due).strftime("%Y-%m-%d %H:%M"));
    Statement {
        acceptance: template.acceptance.clone(),
        kind: template.kind.clone(),
        priority: template.priority,
        tags,
        parent: Some(template.id.clone()),
        start: Start::WhenReady,
        land: template.land,
        agent: template.agent.clone(),
        model: template.model.clone(),
        allowed_tools: template.allowed_tools.clone(),
        limits: template.limits,
        sandbox: template.sandbox.clone(),
        base: template.base.clone(),
        worker: template.worker.clone(),
        retry: template.retry,
        ..Statement::new(template.team.clone(), title, template.prompt.clone())
    }
}
