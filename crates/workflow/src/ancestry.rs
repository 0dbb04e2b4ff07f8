//! Which step waits for which: what a definition says, and what follows from it.

use std::collections::{BTreeMap, BTreeSet};

use types::{Definition, Step, StepConfig, StepKey};

/// Returns the steps that each step waits for: those it names, those it joins, and the condition that may skip it.
#[must_use]
pub fn dependencies(definition: &Definition) -> BTreeMap<StepKey, BTreeSet<StepKey>> {
    let mut found: BTreeMap<StepKey, BTreeSet<StepKey>> = BTreeMap::new();
    for step in &definition.steps {
        found.entry(step.key.clone()).or_default().extend(step.depends_on.iter().chain(joined(step)).cloned());
        for target in skipped_by(step) {
            found.entry(target.clone()).or_default().insert(step.key.clone());
        }
    }
    found
}

/// Returns the steps that a step joins.
pub(crate) fn joined(step: &Step) -> &[StepKey] {
    match &step.config {
        StepConfig::Join(join) => &join.step_keys,
        StepConfig::Spawn(_)
        | StepConfig::Task(_)
        | StepConfig::Script(_)
        | StepConfig::Condition(_)
        | StepConfig::Checkpoint(_)
        | StepConfig::Land(_)
        | StepConfig::Wait(_) => &[],
    }
}

/// Returns the steps that a condition may skip.
pub(crate) fn skipped_by(step: &Step) -> impl Iterator<Item = &StepKey> {
    let condition = match &step.config {
        StepConfig::Condition(condition) => Some(condition),
        StepConfig::Spawn(_)
        | StepConfig::Task(_)
        | StepConfig::Script(_)
        | StepConfig::Checkpoint(_)
        | StepConfig::Join(_)
        | StepConfig::Land(_)
        | StepConfig::Wait(_) => None,
    };
    condition.into_iter().flat_map(|condition| condition.on_true.iter().chain(&condition.on_false))
}

/// Returns steps that wait for each other in a circle, in the order in which they wait; none if none do.
pub(crate) fn cycle(dependencies: &BTreeMap<StepKey, BTreeSet<StepKey>>) -> Option<Vec<StepKey>> {
    let mut over: BTreeSet<&StepKey> = BTreeSet::new();
    loop {
        let free = dependencies.iter().filter(|(key, on)| {
            !over.contains(key) && on.iter().all(|on| over.contains(on) || !dependencies.contains_key(on))
        });
        let free: Vec<&StepKey> = free.map(|(key, _)| key).collect();
        if free.is_empty() {
            break;
        }
        over.extend(free);
    }
    let mut path = vec![dependencies.keys().find(|key| !over.contains(key))?];
    loop {
        let last = path.last()?;
        // Each of those left waits for another of them.
        let next = dependencies.get(*last)?.iter().find(|on| dependencies.contains_key(*on) && !over.contains(on))?;
        if let Some(from) = path.iter().position(|key| *key == next) {
            return Some(path.split_off(from).into_iter().cloned().collect());
        }
        path.push(next);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn graph(edges: &[(&str, &[&str])]) -> BTreeMap<StepKey, BTreeSet<StepKey>> {
        let key = |text: &&str| text.parse::<StepKey>().unwrap();
        edges.iter().map(|(step, on)| (key(step), on.iter().map(key).collect())).collect()
    }

    #[test]
    fn steps_that_wait_for_each_other_are_found_and_those_behind_them_are_not_named() {
        let circle = cycle(&graph(&[("a", &["b"]), ("b", &["c"]), ("c", &["b"]), ("d", &[])])).unwrap();
        assert_eq!(circle.iter().map(StepKey::as_str).collect::<Vec<_>>(), ["b", "c"]);
        assert_eq!(cycle(&graph(&[("a", &["a"])])).unwrap().len(), 1);
    }

    #[test]
    fn steps_in_an_order_are_no_circle_even_if_one_names_a_step_that_is_not_there() {
        assert_eq!(cycle(&graph(&[("a", &[]), ("b", &["a"]), ("c", &["a", "b", "lost"])])), None);
    }
}
