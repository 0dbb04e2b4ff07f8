//! What [`workflow::advance`] is told: how missions stand, and what they reported.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};
use store::{Error, Query, Store, by};
use types::{Claim, Execution, Failure, Mission, MissionId, MissionState, Proof, Report, RunKey, Session, StepState};
use workflow::MissionFact;

/// Returns the missions that an execution waits for.
pub(crate) fn awaited(execution: &Execution) -> BTreeSet<MissionId> {
    let running = execution.steps.values().filter_map(|step| match &step.state {
        StepState::Running { .. } => step.state.mission(),
        StepState::Pending
        | StepState::Done { .. }
        | StepState::Failed { .. }
        | StepState::Skipped { .. }
        | StepState::Cancelled { .. } => None,
    });
    running.chain(&execution.stopping).cloned().collect()
}

/// Reads how the missions stand that an execution waits for.
pub(crate) async fn missions(store: &Store, execution: &Execution) -> Result<BTreeMap<MissionId, MissionFact>, Error> {
    let mut facts = BTreeMap::new();
    for id in awaited(execution) {
        let mission = store.get::<Mission>(&id).await?;
        facts.insert(id, fact(mission.as_ref()));
    }
    Ok(facts)
}

fn fact(mission: Option<&Mission>) -> MissionFact {
    let Some(mission) = mission else { return MissionFact::Failed { why: "its mission was deleted".to_owned() } };
    match &mission.state {
        MissionState::Draft | MissionState::Ready { .. } | MissionState::Held { .. } | MissionState::Landing { .. } => {
            MissionFact::Open
        }
        // It goes on by itself at that time.
        MissionState::Parked { until: Some(_), .. } => MissionFact::Open,
        MissionState::Parked { why, until: None } => MissionFact::Parked { why: why.to_string() },
        MissionState::Done { proof, .. } => MissionFact::Done { landed: matches!(proof, Proof::Landed { .. }) },
        MissionState::Failed { failure, .. } => MissionFact::Failed { why: told(failure) },
        MissionState::Cancelled { by, .. } => MissionFact::Failed { why: format!("{by} cancelled its mission") },
    }
}

fn told(failure: &Failure) -> String {
    match failure {
        Failure::Stated { by } => format!("{by} gave it up"),
        Failure::Session { session, class } => format!("session {session} failed: {}", class.as_str()),
        Failure::NotDone { reasons, .. } => reasons.iter().map(ToString::to_string).collect::<Vec<_>>().join("; "),
    }
}

/// Reads what the missions of runs reported.
pub(crate) async fn outputs(
    store: &Store,
    execution: &Execution,
    runs: &BTreeSet<RunKey>,
) -> Result<BTreeMap<RunKey, Value>, Error> {
    let mut outputs = BTreeMap::new();
    for run in runs {
        let mission = execution.steps.get(run).and_then(|step| step.state.mission());
        let output = match mission {
            Some(mission) => output(store, mission).await?,
            None => Value::Null,
        };
        outputs.insert(run.clone(), output);
    }
    Ok(outputs)
}

/// Returns what a mission answered: its agent's words, and what Fleet saw of its work.
async fn output(store: &Store, mission: &MissionId) -> Result<Value, Error> {
    let report = store.latest_report(by::report::mission(mission)).await?;
    let last = Query::latest(by::session::mission(mission), 1);
    let session = store.list::<Session>(last).await?.records.pop();
    let branch = session.and_then(|session| session.workspace?.worktree).map(|tree| tree.branch);
    let mut output = json!({ "mission": mission, "branch": branch });
    if let (Value::Object(all), Some(report)) = (&mut output, report)
        && let Value::Object(said) = reported(&report)
    {
        all.extend(said);
    }
    Ok(output)
}

fn reported(report: &Report) -> Value {
    let said = report.words().cloned().unwrap_or_default();
    let status = match said.claim {
        Claim::Done | Claim::Unclear => "completed",
        Claim::NothingToDo => "completed_no_changes",
        Claim::Blocked => "blocked",
    };
    let evidence = &report.evidence;
    let commits: Vec<&str> = evidence.commits.iter().map(|commit| commit.oid.as_str()).collect();
    let files: Vec<&str> = evidence.files.iter().map(|file| file.path.as_str()).collect();
    let checks =
        evidence.checks.iter().map(|check| json!({ "command": check.command, "status": check.outcome.to_string() }));
    let tests = if evidence.checks.is_empty() { json!(said.what_tested) } else { checks.collect() };
    let summary = if said.what_done.is_empty() { said.errors_encountered } else { said.what_done };
    json!({
        "summary": summary,
        "status": status,
        "files_changed": files,
        "tests": tests,
        "commits": commits,
        "next_steps": said.next_steps,
    })
}
