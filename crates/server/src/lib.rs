//! HTTP: REST, OpenAPI, metrics, streams and MCP, all made from the registry of operations.
//!
//! This crate translates between the wire and `service`; it holds no rule of the domain. Start with [`router`]: the
//! registry's paths are in `rest`, the few routes that are not operations in `raw`, and what every request passes first
//! in `guard`.

mod activity;
mod admit;
mod app;
mod docs;
mod events;
mod guard;
mod identity;
mod limiter;
mod login;
pub mod mcp;
mod metrics;
pub mod openapi;
mod raw;
mod reply;
mod rest;
mod sse;
mod stream_slots;
mod streams;
mod transcript;
mod ws;

use axum::Router;
use runtime::{Kind, Stop};
use tokio::net::TcpListener;

pub use app::App;

/// Builds every route.
pub fn router(app: &App) -> Router {
    let routes = raw::routes().merge(rest::routes(app)).fallback(reply::no_such_route);
    let routes = routes.method_not_allowed_fallback(reply::other_method);
    routes.layer(axum::middleware::from_fn_with_state(app.clone(), guard::pass)).with_state(app.clone())
}

/// Serves until `stop` is asked, then lets the requests under way end.
///
/// # Errors
/// Fails when the listener does.
pub async fn serve(app: App, listener: TcpListener, stop: Stop) -> std::io::Result<()> {
    let followed = app.clone();
    app.tree.spawn(Kind::Chore, "activity log", |stop| activity::follow(followed, stop));
    let service = router(&app).into_make_service_with_connect_info::<identity::Ends>();
    axum::serve(identity::Door(listener), service).with_graceful_shutdown(async move { stop.asked().await }).await
}

/// The kind under which a server's accept loop runs in the task tree.
pub const LISTENER: Kind = Kind::Listener;
