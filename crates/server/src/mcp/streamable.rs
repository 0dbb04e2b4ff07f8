//! MCP over streamable HTTP: requests without a session for newer clients, with one for older.

use std::sync::Arc;
use std::time::Duration;

use api::{Code, Error};
use axum::Extension;
use axum::body::Body;
use axum::extract::{Request, State};
use axum::response::Response;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::{StreamableHttpServerConfig, StreamableHttpService};
use tokens::Member;
use tokio_util::sync::CancellationToken;

use super::catalogue::Catalogue;
use super::entrance::{Asked, enter, refused};
use super::sessions::Sessions;
use super::tools::Tools;
use super::toolset::Toolset;
use super::{Mcp, Shared};
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
        // The guard has checked the host and the origin already, by the settings in force.
        let mut config = StreamableHttpServerConfig::default()
            .disable_allowed_hosts()
            .disable_allowed_origins()
            .with_cancellation_token(stop);
        config.session_store = Some(Arc::clone(&sessions) as _);
        let backend = Arc::new(app.clone());
        let tools = move || Ok(Tools::new(Arc::clone(&catalogue), Arc::clone(&backend), Toolset::default()));
        Self { service: StreamableHttpService::new(tools, Arc::new(manager), config), sessions }
    }
}

/// Answers a request to the MCP path, whatever its method.
pub(super) async fn serve(State(app): State<App>, Extension(mcp): Extension<Shared>, request: Request) -> Response {
    match answer(&app, mcp.of(&app), request).await {
        Ok(response) => response,
        Err(error) => refused(&error),
    }
}

async fn answer(app: &App, mcp: &Mcp, request: Request) -> Result<Response, Error> {
    let (mut parts, body) = request.into_parts();
    let asked = Asked::of(&parts)?;
    let member = enter(app, &mut parts, &asked)?;
    let streamable = &mcp.streamable;
    check_session(streamable, &parts, &member)?;
    let mut service = streamable.service.clone();
    service.config.max_request_body_bytes = app.service.settings().body_bytes_max as usize;
    let response = service.handle(Request::from_parts(parts, body)).await;
    // The one answer with this header is the one that opens a session.
    if let Some(id) = response.headers().get(SESSION).and_then(|id| id.to_str().ok()) {
        streamable.sessions.opened(id, member.uid());
    }
    Ok(response.map(Body::new))
}

/// To anyone but the member who opened it, a session is as unknown as one that never was.
fn check_session(streamable: &Streamable, parts: &http::request::Parts, member: &Member) -> Result<(), Error> {
    let Some(id) = parts.headers.get(SESSION) else { return Ok(()) };
    match id.to_str() {
        Ok(id) if streamable.sessions.usable(id, &member.uid()) => Ok(()),
        Ok(_) | Err(_) => Err(Error::new(Code::ID_NOT_FOUND, "no such MCP session").hint("Initialize a new one.")),
    }
}

#[cfg(test)]
#[path = "streamable_tests.rs"]
mod tests;
