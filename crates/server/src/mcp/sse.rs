//! MCP over HTTP with SSE, as clients from before streamable HTTP speak it.
//!
//! A client holds one stream open, on which everything is answered, and posts its messages to the path that the
//! stream's first event names. The session is the stream: it ends with it.

use std::collections::HashMap;
use std::convert::Infallible;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use api::{Code, Error};
use axum::Extension;
use axum::body::Body;
use axum::extract::{Request, State};
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use futures::channel::mpsc as outbound;
use futures::{Stream, StreamExt, stream};
use http::StatusCode;
use http::request::Parts;
use rmcp::model::{ClientJsonRpcMessage, ServerJsonRpcMessage};
use runtime::{Kind, Rng};
use tokens::Member;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;
use types::Uid;

use super::entrance::{Asked, enter, read, refused, refused_unread};
use super::tools::Tools;
use super::{Mcp, Shared};
use crate::App;
use crate::stream_slots::Client;

/// Messages that wait in either direction.
const QUEUE: usize = 32;

/// The open streams, by session id.
#[derive(Debug, Clone)]
pub(super) struct Lines {
    open: Arc<Mutex<HashMap<String, Line>>>,
    rng: Rng,
}

#[derive(Debug, Clone)]
struct Line {
    owner: Uid,
    inbox: mpsc::Sender<ClientJsonRpcMessage>,
}

/// A stream's entry among the open ones, given up when the stream is dropped.
struct Place {
    lines: Lines,
    id: String,
}

/// Opens a stream and says where to post.
pub(super) async fn open(State(app): State<App>, Extension(mcp): Extension<Shared>, request: Request) -> Response {
    match start(&app, mcp.of(&app), request) {
        Ok(events) => Sse::new(events).keep_alive(KeepAlive::default()).into_response(),
        Err(error) => refused(&error),
    }
}

fn start(
    app: &App,
    mcp: &Mcp,
    request: Request,
) -> Result<impl Stream<Item = Result<Event, Infallible>> + use<>, Error> {
    let (mut parts, _) = request.into_parts();
    let asked = Asked::of(&parts)?;
    let member = enter(app, &mut parts, &asked)?;
    let (inbox, received) = mpsc::channel(QUEUE);
    let (sent, outbox) = outbound::channel(QUEUE);
    let among_all = app.slots.take(Client::known(&member))?;
    let place = mcp.lines.enter(Line { owner: member.uid(), inbox });
    let end = mcp.stop.child_token();
    let endpoint = Event::default().event("endpoint").data(format!("/mcp/messages/?session_id={}", place.id));
    let tools = Tools::new(Arc::clone(&mcp.catalogue), Arc::new(app.clone()), asked.toolset()?.unwrap_or_default());
    app.tree.spawn(Kind::Feed, "mcp sse", {
        let end = end.clone();
        |_| run(tools, sent, received, end)
    });
    let events = stream::iter([endpoint]).chain(outbox.filter_map(async |message| event(&message)));
    let held = (among_all, place, end.clone().drop_guard());
    Ok(events.take_until(end.cancelled_owned()).map(move |event| {
        let _ = &held;
        Ok(event)
    }))
}

async fn run(
    tools: Tools<App>,
    sent: outbound::Sender<ServerJsonRpcMessage>,
    mut received: mpsc::Receiver<ClientJsonRpcMessage>,
    end: CancellationToken,
) {
    let received = stream::poll_fn(move |context| received.poll_recv(context));
    match rmcp::service::serve_server_with_ct(tools, (sent, received), end).await {
        Ok(running) => drop(running.waiting().await),
        Err(error) => tracing::debug!(%error, "mcp client left before it was served"),
    }
}

fn event(message: &ServerJsonRpcMessage) -> Option<Event> {
    let event = Event::default().event("message").json_data(message);
    event.inspect_err(|error| tracing::error!(%error, "mcp message cannot be written")).ok()
}

/// Takes one message for an open stream; the answer comes on the stream.
pub(super) async fn post(State(app): State<App>, Extension(mcp): Extension<Shared>, request: Request) -> Response {
    let (mut parts, body) = request.into_parts();
    let line = match line_of(&app, mcp.of(&app), &mut parts) {
        Ok(line) => line,
        Err(error) => return refused_unread(&error, body).await,
    };
    match take(&app, &line, parts, body).await {
        Ok(()) => (StatusCode::ACCEPTED, "Accepted").into_response(),
        Err(error) => refused(&error),
    }
}

fn line_of(app: &App, mcp: &Mcp, parts: &mut Parts) -> Result<Line, Error> {
    let asked = Asked::of(parts)?;
    let member = enter(app, parts, &asked)?;
    mcp.lines.find(asked.session_id.as_deref().unwrap_or_default(), &member)
}

async fn take(app: &App, line: &Line, parts: Parts, body: Body) -> Result<(), Error> {
    let body = read(app, body).await?;
    let mut message: ClientJsonRpcMessage = serde_json::from_slice(&body).map_err(|error| {
        Error::new(Code::BODY_MALFORMED, format!("the body is not a JSON-RPC message: {error}"))
            .hint("Send one message of MCP, not a list.")
    })?;
    message.insert_extension(parts);
    line.inbox.try_send(message).map_err(|error| match error {
        mpsc::error::TrySendError::Full(_) => Error::new(Code::RATE_LIMITED, format!("{QUEUE} messages wait already"))
            .hint("Read the stream, then continue."),
        mpsc::error::TrySendError::Closed(_) => no_such_session(),
    })
}

impl Default for Lines {
    fn default() -> Self {
        Self { open: Arc::default(), rng: Rng::from_os() }
    }
}

impl Lines {
    fn enter(&self, line: Line) -> Place {
        let mut bytes = [0; 16];
        self.rng.fill(&mut bytes);
        let id = format!("{:032x}", u128::from_be_bytes(bytes));
        self.open().insert(id.clone(), line);
        Place { lines: self.clone(), id }
    }

    fn find(&self, id: &str, member: &Member) -> Result<Line, Error> {
        let line = self.open().get(id).cloned().ok_or_else(no_such_session)?;
        if line.owner == member.uid() {
            return Ok(line);
        }
        Err(Error::new(Code::ACTOR_MISMATCH, "another caller opened this MCP session")
            .hint("Send the token with which the stream was opened."))
    }

    fn open(&self) -> MutexGuard<'_, HashMap<String, Line>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        self.lines.open().remove(&self.id);
    }
}

fn no_such_session() -> Error {
    Error::new(Code::ID_NOT_FOUND, "no such MCP session").hint("Open a stream at `/mcp/sse` and post where it says.")
}

#[cfg(test)]
#[path = "sse_tests.rs"]
mod tests;
