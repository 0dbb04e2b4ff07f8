//! MCP over streamable HTTP: requests without a session for newer clients, with one for older.

use std::sync::Arc;
use std::time::Duration;

use api::{Code, Error};
use axum::Extension;
use axum::body::Body;
use axum::extract::{Request, State};
use axum::response::Response;
use http::request::Parts;
use http::{Method, StatusCode};
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::{StreamableHttpServerConfig, StreamableHttpService};
use tokens::Member;
use tokio_util::sync::CancellationToken;

use super::Shared;
use super::catalogue::Catalogue;
use super::entrance::{Asked, enter, read, refused, refused_unread};
use super::sessions::Sessions;
use super::tools::Tools;
use super::toolset::Toolset;
use crate::App;

/// The header that names a session.
const SESSION: &str = "mcp-session-id";

/// How long nothing may happen in a session before its tasks and buffers are dropped; no tool takes this long.
const SESSION_IDLE: Duration = Duration::from_secs(3600);

/// The library's service, and what we know of its sessions.
pub(super) struct Streamable {
    service: StreamableHttpService<Tools<App>, LocalSessionManager>,
    sessions: Arc<Sessions>,
}

impl Streamable {
    pub(super) fn new(app: &App, catalogue: Arc<Catalogue>, stop: CancellationToken) -> Self {
        let mut manager = LocalSessionManager::default();
        manager.session_config.keep_alive = Some(SESSION_IDLE);
        let sessions = Arc::new(Sessions::default());
        // Host, origin and size were checked already, by the settings in force.
        let mut config = StreamableHttpServerConfig::default()
            .disable_allowed_hosts()
            .disable_allowed_origins()
            .with_cancellation_token(stop)
            .with_max_request_body_bytes(usize::MAX);
        config.session_store = Some(Arc::clone(&sessions) as _);
        let backend = Arc::new(app.clone());
        let tools = move || Ok(Tools::new(Arc::clone(&catalogue), Arc::clone(&backend), Toolset::default()));
        Self { service: StreamableHttpService::new(tools, Arc::new(manager), config), sessions }
    }
}

/// Answers a request to the MCP path, whatever its method.
pub(super) async fn serve(State(app): State<App>, Extension(mcp): Extension<Shared>, request: Request) -> Response {
    let streamable = &mcp.of(&app).streamable;
    let (mut parts, body) = request.into_parts();
    let member = match admitted(&app, streamable, &mut parts) {
        Ok(member) => member,
        Err(error) => return refused_unread(&error, body).await,
    };
    // Read here and not by the library, which answers some requests before it has: see `refused_unread`.
    match read(&app, body).await {
        Ok(body) => answer(streamable, Request::from_parts(parts, Body::from(body)), &member).await,
        Err(error) => refused(&error),
    }
}

fn admitted(app: &App, streamable: &Streamable, parts: &mut Parts) -> Result<Member, Error> {
    let asked = Asked::of(parts)?;
    let member = enter(app, parts, &asked)?;
    check_session(streamable, parts, &member)?;
    Ok(member)
}

async fn answer(streamable: &Streamable, request: Request, member: &Member) -> Response {
    let deletes = request.method() == Method::DELETE;
    let mut response = streamable.service.handle(request).await;
    // The one answer with this header is the one that opens a session.
    if let Some(id) = response.headers().get(SESSION).and_then(|id| id.to_str().ok()) {
        streamable.sessions.opened(id, member.uid());
    }
    // Nothing is left to be done later, which is what the library's 202 says; the reference client complains of it.
    if deletes && response.status() == StatusCode::ACCEPTED {
        *response.status_mut() = StatusCode::NO_CONTENT;
    }
    response.map(Body::new)
}

/// To anyone but the member who opened it, a session is as unknown as one that never was.
fn check_session(streamable: &Streamable, parts: &Parts, member: &Member) -> Result<(), Error> {
    let Some(id) = parts.headers.get(SESSION) else { return Ok(()) };
    match id.to_str() {
        Ok(id) if streamable.sessions.usable(id, &member.uid()) => Ok(()),
        Ok(_) | Err(_) => Err(Error::new(Code::ID_NOT_FOUND, "no such MCP session").hint("Initialize a new one.")),
    }
}

#[cfg(test)]
#[path = "streamable_tests.rs"]
mod tests;
