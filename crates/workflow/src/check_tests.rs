use serde_json::{Value, json};

use super::*;

fn problems(steps: Value) -> Vec<(String, String)> {
    let definition =
        serde_json::from_value(json!({ "inputs": { "task": { "required": true } }, "steps": steps })).unwrap();
    check(&definition).into_iter().map(|problem| (problem.at, problem.message)).collect()
}

fn step(key: &str, on: &[&str], task: &str) -> Value {
    json!({ "key": key, "type": "spawn", "dependsOn": on, "config": { "task": task } })
}

#[test]
fn a_definition_that_makes_sense_has_no_problems() {
    let steps = json!([
        step("make", &[], "{{inputs.task}}"),
        { "key": "look", "type": "spawn", "dependsOn": ["make"], "guard": { "condition": "inputs.task != ''" },
          "config": { "task": "{{steps.make.output.summary}}", "worktree": "inherit", "choices": ["yes", "no"] } },
        { "key": "ask", "type": "gate", "dependsOn": ["look"],
          "config": { "condition": { "condition": "steps.look.output.choice == yes" }, "onTrue": ["land"] } },
        { "key": "land", "type": "land", "config": { "step": "make" } },
    ]);
    assert_eq!(problems(steps), []);
}

#[test]
fn steps_in_a_circle_are_refused_with_the_circle_also_where_a_condition_closes_it() {
    let found = problems(json!([step("a", &["b"], "x"), step("b", &["a"], "x")]));
    assert_eq!(
        found,
        [("/steps/0/dependsOn".to_owned(), "steps wait for each other in a circle: a → b → a".to_owned())]
    );
    let steps = json!([
        step("a", &["ask"], "x"),
        { "key": "ask", "type": "gate", "dependsOn": ["b"],
          "config": { "condition": { "condition": "inputs.task" }, "onTrue": ["b"] } },
        step("b", &[], "x"),
    ]);
    assert!(problems(steps)[0].1.contains("ask → b → ask"));
}

#[test]
fn a_name_that_stands_for_nothing_is_refused_at_its_place() {
    let found = problems(json!([step("make", &["Make", "lost"], "{{inputs.tsak}} {{steps.gone.output}} {{task}}")]));
    let found: Vec<&str> = found.iter().map(|(at, _)| at.as_str()).collect();
    let task = "/steps/0/config/task";
    assert_eq!(found, ["/steps/0/dependsOn/0", "/steps/0/dependsOn/1", task, task, task]);
}

#[test]
fn what_a_template_or_a_condition_cannot_mean_is_refused() {
    for (task, guard) in [("{{inputs.task", "inputs.task"), ("x", "inputs.task = 3"), ("{{item}}", "inputs.task")] {
        let steps =
            json!([{ "key": "a", "type": "spawn", "guard": { "condition": guard }, "config": { "task": task } }]);
        assert_eq!(problems(steps).len(), 1, "{task} {guard}");
    }
}

#[test]
fn two_steps_with_one_key_and_an_inheritance_of_nothing_are_refused() {
    assert_eq!(problems(json!([step("a", &[], "x"), step("a", &[], "x")]))[0].0, "/steps/1/key");
    let steps = json!([{ "key": "a", "type": "spawn", "config": { "task": "x", "worktree": "inherit" } }]);
    assert_eq!(problems(steps)[0].0, "/steps/0/config/worktree");
}
