//! The browsable page of the interface.

use axum::response::Html;

/// Shows every operation, read from `/openapi.json` by the page itself.
pub(crate) async fn page() -> Html<&'static str> {
    Html(include_str!("docs.html"))
}
