//! MCP.

use axum::Router;

use crate::App;

pub(crate) fn routes() -> Router<App> {
    Router::new()
}
