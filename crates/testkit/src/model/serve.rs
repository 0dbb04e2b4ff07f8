//! The wire: reads requests, lets the script decide, writes answers. What is answered is decided elsewhere.

use std::convert::Infallible;
use std::io;
use std::sync::{Arc, Mutex, MutexGuard};

use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::{DefaultBodyLimit, State};
use axum::http::{HeaderMap, Method, StatusCode, Uri};
use axum::response::{IntoResponse as _, Response};
use futures::StreamExt as _;
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio::sync::watch;

use super::answer::{Answer, Step, Usage};
use super::refusal::{Refusal, error};
use super::request::{Met, Request};
use super::script::{Reply, Script};

/// What all connections share.
pub(super) struct Shared {
    script: Mutex<Script>,
    log: watch::Sender<Vec<Request>>,
}

impl Shared {
    pub(super) fn new(script: Script) -> Self {
        Self { script: Mutex::new(script), log: watch::Sender::default() }
    }

    pub(super) fn script(&self) -> MutexGuard<'_, Script> {
        self.script.lock().unwrap()
    }

    pub(super) fn log(&self) -> watch::Receiver<Vec<Request>> {
        self.log.subscribe()
    }

    /// Decides what a request meets and keeps it, in one step: the log has the order in which turns were taken.
    fn meet(&self, mut request: Request) -> (Request, Option<Reply>) {
        let mut script = self.script();
        let (met, reply) = match place(&request) {
            Place::Messages if request.tools().is_empty() => (Met::Beside, None),
            Place::Messages => match script.take(&request) {
                Some((index, reply)) => (Met::Turn(index), Some(reply)),
                None => (Met::Nothing, None),
            },
            Place::Count | Place::Models | Place::Door => (Met::Chore, None),
            Place::Nowhere => (Met::Elsewhere, None),
        };
        request.met = met;
        self.log.send_modify(|log| {
            request.number = log.len();
            log.push(request.clone());
        });
        (request, reply)
    }
}

/// The places of the Messages API that agents ask for.
enum Place {
    Messages,
    Count,
    Models,
    /// Whether anybody is there.
    Door,
    Nowhere,
}

fn place(request: &Request) -> Place {
    match (request.method.as_str(), request.path.as_str()) {
        ("POST", "/v1/messages") => Place::Messages,
        ("POST", "/v1/messages/count_tokens") => Place::Count,
        ("GET", "/v1/models") => Place::Models,
        ("HEAD" | "GET", "/") => Place::Door,
        _ => Place::Nowhere,
    }
}

pub(super) async fn serve(socket: TcpListener, shared: Arc<Shared>) {
    let router = Router::new().fallback(answer).layer(DefaultBodyLimit::disable()).with_state(shared);
    axum::serve(socket, router).await.unwrap();
}

async fn answer(
    State(shared): State<Arc<Shared>>,
    method: Method,
    uri: Uri,
    headers: HeaderMap,
    body: Bytes,
) -> Result<Response, Infallible> {
    let (request, reply) = shared.meet(read(&method, &uri, &headers, &body));
    Ok(match reply {
        Some(Reply::Answer(answer)) => write(&request, &answer).await,
        Some(Reply::Made(make)) => write(&request, &make(&request)).await,
        Some(Reply::Refusal(refusal)) => refuse(refusal),
        None => write_unscripted(&request, body.len()).await,
    })
}

/// Everything before the version is the label.
fn read(method: &Method, uri: &Uri, headers: &HeaderMap, body: &Bytes) -> Request {
    let path = uri.path();
    let (label, path) = path.find("/v1/").map_or((path, "/"), |at| path.split_at(at));
    let secret = |name: &str| matches!(name, "authorization" | "x-api-key");
    let headers = headers.iter().filter(|(name, _)| !secret(name.as_str()));
    let text = |value: &axum::http::HeaderValue| String::from_utf8_lossy(value.as_bytes()).into_owned();
    Request {
        met: Met::Elsewhere,
        number: 0,
        label: label.trim_matches('/').to_owned(),
        method: method.to_string(),
        path: path.to_owned(),
        headers: headers.map(|(name, value)| (name.to_string(), text(value))).collect(),
        body: serde_json::from_slice(body).unwrap_or_default(),
    }
}

/// What the script has no say in.
async fn write_unscripted(request: &Request, bytes: usize) -> Response {
    match request.met {
        Met::Beside => write(request, &Answer::new().text("{}").usage(Usage::NONE)).await,
        Met::Chore if request.path.ends_with("/count_tokens") => whole(200, &[], &json!({"input_tokens": bytes / 4})),
        Met::Chore => whole(200, &[], &json!({"data": [], "has_more": false})),
        // Agents do not try again what is their own fault, so the test sees it at once.
        Met::Nothing | Met::Turn(_) => {
            let message = format!("the script has no turn for this request: {}", request.last_words());
            whole(400, &[], &error("invalid_request_error", &message))
        }
        Met::Elsewhere => whole(404, &[], &error("not_found_error", &request.path)),
    }
}

fn refuse(refusal: Refusal) -> Response {
    whole(refusal.status(), &refusal.headers(), &refusal.body())
}

async fn write(request: &Request, answer: &Answer) -> Response {
    if request.wants_stream() {
        return streamed(answer.steps(request.number, request.model()), answer.headers());
    }
    if let Some(hold) = answer.hold() {
        hold.pass().await;
    }
    if answer.is_cut() {
        return streamed(vec![Step::Cut], answer.headers());
    }
    whole(200, answer.headers(), &answer.message(request.number, request.model()))
}

fn streamed(steps: Vec<Step>, headers: &[(String, String)]) -> Response {
    let pieces = futures::stream::iter(steps).filter_map(|step| async move {
        match step {
            Step::Event(event) => Some(Ok(written(&event))),
            Step::Hold(hold) => {
                hold.pass().await;
                None
            }
            Step::Cut => Some(Err(io::Error::other("cut, says the script"))),
        }
    });
    with(200, "text/event-stream; charset=utf-8", headers, Body::from_stream(pieces))
}

fn written(event: &Value) -> Bytes {
    format!("event: {}\ndata: {event}\n\n", event["type"].as_str().unwrap_or_default()).into()
}

fn whole(status: u16, headers: &[(String, String)], body: &Value) -> Response {
    with(status, "application/json", headers, Body::from(body.to_string()))
}

fn with(status: u16, content: &str, headers: &[(String, String)], body: Body) -> Response {
    let mut response =
        Response::builder().status(StatusCode::from_u16(status).unwrap()).header("content-type", content);
    for (name, value) in headers {
        response = response.header(name, value);
    }
    response.body(body).unwrap().into_response()
}
