use std::collections::BTreeSet;

use proptest::prelude::*;
use serde_json::{Value, json};
use types::{Definition, ExecutionStateName, StepStateName};

use super::*;
use crate::{Request, begin, cancel, complete, pause, restart, resume};

fn definition(steps: &Value) -> Definition {
    let definition: Definition = serde_json::from_value(json!({ "steps": steps })).unwrap();
    assert_eq!(crate::check(&definition), []);
    definition
}

fn request(definition: Definition) -> Request {
    Request {
        id: "e-x7k2m".parse().unwrap(),
        team: types::TeamName::default_team(),
        project: None,
        workflow: None,
        name: "flow".to_owned(),
        definition,
        inputs: serde_json::Map::new(),
        base: Some("1".repeat(40)),
        swarm: None,
        by: Handle::owner(),
    }
}

/// An execution, and a world in which its missions end as they are told.
struct Played {
    execution: Execution,
    facts: Facts,
    started: Vec<Start>,
    landed: Vec<MissionId>,
    stopped: BTreeSet<MissionId>,
    wake: Option<Timestamp>,
}

impl Played {
    fn new(steps: Value) -> Self {
        let execution = begin(request(definition(&steps)), Timestamp::UNIX_EPOCH).unwrap();
        let mut played = Self {
            execution,
            facts: Facts { now: Timestamp::UNIX_EPOCH, ..Facts::default() },
            started: Vec::new(),
            landed: Vec::new(),
            stopped: BTreeSet::new(),
            wake: None,
        };
        played.go();
        played
    }

    fn go(&mut self) {
        loop {
            let next = advance(&self.execution, &self.facts);
            let is_over = next.acts.is_empty() && next.execution == self.execution;
            self.execution = next.execution;
            self.wake = next.wake;
            for act in next.acts {
                match act {
                    Act::Start(start) => {
                        self.facts.missions.insert(start.mission.clone(), MissionFact::Open);
                        self.started.push(*start);
                    }
                    Act::Land { mission } => self.landed.push(mission),
                    Act::Stop { mission } => {
                        self.stopped.insert(mission.clone());
                        self.facts.missions.insert(mission, MissionFact::Failed { why: "stopped".to_owned() });
                    }
                }
            }
            if next.wants.is_empty() && !next.more && (is_over || self.landed.len() > 5) {
                break;
            }
            for run in next.wants {
                let output = json!({ "summary": format!("I did {run}"), "next_steps": "choice: b" });
                assert!(self.facts.outputs.insert(run, output).is_none());
            }
        }
    }

    fn mission(&self, run: &str) -> MissionId {
        let run: RunKey = run.parse().unwrap();
        self.execution.steps[&run].state.mission().unwrap().clone()
    }

    fn end(&mut self, run: &str, fact: MissionFact) {
        let mission = self.mission(run);
        self.facts.missions.insert(mission, fact);
        self.go();
    }

    fn done(&mut self, run: &str) {
        self.end(run, MissionFact::Done { landed: false });
    }

    fn fail(&mut self, run: &str) {
        self.end(run, MissionFact::Failed { why: "it broke".to_owned() });
    }

    fn states(&self) -> Vec<(String, StepStateName)> {
        self.execution.steps.iter().map(|(run, step)| (run.to_string(), step.state.name())).collect()
    }

    fn state(&self, run: &str) -> StepStateName {
        self.execution.steps[&run.parse().unwrap()].state.name()
    }

    fn whole(&self) -> ExecutionStateName {
        self.execution.state.name()
    }
}

fn agent(key: &str, on: &[&str]) -> Value {
    json!({ "key": key, "type": "spawn", "dependsOn": on, "config": { "task": "Do it" } })
}

fn heir(key: &str, on: &[&str]) -> Value {
    json!({ "key": key, "type": "spawn", "dependsOn": on, "config": { "task": "Do it", "worktree": "inherit" } })
}

fn with(mut step: Value, field: &str, value: Value) -> Value {
    step[field] = value;
    step
}

#[test]
fn steps_run_when_those_before_them_are_done_and_start_from_their_work() {
    let mut played = Played::new(json!([agent("a", &[]), agent("b", &[]), heir("c", &["a", "b"])]));
    assert_eq!(played.started.len(), 2);
    played.done("a");
    assert_eq!(played.started.len(), 2);
    played.done("b");
    assert_eq!(played.started[2].from, [played.mission("a"), played.mission("b")]);
    played.done("c");
    assert_eq!(played.whole(), ExecutionStateName::Completed);
}

#[test]
fn a_step_that_failed_ends_the_execution_and_says_what_of_the_others() {
    let mut played = Played::new(json!([agent("a", &[]), agent("b", &[]), agent("c", &["a"])]));
    let beside = played.mission("b");
    played.fail("a");
    assert_eq!(played.whole(), ExecutionStateName::Failed);
    assert_eq!((played.state("b"), played.state("c")), (StepStateName::Cancelled, StepStateName::Cancelled));
    assert!(played.stopped.contains(&beside));
    played.go();
    assert!(played.execution.stopping.is_empty());
}

#[test]
fn a_failure_is_retried_skipped_or_passed_over_as_its_step_says() {
    let retried = with(with(agent("a", &[]), "onFailure", json!("retry")), "maxRetries", json!(1));
    let mut played = Played::new(json!([retried, agent("z", &["a"])]));
    let first = played.mission("a");
    played.fail("a");
    assert_ne!(played.mission("a"), first);
    played.fail("a");
    assert_eq!(played.whole(), ExecutionStateName::Failed);

    for (policy, after) in [("skip", StepStateName::Skipped), ("continue", StepStateName::Running)] {
        let mut played = Played::new(json!([with(agent("a", &[]), "onFailure", json!(policy)), agent("z", &["a"])]));
        played.fail("a");
        assert_eq!(played.state("z"), after, "{policy}");
    }
}

#[test]
fn a_condition_skips_one_way_and_what_is_behind_it_and_the_ways_meet_again() {
    let condition = json!({ "key": "ask", "type": "gate", "dependsOn": ["a"], "config": {
        "condition": { "condition": "steps.a.output.summary == 'I did a'" }, "onTrue": ["yes"], "onFalse": ["no"],
    } });
    let steps = json!([
        agent("a", &[]),
        condition,
        agent("yes", &[]),
        agent("no", &[]),
        agent("behind", &["no"]),
        agent("both", &["yes", "behind"])
    ]);
    let mut played = Played::new(steps);
    played.done("a");
    assert_eq!(played.state("no"), StepStateName::Skipped);
    assert_eq!(played.state("behind"), StepStateName::Skipped);
    played.done("yes");
    assert_eq!(played.state("both"), StepStateName::Running);
}

#[test]
fn of_a_race_the_first_wins_the_others_are_stopped_and_a_failure_does_not_end_it() {
    let race =
        json!({ "key": "race", "type": "parallel", "config": { "stepKeys": ["a", "b", "c"], "strategy": "race" } });
    let mut played =
        Played::new(json!([agent("a", &[]), agent("b", &[]), agent("c", &[]), race, heir("z", &["race"])]));
    let slow = played.mission("c");
    played.fail("a");
    assert_eq!(played.whole(), ExecutionStateName::Running);
    played.done("b");
    assert_eq!(played.state("c"), StepStateName::Cancelled);
    assert!(played.stopped.contains(&slow));
    assert_eq!(played.started[3].from, [played.mission("b")]);
}

#[test]
fn a_judge_names_the_winner_in_its_report_and_that_lands() {
    let judge = json!({ "key": "judge", "type": "spawn", "dependsOn": ["a", "b"], "config": { "task": "Choose", "choices": ["a", "b"] } });
    let land = json!({ "key": "land", "type": "land", "dependsOn": ["judge"], "config": { "step": "{{steps.judge.output.choice}}" } });
    let mut played = Played::new(json!([agent("a", &[]), agent("b", &[]), judge, land]));
    played.done("a");
    played.done("b");
    played.done("judge");
    assert_eq!(played.landed.first(), Some(&played.mission("b")));
    played.end("land", MissionFact::Parked { why: "a check is red".to_owned() });
    assert_eq!(played.state("land"), StepStateName::Running);
    played.end("land", MissionFact::Done { landed: true });
    assert_eq!(played.whole(), ExecutionStateName::Completed);
}

#[test]
fn a_step_with_a_list_runs_once_for_each_item_and_is_done_with_the_last() {
    let each = json!({ "key": "test", "type": "spawn", "each": "{{steps.a.output.summary}}\nlast", "dependsOn": ["a"], "config": { "task": "Test {{item}}" } });
    let mut played = Played::new(json!([agent("a", &[]), each, heir("z", &["test"])]));
    played.done("a");
    assert_eq!(played.started[1].prompt, "Test I did a");
    assert_eq!(played.started[2].prompt, "Test last");
    played.done("test.0");
    assert_eq!(played.state("z"), StepStateName::Pending);
    played.done("test.1");
    assert_eq!(played.started[3].from.len(), 2);
}

/// An agent writes its report, and so the items of a later step: it must not make a record that cannot be stored. The
/// control is a list of the same length with short items.
#[test]
fn what_an_agent_writes_does_not_make_an_execution_larger_than_a_record_may_be() {
    let each = json!({ "key": "test", "type": "spawn", "each": "{{steps.a.output.list}}", "dependsOn": ["a"], "config": { "task": "Test" } });
    let told = |item: &str| {
        let mut played = Played::new(json!([agent("a", &[]), each, agent("z", &["a"])]));
        let list: Vec<String> = vec![item.to_owned(); 20];
        played.facts.outputs.insert("a".parse().unwrap(), json!({ "list": list }));
        played.done("a");
        played
    };
    assert_eq!(told("short").state("test"), StepStateName::Running);
    let mut played = told(&"x".repeat(12_000));
    assert_eq!((played.state("test"), played.whole()), (StepStateName::Failed, ExecutionStateName::Failed));
    let why = "it broke\u{1b}[2J ".repeat(10_000);
    played = Played::new(json!([agent("a", &[])]));
    played.end("a", MissionFact::Failed { why });
    let stored = serde_json::to_string(&played.execution).unwrap();
    assert!(stored.len() < 5_000 && !stored.contains("\\u001b"), "{} bytes", stored.len());
}

#[test]
fn a_person_ends_a_checkpoint_and_no_step_with_a_mission() {
    let ask = json!({ "key": "ask", "type": "checkpoint", "dependsOn": ["a"], "config": { "goal": "Ship {{steps.a.output.summary}}?" } });
    let mut played = Played::new(json!([agent("a", &[]), ask, agent("z", &["ask"])]));
    let by = Handle::owner();
    let run = |key: &str| key.parse::<RunKey>().unwrap();
    assert!(complete(&played.execution, &run("a"), Ok(Value::Null), &by, &played.facts).is_err());
    played.done("a");
    assert_eq!(played.state("z"), StepStateName::Pending);
    let told = complete(&played.execution, &run("ask"), Ok(json!({ "ok": true })), &by, &played.facts);
    played.execution = told.unwrap();
    played.go();
    assert_eq!(played.state("z"), StepStateName::Running);
}

#[test]
fn time_ends_a_wait_a_step_and_an_execution() {
    let wait = json!({ "key": "wait", "type": "wait", "config": { "durationMs": 5000 } });
    let slow = with(agent("slow", &["wait"]), "timeoutMs", json!(1000));
    let mut played = Played::new(json!([wait, slow]));
    assert_eq!(played.wake, Some(Timestamp::from_second(5).unwrap()));
    played.facts.now = Timestamp::from_second(5).unwrap();
    played.go();
    let mission = played.mission("slow");
    assert_eq!(played.wake, Some(Timestamp::from_second(6).unwrap()));
    played.facts.now = Timestamp::from_second(6).unwrap();
    played.go();
    assert_eq!(played.whole(), ExecutionStateName::Failed);
    assert!(played.stopped.contains(&mission));
}

#[test]
fn a_pause_begins_nothing_and_loses_nothing() {
    let mut played = Played::new(json!([agent("a", &[]), agent("z", &["a"])]));
    played.execution = pause(&played.execution, &Handle::owner(), &played.facts).unwrap();
    played.done("a");
    assert_eq!((played.state("a"), played.state("z")), (StepStateName::Done, StepStateName::Pending));
    played.execution = resume(&played.execution, &Handle::owner(), &played.facts).unwrap();
    played.go();
    assert_eq!(played.state("z"), StepStateName::Running);
    played.execution = cancel(&played.execution, &Handle::owner(), &played.facts).unwrap();
    played.go();
    assert_eq!(played.whole(), ExecutionStateName::Cancelled);
    assert!(cancel(&played.execution, &Handle::owner(), &played.facts).is_err());
}

#[test]
fn a_failed_step_that_is_tried_again_takes_up_what_was_called_off_with_it() {
    let mut played = Played::new(json!([agent("a", &[]), agent("b", &["a"]), agent("c", &["b"])]));
    played.done("a");
    played.fail("b");
    let run: RunKey = "b".parse().unwrap();
    played.execution = restart(&played.execution, &run, &Handle::owner(), &played.facts).unwrap();
    played.go();
    assert_eq!(played.started.len(), 3);
    played.done("b");
    played.done("c");
    assert_eq!(played.whole(), ExecutionStateName::Completed);
}

/// Steps that depend on earlier ones, with every policy.
fn any_steps() -> impl Strategy<Value = Value> {
    let step = (prop::collection::vec(any::<prop::sample::Index>(), 0..3), 0..4_usize, 0..6_usize, any::<bool>());
    prop::collection::vec(step, 1..9).prop_map(|steps| {
        let made = steps.iter().enumerate().map(|(place, (on, policy, kind, inherits))| {
            let strategy = ["all", "any", "race"][policy % 3];
            let policy = ["fail", "skip", "retry", "continue"][*policy];
            let on: BTreeSet<String> = if place == 0 {
                BTreeSet::new()
            } else {
                on.iter().map(|on| format!("s{}", on.index(place))).collect()
            };
            let on: Vec<&str> = on.iter().map(String::as_str).collect();
            let key = format!("s{place}");
            let plain = if *inherits && !on.is_empty() { heir(&key, &on) } else { agent(&key, &on) };
            let step = match kind {
                0 if !on.is_empty() => {
                    json!({ "key": key, "type": "parallel", "config": { "stepKeys": on, "strategy": strategy } })
                }
                1 => with(plain, "each", json!("one\ntwo")),
                2 if !on.is_empty() => {
                    with(plain, "guard", json!({ "condition": format!("steps.{}.output.summary", on[0]) }))
                }
                3 => json!({ "key": key, "type": "wait", "dependsOn": on, "config": { "durationMs": 10 } }),
                _ => plain,
            };
            with(with(step, "onFailure", json!(policy)), "maxRetries", json!(2))
        });
        Value::Array(made.collect())
    })
}

proptest! {
    #[test]
    fn every_execution_ends_no_mission_is_made_twice_and_asking_again_changes_nothing(
        steps in any_steps(),
        ends in prop::collection::vec((any::<prop::sample::Index>(), 0..4_usize), 200),
    ) {
        let mut played = Played::new(steps);
        for (which, how) in ends {
            let again = advance(&played.execution, &played.facts);
            prop_assert_eq!(&again.execution, &played.execution);
            prop_assert!(again.wants.is_empty());
            if !played.execution.state.is_live() {
                break;
            }
            let open: Vec<MissionId> = played.facts.missions.iter().filter(|(_, fact)| **fact == MissionFact::Open).map(|(id, _)| id.clone()).collect();
            if open.is_empty() {
                let wake = played.wake;
                prop_assert!(wake.is_some(), "nothing runs and nothing will: {:?}", played.states());
                played.facts.now = wake.unwrap();
            } else {
                let fact = if how == 0 { MissionFact::Failed { why: "it broke".to_owned() } } else { MissionFact::Done { landed: false } };
                played.facts.missions.insert(which.get(&open).clone(), fact);
            }
            played.go();
        }
        prop_assert!(!played.execution.state.is_live(), "{:?}", played.states());
        prop_assert!(played.execution.stopping.is_empty() || played.facts.missions.values().all(|fact| *fact != MissionFact::Open));
        let made: BTreeSet<&MissionId> = played.started.iter().map(|start| &start.mission).collect();
        prop_assert_eq!(made.len(), played.started.len());
        prop_assert!(played.execution.steps.values().all(|step| step.state.is_over()));
    }
}
