//! A workflow and an execution for tests: `make` has failed, `decide` waits for a person.

use serde_json::{Map, json};
use types::{Definition, Execution, Handle, ProjectId, StepState, StepWork, TeamName, Timestamp, Workflow};

fn definition(secret: &str) -> Definition {
    let goal = json!({ "goal": secret });
    let step = |key: &str| json!({ "key": key, "type": "checkpoint", "config": goal, "onFailure": "continue" });
    serde_json::from_value(json!({ "steps": [step("make"), step("decide")], "inputs": { "task": {} } })).unwrap()
}

pub(crate) fn workflow_record(id: &str, team: &TeamName, secret: &str, at: Timestamp) -> Workflow {
    Workflow {
        id: id.parse().unwrap(),
        team: team.clone(),
        name: secret.to_owned(),
        description: secret.to_owned(),
        version: 1,
        definition: definition(secret),
        is_template: false,
        created_by: Handle::owner(),
        created_at: at,
        updated_at: at,
    }
}

pub(crate) fn execution_record(
    id: &str,
    team: &TeamName,
    project: &ProjectId,
    secret: &str,
    at: Timestamp,
) -> Execution {
    let asked = workflow::Request {
        id: id.parse().unwrap(),
        team: team.clone(),
        project: Some(project.clone()),
        workflow: None,
        name: secret.to_owned(),
        definition: definition(secret),
        inputs: Map::new(),
        base: None,
        swarm: None,
        by: Handle::owner(),
    };
    let mut execution = workflow::begin(asked, at).unwrap();
    let failed = StepState::Failed { at, mission: None, why: secret.to_owned() };
    let waits = StepState::Running { work: StepWork::Person { goal: secret.to_owned() } };
    for (run, state) in [("make", failed), ("decide", waits)] {
        execution.steps.get_mut(&run.parse().unwrap()).unwrap().state = state;
    }
    execution
}
