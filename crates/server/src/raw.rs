//! The few routes that are not operations: streams, pages, metrics, MCP. A test pins the list.

use axum::Router;
use axum::extract::State;
use axum::response::{IntoResponse, Redirect, Response};
use axum::routing::{MethodRouter, get};
use http::header::CONTENT_TYPE;

use crate::{App, docs, events, identity, login, mcp, openapi, reply, transcript, ws};

/// Every route that is not in the table of operations. A slash behind a path changes nothing.
pub(crate) fn routes() -> Router<App> {
    let pages = [
        ("/docs", get(docs::page)),
        ("/openapi.json", get(openapi_json)),
        ("/metrics", get(metrics)),
        ("/login", get(login::open)),
        ("/identity", get(identity::prove)),
        (events::PATH, get(events::stream)),
        (transcript::PATH, get(transcript::stream)),
        (ws::PATH, get(ws::upgrade)),
    ];
    let front = Router::new().route("/", get(|| async { Redirect::to("/docs") }));
    let both = |router: Router<App>, (path, handler): (&str, MethodRouter<App>)| {
        router.route(path, handler.clone()).route(&format!("{path}/"), handler)
    };
    pages.into_iter().fold(front, both).merge(mcp::routes())
}

async fn openapi_json(State(app): State<App>) -> Response {
    let text = app.openapi.get_or_init(|| openapi::document(&app.registry).to_string());
    reply::json(200, text.clone().into_bytes())
}

async fn metrics(State(app): State<App>) -> Response {
    ([(CONTENT_TYPE, "text/plain; version=0.0.4; charset=utf-8")], app.metrics.encode(&app)).into_response()
}
