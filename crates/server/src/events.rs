//! The change feed as server-sent events.

use axum::response::Response;

pub(crate) async fn stream() -> Response {
    Response::default()
}
