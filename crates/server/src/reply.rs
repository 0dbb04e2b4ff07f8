//! Responses: an answer or an error, in the dialect of the path.

use api::{Code, Dialect, Error};
use axum::body::{Body, Bytes};
use axum::response::{IntoResponse, Response};
use http::header::{CACHE_CONTROL, CONTENT_TYPE, WWW_AUTHENTICATE};
use http::{HeaderName, HeaderValue, StatusCode, Uri};
use service::Answer;

/// Says where the next page begins.
pub(crate) const NEXT: HeaderName = HeaderName::from_static("fleet-next");

/// Says what the caller should know although the call worked; where the body is an object, it says so too.
pub(crate) const WARNING: HeaderName = HeaderName::from_static("fleet-warning");

/// Says that a call with an idempotency key was carried out before, and that this is what it was answered then.
pub(crate) const REPLAYED: HeaderName = HeaderName::from_static("fleet-replayed");

/// Warnings that a body carries at most.
const WARNINGS_MAX: usize = 20;

/// Turns an answer into a response.
pub(crate) fn answer(status: u16, answer: Answer) -> Response {
    let mut response = json(status, warned(answer.body, &answer.warnings));
    if let Some(next) = answer.next.as_deref().and_then(|next| HeaderValue::from_str(next).ok()) {
        response.headers_mut().insert(NEXT, next);
    }
    if !answer.warnings.is_empty() {
        // Names come from the client: whatever a header cannot carry is left out of it.
        let text = answer.warnings.join(". ");
        let text: String = text.chars().filter(|c| c.is_ascii_graphic() || *c == ' ').take(500).collect();
        if let Ok(value) = HeaderValue::from_str(&text) {
            response.headers_mut().insert(WARNING, value);
        }
    }
    if answer.replayed {
        response.headers_mut().insert(REPLAYED, HeaderValue::from_static("true"));
    }
    response
}

/// Adds the warnings to a body that is an object, as its last member: clients look at the first ones.
fn warned(body: Bytes, warnings: &[String]) -> Bytes {
    let Some(members) = body.strip_suffix(b"}").filter(|_| !warnings.is_empty()) else { return body };
    let comma: &[u8] = if members == b"{" { b"" } else { b"," };
    let said = serde_json::json!(warnings.iter().take(WARNINGS_MAX).collect::<Vec<_>>()).to_string();
    [members, comma, b"\"warnings\":", said.as_bytes(), b"}"].concat().into()
}

/// Turns an error into a response.
pub(crate) fn error(dialect: Dialect, error: &Error) -> Response {
    let status = error.status(dialect);
    let mut response = json(status, error.body(dialect).to_string().into_bytes());
    if status == 401 {
        response.headers_mut().insert(WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
    }
    response
}

/// Turns JSON text into a response that no cache keeps.
pub(crate) fn json(status: u16, body: impl Into<Body>) -> Response {
    let mut response = Response::new(body.into());
    *response.status_mut() = StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    response.headers_mut().insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}

/// Answers a path that nothing is at.
pub(crate) async fn no_such_route(uri: Uri) -> Response {
    let dialect = Dialect::of_path(uri.path());
    let text = if dialect == Dialect::DevFleet { "Not Found" } else { "no such path" };
    error(dialect, &Error::new(Code::ROUTE_NOT_FOUND, text).hint("`/docs` lists every path."))
}

/// Answers a method that a raw route does not have; the router itself names those it has.
pub(crate) async fn other_method(uri: Uri) -> Response {
    error(Dialect::of_path(uri.path()), &Error::new(Code::METHOD_NOT_ALLOWED, "Method Not Allowed"))
}

/// Answers a method that a path does not have.
pub(crate) fn no_such_method(path: &str, allowed: &str) -> Response {
    let refusal =
        Error::new(Code::METHOD_NOT_ALLOWED, "Method Not Allowed").hint(format!("This path takes {allowed}."));
    let mut response = error(Dialect::of_path(path), &refusal);
    if let Ok(allowed) = HeaderValue::from_str(allowed) {
        response.headers_mut().insert(http::header::ALLOW, allowed);
    }
    response
}

/// An error on its way out of a raw route, whose dialect is known by its path.
pub(crate) struct Refusal(pub(crate) &'static str, pub(crate) Error);

impl IntoResponse for Refusal {
    fn into_response(self) -> Response {
        error(Dialect::of_path(self.0), &self.1)
    }
}
