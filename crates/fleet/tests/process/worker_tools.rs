//! Workers over MCP, as a client runs them that asked for the toolset `workers`: created on a repository without a
//! project, followed, collected, cancelled and cleaned up; with a full fleet, and over a kill of the server.

use api::devfleet::{CreateMission, SendSessionMessage, WaitForMission};
use serde_json::{Value, json};
use testkit::PATIENCE;

use crate::first_use::tools;
use crate::sessions::{Work, git, launch, make_repository, runs, script};

/// Calls a tool and reads its answer.
async fn call(work: &Work, tool: &str, arguments: Value) -> Value {
    let said = tools(work, &[(tool, arguments)]).await.remove(0);
    serde_json::from_str(&said).unwrap_or_else(|error| panic!("{tool}: {error}: {said}"))
}

fn asked(repository: &std::path::Path, prompt: &str) -> Value {
    json!({
        "repo_path": repository, "task_name": "greet", "prompt": prompt, "executor": "sim", "profile": "quick",
        "tags": ["demo"], "metadata": { "ticket": 7 },
    })
}

fn greets() -> String {
    script(&[
        r#"{ do = "write", path = "hello.txt", text = "hello\n" }"#,
        r#"{ do = "commit", message = "Greet" }"#,
        r#"{ do = "finish", text = "I greeted." }"#,
    ])
}

/// Waits until a worker has ended, and shows it.
async fn ended(work: &Work, worker: &Value) -> Value {
    let wait = async {
        loop {
            let shown = call(work, "get_worker_status", json!({ "worker_id": worker })).await;
            if !matches!(shown["status"].as_str(), Some("pending" | "running")) {
                return shown;
            }
            work.call::<WaitForMission>(json!({ "mission": worker, "timeout_seconds": 60 })).await.unwrap();
        }
    };
    tokio::time::timeout(PATIENCE, wait).await.expect("it does not end")
}

/// Waits until a worker has a process that has said something.
async fn at_work(work: &Work, worker: &Value) -> Value {
    let wait = async {
        loop {
            let with = json!({ "worker_id": worker, "include_logs": true });
            let shown = call(work, "collect_worker_result", with).await;
            if shown["pid"].is_u64() && shown["stdout_tail"].as_str().is_some_and(|tail| tail.contains("I listen")) {
                return shown;
            }
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(PATIENCE, wait).await.expect("it does not begin")
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_worker_on_a_repository_that_is_no_project_is_created_collected_by_evidence_and_cleaned_up() {
    let work = Work::begin(launch()).await;
    let health = call(&work, "healthcheck", json!({})).await;
    assert_eq!((&health["app"], &health["git_found"]), (&json!("fleet"), &json!(true)), "{health:#}");
    let repository = work.repository.with_file_name("elsewhere");
    make_repository(&repository);
    let created = call(&work, "create_worker", asked(&repository, &greets())).await;
    let worker = &created["worker_id"];
    let shown = ended(&work, worker).await;
    let branch = shown["branch_name"].as_str().unwrap().to_owned();
    assert_eq!((&shown["status"], &shown["status_label"]), (&json!("succeeded"), &json!("[OK]")), "{shown:#}");
    for (key, value) in [
        ("profile", json!("quick")),
        ("tags", json!(["demo"])),
        ("metadata", json!({ "ticket": 7 })),
        ("repo_path", json!(repository)),
        ("executor", json!("sim")),
        ("exit_code", json!(0)),
    ] {
        assert_eq!(shown[key], value, "{key}");
    }
    let collected = call(&work, "collect_worker_result", json!({ "worker_id": worker, "include_logs": true })).await;
    let result = &collected["result"];
    assert_eq!((&result["status"], &result["files_changed"]), (&json!("completed"), &json!(["hello.txt"])));
    let tip = git(&repository, &["rev-parse", &branch]);
    assert_eq!(result["commits"], json!([tip.trim()]), "the commits are those that are there: {collected:#}");
    assert!(collected["stdout_tail"].as_str().unwrap().contains("I greeted."), "{collected:#}");
    let listed = call(&work, "list_workers", json!({ "statuses": ["succeeded"] })).await;
    assert_eq!((&listed["count"], &listed["summary"]), (&json!(1), &json!("1 worker: 1 ok")));

    let cleaned = call(&work, "cleanup_worker", json!({ "worker_id": worker })).await;
    assert_eq!(
        (&cleaned["worktree_removed"], &cleaned["branch_removed"], &cleaned["errors"]),
        (&json!(true), &json!(true), &json!([])),
        "{cleaned:#}"
    );
    assert!(!std::path::Path::new(shown["worktree_path"].as_str().unwrap()).exists());
    assert_eq!(git(&repository, &["branch", "--list", &branch]), "");
    let kept = git(&repository, &["for-each-ref", "--contains", tip.trim(), "--format=%(refname)"]);
    assert!(kept.starts_with("refs/fleet/snapshots/"), "the work is in a snapshot: {kept:?}");
    let again = call(&work, "cleanup_worker", json!({ "worker_id": worker })).await;
    assert_eq!((&again["worktree_removed"], &again["errors"]), (&json!(false), &json!([])));
    let after = call(&work, "get_worker_status", json!({ "worker_id": worker })).await;
    assert_eq!(after["status"], "succeeded", "a cleanup leaves the outcome as it is");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_is_refused_is_a_result_with_a_class_and_leaves_nothing_behind() {
    let work = Work::begin(launch()).await;
    let refused = |more: Value| {
        let mut arguments = asked(&work.repository, &greets());
        arguments.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        async { call(&work, "create_worker", arguments).await }
    };
    let folder = work.repository.with_file_name("no-repository");
    std::fs::create_dir(&folder).unwrap();
    for (more, class) in [
        (json!({ "repo_path": "/no/such/folder" }), "FileNotFoundError"),
        (json!({ "repo_path": folder }), "GitError"),
        (json!({ "base_ref": "no-such-branch" }), "GitError"),
        (json!({ "executor": "nobody" }), "ValueError"),
        (json!({ "reasoning_effort": "high" }), "ValueError"),
        (json!({ "parent_worker_id": "m-zzzzz" }), "ValueError"),
    ] {
        let shown = refused(more.clone()).await;
        let mut keys: Vec<_> = shown.as_object().unwrap().keys().collect();
        keys.sort();
        assert_eq!(keys, ["details", "error"], "{more}: {shown:#}");
        assert_eq!(shown["error"], class, "{more}: {shown:#}");
    }
    assert_eq!(call(&work, "list_workers", json!({})).await["count"], 0);
    assert_eq!(git(&work.repository, &["branch", "--format=%(refname:short)"]), "main\n");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_full_fleet_lets_a_worker_wait_and_a_cancelled_one_makes_room_for_it() {
    let work = Work::begin(launch().env("FLEET_MAX_CONCURRENT", 1)).await;
    let listens = script(&[r#"{ do = "say", text = "I listen." }"#, r#"{ do = "listen" }"#]);
    let first = call(&work, "create_worker", asked(&work.repository, &listens)).await["worker_id"].clone();
    let shown = at_work(&work, &first).await;
    assert_eq!(shown["status"], "running", "{shown:#}");
    let second = call(&work, "create_worker", asked(&work.repository, &greets())).await;
    assert_eq!(second["status"], "pending", "a full fleet refuses nothing: {second:#}");
    let listed = call(&work, "list_workers", json!({})).await;
    assert_eq!(listed["summary"], "2 workers: 1 pending, 1 running");
    let cancelled = call(&work, "cancel_worker", json!({ "worker_id": first })).await;
    assert_eq!(cancelled["status"], "cancelled", "{cancelled:#}");
    assert_eq!(cancelled["error_message"], "Cancelled by user");
    let pid = u32::try_from(shown["pid"].as_u64().unwrap()).unwrap();
    assert!(!runs(pid), "its agent runs still");
    assert_eq!(ended(&work, &second["worker_id"]).await["status"], "succeeded");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_worker_outlives_a_kill_of_the_server_and_is_collected_afterwards() {
    let mut work = Work::begin(launch()).await;
    let prompt = script(&[
        r#"{ do = "say", text = "I listen." }"#,
        r#"{ do = "listen" }"#,
        r#"{ do = "write", path = "hello.txt", text = "hello\n" }"#,
        r#"{ do = "commit", message = "Greet" }"#,
        r#"{ do = "finish", text = "I greeted." }"#,
    ]);
    let worker = call(&work, "create_worker", asked(&work.repository, &prompt)).await["worker_id"].clone();
    let before = at_work(&work, &worker).await;
    work.restart().await;
    let adopted = at_work(&work, &worker).await;
    assert_eq!(adopted["pid"], before["pid"], "it is the same process");
    let message = json!({ "session": adopted["session_id"], "text": "Go on." });
    work.call::<SendSessionMessage>(message).await.unwrap();
    let shown = ended(&work, &worker).await;
    assert_eq!((&shown["status"], &shown["retry_count"]), (&json!("succeeded"), &json!(0)), "{shown:#}");
    let collected = call(&work, "collect_worker_result", json!({ "worker_id": worker })).await;
    assert_eq!(collected["result"]["files_changed"], json!(["hello.txt"]), "{collected:#}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_worker_that_takes_too_long_is_timed_out() {
    let work = Work::begin(launch()).await;
    let mut asked = asked(&work.repository, &script(&[r#"{ do = "hang" }"#]));
    asked["timeout_seconds"] = json!(1);
    let worker = call(&work, "create_worker", asked).await;
    assert_eq!(worker["timeout_seconds"], 1);
    let shown = ended(&work, &worker["worker_id"]).await;
    assert_eq!((&shown["status"], &shown["status_label"]), (&json!("timed_out"), &json!("[TIMED OUT]")), "{shown:#}");
}

/// Runs a mission that may use 1000 tokens and uses 600 after a message; a half is handed on before if that is asked,
/// and the server is killed in between.
async fn spends_after_handing_on(hands_on: bool, is_killed: bool) -> String {
    let mut work = Work::begin(launch().env("MAX_WORKERS", 1)).await;
    let prompt = script(&[
        r#"{ do = "say", text = "I listen." }"#,
        r#"{ do = "listen" }"#,
        r#"{ do = "spend", input = 500, output = 100 }"#,
        r#"{ do = "say", text = "I spent it." }"#,
        r#"{ do = "sleep", ms = 300 }"#,
        r#"{ do = "finish", text = "Done." }"#,
    ]);
    let said = json!({
        "project_id": work.project, "title": "Root", "detailed_prompt": prompt, "mission_type": "explore",
        "max_tokens": 1000, "max_retries": 0,
    });
    let root = work.call::<CreateMission>(said).await.unwrap().id;
    let session = work.dispatch(&root, json!({})).await.unwrap();
    at_work(&work, &json!(root)).await;
    if hands_on {
        let mut asked = asked(&work.repository, &greets());
        asked["parent_worker_id"] = json!(root);
        let made = call(&work, "create_worker", asked).await;
        assert_eq!(made["parent_worker_id"], json!(root), "{made:#}");
    }
    if is_killed {
        work.restart().await;
        at_work(&work, &json!(root)).await;
    }
    work.call::<SendSessionMessage>(json!({ "session": session, "text": "Go on." })).await.unwrap();
    ended(&work, &json!(root)).await["status"].as_str().unwrap().to_owned()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_agent_is_stopped_at_what_is_left_after_a_part_of_its_budget_was_handed_on() {
    assert_eq!(spends_after_handing_on(false, false).await, "succeeded", "the control: it may spend that much");
    assert_eq!(spends_after_handing_on(true, false).await, "failed", "half of it is its sub-mission's");
    assert_eq!(spends_after_handing_on(true, true).await, "failed", "the next server knows of it");
}
