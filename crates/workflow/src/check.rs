//! What is wrong with a definition, each problem with the place it is at.

use std::collections::{BTreeMap, BTreeSet};

use types::{AgentStep, BranchPoint, Definition, InputRule, Step, StepConfig, StepGuard, StepKey};

use crate::ancestry::{cycle, dependencies};
use crate::begin::is_of_kind;
use crate::expression::Expression;
use crate::launch::SCRIPT_END;
use crate::template::Template;

/// Most steps of a definition.
const STEPS_MAX: usize = 100;

/// Most bytes of a definition as JSON: every execution has a copy of it.
const BYTES_MAX: usize = 100_000;

/// Something that is wrong with a definition.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// Where, as a JSON pointer: `/steps/2/dependsOn/0`.
    pub at: String,
    /// What.
    pub message: String,
}

/// Looks for everything that would keep an execution of a definition from ending.
#[must_use]
pub fn check(definition: &Definition) -> Vec<Problem> {
    let mut look = Look { definition, keys: BTreeMap::new(), problems: Vec::new() };
    look.whole();
    for (place, step) in definition.steps.iter().enumerate() {
        look.step(&format!("/steps/{place}"), step);
    }
    look.circles();
    look.problems
}

struct Look<'a> {
    definition: &'a Definition,
    keys: BTreeMap<&'a StepKey, usize>,
    problems: Vec<Problem>,
}

impl<'a> Look<'a> {
    fn report(&mut self, at: impl Into<String>, message: impl Into<String>) {
        self.problems.push(Problem { at: at.into(), message: message.into() });
    }

    fn whole(&mut self) {
        let definition = self.definition;
        if !(1..=STEPS_MAX).contains(&definition.steps.len()) {
            self.report("/steps", format!("{} steps; a workflow has 1 to {STEPS_MAX}", definition.steps.len()));
        }
        let bytes = serde_json::to_vec(definition).map_or(0, |text| text.len());
        if bytes > BYTES_MAX {
            self.report("", format!("{bytes} bytes; a workflow has at most {BYTES_MAX}"));
        }
        for (place, step) in definition.steps.iter().enumerate() {
            if let Some(first) = self.keys.insert(&step.key, place) {
                self.report(
                    format!("/steps/{place}/key"),
                    format!("step {} is called `{}` already", first + 1, step.key),
                );
            }
        }
        for (name, InputRule { kind, default, .. }) in &definition.inputs {
            if default.as_ref().is_some_and(|value| !is_of_kind(value, *kind)) {
                self.report(format!("/inputs/{name}/default"), format!("the default of `{name}` has another type"));
            }
        }
        for (name, text) in &definition.outputs {
            self.template(&format!("/outputs/{name}"), text, false);
        }
    }

    fn step(&mut self, at: &str, step: &'a Step) {
        for (place, on) in step.depends_on.iter().enumerate() {
            self.known(&format!("{at}/dependsOn/{place}"), on);
        }
        if let Some(guard) = &step.guard {
            self.guard(&format!("{at}/guard"), guard);
        }
        if let Some(each) = &step.each {
            self.template(&format!("{at}/each"), each, false);
            if !matches!(step.config, StepConfig::Spawn(_) | StepConfig::Task(_) | StepConfig::Script(_)) {
                self.report(format!("{at}/each"), "only steps of type `spawn`, `task` and `script` run for each item");
            }
        }
        self.config(&format!("{at}/config"), step);
    }

    fn config(&mut self, at: &str, step: &'a Step) {
        let is_each = step.each.is_some();
        match &step.config {
            StepConfig::Spawn(agent) => self.agent(at, step, agent),
            StepConfig::Task(task) => {
                self.template(&format!("{at}/title"), &task.title, is_each);
                self.template(&format!("{at}/description"), task.description.as_deref().unwrap_or_default(), is_each);
            }
            StepConfig::Script(script) => {
                if script.script.lines().any(|line| line == SCRIPT_END) {
                    self.report(format!("{at}/script"), format!("no line of a script is `{SCRIPT_END}`"));
                }
            }
            StepConfig::Wait(_) => {}
            StepConfig::Condition(condition) => {
                self.guard(&format!("{at}/condition"), &condition.condition);
                for (field, keys) in [("onTrue", &condition.on_true), ("onFalse", &condition.on_false)] {
                    for (place, key) in keys.iter().enumerate() {
                        self.known(&format!("{at}/{field}/{place}"), key);
                    }
                }
            }
            StepConfig::Checkpoint(checkpoint) => self.template(&format!("{at}/goal"), &checkpoint.goal, false),
            StepConfig::Join(join) => {
                for (place, key) in join.step_keys.iter().enumerate() {
                    self.known(&format!("{at}/stepKeys/{place}"), key);
                }
            }
            StepConfig::Land(land) => {
                self.template(&format!("{at}/step"), &land.step, false);
                if !land.step.contains("{{") {
                    match land.step.parse() {
                        Ok(key) => self.known(&format!("{at}/step"), &key),
                        Err(_) => self.report(format!("{at}/step"), format!("there is no step `{}`", land.step)),
                    }
                }
            }
        }
    }

    fn agent(&mut self, at: &str, step: &Step, agent: &AgentStep) {
        let is_each = step.each.is_some();
        self.template(&format!("{at}/task"), &agent.task, is_each);
        self.template(&format!("{at}/title"), agent.title.as_deref().unwrap_or_default(), is_each);
        if agent.worktree == BranchPoint::Inherit && step.depends_on.is_empty() {
            self.report(format!("{at}/worktree"), "`inherit` needs a step in `dependsOn` whose work it starts from");
        }
        for (place, choice) in agent.choices.iter().enumerate() {
            if choice.is_empty() || choice.chars().any(char::is_whitespace) {
                self.report(format!("{at}/choices/{place}"), "a choice is one word");
            }
        }
    }

    fn known(&mut self, at: &str, key: &StepKey) {
        if !self.keys.contains_key(key) {
            let near = self.keys.keys().find(|known| known.as_str().eq_ignore_ascii_case(key.as_str()));
            let hint = near.map(|near| format!("; did you mean `{near}`?")).unwrap_or_default();
            self.report(at, format!("there is no step `{key}`{hint}"));
        }
    }

    fn guard(&mut self, at: &str, guard: &StepGuard) {
        let at = format!("{at}/condition");
        match Expression::parse(&guard.condition) {
            Ok(expression) => {
                for path in expression.paths() {
                    let first = path.split('.').next().unwrap_or_default();
                    if !guard.variables.contains_key(first) {
                        self.path(&at, path, false);
                    }
                }
            }
            Err(error) => self.report(at, error.to_string()),
        }
    }

    fn template(&mut self, at: &str, text: &str, has_item: bool) {
        match Template::parse(text) {
            Ok(template) => template.paths().for_each(|path| self.path(at, path, has_item)),
            Err(error) => self.report(at, error.to_string()),
        }
    }

    /// Reports a path that can have no value in any execution.
    fn path(&mut self, at: &str, path: &str, has_item: bool) {
        let mut names = path.split('.');
        let (first, second) = (names.next().unwrap_or_default(), names.next());
        let problem = match (first, second) {
            ("inputs", Some(name)) if !self.definition.inputs.contains_key(name) => {
                format!("there is no input `{name}`: declare it in `inputs`")
            }
            ("steps", Some(name)) if !self.is_step(name) => format!("there is no step `{name}`"),
            ("inputs" | "steps", Some(_)) | ("execution" | "currentStep", _) => return,
            ("item", _) if has_item => return,
            ("item", _) => "`item` is known only in a step with `each`".to_owned(),
            ("inputs" | "steps", None) => format!("`{first}` needs a name behind it, such as `{first}.NAME`"),
            (_, _) if self.definition.inputs.contains_key(first) => {
                format!("`{path}` is not known; write `inputs.{path}`")
            }
            (_, _) => format!("`{path}` is not known: values are in `inputs`, `steps`, `execution` and `currentStep`"),
        };
        self.report(at, problem);
    }

    fn is_step(&self, name: &str) -> bool {
        self.definition.steps.iter().any(|step| {
            let other = match &step.config {
                StepConfig::Script(script) => script.output_key.as_deref(),
                StepConfig::Spawn(_)
                | StepConfig::Task(_)
                | StepConfig::Condition(_)
                | StepConfig::Checkpoint(_)
                | StepConfig::Join(_)
                | StepConfig::Land(_)
                | StepConfig::Wait(_) => None,
            };
            step.key.as_str() == name || other == Some(name)
        })
    }

    fn circles(&mut self) {
        let Some(circle) = cycle(&dependencies(self.definition)) else { return };
        let named: BTreeSet<&StepKey> = circle.iter().collect();
        let place = self.definition.steps.iter().position(|step| named.contains(&step.key)).unwrap_or_default();
        let mut way: Vec<&str> = circle.iter().map(StepKey::as_str).collect();
        way.extend(circle.first().map(StepKey::as_str));
        self.report(
            format!("/steps/{place}/dependsOn"),
            format!("steps wait for each other in a circle: {}", way.join(" → ")),
        );
    }
}

#[cfg(test)]
#[path = "check_tests.rs"]
mod tests;
