//! The values that templates and conditions of an execution may name.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value, json};
use types::{Execution, RunKey, Step, StepConfig, StepKey, StepState};

/// What missions of steps reported, as far as it was read: the outputs of runs.
pub(crate) type Outputs = BTreeMap<RunKey, Value>;

/// Returns the runs whose reports paths name and that are not read yet.
pub(crate) fn unread<'a>(
    execution: &Execution,
    outputs: &Outputs,
    paths: impl IntoIterator<Item = &'a str>,
) -> BTreeSet<RunKey> {
    let mut found = BTreeSet::new();
    for path in paths {
        let mut names = path.split('.');
        let (Some("steps"), Some(name)) = (names.next(), names.next()) else { continue };
        let Some(key) = named(execution, name) else { continue };
        let reported = runs(execution, key).filter(|(run, state)| {
            matches!(state, StepState::Done { mission: Some(_), .. }) && !outputs.contains_key(*run)
        });
        found.extend(reported.map(|(run, _)| run.clone()));
    }
    found
}

/// Puts together what a step may name.
pub(crate) fn scope(execution: &Execution, outputs: &Outputs, step: Option<&Step>, item: Option<&Value>) -> Value {
    let mut steps = Map::new();
    for one in &execution.definition.steps {
        let shown = shown(execution, outputs, &one.key);
        if let StepConfig::Script(script) = &one.config
            && let Some(other) = &script.output_key
        {
            steps.insert(other.clone(), shown.clone());
        }
        steps.insert(one.key.to_string(), shown);
    }
    let mut all = json!({
        "inputs": execution.inputs,
        "steps": steps,
        "execution": { "id": execution.id, "name": execution.name },
    });
    if let Some(step) = step {
        all["currentStep"] = json!({ "key": step.key, "name": step.name.as_deref().unwrap_or(step.key.as_str()) });
    }
    if let Some(item) = item {
        all["item"] = item.clone();
    }
    all
}

/// Finds the choice that a report names last, in a line `choice: WORD`.
#[must_use]
pub fn choice_of(report: &Value, choices: &[String]) -> Option<String> {
    let texts = ["next_steps", "summary"].into_iter().filter_map(|field| report.get(field)?.as_str());
    let said = texts.flat_map(|text| text.lines().rev()).filter_map(|line| {
        let line = line.trim().trim_matches(['*', '`', '#', '-', ' ']);
        let (label, word) = line.split_once(':')?;
        let word = word.trim().trim_matches(['*', '`', '"', '\'', '.', ' ']);
        label.trim_matches(['*', '`', ' ']).eq_ignore_ascii_case("choice").then_some(word)
    });
    said.into_iter().find_map(|word| choices.iter().find(|choice| *choice == word)).cloned()
}

fn shown(execution: &Execution, outputs: &Outputs, key: &StepKey) -> Value {
    let mut items: Vec<Value> = Vec::new();
    let (mut own, mut status) = (Value::Null, "pending");
    for (run, state) in runs(execution, key) {
        let output = output(outputs.get(run), state);
        match run.item {
            Some(_) => items.push(output),
            None => (own, status) = (output, state.name().as_str()),
        }
    }
    if !items.is_empty() {
        let said = items.iter().filter_map(|item| item.get("summary")?.as_str());
        own = json!({ "summary": said.collect::<Vec<_>>().join("\n\n"), "items": items });
    }
    json!({ "status": status, "output": own })
}

/// Returns what a run answered: the report of its mission, and what is known beside it.
fn output(report: Option<&Value>, state: &StepState) -> Value {
    let StepState::Done { value, .. } = state else { return Value::Null };
    match (report, value) {
        (Some(Value::Object(report)), Value::Object(value)) => {
            Value::Object(report.clone().into_iter().chain(value.clone()).collect())
        }
        (Some(report), Value::Null) => report.clone(),
        (Some(_) | None, value) => value.clone(),
    }
}

fn runs<'a>(execution: &'a Execution, key: &StepKey) -> impl Iterator<Item = (&'a RunKey, &'a StepState)> {
    let from = RunKey::from(key.clone());
    let own = execution.steps.range(from..).take_while({
        let key = key.clone();
        move |(run, _)| run.step == key
    });
    own.map(|(run, step)| (run, &step.state))
}

/// Finds the step that a name in a path stands for.
fn named<'a>(execution: &'a Execution, name: &str) -> Option<&'a StepKey> {
    let is_it = |step: &&Step| match &step.config {
        _ if step.key.as_str() == name => true,
        StepConfig::Script(script) => script.output_key.as_deref() == Some(name),
        StepConfig::Spawn(_)
        | StepConfig::Task(_)
        | StepConfig::Condition(_)
        | StepConfig::Checkpoint(_)
        | StepConfig::Join(_)
        | StepConfig::Land(_)
        | StepConfig::Wait(_) => false,
    };
    execution.definition.steps.iter().find(is_it).map(|step| &step.key)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_choice_is_the_last_that_is_named_and_is_one_of_those_that_were_asked_for() {
        let choices = ["a".to_owned(), "b".to_owned()];
        let choice =
            |next: &str, summary: &str| choice_of(&json!({ "next_steps": next, "summary": summary }), &choices);
        assert_eq!(choice("", "A is short.\nchoice: a").as_deref(), Some("a"));
        assert_eq!(choice("**Choice:** `b`", "choice: a").as_deref(), Some("b"));
        assert_eq!(choice("", "choice: a\nchoice: b").as_deref(), Some("b"));
        assert_eq!(choice("", "choice: c\nI choose a"), None);
    }
}
