//! Workers of the real server: started, told, watched, dismissed; and what is left of them.

use api::Code;
use api::claude_fleet::{
    CommitWorktree, ContinueSession, DismissWorker, ForkSession, GetLineage, GetMetrics, GetWorkerOutput, GetWorktree,
    ListWorkers, SendToWorker, SpawnWorker, SpawnedWorker, TrimSession, WorkerState, WorkerView,
};
use api::devfleet::DeliveryStatus;
use futures::StreamExt as _;
use serde_json::{Value, json};
use tokens::Member;
use tokio::net::TcpStream;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::client::IntoClientRequest as _;
use tokio_tungstenite::tungstenite::http::header::AUTHORIZATION;
use tokio_tungstenite::{MaybeTlsStream, WebSocketStream};

use crate::sessions::{Work, git, launch, processes, script};

type Socket = WebSocketStream<MaybeTlsStream<TcpStream>>;

async fn spawn(work: &Work, handle: &str, prompt: &str) -> SpawnedWorker {
    let input = json!({
        "handle": handle, "initialPrompt": prompt, "agent": "sim", "workingDir": work.repository,
        "swarmId": "bees", "depthLevel": 3, "spawnMode": "tmux",
    });
    work.call::<SpawnWorker>(input).await.unwrap()
}

async fn follow(work: &Work) -> Socket {
    let address = work.server().url().replace("http://", "ws://");
    let mut request = format!("{address}/ws").into_client_request().unwrap();
    let token = format!("Bearer {}", work.server().token(&Member::owner()));
    request.headers_mut().insert(AUTHORIZATION, token.parse().unwrap());
    let mut socket = tokio_tungstenite::connect_async(request).await.unwrap().0;
    assert_eq!(hear(&mut socket).await["type"], "authenticated");
    socket
}

async fn hear(socket: &mut Socket) -> Value {
    loop {
        let next = tokio::time::timeout(testkit::PATIENCE, socket.next()).await.expect("nothing is told");
        if let Message::Text(text) = next.expect("the socket ended").unwrap() {
            return serde_json::from_str(&text).unwrap();
        }
    }
}

/// Hears until a worker has said the words, and returns everything it said.
async fn hear_words(socket: &mut Socket, words: &str) -> String {
    let mut said = String::new();
    while !said.contains(words) {
        let told = hear(socket).await;
        assert_ne!(told["type"], "worker_dismissed", "it is gone and said only: {said}");
        if told["type"] == "worker_output" {
            said.push_str(told["output"].as_str().unwrap());
            said.push('\n');
        }
    }
    said
}

async fn worker(work: &Work) -> WorkerView {
    work.call::<ListWorkers>(json!({})).await.unwrap().items.remove(0)
}

#[tokio::test]
async fn a_worker_is_ready_hears_answers_and_leaves_no_process_behind() {
    let work = Work::begin(launch()).await;
    let mut socket = follow(&work).await;
    let spawned = spawn(&work, "scout", "").await;
    assert_eq!(spawned.state, WorkerState::Starting);
    assert_eq!(hear(&mut socket).await["worker"]["id"], json!(spawned.id));

    let send = |message: &str| json!({ "handle": "scout", "message": message });
    for message in ["look there", "look here"] {
        let sent = work.call::<SendToWorker>(send(message)).await.unwrap();
        assert_eq!((sent.success, sent.delivery), (true, DeliveryStatus::Acknowledged));
    }
    let said = hear_words(&mut socket, "heard: look here").await;
    assert!(said.find("look there") < said.find("look here"), "{said}");

    let shown = worker(&work).await;
    assert_eq!((shown.swarm_id.as_deref(), shown.depth_level, shown.restart_count), (Some("bees"), 3, 0));
    assert!(shown.session_id.is_some() && shown.pid.is_some(), "{shown:?}");
    let output = work.call::<GetWorkerOutput>(json!({ "handle": "scout" })).await.unwrap();
    let heard: Vec<_> = output.output.iter().filter(|line| line.starts_with("heard")).collect();
    assert_eq!(heard, ["heard: look there", "heard: look here"]);
    assert!(!processes(&spawned.id).is_empty());
    let metrics = work.call::<GetMetrics>(json!({})).await.unwrap();
    assert_eq!((metrics.workers.total, metrics.workers.healthy), (1, 1));

    work.call::<DismissWorker>(json!({ "handle": "scout" })).await.unwrap();
    assert!(processes(&spawned.id).is_empty(), "it is said to be gone and is not");
    while hear(&mut socket).await["type"] != "worker_dismissed" {}
    let gone = work.call::<SendToWorker>(send("too late")).await.unwrap_err();
    assert_eq!(gone.code, Code::WORKER_NOT_FOUND);
    let after = work.call::<GetWorkerOutput>(json!({ "handle": "scout" })).await.unwrap();
    assert_eq!((after.state, after.output), (WorkerState::Stopped, output.output));
}

#[tokio::test]
async fn a_dismissal_takes_along_those_who_ignore_it_and_those_who_hid() {
    let work = Work::begin(launch()).await;
    let mut socket = follow(&work).await;
    let stubborn = script(&[
        r#"{ do = "ignore_term" }"#,
        r#"{ do = "fork_off", secs = 600 }"#,
        r#"{ do = "say", text = "never" }"#,
        r#"{ do = "hang" }"#,
    ]);
    let spawned = spawn(&work, "mule", &stubborn).await;
    hear_words(&mut socket, "never").await;
    assert!(processes(&spawned.id).len() > 1);
    work.call::<DismissWorker>(json!({ "handle": "mule" })).await.unwrap();
    assert!(processes(&spawned.id).is_empty());
    assert!(work.call::<ListWorkers>(json!({})).await.unwrap().items.is_empty());
}

#[tokio::test]
async fn a_worker_that_is_busy_takes_a_message_when_it_can_and_says_so_truly() {
    let work = Work::begin(launch()).await;
    let mut socket = follow(&work).await;
    spawn(&work, "scout", &script(&[r#"{ do = "say", text = "deaf" }"#, r#"{ do = "hang" }"#])).await;
    hear_words(&mut socket, "deaf").await;
    let sent = work.call::<SendToWorker>(json!({ "handle": "scout", "message": "hello" })).await.unwrap();
    assert_eq!(sent.delivery, DeliveryStatus::Delivered);
}

#[tokio::test]
async fn a_worker_and_its_name_outlive_a_kill_of_the_server() {
    let mut work = Work::begin(launch()).await;
    let spawned = spawn(&work, "scout", "").await;
    let send = |message: &str| json!({ "handle": "scout", "message": message });
    work.call::<SendToWorker>(send("before")).await.unwrap();
    let pid = worker(&work).await.pid;
    work.restart().await;
    let sent = work.call::<SendToWorker>(send("after")).await.unwrap();
    assert_eq!(sent.delivery, DeliveryStatus::Acknowledged);
    let shown = worker(&work).await;
    assert_eq!((shown.id, shown.pid, shown.restart_count), (spawned.id.clone(), pid, 0));
    let output = work.call::<GetWorkerOutput>(json!({ "handle": "scout" })).await.unwrap().output;
    assert_eq!(output.iter().filter(|line| line.starts_with("heard: ")).count(), 2, "{output:?}");
    let again = work.call::<SpawnWorker>(json!({ "handle": "scout", "agent": "sim", "workingDir": work.repository }));
    assert_eq!(again.await.unwrap_err().code, Code::WORKER_EXISTS);
    work.call::<DismissWorker>(json!({ "handle": "scout" })).await.unwrap();
    assert!(processes(&spawned.id).is_empty());
}

#[tokio::test]
async fn the_work_of_a_worker_is_seen_and_committed_on_its_branch_and_not_in_the_checkout() {
    let work = Work::begin(launch()).await;
    let mut socket = follow(&work).await;
    let writes = script(&[
        r#"{ do = "write", path = "cart.txt", text = "3 apples" }"#,
        r#"{ do = "say", text = "written" }"#,
        r#"{ do = "hang" }"#,
    ]);
    spawn(&work, "scout", &writes).await;
    hear_words(&mut socket, "written").await;
    let status = work.call::<GetWorktree>(json!({ "handle": "scout" })).await.unwrap();
    assert_eq!((status.exists, status.has_changes, status.ahead_behind.ahead), (true, true, 0));
    let commit = json!({ "handle": "scout", "message": "Add apples" });
    let made = work.call::<CommitWorktree>(commit.clone()).await.unwrap();
    let status = work.call::<GetWorktree>(json!({ "handle": "scout" })).await.unwrap();
    assert_eq!((status.has_changes, status.ahead_behind.ahead), (false, 1));
    let branch = status.branch.unwrap();
    assert_eq!(git(&work.repository, &["rev-parse", &branch]).trim(), made.commit_hash);
    assert_eq!(git(&work.repository, &["status", "--porcelain"]), "");
    let nothing = work.call::<CommitWorktree>(commit).await.unwrap_err();
    assert_eq!((nothing.code, nothing.message.as_str()), (Code::WORKSPACE_REFUSED, "No changes to commit"));
    work.call::<DismissWorker>(json!({ "handle": "scout" })).await.unwrap();
    assert_eq!(git(&work.repository, &["show", &format!("{branch}:cart.txt")]), "3 apples");
}

#[tokio::test]
async fn sessions_come_from_sessions_and_their_lineage_adds_up_what_all_of_them_took() {
    let work = Work::begin(launch()).await;
    let mut socket = follow(&work).await;
    let spends =
        script(&[r#"{ do = "spend", input = 10, output = 2, dollars = 0.25 }"#, r#"{ do = "finish", text = "done" }"#]);
    let first = spawn(&work, "scout", &spends).await;
    while hear(&mut socket).await["type"] != "worker_dismissed" {}
    let id = json!({ "id": first.id });
    let forked = work.call::<ForkSession>(json!({ "id": first.id, "prompt": spends, "handle": "twin" })).await.unwrap();
    let trimmed = work.call::<TrimSession>(id.clone()).await.unwrap();
    let continued = work.call::<ContinueSession>(json!({ "id": trimmed.id })).await.unwrap();
    let mut ended = 0;
    while ended < 3 {
        ended += usize::from(hear(&mut socket).await["type"] == "worker_dismissed");
    }
    let lineage = work.call::<GetLineage>(id).await.unwrap();
    let ids: Vec<_> = lineage.descendants.iter().map(|node| node.id.clone()).collect();
    assert_eq!(ids, [forked.id.clone(), trimmed.id.clone(), continued.id.clone()]);
    assert_eq!(lineage.chain.iter().map(|node| &node.id).collect::<Vec<_>>(), [&first.id]);
    assert_eq!((lineage.total_tokens, lineage.total_cost_usd), (48, 1.0));
    let chain = work.call::<GetLineage>(json!({ "id": continued.id })).await.unwrap().chain;
    let kinds: Vec<_> = chain.iter().map(|node| serde_json::to_value(node.origin).unwrap()).collect();
    assert_eq!(kinds, ["new", "trim", "continue"]);
}
