//! A picture of a definition, as text that other programs draw or that people read.

use types::{Definition, Step, StepConfig, StepKey};

use crate::ancestry::dependencies;

/// How a picture is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Drawing {
    /// A line for each step, in an order in which they can run.
    Text,
    /// For Mermaid.
    Mermaid,
    /// For Graphviz.
    Dot,
}

/// Draws a definition.
#[must_use]
pub fn draw(definition: &Definition, how: Drawing) -> String {
    let edges = dependencies(definition);
    let before = |key: &StepKey| edges.get(key).into_iter().flatten();
    let mut lines = Vec::new();
    match how {
        Drawing::Text => {
            let width = definition.steps.iter().map(|step| step.key.as_str().len()).max().unwrap_or_default();
            for (step, level) in in_order(definition) {
                let after: Vec<&str> = before(&step.key).map(StepKey::as_str).collect();
                let after = if after.is_empty() { String::new() } else { format!("  after {}", after.join(", ")) };
                lines.push(format!("{level:>2}  {:width$}  {:<10}{after}", step.key.as_str(), what(step)));
            }
        }
        Drawing::Mermaid => {
            lines.push("flowchart TD".to_owned());
            for step in &definition.steps {
                lines.push(format!("  {}[\"{}<br/>{}\"]", step.key, step.key, what(step)));
                lines.extend(before(&step.key).map(|on| format!("  {on} --> {}", step.key)));
            }
        }
        Drawing::Dot => {
            lines.push("digraph workflow {".to_owned());
            for step in &definition.steps {
                lines.push(format!("  \"{}\" [label=\"{}\\n{}\"];", step.key, step.key, what(step)));
                lines.extend(before(&step.key).map(|on| format!("  \"{on}\" -> \"{}\";", step.key)));
            }
            lines.push("}".to_owned());
        }
    }
    lines.iter().map(|line| line.trim_end().to_owned() + "\n").collect()
}

/// Returns the steps with the number of the round in which each can run, first rounds first.
fn in_order(definition: &Definition) -> Vec<(&Step, usize)> {
    let edges = dependencies(definition);
    let (mut found, mut left): (Vec<(&Step, usize)>, Vec<&Step>) = (Vec::new(), definition.steps.iter().collect());
    for round in 1.. {
        let is_over = |key: &StepKey| found.iter().any(|(step, _)| step.key == *key);
        let (ready, waiting): (Vec<&Step>, Vec<&Step>) =
            left.into_iter().partition(|step| edges.get(&step.key).into_iter().flatten().all(is_over));
        if ready.is_empty() {
            found.extend(waiting.into_iter().map(|step| (step, round)));
            break;
        }
        found.extend(ready.into_iter().map(|step| (step, round)));
        left = waiting;
    }
    found
}

fn what(step: &Step) -> String {
    let each = if step.each.is_some() { " each" } else { "" };
    let what = match &step.config {
        StepConfig::Spawn(agent) => agent.agent.as_deref().unwrap_or("agent"),
        StepConfig::Task(task) => return format!("task {}", task.assign_to.as_ref().map_or("", |to| to.as_str())),
        StepConfig::Script(_) => "script",
        StepConfig::Condition(_) => "condition",
        StepConfig::Checkpoint(_) => "person",
        StepConfig::Join(_) => "join",
        StepConfig::Land(_) => "land",
        StepConfig::Wait(_) => "wait",
    };
    format!("{what}{each}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_picture_has_every_step_and_every_edge() {
        let steps = r#"{ "steps": [
            { "key": "review", "type": "spawn", "dependsOn": ["make"], "config": { "task": "Look", "agent": "claude" } },
            { "key": "make", "type": "spawn", "config": { "task": "Do it" } }
        ] }"#;
        let definition = serde_json::from_str(steps).unwrap();
        assert_eq!(draw(&definition, Drawing::Text), " 1  make    agent\n 2  review  claude      after make\n");
        assert!(draw(&definition, Drawing::Mermaid).contains("  make --> review\n"));
        assert!(draw(&definition, Drawing::Dot).contains("  \"make\" -> \"review\";\n"));
    }
}
