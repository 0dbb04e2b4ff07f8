//! Workflows of the scripted agent with the real binary: what inherits, what lands, and a server that is killed again and
//! again while many run.

use api::claude_fleet::{ExecutionStatus, ExecutionView, GetExecution, ListExecutionSteps, StepStatus};
use api::devfleet::GetMission;
use api::fleet::RunWorkflow;
use serde_json::{Value, json};
use testkit::PATIENCE;
use types::ExecutionId;

use crate::first_use::tools;
use crate::sessions::{Work, git, launch, script};

/// How many workflows run while the server is killed.
const WORKFLOWS: usize = 12;

fn writes(name: &str) -> String {
    script(&[
        &format!(r#"{{ do = "write", path = "{name}.txt", text = "{name}\n" }}"#),
        &format!(r#"{{ do = "commit", message = "Write {name}" }}"#),
        &format!(r#"{{ do = "finish", text = "I wrote {name}." }}"#),
    ])
}

fn step(key: &str, on: &[&str], task: &str) -> Value {
    let worktree = if on.is_empty() { "new" } else { "inherit" };
    json!({ "key": key, "type": "spawn", "dependsOn": on,
        "config": { "agent": "sim", "task": task, "worktree": worktree } })
}

async fn begin(work: &Work, name: &str, steps: Value) -> ExecutionId {
    let said = json!({ "name": name, "definition": { "steps": steps }, "project": work.project });
    work.call::<RunWorkflow>(said).await.unwrap().id
}

async fn ended(work: &Work, id: &ExecutionId) -> ExecutionView {
    let wait = async {
        loop {
            let shown = work.call::<GetExecution>(json!({ "id": id })).await.unwrap();
            match shown.status {
                ExecutionStatus::Pending | ExecutionStatus::Running | ExecutionStatus::Paused => {}
                ExecutionStatus::Completed | ExecutionStatus::Failed | ExecutionStatus::Cancelled => return shown,
            }
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(PATIENCE, wait).await.expect("it does not end")
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_step_that_inherits_has_exactly_the_work_before_it_and_what_is_chosen_lands() {
    let work = Work::begin(launch()).await;
    let choose = json!({ "key": "choose", "type": "spawn", "dependsOn": ["a", "b"], "config": {
        "agent": "sim", "choices": ["a", "b"], "task": script(&[r#"{ do = "finish", text = "Both are good.\nchoice: b" }"#]),
    } });
    let land = json!({ "key": "land", "type": "land", "dependsOn": ["choose"],
        "config": { "step": "{{steps.choose.output.choice}}" } });
    let steps = json!([
        step("base", &[], &writes("base")),
        step("a", &["base"], &writes("a")),
        step("b", &["base"], &writes("b")),
        choose,
        land,
    ]);
    let id = begin(&work, "choice", steps).await;
    let shown = ended(&work, &id).await;
    assert_eq!(shown.status, ExecutionStatus::Completed, "{}", shown.why);
    let landed = git(&work.repository, &["ls-tree", "--name-only", "HEAD"]);
    assert!(landed.contains("base.txt") && landed.contains("b.txt") && !landed.contains("a.txt"), "{landed}");
    let checks = json!({ "key": "check", "type": "script", "dependsOn": ["made"],
        "config": { "script": "test -e made.txt && test ! -e not-there.txt" } });
    let red = json!({ "key": "red", "type": "script", "dependsOn": ["check"], "config": { "script": "exit 3" } });
    let id = begin(&work, "checks", json!([step("made", &[], &writes("made")), checks, red])).await;
    let shown = ended(&work, &id).await;
    assert!(shown.status == ExecutionStatus::Failed && shown.why.contains("`red`"), "{}", shown.why);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn stages_pass_on_what_they_did_and_are_collected_and_cleaned_up_by_a_client_of_the_tools() {
    let work = Work::begin(launch()).await;
    let stage = |name: &str, prompt: String, on: &[u32]| {
        let strategy = if on.is_empty() { "new" } else { "inherit" };
        json!({ "name": name, "executor": "sim", "prompt_template": prompt, "depends_on": on, "worktree_strategy": strategy })
    };
    let told = "Before it: {stage_0_summary} {stage_0_files} { \"json\": 1 }\n";
    let stages = json!([
        stage("write", format!("{{task_prompt}}\n{}", writes("one")), &[]),
        stage("refine", format!("{told}{}", writes("two")), &[0]),
    ]);
    let asked = json!({ "name": "chain", "repo_path": work.repository, "task_prompt": "Add it", "stages": stages });
    let call = async |tool: &str, arguments: Value| -> Value {
        let said = tools(&work, &[(tool, arguments)]).await.remove(0);
        serde_json::from_str(&said).unwrap_or_else(|error| panic!("{tool}: {error}: {said}"))
    };
    let made = call("create_workflow", asked).await;
    assert_eq!(made["status"], "running", "{made:#}");
    let id: ExecutionId = made["workflow_id"].as_str().unwrap().parse().unwrap();
    ended(&work, &id).await;
    let with = json!({ "workflow_id": id, "include_all_stages": true });
    let collected = call("collect_workflow_result", with).await;
    assert_eq!(
        (&collected["status"], &collected["error_message"]),
        (&json!("succeeded"), &Value::Null),
        "{collected:#}"
    );
    let results = collected["stage_results"].as_array().unwrap();
    assert_eq!(results[1]["result"]["result"]["files_changed"], json!(["two.txt"]), "{collected:#}");
    let mission = collected["stage_summary"][1]["worker_id"].clone();
    let prompt = work.call::<GetMission>(json!({ "mission": mission })).await.unwrap().mission.detailed_prompt;
    assert!(prompt.starts_with("Before it: I wrote one. one.txt { \"json\": 1 }"), "{prompt}");
    let cleaned = call("cleanup_workflow", json!({ "workflow_id": id })).await;
    assert_eq!((&cleaned["stages_cleaned"], &cleaned["errors"]), (&json!(2), &json!([])), "{cleaned:#}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_workflow_hangs_or_runs_a_step_twice_though_the_server_is_killed_in_the_midst_of_them() {
    let mut work = Work::begin(launch()).await;
    let mut begun = Vec::new();
    for number in 0..WORKFLOWS {
        let name = |step: &str| writes(&format!("{step}-{number}"));
        let steps = json!([
            step("one", &[], &name("one")),
            step("two", &["one"], &name("two")),
            step("three", &["two"], &name("three")),
        ]);
        begun.push(begin(&work, &format!("chain-{number}"), steps).await);
        if number % 4 == 3 {
            let launch = work.kill().await;
            work.up(launch).await;
        }
    }
    for (number, id) in begun.iter().enumerate() {
        let shown = ended(&work, id).await;
        assert_eq!(shown.status, ExecutionStatus::Completed, "{id}: {}", shown.why);
        let steps = work.call::<ListExecutionSteps>(json!({ "id": id })).await.unwrap().items;
        assert!(steps.iter().all(|step| step.status == StepStatus::Completed && step.retry_count == 0), "{steps:?}");
        let last = steps.iter().find(|step| step.step_key == "three").and_then(|step| step.mission_id.clone()).unwrap();
        let branch = format!("{last}");
        let titles =
            git(&work.repository, &["log", "--all", "--format=%s", "--fixed-strings", &format!("--grep=-{number}")]);
        for step in ["one", "two", "three"] {
            let subject = format!("Write {step}-{number}");
            assert_eq!(titles.lines().filter(|line| *line == subject).count(), 1, "{branch}: {titles}");
        }
    }
}
