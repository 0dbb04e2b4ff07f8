//! What became known of the steps that run.

use serde_json::{Value, json};
use types::{CalledOff, ExecutionState, Join, OnFailure, RunKey, Step, StepConfig, StepState, StepWork, Timestamp};

use crate::advance::{Act, MissionFact, Standing, Work};
use crate::bounds::reason;
use crate::scope::choice_of;

impl Work<'_> {
    /// Looks at every step that runs.
    pub(crate) fn settle(&mut self) {
        let running: Vec<(RunKey, StepWork)> = self
            .execution
            .steps
            .iter()
            .filter_map(|(run, step)| match &step.state {
                StepState::Running { work } => Some((run.clone(), work.clone())),
                StepState::Pending
                | StepState::Done { .. }
                | StepState::Failed { .. }
                | StepState::Skipped { .. }
                | StepState::Cancelled { .. } => None,
            })
            .collect();
        for (run, work) in running {
            // One that was looked at before may have ended others.
            if !self.execution.state.is_live() || self.state(&run).is_none_or(StepState::is_over) {
                continue;
            }
            self.settle_one(&run, &work);
        }
        self.out_of_time();
    }

    fn settle_one(&mut self, run: &RunKey, work: &StepWork) {
        match work {
            StepWork::Mission { mission, .. } => match self.facts.missions.get(mission).cloned() {
                Some(MissionFact::Done { .. }) => self.reported(run),
                Some(MissionFact::Failed { why }) => self.fail(run, why),
                Some(MissionFact::Parked { why }) => {
                    let work = StepWork::Mission { mission: mission.clone(), blocked: Some(reason(&why)) };
                    self.set(run, StepState::Running { work });
                }
                Some(MissionFact::Open) => {
                    let work = StepWork::Mission { mission: mission.clone(), blocked: None };
                    self.set(run, StepState::Running { work });
                }
                None => {}
            },
            StepWork::Landing { mission, .. } => match self.facts.missions.get(mission).cloned() {
                Some(MissionFact::Done { landed: true }) => self.done(run, Some(mission.clone()), Value::Null),
                Some(MissionFact::Done { landed: false }) => {
                    let act = Act::Land { mission: mission.clone() };
                    if !self.acts.contains(&act) {
                        self.acts.push(act);
                    }
                }
                Some(MissionFact::Failed { why }) => self.fail(run, why),
                Some(MissionFact::Parked { why }) => {
                    let work = StepWork::Landing { mission: mission.clone(), blocked: Some(reason(&why)) };
                    self.set(run, StepState::Running { work });
                }
                Some(MissionFact::Open) => {
                    let work = StepWork::Landing { mission: mission.clone(), blocked: None };
                    self.set(run, StepState::Running { work });
                }
                None => {}
            },
            StepWork::Until { at } if *at <= self.facts.now => self.done(run, None, Value::Null),
            StepWork::Until { .. } | StepWork::Person { .. } => {}
            StepWork::Items { .. } => self.settle_items(run),
            StepWork::Steps => self.settle_join(run),
        }
        self.timed_out(run);
    }

    /// Ends a run whose mission is done: if it was asked for a choice, its report must name one.
    fn reported(&mut self, run: &RunKey) {
        let Some(mission) = self.state(run).and_then(StepState::mission).cloned() else { return };
        let choices = match self.step(&run.step).map(|step| step.config) {
            Some(StepConfig::Spawn(agent)) => agent.choices,
            Some(
                StepConfig::Task(_)
                | StepConfig::Script(_)
                | StepConfig::Condition(_)
                | StepConfig::Checkpoint(_)
                | StepConfig::Join(_)
                | StepConfig::Land(_)
                | StepConfig::Wait(_),
            )
            | None => Vec::new(),
        };
        if choices.is_empty() {
            return self.done(run, Some(mission), Value::Null);
        }
        match self.outputs().get(run) {
            None => drop(self.wants.insert(run.clone())),
            Some(report) => match choice_of(report, &choices) {
                Some(choice) => self.done(run, Some(mission), json!({ "choice": choice })),
                None => {
                    self.fail(run, format!("its report has no line `choice: …` with one of {}", choices.join(", ")))
                }
            },
        }
    }

    fn settle_items(&mut self, run: &RunKey) {
        let items = self.items(&run.step);
        if items.iter().any(|(_, state)| !state.is_over()) {
            return;
        }
        let done = items.iter().filter(|(_, state)| matches!(state, StepState::Done { .. })).count();
        let policy = self.step(&run.step).map(|step| step.on_failure).unwrap_or_default();
        match policy {
            _ if done == items.len() => self.done(run, None, Value::Null),
            OnFailure::Continue => self.done(run, None, Value::Null),
            OnFailure::Skip if done > 0 => self.done(run, None, Value::Null),
            OnFailure::Skip => self.skip(run, "all its items failed"),
            OnFailure::Fail | OnFailure::Retry => {
                self.fail(run, format!("{} of {} items failed", items.len() - done, items.len()));
            }
        }
    }

    fn settle_join(&mut self, run: &RunKey) {
        let Some(Step { config: StepConfig::Join(join), .. }) = self.step(&run.step) else { return };
        let standings: Vec<Standing> = join.step_keys.iter().map(|key| self.standing(key)).collect();
        let is_open = standings.contains(&Standing::Open);
        let first =
            standings.iter().position(|standing| *standing == Standing::Done).and_then(|at| join.step_keys.get(at));
        match (join.strategy, first) {
            (Join::All, _) if is_open => {}
            (Join::All, Some(_)) => self.done(run, None, Value::Null),
            (Join::All, None) => self.skip(run, "none of its steps ran"),
            (Join::Any | Join::Race, Some(winner)) => {
                let mission = self.work_of(winner).first().cloned();
                if join.strategy == Join::Race {
                    for other in join.step_keys.iter().filter(|other| *other != winner) {
                        let cause = CalledOff::Overtaken { by: winner.clone() };
                        self.call_off(&other.clone().into(), cause);
                    }
                }
                self.done(run, mission, json!({ "winner": winner }));
            }
            (Join::Any | Join::Race, None) if is_open => {}
            (Join::Any | Join::Race, None) => self.fail(run, "none of its steps was done"),
        }
    }

    fn timed_out(&mut self, run: &RunKey) {
        let Some(at) = self.deadline(run) else { return };
        if at <= self.facts.now && self.state(run).is_some_and(|state| !state.is_over()) {
            let millis = self.step(&run.step).and_then(|step| step.timeout_ms).unwrap_or_default();
            for (item, _) in self.items(&run.step) {
                if run.item.is_none() {
                    self.call_off(&item, CalledOff::ExecutionEnded);
                }
            }
            self.fail(run, format!("it timed out after {} s", millis.div_ceil(1_000)));
        }
    }

    fn out_of_time(&mut self) {
        let Some(at) = self.last_moment() else { return };
        if self.execution.state.is_live() && at <= self.facts.now {
            let millis = self.execution.definition.timeout_ms.unwrap_or_default();
            let why = format!("it timed out after {} s", millis.div_ceil(1_000));
            self.end(ExecutionState::Failed { at: self.facts.now, step: None, why });
        }
    }

    /// Returns when a run that runs is out of time.
    fn deadline(&self, run: &RunKey) -> Option<Timestamp> {
        let began = self.execution.steps.get(run)?.began?;
        after(began, self.step(&run.step)?.timeout_ms?.into())
    }

    fn last_moment(&self) -> Option<Timestamp> {
        after(self.execution.created_at, self.execution.definition.timeout_ms?.into())
    }

    /// Returns when something happens by time alone.
    pub(crate) fn wake(&self) -> Option<Timestamp> {
        if !self.execution.state.is_live() {
            return None;
        }
        let running = self.execution.steps.iter().filter_map(|(run, step)| match &step.state {
            StepState::Running { work: StepWork::Until { at } } => {
                Some(self.deadline(run).map_or(*at, |deadline| deadline.min(*at)))
            }
            StepState::Running { .. } => self.deadline(run),
            StepState::Pending
            | StepState::Done { .. }
            | StepState::Failed { .. }
            | StepState::Skipped { .. }
            | StepState::Cancelled { .. } => None,
        });
        running.chain(self.last_moment()).min()
    }
}

/// Returns the time so many milliseconds later; none if that is after all times there are.
pub(crate) fn after(at: Timestamp, millis: u64) -> Option<Timestamp> {
    at.checked_add(std::time::Duration::from_millis(millis)).ok()
}
