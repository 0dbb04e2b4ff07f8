//! The few routes that are not operations: streams, pages, metrics, MCP. A test pins the list.

use axum::Router;
use axum::extract::State;
use axum::response::{IntoResponse, Redirect, Response};
use axum::routing::get;
use http::header::CONTENT_TYPE;

use crate::{App, docs, events, identity, login, mcp, openapi, reply, transcript, ws};

/// Every route that is not in the table of operations.
pub(crate) fn routes() -> Router<App> {
    Router::new()
        .route("/", get(|| async { Redirect::to("/docs") }))
        .route("/docs", get(docs::page))
        .route("/openapi.json", get(openapi_json))
        .route("/metrics", get(metrics))
        .route("/login", get(login::open))
        .route("/identity", get(identity::prove))
        .route("/api/events", get(events::stream))
        .route("/api/sessions/{session}/stream", get(transcript::stream))
        .route("/ws", get(ws::upgrade))
        .merge(mcp::routes())
}

async fn openapi_json(State(app): State<App>) -> Response {
    let text = app.openapi.get_or_init(|| openapi::document(&app.registry).to_string());
    reply::json(200, text.clone().into_bytes())
}

async fn metrics(State(app): State<App>) -> Response {
    ([(CONTENT_TYPE, "text/plain; version=0.0.4; charset=utf-8")], app.metrics.encode(&app)).into_response()
}
