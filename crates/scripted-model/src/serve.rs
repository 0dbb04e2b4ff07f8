//! The wire: reads requests, lets the script decide, writes answers. What is answered is decided elsewhere.

use std::convert::Infallible;
use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::{DefaultBodyLimit, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, Uri, header};
use axum::response::Response;
use futures::StreamExt as _;
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio::sync::watch;

use crate::answer::{Answer, Step, Usage};
use crate::dialect::{self, Dialect, Endpoint};
use crate::heard::ParsedRequest;
use crate::refusal::{Refusal, Refused, error};
use crate::request::{Met, Request};
use crate::script::{Reply, Script};
use crate::write::Event;

/// Headers that hold keys; they are not kept.
const SECRETS: [&str; 3] = ["authorization", "x-api-key", "x-goog-api-key"];

/// What all connections share.
#[derive(Debug)]
pub(crate) struct Shared {
    script: Mutex<Script>,
    log: watch::Sender<Vec<Request>>,
}

impl Shared {
    pub(crate) fn new(script: Script) -> Self {
        Self { script: Mutex::new(script), log: watch::Sender::default() }
    }

    /// The script is whole between any two statements, so the panic of a holder does no harm.
    pub(crate) fn script(&self) -> MutexGuard<'_, Script> {
        self.script.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn log(&self) -> watch::Receiver<Vec<Request>> {
        self.log.subscribe()
    }

    /// Decides what a request meets and keeps it, in one step: the log has the order in which turns were taken.
    fn meet(&self, mut request: Request) -> (Request, Option<Reply>) {
        let mut script = self.script();
        let (met, reply) = match dialect::place(&request.method, &request.path).1 {
            // Titles, summaries and the like are asked for without tools.
            Endpoint::Completion if request.heard.tools.is_empty() => (Met::Beside, None),
            Endpoint::Completion => match script.take(&request) {
                Some((index, reply)) => (Met::Turn(index), Some(reply)),
                None => (Met::Nothing, None),
            },
            Endpoint::Count | Endpoint::Models | Endpoint::Health => (Met::Chore, None),
            Endpoint::Unknown => (Met::Elsewhere, None),
        };
        request.met = met;
        self.log.send_modify(|log| {
            request.number = log.len();
            log.push(request.clone());
        });
        (request, reply)
    }
}

pub(crate) async fn serve(socket: TcpListener, shared: Arc<Shared>) -> io::Result<()> {
    let router = Router::new().fallback(answer).layer(DefaultBodyLimit::disable()).with_state(shared);
    axum::serve(socket, router).await
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
        Some(Reply::Refusal(refusal)) => refuse(refusal, &request),
        None => write_unscripted(&request, body.len()).await,
    })
}

fn read(method: &Method, uri: &Uri, headers: &HeaderMap, body: &Bytes) -> Request {
    let (label, path) = dialect::split(uri.path());
    let dialect = dialect::place(method.as_str(), path).0;
    let headers = headers.iter().filter(|(name, _)| !SECRETS.contains(&name.as_str()));
    let text = |value: &HeaderValue| String::from_utf8_lossy(value.as_bytes()).into_owned();
    let body: Value = serde_json::from_slice(body).unwrap_or_default();
    Request {
        met: Met::Elsewhere,
        number: 0,
        label: label.trim_matches('/').to_owned(),
        method: method.to_string(),
        path: path.to_owned(),
        dialect,
        headers: headers.map(|(name, value)| (name.to_string(), text(value))).collect(),
        heard: ParsedRequest::of(dialect, &body),
        body,
    }
}

/// What the script has no say in.
async fn write_unscripted(request: &Request, bytes: usize) -> Response {
    let tokens = bytes / 4;
    match request.met {
        Met::Beside => write(request, &Answer::new().text("{}").usage(Usage::NONE)).await,
        Met::Chore => match (dialect::place(&request.method, &request.path).1, request.dialect) {
            (Endpoint::Count, Dialect::Gemini) => whole(200, &[], &json!({"totalTokens": tokens})),
            (Endpoint::Count, _) => whole(200, &[], &json!({"input_tokens": tokens})),
            (Endpoint::Completion | Endpoint::Models | Endpoint::Health | Endpoint::Unknown, _) => {
                whole(200, &[], &json!({"object": "list", "data": [], "models": [], "has_more": false}))
            }
        },
        // Agents do not retry their own faults, so the author of the script sees it at once.
        Met::Nothing | Met::Turn(_) => {
            let message = format!("the script has no turn for this request: {}", request.last_words());
            whole(400, &[], &error(request.dialect, "invalid_request_error", &message))
        }
        Met::Elsewhere => whole(404, &[], &error(request.dialect, "not_found_error", &request.path)),
    }
}

fn refuse(refusal: Refusal, request: &Request) -> Response {
    match refusal.in_dialect(request.dialect, request.number) {
        Refused::Status { status, headers, body } => whole(status, &headers, &body),
        Refused::Stream(events) => streamed(events.into_iter().map(Step::Event).collect(), &[]),
    }
}

async fn write(request: &Request, answer: &Answer) -> Response {
    let headers = answer.headers(request.dialect);
    if request.wants_stream() {
        return streamed(answer.steps(request), &headers);
    }
    if let Some(hold) = answer.hold() {
        hold.pass().await;
    }
    if answer.is_cut() {
        return streamed(vec![Step::Cut], &headers);
    }
    whole(200, &headers, &answer.whole(request))
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

fn written(event: &Event) -> Bytes {
    let name = event.name.as_ref().map(|name| format!("event: {name}\n")).unwrap_or_default();
    format!("{name}data: {}\n\n", event.data).into()
}

fn whole(status: u16, headers: &[(String, String)], body: &Value) -> Response {
    with(status, "application/json", headers, Body::from(body.to_string()))
}

/// What a script wants to send and HTTP cannot is left out, and said in the log.
fn with(status: u16, content: &'static str, headers: &[(String, String)], body: Body) -> Response {
    let mut response = Response::new(body);
    *response.status_mut() = StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static(content));
    for (name, value) in headers {
        match (HeaderName::try_from(name), HeaderValue::try_from(value)) {
            (Ok(name), Ok(value)) => {
                response.headers_mut().append(name, value);
            }
            _ => tracing::warn!(name, value, "a script's header that HTTP cannot carry"),
        }
    }
    response
}
