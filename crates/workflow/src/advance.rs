//! What happens next in an execution: a pure decision over its record and what is known of its missions.
//!
//! It may be asked again at any time and with the same facts, and then nothing changes: what it has decided is in the
//! record. Everything outside is done after the record is written, and may be done twice.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;
use types::{
    CalledOff, Execution, ExecutionState, Handle, LandMode, LogEntry, MissionId, MissionKind, OnFailure, RunKey, Step,
    StepConfig, StepKey, StepRun, StepState, StepWork, Timestamp,
};

use crate::ancestry::{dependencies, joined};
use crate::bounds::reason;
use crate::scope::Outputs;

/// Most entries of a log; older ones are dropped.
const LOG_MAX: usize = 300;

/// Most missions that are begun at once: they are made in one commit, whose size is limited.
pub(crate) const STARTS_MAX: usize = 5;

/// What is known outside of an execution.
#[derive(Debug, Clone, Default)]
pub struct Facts {
    /// The states of the missions of its steps; those that are not here are not known.
    pub missions: BTreeMap<MissionId, MissionFact>,
    /// What missions of its steps reported, as far as it was asked for by [`Advance::wants`].
    pub outputs: BTreeMap<RunKey, Value>,
    /// What time it is.
    pub now: Timestamp,
}

/// The state of the mission of a step.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MissionFact {
    /// It runs, waits for a slot, or lands.
    Open,
    /// It waits for a person.
    Parked {
        /// Why.
        why: String,
    },
    /// It is done.
    Done {
        /// Whether its work is on the target branch.
        landed: bool,
    },
    /// It failed, was cancelled or deleted.
    Failed {
        /// Why.
        why: String,
    },
}

/// What follows.
#[derive(Debug, Clone, PartialEq)]
pub struct Advance {
    /// The execution as it is now.
    pub execution: Execution,
    /// What is to be done, once that is written.
    pub acts: Vec<Act>,
    /// When to look again, if nothing happens before.
    pub wake: Option<Timestamp>,
    /// Runs whose reports are needed to go on.
    pub wants: BTreeSet<RunKey>,
    /// Whether there is more to begin than fits in one commit.
    pub more: bool,
}

/// Something to do outside.
#[derive(Debug, Clone, PartialEq)]
pub enum Act {
    /// Make a mission, in the same commit.
    Start(Box<Start>),
    /// Land the work of a mission.
    Land {
        /// Which.
        mission: MissionId,
    },
    /// Call a mission off.
    Stop {
        /// Which.
        mission: MissionId,
    },
}

/// A mission to make.
#[derive(Debug, Clone, PartialEq)]
pub struct Start {
    /// The run it is for.
    pub run: RunKey,
    /// Its id, derived from the execution, the run and the try: no try has two missions.
    pub mission: MissionId,
    /// Its title.
    pub title: String,
    /// What to do.
    pub prompt: String,
    /// How to tell that it is done.
    pub acceptance: String,
    /// What kind of work it is.
    pub kind: MissionKind,
    /// Its agent.
    pub agent: Option<String>,
    /// Its model.
    pub model: Option<String>,
    /// Who is to do it, instead of an agent that Fleet starts.
    pub assignee: Option<Handle>,
    /// What happens to its branch.
    pub land: LandMode,
    /// The missions whose work it starts from; none for the commit at which the execution began.
    pub from: Vec<MissionId>,
}

/// Says what follows from the facts.
#[must_use]
pub fn advance(execution: &Execution, facts: &Facts) -> Advance {
    let mut work = Work::new(execution.clone(), facts);
    loop {
        let before = work.changes;
        work.settle();
        if matches!(work.execution.state, ExecutionState::Running { .. }) {
            work.launch();
        }
        work.conclude();
        if work.changes == before || !work.execution.state.is_live() {
            break;
        }
    }
    work.stop_what_is_called_off();
    let wake = work.wake();
    if work.changes > 0 {
        work.execution.updated_at = facts.now;
    }
    Advance { execution: work.execution, acts: work.acts, wake, wants: work.wants, more: work.more }
}

/// What a step is to those that wait for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Standing {
    /// It is not over.
    Open,
    /// It is done, or counts so.
    Done,
    /// It did not run, or counts so.
    Skipped,
}

/// An execution that is being changed.
pub(crate) struct Work<'a> {
    pub(crate) execution: Execution,
    pub(crate) facts: &'a Facts,
    pub(crate) acts: Vec<Act>,
    pub(crate) wants: BTreeSet<RunKey>,
    pub(crate) dependencies: BTreeMap<StepKey, BTreeSet<StepKey>>,
    pub(crate) changes: u64,
    pub(crate) more: bool,
}

impl<'a> Work<'a> {
    pub(crate) fn new(execution: Execution, facts: &'a Facts) -> Self {
        let dependencies = dependencies(&execution.definition);
        Self { execution, facts, acts: Vec::new(), wants: BTreeSet::new(), dependencies, changes: 0, more: false }
    }

    pub(crate) fn outputs(&self) -> &'a Outputs {
        &self.facts.outputs
    }

    pub(crate) fn step(&self, key: &StepKey) -> Option<Step> {
        self.execution.definition.steps.iter().find(|step| step.key == *key).cloned()
    }

    pub(crate) fn state(&self, run: &RunKey) -> Option<&StepState> {
        self.execution.steps.get(run).map(|step| &step.state)
    }

    /// Returns the items of a step, in order.
    pub(crate) fn items(&self, key: &StepKey) -> Vec<(RunKey, StepState)> {
        let all = self.execution.steps.iter().filter(|(run, _)| run.step == *key && run.item.is_some());
        all.map(|(run, step)| (run.clone(), step.state.clone())).collect()
    }

    /// Changes the state of a run, and logs it.
    pub(crate) fn set(&mut self, run: &RunKey, state: StepState) {
        let why = match &state {
            StepState::Failed { why, .. } | StepState::Skipped { why, .. } => why.clone(),
            StepState::Cancelled { cause, .. } => cause.to_string(),
            StepState::Pending | StepState::Running { .. } | StepState::Done { .. } => {
                state.mission().map(ToString::to_string).unwrap_or_default()
            }
        };
        let what = state.name().as_str();
        let Some(step) = self.execution.steps.get_mut(run) else { return };
        if step.state == state {
            return;
        }
        let moved = step.state.name() != state.name();
        step.state = state;
        self.changes += 1;
        if moved {
            self.log(Some(run), what, why);
        }
    }

    pub(crate) fn log(&mut self, step: Option<&RunKey>, what: &str, why: String) {
        let entry = LogEntry { at: self.facts.now, step: step.cloned(), what: what.to_owned(), why };
        self.execution.log.push(entry);
        let surplus = self.execution.log.len().saturating_sub(LOG_MAX);
        self.execution.log.drain(..surplus);
    }

    /// Begins a run's next try.
    pub(crate) fn begin(&mut self, run: &RunKey, work: StepWork) {
        let now = self.facts.now;
        if let Some(step) = self.execution.steps.get_mut(run) {
            step.began = Some(now);
        }
        self.set(run, StepState::Running { work });
    }

    pub(crate) fn done(&mut self, run: &RunKey, mission: Option<MissionId>, value: Value) {
        self.set(run, StepState::Done { at: self.facts.now, mission, value });
    }

    pub(crate) fn skip(&mut self, run: &RunKey, why: impl Into<String>) {
        self.set(run, StepState::Skipped { at: self.facts.now, why: why.into() });
    }

    /// Lets a run fail, with what its definition says of that.
    pub(crate) fn fail(&mut self, run: &RunKey, why: impl Into<String>) {
        let why = reason(&why.into());
        let Some(step) = self.step(&run.step) else { return };
        let mission = self.state(run).and_then(StepState::mission).cloned();
        let tries = self.execution.steps.get(run).map_or(0, |step| step.attempt);
        self.execution.stopping.extend(mission.clone());
        if step.on_failure == OnFailure::Retry && tries <= step.max_retries && tries > 0 {
            self.log(Some(run), "retried", why);
            return self.set(run, StepState::Pending);
        }
        self.set(run, StepState::Failed { at: self.facts.now, mission, why: why.clone() });
        match step.on_failure {
            OnFailure::Skip | OnFailure::Continue => {}
            OnFailure::Fail | OnFailure::Retry if self.is_tolerated(&run.step) => {}
            OnFailure::Fail | OnFailure::Retry => {
                let state = ExecutionState::Failed { at: self.facts.now, step: Some(run.clone()), why };
                self.end(state);
            }
        }
    }

    /// Returns whether a step may fail because another may still be first.
    fn is_tolerated(&self, key: &StepKey) -> bool {
        self.execution.definition.steps.iter().any(|step| {
            let waits = match &step.config {
                StepConfig::Join(join) => join.strategy != types::Join::All,
                StepConfig::Spawn(_)
                | StepConfig::Task(_)
                | StepConfig::Script(_)
                | StepConfig::Condition(_)
                | StepConfig::Checkpoint(_)
                | StepConfig::Land(_)
                | StepConfig::Wait(_) => false,
            };
            let open = self.state(&step.key.clone().into()).is_some_and(|state| !state.is_over());
            waits && joined(step).contains(key) && open
        })
    }

    /// Ends the execution: what is not over is called off.
    pub(crate) fn end(&mut self, state: ExecutionState) {
        let why = match &state {
            ExecutionState::Failed { step: Some(step), why, .. } => format!("step `{step}`: {why}"),
            ExecutionState::Failed { why, .. } => why.clone(),
            ExecutionState::Cancelled { by, .. } => format!("by {by}"),
            ExecutionState::Running { .. } | ExecutionState::Paused { .. } | ExecutionState::Completed { .. } => {
                String::new()
            }
        };
        let open: Vec<RunKey> =
            self.execution.steps.iter().filter(|(_, run)| !run.state.is_over()).map(|(run, _)| run.clone()).collect();
        for run in open {
            self.call_off(&run, CalledOff::ExecutionEnded);
        }
        self.log(None, state.name().as_str(), why);
        self.execution.state = state;
        self.changes += 1;
    }

    /// Calls a run off, with its items; its mission is stopped.
    pub(crate) fn call_off(&mut self, run: &RunKey, cause: CalledOff) {
        if self.state(run).is_none_or(StepState::is_over) {
            return;
        }
        let mission = self.state(run).and_then(StepState::mission).cloned();
        self.execution.stopping.extend(mission.clone());
        self.set(run, StepState::Cancelled { at: self.facts.now, mission, cause: cause.clone() });
        if run.item.is_none() {
            for (item, _) in self.items(&run.step) {
                self.call_off(&item, cause.clone());
            }
        }
    }

    /// Says what a step is to those that wait for it.
    pub(crate) fn standing(&self, key: &StepKey) -> Standing {
        let Some(state) = self.state(&key.clone().into()) else { return Standing::Skipped };
        match state {
            StepState::Pending | StepState::Running { .. } => Standing::Open,
            StepState::Done { .. } => Standing::Done,
            StepState::Skipped { .. } | StepState::Cancelled { .. } => Standing::Skipped,
            StepState::Failed { .. } => match self.step(key).map(|step| step.on_failure) {
                Some(OnFailure::Continue) => Standing::Done,
                Some(OnFailure::Fail | OnFailure::Retry | OnFailure::Skip) | None => Standing::Skipped,
            },
        }
    }

    /// Names the missions that are called off and not over.
    fn stop_what_is_called_off(&mut self) {
        let over = |mission: &MissionId| {
            matches!(self.facts.missions.get(mission), Some(MissionFact::Done { .. } | MissionFact::Failed { .. }))
        };
        let mut left: Vec<MissionId> = Vec::new();
        for mission in &self.execution.stopping {
            if !over(mission) && !left.contains(mission) {
                left.push(mission.clone());
            }
        }
        if left != self.execution.stopping {
            self.changes += 1;
            self.execution.stopping.clone_from(&left);
        }
        self.acts.extend(left.into_iter().map(|mission| Act::Stop { mission }));
    }

    /// Returns the missions whose work a step has behind it: those of the nearest steps before it that have any.
    pub(crate) fn work_before(&self, key: &StepKey) -> Vec<MissionId> {
        let mut found = Vec::new();
        let mut seen = BTreeSet::new();
        let before = |key: &StepKey| self.step(key).map(|step| step.depends_on).unwrap_or_default();
        let mut next: Vec<StepKey> = before(key).into_iter().rev().collect();
        while let Some(key) = next.pop() {
            if !seen.insert(key.clone()) {
                continue;
            }
            let own = self.work_of(&key);
            if own.is_empty() {
                next.extend(before(&key).into_iter().chain(self.step(&key).iter().flat_map(joined).cloned()).rev());
            }
            for mission in own {
                if !found.contains(&mission) {
                    found.push(mission);
                }
            }
        }
        found
    }

    /// Returns the missions of a step that are done.
    pub(crate) fn work_of(&self, key: &StepKey) -> Vec<MissionId> {
        let runs: Vec<&StepRun> =
            self.execution.steps.iter().filter(|(run, _)| run.step == *key).map(|(_, step)| step).collect();
        let done = runs.into_iter().filter_map(|step| match &step.state {
            StepState::Done { mission, .. } => mission.clone(),
            StepState::Pending
            | StepState::Running { .. }
            | StepState::Failed { .. }
            | StepState::Skipped { .. }
            | StepState::Cancelled { .. } => None,
        });
        done.collect()
    }
}

#[cfg(test)]
#[path = "advance_tests.rs"]
mod tests;
