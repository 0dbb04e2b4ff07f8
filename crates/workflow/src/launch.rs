//! The steps that can begin.

use serde_json::{Value, json};
use types::{
    AgentStep, BranchPoint, ConditionStep, LandMode, LandStep, MissionId, MissionKind, RunKey, Step, StepConfig,
    StepGuard, StepKey, StepRun, StepState, StepWork, Timestamp,
};

use crate::advance::{Act, STARTS_MAX, Standing, Start, Work};
use crate::ancestry::{joined, skipped_by};
use crate::begin::RUNS_MAX;
use crate::bounds;
use crate::expression::Expression;
use crate::scope::{scope, unread};
use crate::settle::after;
use crate::template::{Template, shown};

/// The agent that runs the commands of scripts, and the lines around a command in its prompt: as crate `agents` has them.
pub const SHELL: &str = "shell";
const SCRIPT_BEGIN: &str = "~~~ script";
pub(crate) const SCRIPT_END: &str = "~~~ end";

/// Most characters of a title.
const TITLE_MAX: usize = 200;

/// Most items of a step with an `each`.
const ITEMS_MAX: usize = 50;

/// What a step needs is not read yet.
struct Unread;

impl Work<'_> {
    /// Begins every step that can.
    pub(crate) fn launch(&mut self) {
        let waiting = self.execution.steps.iter().filter(|(_, step)| step.state == StepState::Pending);
        let waiting: Vec<RunKey> = waiting.map(|(run, _)| run.clone()).collect();
        for run in waiting {
            if self.acts.iter().filter(|act| matches!(act, Act::Start(_))).count() >= STARTS_MAX {
                self.more = true;
                return;
            }
            let is_live = self.execution.state.is_live();
            if is_live && self.state(&run) == Some(&StepState::Pending) && self.is_due(&run) {
                // What is not read yet is wanted now; the step begins once it is.
                let _ = self.launch_one(&run);
            }
        }
    }

    /// Returns whether what a step waits for is over; it is skipped with the last of those, if all were.
    fn is_due(&mut self, run: &RunKey) -> bool {
        if run.item.is_some() {
            return true;
        }
        let Some(step) = self.step(&run.step) else { return false };
        let own = joined(&step);
        let waits = self.dependencies.get(&run.step).cloned().unwrap_or_default();
        // Steps that are joined run beside the join, which looks at them itself.
        let standings: Vec<Standing> =
            waits.iter().filter(|key| !own.contains(key)).map(|key| self.standing(key)).collect();
        if standings.contains(&Standing::Open) {
            return false;
        }
        if !standings.is_empty() && standings.iter().all(|standing| *standing == Standing::Skipped) {
            self.skip(run, "no step that it depends on ran");
            return false;
        }
        true
    }

    fn launch_one(&mut self, run: &RunKey) -> Result<(), Unread> {
        let Some(step) = self.step(&run.step) else { return Ok(()) };
        if run.item.is_none() {
            if let Some(guard) = &step.guard
                && !self.holds(&step, guard)?
            {
                self.skip(run, "its guard is false");
                return Ok(());
            }
            if let Some(each) = &step.each {
                return self.split(run, &step, each);
            }
        }
        match &step.config {
            StepConfig::Spawn(agent) => self.spawn(run, &step, agent),
            StepConfig::Task(task) => {
                let said = task.description.clone().unwrap_or_else(|| task.title.clone());
                let (title, prompt) = (self.render(run, &step, &task.title)?, self.render(run, &step, &said)?);
                let start = Start { assignee: task.assign_to.clone(), ..self.plain(run, title, prompt) };
                self.start(run, start);
                Ok(())
            }
            StepConfig::Script(script) => {
                let from = self.from(&step, script.worktree);
                let title = self.title(&step, run);
                let shell = Some(SHELL.to_owned());
                let start = self.plain(run, title, format!("{SCRIPT_BEGIN}\n{}\n{SCRIPT_END}", script.script));
                self.start(run, Start { agent: shell, kind: MissionKind::Test, from, ..start });
                Ok(())
            }
            StepConfig::Condition(condition) => self.decide(run, &step, condition),
            StepConfig::Checkpoint(checkpoint) => {
                let goal = bounds::reason(&self.render(run, &step, &checkpoint.goal)?);
                self.count_try(run);
                match checkpoint.wait_for_acceptance {
                    true => self.begin(run, StepWork::Person { goal }),
                    false => self.done(run, None, json!({ "goal": goal })),
                }
                Ok(())
            }
            StepConfig::Join(_) => {
                self.count_try(run);
                self.begin(run, StepWork::Steps);
                Ok(())
            }
            StepConfig::Land(land) => self.land(run, &step, land),
            StepConfig::Wait(wait) => {
                let at = after(self.facts.now, wait.duration_ms.into()).unwrap_or(Timestamp::MAX);
                self.count_try(run);
                self.begin(run, StepWork::Until { at });
                Ok(())
            }
        }
    }

    fn spawn(&mut self, run: &RunKey, step: &Step, agent: &AgentStep) -> Result<(), Unread> {
        let mut prompt = self.render(run, step, &agent.task)?;
        if !agent.choices.is_empty() {
            let words = agent.choices.join(", ");
            prompt.push_str(&format!("\n\nEnd your report with a line `choice: WORD`. WORD is one of: {words}."));
        }
        let title = match &agent.title {
            Some(title) => self.render(run, step, title)?,
            None => self.title(step, run),
        };
        let start = Start {
            acceptance: agent.acceptance.clone().unwrap_or_default(),
            kind: kind(agent),
            agent: agent.agent.clone(),
            model: agent.model.clone(),
            land: agent.land.unwrap_or(LandMode::Never),
            from: self.from(step, agent.worktree),
            ..self.plain(run, title, prompt)
        };
        self.start(run, start);
        Ok(())
    }

    /// Returns a mission with what every step has.
    fn plain(&self, run: &RunKey, title: String, prompt: String) -> Start {
        let attempt = self.execution.steps.get(run).map_or(0, |step| step.attempt) + 1;
        Start {
            run: run.clone(),
            mission: MissionId::derived(&format!("{}.{run}#{attempt}", self.execution.id)),
            title: bounds::reason(&title).chars().take(TITLE_MAX).collect(),
            prompt: bounds::prompt(prompt),
            acceptance: String::new(),
            kind: MissionKind::Implement,
            agent: None,
            model: None,
            assignee: None,
            land: LandMode::Never,
            from: Vec::new(),
        }
    }

    fn title(&self, step: &Step, run: &RunKey) -> String {
        let name = step.name.clone().unwrap_or_else(|| step.key.to_string());
        let item = run.item.map(|item| format!(" {}", item + 1)).unwrap_or_default();
        format!("{}/{name}{item}", self.execution.name)
    }

    fn from(&self, step: &Step, worktree: BranchPoint) -> Vec<MissionId> {
        match worktree {
            BranchPoint::New => Vec::new(),
            BranchPoint::Inherit => self.work_before(&step.key),
        }
    }

    fn start(&mut self, run: &RunKey, start: Start) {
        self.count_try(run);
        self.begin(run, StepWork::Mission { mission: start.mission.clone(), blocked: None });
        self.acts.push(Act::Start(Box::new(start)));
    }

    fn count_try(&mut self, run: &RunKey) {
        if let Some(step) = self.execution.steps.get_mut(run) {
            step.attempt += 1;
        }
    }

    /// Makes a run for each item of a list.
    fn split(&mut self, run: &RunKey, step: &Step, each: &str) -> Result<(), Unread> {
        let value = self.value(step, each)?;
        let items = match value.as_array() {
            Some(items) => items.clone(),
            None => {
                let text = shown(&value);
                let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
                lines.map(|line| Value::String(line.to_owned())).collect()
            }
        };
        let room = RUNS_MAX.saturating_sub(self.execution.steps.len()).min(ITEMS_MAX);
        let others = self.execution.steps.iter().filter(|(other, _)| other.step != run.step);
        let kept = bounds::bytes(others.filter_map(|(_, step)| step.item.as_ref())) + bounds::bytes(&items);
        if kept > bounds::ITEMS_BYTES_MAX {
            self.count_try(run);
            self.fail(
                run,
                format!(
                    "its items have {kept} bytes with those of other steps; at most {} are kept",
                    bounds::ITEMS_BYTES_MAX
                ),
            );
            return Ok(());
        }
        if items.len() > room {
            self.count_try(run);
            self.fail(run, format!("{} items; there is room for {room}", items.len()));
            return Ok(());
        }
        self.count_try(run);
        let old = self.items(&run.step).into_iter().map(|(item, _)| item);
        for item in old.collect::<Vec<_>>() {
            self.execution.steps.remove(&item);
        }
        let count = u32::try_from(items.len()).unwrap_or(u32::MAX);
        for (number, item) in (0..count).zip(items) {
            let key = RunKey { step: run.step.clone(), item: Some(number) };
            self.execution.steps.insert(key, StepRun::pending(Some(item)));
        }
        self.begin(run, StepWork::Items { count });
        Ok(())
    }

    fn decide(&mut self, run: &RunKey, step: &Step, condition: &ConditionStep) -> Result<(), Unread> {
        let holds = self.holds(step, &condition.condition)?;
        self.count_try(run);
        self.done(run, None, json!({ "result": holds }));
        let skipped = if holds { &condition.on_false } else { &condition.on_true };
        for key in skipped_by(step).filter(|key| skipped.contains(key)) {
            let target = RunKey::from(key.clone());
            if self.state(&target) == Some(&StepState::Pending) {
                self.skip(&target, format!("the condition `{}` is {holds}", step.key));
            }
        }
        Ok(())
    }

    fn land(&mut self, run: &RunKey, step: &Step, land: &LandStep) -> Result<(), Unread> {
        let named = self.render(run, step, &land.step)?;
        self.count_try(run);
        let key = named.trim().parse::<StepKey>().ok();
        let work = key.as_ref().map(|key| self.work_of(key)).unwrap_or_default();
        match work.first() {
            Some(mission) => {
                self.begin(run, StepWork::Landing { mission: mission.clone(), blocked: None });
                self.acts.push(Act::Land { mission: mission.clone() });
            }
            None => {
                let named: String = named.chars().take(60).collect();
                self.fail(run, format!("no work of a step `{named}` is done"));
            }
        }
        Ok(())
    }

    fn holds(&mut self, step: &Step, guard: &StepGuard) -> Result<bool, Unread> {
        // What cannot be read was refused when the workflow was made.
        let Ok(expression) = Expression::parse(&guard.condition) else { return Ok(false) };
        self.read(expression.paths())?;
        let mut scope = scope(&self.execution, self.outputs(), Some(step), None);
        if let Value::Object(fields) = &mut scope {
            fields.extend(guard.variables.clone());
        }
        Ok(expression.holds(&scope))
    }

    fn render(&mut self, run: &RunKey, step: &Step, text: &str) -> Result<String, Unread> {
        let Ok(template) = Template::parse(text) else { return Ok(text.to_owned()) };
        self.read(template.paths())?;
        let item = self.execution.steps.get(run).and_then(|step| step.item.clone());
        Ok(template.render(&scope(&self.execution, self.outputs(), Some(step), item.as_ref())))
    }

    pub(crate) fn value_of(&mut self, text: &str) -> Option<Value> {
        let template = Template::parse(text).ok()?;
        self.read(template.paths()).ok()?;
        Some(template.value(&scope(&self.execution, self.outputs(), None, None)))
    }

    fn value(&mut self, step: &Step, text: &str) -> Result<Value, Unread> {
        let Ok(template) = Template::parse(text) else { return Ok(Value::Null) };
        self.read(template.paths())?;
        Ok(template.value(&scope(&self.execution, self.outputs(), Some(step), None)))
    }

    /// Sees to it that the reports which paths name are read.
    fn read<'p>(&mut self, paths: impl IntoIterator<Item = &'p str>) -> Result<(), Unread> {
        let unread = unread(&self.execution, self.outputs(), paths);
        if unread.is_empty() {
            return Ok(());
        }
        self.wants.extend(unread);
        Err(Unread)
    }
}

/// Returns the kind of work: what is said, else what its role is for.
fn kind(agent: &AgentStep) -> MissionKind {
    match (&agent.kind, agent.agent_role.as_deref()) {
        (Some(kind), _) => MissionKind::from(kind.clone()),
        (None, Some("scout" | "oracle" | "explorer" | "researcher")) => MissionKind::Explore,
        (None, Some("critic" | "reviewer" | "judge")) => MissionKind::Review,
        (None, Some("tester")) => MissionKind::Test,
        (None, Some(_)) => MissionKind::Implement,
        (None, None) if agent.choices.is_empty() => MissionKind::Implement,
        (None, None) => MissionKind::Review,
    }
}
