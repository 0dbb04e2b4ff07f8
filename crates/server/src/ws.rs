//! The WebSocket of claude-fleet's contract.

use axum::response::Response;

pub(crate) async fn upgrade() -> Response {
    Response::default()
}
