//! The model on its wire, as an agent meets it.
#![expect(clippy::unwrap_used, reason = "a test speaks by panicking")]

use fleet_scripted_model::{Act, Answer, Dialect, Hold, Met, Model, Refusal, Script, Turn, When};
use runtime::{Clock, Tree};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

async fn start(script: Script) -> Model {
    Model::start(&Tree::new(Clock::system()), script).await.unwrap()
}

async fn send(model: &Model, method: &str, path: &str, body: &Value) -> TcpStream {
    let mut stream = TcpStream::connect(model.url().trim_start_matches("http://")).await.unwrap();
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

async fn post(model: &Model, path: &str, body: &Value) -> String {
    rest(send(model, "POST", path, body).await).await
}

fn path(dialect: Dialect, stream: bool) -> &'static str {
    match dialect {
        Dialect::Messages => "/v1/messages",
        Dialect::Responses => "/v1/responses",
        Dialect::Chat => "/v1/chat/completions",
        Dialect::Gemini if stream => "/v1beta/models/m:streamGenerateContent?alt=sse",
        Dialect::Gemini => "/v1beta/models/m:generateContent",
    }
}

/// A user's words to a model that has a tool, in every dialect at once.
fn body(stream: bool, words: &str) -> Value {
    json!({
        "model": "m",
        "stream": stream,
        "messages": [{"role": "user", "content": words}],
        "input": words,
        "contents": [{"role": "user", "parts": [{"text": words}]}],
        "tools": [{
            "type": "function", "name": "Bash", "function": {"name": "Bash"},
            "functionDeclarations": [{"name": "Bash"}],
        }],
    })
}

async fn ask(model: &Model, dialect: Dialect, stream: bool, words: &str) -> String {
    post(model, path(dialect, stream), &body(stream, words)).await
}

#[tokio::test]
async fn an_answer_comes_whole_or_as_a_stream_as_it_was_asked_for() {
    let hello = Turn::from(Answer::new().text("hello").act_as("c1", Act::shell("ls"))).times(2);
    for (dialect, end) in [
        (Dialect::Messages, "event: message_stop"),
        (Dialect::Responses, "event: response.completed"),
        (Dialect::Chat, "data: [DONE]"),
        (Dialect::Gemini, r#""finishReason":"STOP""#),
    ] {
        let model = start(Script::new().then(hello.clone())).await;
        let whole = ask(&model, dialect, false, "hi").await;
        assert!(whole.starts_with("HTTP/1.1 200") && whole.contains("application/json"), "{whole}");
        let stream = ask(&model, dialect, true, "hi").await;
        assert!(stream.contains("text/event-stream") && stream.contains(end), "{stream}");
        for said in [whole, stream] {
            assert!(said.contains("hello") && said.contains("Bash") && said.contains("c1"), "{dialect:?}: {said}");
        }
        assert_eq!((model.remaining(), model.requests().len()), (0, 2));
        assert!(model.requests().iter().all(|request| request.last_words() == "hi" && request.model() == "m"));
    }
}

#[tokio::test]
async fn a_refusal_has_the_status_and_the_words_of_the_provider() {
    use Dialect::{Chat, Gemini, Messages, Responses};
    let limited = Refusal::RateLimited { retry_after: 2 };
    let quota = Refusal::QuotaExceeded { resets_at: 9 };
    let long = Refusal::ContextTooLong { tokens: 2, limit: 1 };
    for (dialect, refusal, status, part) in [
        (Messages, limited, "429", "retry-after: 2"),
        (Responses, limited, "429", "retry-after: 2"),
        (Gemini, limited, "429", r#""retryDelay":"2s""#),
        (Messages, Refusal::Overloaded, "529", "overloaded_error"),
        (Responses, Refusal::Overloaded, "503", "server_is_overloaded"),
        (Gemini, Refusal::Overloaded, "503", "UNAVAILABLE"),
        (Messages, Refusal::Broken, "500", "api_error"),
        (Chat, Refusal::Broken, "500", "server_error"),
        (Messages, Refusal::Unauthorized, "401", "authentication_error"),
        (Responses, Refusal::Unauthorized, "401", "invalid_api_key"),
        (Gemini, Refusal::Unauthorized, "401", "UNAUTHENTICATED"),
        (Messages, quota, "429", "anthropic-ratelimit-unified-reset: 9"),
        (Responses, quota, "429", r#""type":"usage_limit_reached""#),
        (Responses, quota, "429", r#""resets_at":9"#),
        (Gemini, quota, "429", "PerDay"),
        (Messages, Refusal::NoCredit, "400", "credit balance"),
        (Responses, Refusal::NoCredit, "200", "insufficient_quota"),
        (Messages, long, "400", "prompt is too long: 2 tokens > 1 maximum"),
        (Responses, long, "200", "context_length_exceeded"),
        (Chat, long, "400", "context_length_exceeded"),
        (Gemini, long, "400", "exceeds the maximum number of tokens allowed (1)"),
    ] {
        let model = start(Script::new().then(refusal)).await;
        let answer = ask(&model, dialect, true, "hi").await;
        let expected = answer.starts_with(&format!("HTTP/1.1 {status}")) && answer.contains(part);
        assert!(expected, "{dialect:?} {refusal:?}: {answer}");
    }
}

#[tokio::test]
async fn a_held_answer_has_begun_and_goes_on_when_it_is_released() {
    let hold = Hold::new();
    let model = start(Script::new().then(Answer::new().text("late").held(&hold))).await;
    let mut stream = send(&model, "POST", "/v1/messages", &body(true, "hi")).await;
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
    for dialect in Dialect::ALL {
        let cut = Answer::new().text("it begins like this and is never heard").cut_after(1);
        let model = start(Script::new().then(Turn::from(cut).times(2))).await;
        for stream in [true, false] {
            let answer = ask(&model, dialect, stream, "hi").await;
            assert!(!answer.contains("never heard") && !answer.ends_with("0\r\n\r\n"), "{dialect:?}: {answer}");
        }
    }
}

#[tokio::test]
async fn what_is_beside_the_conversation_takes_no_turn_and_no_tokens() {
    let model = start(Script::new().then(Answer::new().text("scripted"))).await;
    let title = json!({"model": "m", "messages": [{"role": "user", "content": "a title, please"}]});
    assert!(post(&model, "/v1/messages", &title).await.contains(r#""output_tokens":0"#));
    assert!(post(&model, "/v1/messages/count_tokens", &title).await.contains("input_tokens"));
    assert!(post(&model, "/v1beta/models/m:countTokens", &title).await.contains("totalTokens"));
    assert!(post(&model, "/v1beta/models/m:generateContent", &title).await.contains(r#""totalTokenCount":0"#));
    assert!(rest(send(&model, "HEAD", "/", &json!({})).await).await.starts_with("HTTP/1.1 200"));
    assert!(post(&model, "/v1/elsewhere", &title).await.starts_with("HTTP/1.1 404"));
    assert_eq!((model.requests().len(), model.remaining()), (0, 1));
    let met: Vec<_> = model.everything().iter().map(|request| request.met).collect();
    assert_eq!(met, [Met::Beside, Met::Chore, Met::Chore, Met::Beside, Met::Chore, Met::Elsewhere]);
}

#[tokio::test]
async fn a_request_that_the_script_has_no_turn_for_fails_at_once_and_is_told() {
    for dialect in Dialect::ALL {
        let model = start(Script::new()).await;
        assert!(ask(&model, dialect, true, "surprise").await.starts_with("HTTP/1.1 400"));
        let requests = model.requests();
        assert!(matches!(requests.as_slice(), [only] if only.met == Met::Nothing), "{requests:#?}");
    }
}

#[tokio::test]
async fn the_label_of_a_base_url_tells_agents_apart() {
    let hello = |label| Turn::from(Answer::new().text(&format!("hello {label}"))).when(When::label(label));
    for dialect in Dialect::ALL {
        let model = start(Script::new().then(hello("ann")).then(hello("bob"))).await;
        assert_eq!(model.url_for("bob"), format!("{}/bob", model.url()));
        let path = format!("/bob{}", path(dialect, false));
        assert!(post(&model, &path, &body(false, "hi")).await.contains("hello bob"));
        assert_eq!(model.requests()[0].label, "bob");
    }
}

#[tokio::test]
async fn keys_are_not_kept() {
    let model = start(Script::new()).await;
    let mut stream = TcpStream::connect(model.url().trim_start_matches("http://")).await.unwrap();
    let head = "GET / HTTP/1.1\r\nhost: test\r\nconnection: close\r\nx-goog-api-key: k\r\nauthorization: k\r\nx-own: 1\r\n\r\n";
    stream.write_all(head.as_bytes()).await.unwrap();
    rest(stream).await;
    let kept = model.everything().remove(0).headers;
    assert_eq!(kept.keys().collect::<Vec<_>>(), ["connection", "host", "x-own"]);
}
