use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

use super::*;

async fn send(server: &ModelServer, method: &str, path: &str, body: &Value) -> TcpStream {
    let mut stream = TcpStream::connect(server.url().trim_start_matches("http://")).await.unwrap();
    let body = body.to_string();
    let length = body.len();
    let head =
        format!("{method} {path} HTTP/1.1\r\nhost: test\r\nconnection: close\r\ncontent-length: {length}\r\n\r\n");
    stream.write_all(format!("{head}{body}").as_bytes()).await.unwrap();
    stream
}

/// Everything that comes until the connection is closed, however that happens.
async fn rest(mut stream: TcpStream) -> String {
    let mut bytes = Vec::new();
    stream.read_to_end(&mut bytes).await.ok();
    String::from_utf8(bytes).unwrap()
}

async fn post(server: &ModelServer, path: &str, body: &Value) -> String {
    rest(send(server, "POST", path, body).await).await
}

fn asked(stream: bool, words: &str) -> Value {
    json!({"model": "m", "stream": stream, "tools": [{"name": "Bash"}], "messages": [{"role": "user", "content": words}]})
}

#[tokio::test]
async fn an_answer_comes_whole_or_as_a_stream_as_it_was_asked_for() {
    let hello = Turn::from(Answer::new().text("hello")).times(2);
    let server = ModelServer::start(Script::new().then(hello)).await;
    let whole = post(&server, "/v1/messages?beta=true", &asked(false, "hi")).await;
    assert!(whole.starts_with("HTTP/1.1 200") && whole.contains(r#""text":"hello""#), "{whole}");
    let stream = post(&server, "/v1/messages", &asked(true, "hi")).await;
    assert!(stream.contains("text/event-stream") && stream.contains("event: message_stop"), "{stream}");
    server.assert_done();
}

#[tokio::test]
async fn a_refusal_has_the_status_and_the_headers_of_the_provider() {
    let refusals = [
        (Refusal::RateLimited { retry_after: 2 }, "HTTP/1.1 429", "retry-after: 2"),
        (Refusal::Overloaded, "HTTP/1.1 529", "overloaded_error"),
        (Refusal::Broken, "HTTP/1.1 500", "api_error"),
        (Refusal::Unauthorized, "HTTP/1.1 401", "authentication_error"),
        (Refusal::QuotaExceeded { resets_at: 9 }, "HTTP/1.1 429", "anthropic-ratelimit-unified-reset: 9"),
        (Refusal::NoCredit, "HTTP/1.1 400", "credit balance"),
        (Refusal::ContextTooLong { tokens: 2, limit: 1 }, "HTTP/1.1 400", "prompt is too long: 2 tokens > 1 maximum"),
    ];
    let server = ModelServer::start(Script::new()).await;
    for (refusal, status, part) in refusals {
        server.then(refusal);
        let answer = post(&server, "/v1/messages", &asked(true, "hi")).await;
        assert!(answer.starts_with(status) && answer.contains(part), "{refusal:?}: {answer}");
    }
}

#[tokio::test]
async fn a_held_answer_has_begun_and_goes_on_when_it_is_released() {
    let hold = Hold::new();
    let server = ModelServer::start(Script::new().then(Answer::new().text("late").held(&hold))).await;
    let mut stream = send(&server, "POST", "/v1/messages", &asked(true, "hi")).await;
    hold.reached().await;
    let mut begun = String::new();
    while !begun.contains("message_start") {
        let mut bytes = [0; 4096];
        let length = stream.read(&mut bytes).await.unwrap();
        assert!(length > 0, "it ended with {begun}");
        begun.push_str(std::str::from_utf8(&bytes[..length]).unwrap());
    }
    assert!(!begun.contains("late"));
    hold.release();
    assert!(rest(stream).await.contains("late"));
}

#[tokio::test]
async fn a_cut_answer_is_no_complete_answer() {
    let script = Script::new().then(Turn::from(Answer::new().text("never heard").cut_after(1)).times(2));
    let server = ModelServer::start(script).await;
    for stream in [true, false] {
        let answer = post(&server, "/v1/messages", &asked(stream, "hi")).await;
        assert!(!answer.contains("never heard") && !answer.ends_with("0\r\n\r\n"), "{answer}");
    }
}

#[tokio::test]
async fn what_is_beside_the_conversation_takes_no_turn_and_no_tokens() {
    let server = ModelServer::start(Script::new().then(Answer::new().text("scripted"))).await;
    let title = json!({"model": "m", "messages": [{"role": "user", "content": "a title, please"}]});
    assert!(post(&server, "/v1/messages", &title).await.contains(r#""output_tokens":0"#));
    assert!(post(&server, "/v1/messages/count_tokens", &title).await.contains("input_tokens"));
    assert!(rest(send(&server, "HEAD", "/", &json!({})).await).await.starts_with("HTTP/1.1 200"));
    assert!(post(&server, "/v1/elsewhere", &title).await.starts_with("HTTP/1.1 404"));
    assert_eq!((server.requests().len(), server.remaining()), (0, 1));
    let met: Vec<_> = server.everything().iter().map(|request| request.met).collect();
    assert_eq!(met, [Met::Beside, Met::Chore, Met::Chore, Met::Elsewhere]);
}

#[tokio::test]
async fn a_request_that_the_script_has_no_turn_for_fails_at_once_and_is_told() {
    let server = ModelServer::start(Script::new()).await;
    assert!(post(&server, "/v1/messages", &asked(true, "surprise")).await.starts_with("HTTP/1.1 400"));
    assert_eq!(server.request(0).await.met, Met::Nothing);
    assert_eq!(server.request_when(&When::last_words("surprise")).await.number, 0);
}

#[tokio::test]
async fn the_label_of_a_base_url_tells_agents_apart() {
    let hello = |label| Turn::from(Answer::new().text(&format!("hello {label}"))).when(When::label(label));
    let server = ModelServer::start(Script::new().then(hello("ann")).then(hello("bob"))).await;
    assert_eq!(server.url_for("bob"), format!("{}/bob", server.url()));
    assert!(post(&server, "/bob/v1/messages", &asked(true, "hi")).await.contains("hello bob"));
    assert_eq!(server.request(0).await.label, "bob");
}
