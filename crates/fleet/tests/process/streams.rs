//! Clients that follow the fleet: told of what happens, and closed promptly when the server ends.

use std::time::Duration;

use api::fleet::{ListParkedAccounts, UnparkAccount};
use futures::StreamExt as _;
use serde_json::json;
use testkit::Server;
use tokens::Member;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio_tungstenite::tungstenite::client::IntoClientRequest as _;
use tokio_tungstenite::tungstenite::http::header::AUTHORIZATION;
use tokio_tungstenite::{MaybeTlsStream, WebSocketStream};

use crate::FLEET;
use crate::load::prepare;
use crate::sessions::{Work, launch};
use crate::sessions_fail::used_up_for;

const FOLLOWERS: usize = 5;

const PROMPT: Duration = Duration::from_secs(5);

fn address(server: &Server) -> &str {
    server.url().trim_start_matches("http://")
}

/// Opens the stream of events and reads until it has begun.
async fn follow(server: &Server) -> TcpStream {
    let mut stream = open(server, "/api/events").await;
    read_until(&mut stream, "id: ").await;
    stream
}

async fn open(server: &Server, path: &str) -> TcpStream {
    let mut stream = TcpStream::connect(address(server)).await.unwrap();
    let token = server.token(&Member::owner());
    let request = format!("GET {path} HTTP/1.1\r\nHost: {}\r\nAuthorization: Bearer {token}\r\n\r\n", address(server));
    stream.write_all(request.as_bytes()).await.unwrap();
    stream
}

/// Reads until the words have come.
async fn read_until(stream: &mut TcpStream, words: &str) -> String {
    let mut text = String::new();
    let mut buffer = [0; 4096];
    while !text.contains(words) {
        let read =
            tokio::time::timeout(testkit::PATIENCE, stream.read(&mut buffer)).await.expect("nothing comes").unwrap();
        assert_ne!(read, 0, "the stream ended: {text}");
        text.push_str(&String::from_utf8_lossy(&buffer[..read]));
    }
    text
}

async fn open_socket(server: &Server) -> WebSocketStream<MaybeTlsStream<TcpStream>> {
    let mut request = format!("ws://{}/ws", address(server)).into_client_request().unwrap();
    let token = format!("Bearer {}", server.token(&Member::owner()));
    request.headers_mut().insert(AUTHORIZATION, token.parse().unwrap());
    tokio_tungstenite::connect_async(request).await.unwrap().0
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn followers_are_closed_promptly_when_the_server_ends_and_do_not_hold_it_up() {
    let server = Server::fresh(FLEET).await;
    let (mut streams, mut sockets) = (Vec::new(), Vec::new());
    for _ in 0..FOLLOWERS {
        streams.push(follow(&server).await);
        sockets.push(open_socket(&server).await);
    }
    let (_, ended) = server.terminate().await;
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    assert!(ended.took < PROMPT, "{:?}:\n{}", ended.took, ended.stderr);
    assert!(ended.stderr.contains(r#"aborted="""#), "{}", ended.stderr);
    for mut stream in streams {
        let mut rest = Vec::new();
        stream.read_to_end(&mut rest).await.expect("the stream was cut and not closed");
        assert!(rest.ends_with(b"0\r\n\r\n"), "the answer was not brought to its end");
    }
    for mut socket in sockets {
        let mut last = None;
        while let Some(message) = socket.next().await {
            last = Some(message.expect("the socket was cut and not closed"));
        }
        assert!(last.is_some_and(|last| last.is_close()), "no goodbye");
    }
}

#[tokio::test]
async fn a_follower_is_told_of_a_change_as_soon_as_it_is_acknowledged() {
    let server = Server::fresh(FLEET).await;
    let mut stream = follow(&server).await;
    let project = prepare(&server).await;
    let told = read_until(&mut stream, "project_created").await;
    assert!(told.contains("agent_registered"), "{told}");
    assert!(told.contains(project.as_str()), "{told}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_follower_of_an_agent_that_waits_is_kept_awake_and_told_nothing_twice() {
    let work = Work::begin(launch()).await;
    let (_, session) = work.run(&used_up_for(3_600)).await;
    work.server().session_until(&session, |found| found.session.waits_until.is_some()).await;
    let mut stream = open(work.server(), &format!("/api/sessions/{session}/stream")).await;
    let mut told = read_until(&mut stream, "no quota left").await;
    told += &read_until(&mut stream, ": \n\n").await;
    let account = work.call::<ListParkedAccounts>(json!({})).await.unwrap().items.remove(0).account;
    assert!(work.call::<UnparkAccount>(json!({ "account": account })).await.unwrap().was_parked);
    told += &read_until(&mut stream, r#""type":"done""#).await;
    let times = |words: &str| told.matches(words).count();
    assert_eq!((times(r"\nbegun\n"), times(r"\nresumed\n")), (1, 1), "{told}");
}
