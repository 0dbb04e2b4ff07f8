//! Server-sent events: what every such stream has in common.

use std::convert::Infallible;
use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::response::{IntoResponse, Response};
use futures::stream;
use http::header::{CACHE_CONTROL, CONTENT_TYPE};
use http::request::Parts;
use http::{HeaderName, HeaderValue};

/// The header in which a client that comes back says how far it has read.
pub(crate) const LAST_EVENT_ID: HeaderName = HeaderName::from_static("last-event-id");

/// How often something is sent when nothing happens, so that both ends notice when the other is gone.
pub(crate) const HEARTBEAT: Duration = Duration::from_secs(15);

/// How long a client waits before it comes back, in milliseconds.
pub(crate) const RETRY_MS: u64 = 2000;

/// A stream whose frames are made when the connection takes one, so that a slow reader costs a position and no more.
pub(crate) trait Frames: Send + 'static {
    /// Returns what to send next; nothing, when the stream is over.
    fn frame(&mut self) -> impl Future<Output = Option<Bytes>> + Send;
}

/// Answers with a stream.
pub(crate) fn respond(opening: Bytes, frames: impl Frames) -> Response {
    let rest = stream::unfold(frames, |mut frames| async move {
        let frame = frames.frame().await?;
        Some((Ok(frame), frames))
    });
    let first = stream::once(async { Ok::<_, Infallible>(opening) });
    let mut response = Body::from_stream(futures::StreamExt::chain(first, rest)).into_response();
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("text/event-stream"));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    // Proxies that gather answers before they pass them on would hold every event back.
    headers.insert(HeaderName::from_static("x-accel-buffering"), HeaderValue::from_static("no"));
    response
}

/// Returns what a client that comes back says.
pub(crate) fn last_event_id(parts: &Parts) -> Option<&str> {
    parts.headers.get(LAST_EVENT_ID).map(|value| value.to_str().unwrap_or("not text"))
}
