//! One look at an execution: what is known, what follows, and the commit of both.

use std::collections::BTreeMap;

use missions::Statement;
use serde_json::Value;
use store::{Error, Held, Stamp, Store, Transaction, by};
use types::{
    Event, Execution, ExecutionId, Handle, MissionId, Retry, RunKey, Start as StartBy, StartFrom, StepRef, Timestamp,
};
use workflow::{Act, Advance, Facts, Start};

use crate::facts;

/// What a look came to.
#[derive(Debug)]
pub struct Change {
    /// What follows.
    pub advance: Advance,
    /// Whether anything was written.
    pub is_written: bool,
}

/// Looks at an execution until nothing follows any more; none if there is none.
pub(crate) async fn look(store: &Store, id: &ExecutionId, now: Timestamp) -> Result<Option<Advance>, Error> {
    let mut outputs: BTreeMap<RunKey, Value> = BTreeMap::new();
    let mut acts: Vec<Act> = Vec::new();
    loop {
        let Some(found) = store.get::<Execution>(id).await? else { return Ok(None) };
        // Read beside the transaction: what moved since is told by the feed.
        let known = Facts { missions: facts::missions(store, &found).await?, outputs: outputs.clone(), now };
        let stamp = Stamp { at: now, handle: Handle::owner(), team: found.team.clone() };
        let known = &known;
        let done = store.transact(&stamp, |tx| async move {
            let Some(held) = tx.get::<Execution>(id).await? else { return Ok::<_, Error>(None) };
            let next = workflow::advance(&held.record, known);
            commit(&tx, &held, &next, now).await?;
            Ok(Some(next))
        });
        let Some(next) = done.await? else { return Ok(None) };
        for act in &next.acts {
            if !matches!(act, Act::Start(_)) && !acts.contains(act) {
                acts.push(act.clone());
            }
        }
        let unread: Vec<&RunKey> = next.wants.iter().filter(|run| !outputs.contains_key(run)).collect();
        if unread.is_empty() && !next.more {
            return Ok(Some(Advance { acts, ..next }));
        }
        let read = facts::outputs(store, &next.execution, &unread.into_iter().cloned().collect()).await?;
        outputs.extend(read);
    }
}

/// Writes what follows: the execution, the missions of steps that begin, and the events of both.
///
/// # Errors
/// When the store fails.
pub async fn commit(tx: &Transaction, held: &Held<Execution>, next: &Advance, now: Timestamp) -> Result<(), Error> {
    if next.execution == held.record {
        return Ok(());
    }
    for act in &next.acts {
        match act {
            Act::Start(start) => make(tx, &next.execution, start, now).await?,
            Act::Land { .. } | Act::Stop { .. } => {}
        }
    }
    tx.update(held, &next.execution)?;
    changed(tx, Some(&held.record), &next.execution);
    Ok(())
}

/// Appends to the feed how an execution differs from what it was.
pub fn changed(tx: &Transaction, before: Option<&Execution>, after: &Execution) {
    let (execution, to) = (after.id.clone(), after.state.name());
    let from = before.map(|before| before.state.name());
    if from != Some(to) {
        tx.append(Event::ExecutionMoved { execution: execution.clone(), from, to });
    }
    for (run, step) in &after.steps {
        let (from, to) = (before.and_then(|before| Some(before.steps.get(run)?.state.name())), step.state.name());
        if before.is_some() && from != Some(to) {
            let step = StepRef { execution: execution.clone(), run: run.clone() };
            tx.append(Event::StepMoved { step, from, to });
        }
    }
}

/// Makes the mission of a step that begins.
async fn make(tx: &Transaction, execution: &Execution, start: &Start, now: Timestamp) -> Result<(), Error> {
    let (base, start_from) = match start.from.as_slice() {
        [] => (execution.base.clone(), StartFrom::Target),
        missions => (None, StartFrom::Missions { missions: missions.to_vec() }),
    };
    let by_hand = start.assignee.is_some();
    let mut said = Statement {
        acceptance: start.acceptance.clone(),
        kind: start.kind.clone(),
        tags: tags(execution, &start.run),
        assignee: start.assignee.clone(),
        start: if by_hand { StartBy::ByHand } else { StartBy::WhenReady },
        land: Some(start.land),
        agent: start.agent.clone(),
        model: start.model.clone(),
        base,
        start_from,
        may_change_nothing: true,
        // A command that failed fails again.
        retry: match start.agent.as_deref() {
            Some(workflow::SHELL) => Retry { times_max: 0, automatic: false },
            Some(_) | None => Retry { times_max: 3, automatic: true },
        },
        ..Statement::new(execution.team.clone(), start.title.clone(), start.prompt.clone())
    };
    if let Some(project) = &execution.project {
        said.project = Some((project.clone(), tx.next_number(&by::mission::number(project)).await?));
    }
    let id: MissionId = start.mission.clone();
    let mission = missions::create(id.clone(), said, execution.created_by.clone(), now);
    tx.insert(&mission)?;
    tx.append(Event::MissionCreated { mission: id });
    Ok(())
}

fn tags(execution: &Execution, run: &RunKey) -> Vec<String> {
    vec!["workflow".to_owned(), execution.id.to_string(), format!("step:{run}")]
}
