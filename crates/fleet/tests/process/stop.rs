//! Being asked to end: what is under way is answered, nothing that was answered is lost, and it ends in time.

use std::time::Duration;

use testkit::{Launch, Server};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

use crate::FLEET;
use crate::ledger::Ledger;
use crate::load::{Load, assert_gone, prepare};

/// What an end may take when nothing holds it up, on a loaded machine.
const PROMPT: Duration = Duration::from_secs(5);

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_asked_to_end_under_load_answers_what_is_under_way_and_loses_nothing() {
    let server = Server::fresh(FLEET).await;
    let project = prepare(&server).await;
    let mut load = Load::start(&server, &project, 8);
    let mut acknowledged = Vec::new();
    for _ in 0..100 {
        acknowledged.push(load.next().await);
    }
    let (launch, ended) = server.terminate().await;
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    assert!(ended.took < PROMPT, "{:?}:\n{}", ended.took, ended.stderr);
    assert!(!launch.home().join("server.json").exists());
    let (rest, ends) = load.rest().await;
    assert_gone(&ends);
    acknowledged.extend(rest);

    let server = launch.up().await;
    let ledger = Ledger::read(&server).await;
    ledger.assert_holds(&acknowledged);
    ledger.assert_counted().await;
}

#[tokio::test]
async fn a_server_without_clients_ends_at_once_and_says_why() {
    let (launch, ended) = Server::fresh(FLEET).await.terminate().await;
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    assert!(ended.took < PROMPT, "{:?}", ended.took);
    assert!(ended.stderr.contains("fleet is down"), "{}", ended.stderr);
    assert!(!launch.home().join("server.json").exists());
}

/// Connects and sends some bytes, without ever finishing a request.
async fn half_a_request(server: &Server, bytes: &str) -> TcpStream {
    let mut stream = TcpStream::connect(server.url().trim_start_matches("http://")).await.unwrap();
    stream.write_all(bytes.as_bytes()).await.unwrap();
    stream
}

#[tokio::test]
async fn clients_that_say_nothing_or_half_of_it_hold_the_end_up_for_no_longer_than_the_grace() {
    let server = Launch::new(FLEET).env("FLEET_SHUTDOWN_GRACE_SECS", 2).up().await;
    let head = "POST /tasks HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 100\r\n\r\n{\"from";
    let silent = half_a_request(&server, "").await;
    let half_a_head = half_a_request(&server, &head[..20]).await;
    let half_a_body = half_a_request(&server, head).await;
    let (launch, ended) = server.terminate().await;
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    assert!(ended.took < Duration::from_secs(2) + PROMPT, "{:?}:\n{}", ended.took, ended.stderr);
    assert!(!launch.home().join("server.json").exists());
    drop((silent, half_a_head, half_a_body));
}

#[tokio::test]
async fn a_kept_connection_does_not_hold_the_end_up() {
    let server = Server::fresh(FLEET).await;
    let mut kept = half_a_request(&server, "GET /health HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n").await;
    let mut answer = [0; 12];
    kept.read_exact(&mut answer).await.unwrap();
    assert_eq!(&answer, b"HTTP/1.1 200");
    let (_, ended) = server.terminate().await;
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    assert!(ended.took < PROMPT, "{:?}:\n{}", ended.took, ended.stderr);
}

#[tokio::test]
async fn a_server_asked_to_end_the_moment_it_is_up_ends_in_order() {
    for _ in 0..12 {
        let server = Launch::new(FLEET).try_up().await.unwrap();
        let (launch, ended) = server.terminate().await;
        assert_eq!(ended.code, Some(0), "{}", ended.stderr);
        assert!(!launch.home().join("server.json").exists());
    }
}
