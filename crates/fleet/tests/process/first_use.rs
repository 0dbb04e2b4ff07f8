//! What a new user types and reads, with the real binary: refusals that help, and one place for what needs a person.

use std::process::Stdio;

use api::devfleet::{CreateProject, GetSystemStatus, ListMissionEvents, ListMissions, ListSessions};
use api::fleet::{InboxItem, InboxKind, ListInbox};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader};

use crate::follow::{fleet, output};
use crate::landing::{lands, until, with_check, writes};
use crate::sessions::{Work, git, launch, script};
use crate::sessions_fail::played_by;

/// Types a command; its exit status, and all that it printed.
async fn typed(work: &Work, words: &[&str]) -> (i32, String) {
    let (code, out, err) = output(fleet(work, words)).await;
    (code.unwrap(), format!("{out}{err}"))
}

/// Types a command that must be refused, in words that contain these.
async fn refused(work: &Work, words: &[&str], parts: &[&str]) {
    let (code, said) = typed(work, words).await;
    assert_ne!(code, 0, "{words:?}: {said}");
    for part in parts {
        assert!(said.contains(part), "{words:?} does not say `{part}`: {said}");
    }
}

async fn inbox(work: &Work, kind: InboxKind) -> InboxItem {
    let items = work.call::<ListInbox>(json!({})).await.unwrap().items;
    let found = items.iter().find(|item| item.kind == kind).cloned();
    found.unwrap_or_else(|| panic!("{kind:?} is missing: {items:#?}"))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_landing_a_stuck_branch_and_a_missing_login_are_in_the_log_and_the_last_two_in_the_inbox() {
    let work = with_check("test ! -e bad.txt").await;
    let log = work.server().log().clone();
    let (good, _) = work.run_as("implement", &writes(&[("good.txt", "good")])).await;
    lands(&work, &good).await;
    log.line("landed on `main` as ").await;

    let (bad, _) = work.run_as("implement", &writes(&[("bad.txt", "bad")])).await;
    let stuck = until(&work, &bad, |landing| landing.status == "stuck").await;
    log.line("cannot land and needs a person: ").await;
    let parked = log.line(&format!("mission {bad} parked until a person sees to it: ")).await;
    assert!(parked.contains(&format!("landing `{}`", stuck.id)), "it does not say why: {parked}");
    let item = inbox(&work, InboxKind::Landing).await;
    assert_eq!(item.subject, stuck.id.to_string());
    assert!(item.next.contains("fleet land retry"), "{item:#?}");
    let whole = stuck.id.to_string();
    let (code, said) = typed(&work, &["land", "retry", &whole[..whole.len() - 1]]).await;
    assert_eq!(code, 0, "a prefix of a landing's id: {said}");

    let fails = "{ do = 'fail', text = 'please log in', class = { name = 'auth' } }";
    let (_, session) = work.run(&script(&[fails])).await;
    let waits = log.line(&format!("session {session} waits (its account is not usable (auth)")).await;
    assert!(waits.contains("please log in"), "{waits}");
    let item = inbox(&work, InboxKind::Login).await;
    assert_eq!(item.subject, "sim");
    assert!(!log.text().contains("Some("), "Rust debug in the log: {}", log.text());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn whoever_stops_the_server_is_told_of_the_agents_that_stay_at_work() {
    let work = Work::begin(launch()).await;
    let (_, session) = work.run(&script(&["{ do = 'say', text = 'begun' }", "{ do = 'hang' }"])).await;
    work.server().session_says(&session, "begun").await;
    let (code, said) = typed(&work, &["up", "--stop"]).await;
    assert_eq!(code, 0, "{said}");
    assert!(said.contains("Agents at work: 1.") && said.contains("fleet session cancel SESSION"), "{said}");
    let (code, said) = typed(&work, &["up", "--status"]).await;
    assert_eq!((code, said.as_str()), (1, "{\"running\":false}\n"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn wrong_branches_folders_and_accounts_are_refused_with_what_to_type() {
    let work = Work::begin(launch()).await;
    refused(&work, &["project", "update", "shop", "--target-branch", "mian"], &["did you mean `main`"]).await;
    let mission = work.mission("Do it").await;
    let wrong_base = ["dispatch", mission.as_str(), "--agent", "sim", "--base", "mian"];
    refused(&work, &wrong_base, &["did you mean `main`", "--base"]).await;
    refused(&work, &["account", "unpark", "cluade"], &["no account is called `cluade`", "fleet account list"]).await;
    refused(&work, &["land", "retry", "d-zz"], &["Landing not found", "fleet land status"]).await;

    let plain = work.repository.with_file_name("plain");
    std::fs::create_dir(&plain).unwrap();
    let plain = plain.to_str().unwrap();
    refused(&work, &["project", "create", "plain", plain], &["is not in a git repository", "init"]).await;
    // Over the network the contract has it taken, so the answer warns.
    let create: CreateProject = serde_json::from_value(json!({ "name": "plain", "path": plain })).unwrap();
    let reply = work.server().owner().call(create).await.unwrap();
    assert!(reply.warnings.iter().any(|warning| warning.contains("git init")), "{:?}", reply.warnings);

    let empty = work.repository.with_file_name("empty");
    std::fs::create_dir(&empty).unwrap();
    git(&empty, &["init", "--quiet", "--initial-branch=main"]);
    let project = work.project_at(&empty, json!({})).await;
    let mission = work.mission_in(&project, "Do it").await;
    refused(&work, &["dispatch", mission.as_str(), "--agent", "sim"], &["no commit yet"]).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_stopped_mission_is_retried_its_worktree_opened_and_its_checks_are_taken_back() {
    let work = with_check("true").await;
    let fails = script(&["{ do = 'fail', text = 'too dear', class = { name = 'budget' } }"]);
    let (mission, session) = work.run(&fails).await;
    work.server().session_ended(&session).await;
    let (code, said) = typed(&work, &["open", mission.as_str(), "--print"]).await;
    assert_eq!(code, 0, "{said}");
    assert!(std::path::Path::new(said.trim_end()).join(".git").exists(), "{said}");
    let (code, said) = typed(&work, &["retry", mission.as_str(), "--fresh"]).await;
    assert_eq!(code, 0, "{said}");
    assert!(said.contains("starts anew in session") && said.contains("fleet logs"), "{said}");
    let sessions = work.call::<ListSessions>(json!({ "mission_id": mission })).await.unwrap().items;
    let agents: Vec<_> = sessions.iter().map(|session| session.agent.as_str()).collect();
    assert_eq!(agents, ["sim", "sim"], "it starts with the agent that it had");

    let shown = async || {
        let (_, out, _) = output(fleet(&work, &["project", "show", "shop", "--json"])).await;
        serde_json::from_str::<Value>(&out).unwrap()["checks"].clone()
    };
    assert_eq!(shown().await, json!(["true"]));
    let (code, said) = typed(&work, &["project", "update", "shop", "--checks", ""]).await;
    assert_eq!(code, 0, "{said}");
    assert_eq!(shown().await, json!([]));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_run_whose_agent_is_refused_leaves_no_mission_behind() {
    let work = Work::begin(played_by(launch(), "/nowhere/claude")).await;
    let mut command = fleet(&work, &["run", "Add a cart"]);
    command.current_dir(&work.repository);
    let (code, _, said) = output(command).await;
    assert_ne!(code, Some(0), "{said}");
    assert!(said.contains("agent `claude` is not installed"), "{said}");
    let missions = work.call::<ListMissions>(json!({})).await.unwrap().items;
    assert!(missions.is_empty(), "{missions:#?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_change_of_settings_says_what_it_waits_for_and_other_names_show_the_same_value() {
    let work = Work::begin(launch()).await;
    let (code, said) = typed(&work, &["config", "set", "max_concurrent=3", "port=4000"]).await;
    assert_eq!(code, 0, "{said}");
    for part in ["Set max_concurrent = 3.", "takes port up when it starts again", "fleet up --stop"] {
        assert!(said.contains(part), "{part}: {said}");
    }
    let mut overridden = fleet(&work, &["config", "set", "max_workers=4"]);
    overridden.env("MAX_WORKERS", "9");
    let (_, _, said) = output(overridden).await;
    assert!(said.contains("MAX_WORKERS is set in this environment and overrides max_workers"), "{said}");
    let (_, shown, _) = output(fleet(&work, &["config", "show", "--json"])).await;
    let shown: Vec<Value> = serde_json::from_str(&shown).unwrap();
    let of = |key: &str| shown.iter().find(|row| row["key"] == key).unwrap_or_else(|| panic!("{key} is missing"));
    assert_eq!(
        (&of("max_concurrent")["value"], &of("max_concurrent")["same_as"]),
        (&json!("4"), &json!("max_workers"))
    );
    assert_eq!(of("coder")["same_as"], "default_agent");
    refused(&work, &["config", "set", "default_agent=cluade"], &["claude"]).await;
    let (code, _) = typed(&work, &["config", "set", "default_agent=cluade"]).await;
    assert_eq!(code, 2, "a wrong name is wrong input");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_program_dismisses_without_being_asked() {
    let work = Work::begin(launch()).await;
    let repository = work.repository.to_str().unwrap();
    let (code, said) = typed(&work, &["spawn", "scout", "--agent", "sim", "--working-dir", repository]).await;
    assert_eq!(code, 0, "{said}");
    let (code, said) = typed(&work, &["dismiss", "scout"]).await;
    assert_eq!(code, 0, "{said}");
    refused(&work, &["output", "no-such-worker"], &["no-such-worker"]).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_output_log_keeps_blank_lines_and_a_start_by_itself_names_its_session_while_the_watcher_is_active() {
    let work = Work::begin(launch()).await;
    let status = work.call::<GetSystemStatus>(json!({})).await.unwrap();
    assert!(status.watcher_active && status.mission_watcher.active, "{status:?}");

    let prompt = script(&["{ do = 'say', text = \"one\\n\\ntwo\" }"]);
    let (code, said) = typed(
        &work,
        &[
            "mission",
            "create",
            "shop",
            "By itself",
            &prompt,
            "--auto-dispatch",
            "--agent",
            "sim",
            "--mission-type",
            "explore",
            "--json",
        ],
    )
    .await;
    assert_eq!(code, 0, "{said}");
    let mission = serde_json::from_str::<Value>(said.lines().next().unwrap()).unwrap()["id"].clone();
    crate::landing::at_rest(&work, &serde_json::from_value(mission.clone()).unwrap()).await;
    let events = work.call::<ListMissionEvents>(json!({ "mission": mission })).await.unwrap().items;
    let started = events.iter().find(|event| event.event_type == "auto_dispatched");
    let started = started.unwrap_or_else(|| panic!("{events:#?}"));
    let data: Value = serde_json::from_str(&started.data).unwrap();
    let session = data["session_id"].as_str().unwrap_or_else(|| panic!("{data}"));
    let shown = work.server().session_ended(&session.parse().unwrap()).await.session;
    assert!(shown.output_log.contains("one\n\ntwo"), "{:?}", shown.output_log);
}

/// Calls tools over `fleet mcp`, as an orchestrator does; what each answers, as text.
pub(crate) async fn tools(work: &Work, calls: &[(&str, Value)]) -> Vec<String> {
    let mut child = fleet(work, &["mcp"]).stdin(Stdio::piped()).spawn().unwrap();
    let (mut input, mut lines) = (child.stdin.take().unwrap(), BufReader::new(child.stdout.take().unwrap()).lines());
    let client = json!({ "name": "test", "version": "1" });
    let hello = json!({ "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client });
    let mut requests = vec![
        json!({ "jsonrpc": "2.0", "id": 0, "method": "initialize", "params": hello }),
        json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }),
    ];
    let call = |(at, (name, arguments)): (usize, &(&str, Value))| {
        let params = json!({ "name": name, "arguments": arguments });
        json!({ "jsonrpc": "2.0", "id": at + 1, "method": "tools/call", "params": params })
    };
    requests.extend(calls.iter().enumerate().map(call));
    for request in requests {
        input.write_all(format!("{request}\n").as_bytes()).await.unwrap();
    }
    let mut answers = vec![None; calls.len()];
    while answers.contains(&None) {
        let line = lines.next_line().await.unwrap().expect("it ended before it answered");
        let answer: Value = serde_json::from_str(&line).unwrap();
        if let Some(at) = answer["id"].as_u64().filter(|id| *id > 0) {
            assert!(answer["error"].is_null() && answer["result"]["isError"] != true, "{answer}");
            let content = answer["result"]["content"].as_array().unwrap();
            let text = content.iter().filter_map(|part| part["text"].as_str()).collect::<String>();
            answers[usize::try_from(at - 1).unwrap()] = Some(text);
        }
    }
    answers.into_iter().flatten().collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_orchestrator_reads_why_logs_diff_landings_approvals_and_a_report_with_commits_and_checks() {
    let work = with_check("test -e good.txt").await;
    let (mission, _) = work.run_as("implement", &writes(&[("good.txt", "good")])).await;
    let landed = lands(&work, &mission).await;
    let commit = landed.commit.unwrap();
    let of = json!({ "mission_id": mission });
    let calls = [
        ("why", of.clone()),
        ("get_logs", of.clone()),
        ("get_diff", of.clone()),
        ("list_landings", of.clone()),
        ("list_approvals", json!({})),
        ("get_report", of),
    ];
    let said = tools(&work, &calls).await;
    let expected = [
        vec![commit[..10].to_owned()],
        vec!["good.txt".to_owned()],
        vec!["good.txt".to_owned(), "+good".to_owned()],
        vec![landed.id.to_string(), "landed".to_owned(), "test -e good.txt".to_owned()],
        vec!["[]".to_owned()],
        vec!["Write good.txt".to_owned(), "test -e good.txt".to_owned()],
    ];
    for (((name, _), said), expected) in calls.iter().zip(&said).zip(&expected) {
        for part in expected {
            assert!(said.contains(part.as_str()), "{name} does not say `{part}`: {said}");
        }
    }
}
