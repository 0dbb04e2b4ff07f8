//! What every request passes first: is it meant for this server, and does it come from a page that may call?
//!
//! A page of another origin can make a browser send requests here, and a name of its own can be made to point at
//! loopback. So the `Host` must be one this server answers to, and an `Origin`, where there is one, must be this server
//! or listed in the settings.

use api::{Code, Dialect, Error};
use axum::extract::{Request, State};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use config::Settings;
use http::header::{
    ACCESS_CONTROL_ALLOW_HEADERS, ACCESS_CONTROL_ALLOW_METHODS, ACCESS_CONTROL_ALLOW_ORIGIN,
    ACCESS_CONTROL_EXPOSE_HEADERS, CONNECTION, CONTENT_LENGTH, HOST, ORIGIN, TRANSFER_ENCODING, VARY,
    X_CONTENT_TYPE_OPTIONS,
};
use http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, Uri};

use crate::{App, reply};

/// What a page of a listed origin may send.
const ALLOWED_HEADERS: &str =
    "Authorization, Content-Type, Last-Event-ID, Mcp-Method, Mcp-Name, MCP-Protocol-Version, Mcp-Session-Id";

/// What a page of a listed origin may read.
const EXPOSED_HEADERS: &str = "Fleet-Next, Fleet-Warning, Mcp-Session-Id";

/// Lets a request pass, or refuses it before anything is read.
pub(crate) async fn pass(State(app): State<App>, request: Request, next: Next) -> Response {
    let settings = app.service.settings();
    let dialect = Dialect::of_path(request.uri().path());
    let origin = match check(request.headers(), request.uri(), &settings) {
        Ok(origin) => origin,
        Err(error) => return closing(reply::error(dialect, &error)),
    };
    let has_body = request.headers().contains_key(CONTENT_LENGTH) || request.headers().contains_key(TRANSFER_ENCODING);
    let preflight = request.method() == Method::OPTIONS && origin.is_some();
    let mut response = if preflight { StatusCode::NO_CONTENT.into_response() } else { next.run(request).await };
    let headers = response.headers_mut();
    headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.insert(HeaderName::from_static("x-frame-options"), HeaderValue::from_static("DENY"));
    headers.insert(HeaderName::from_static("referrer-policy"), HeaderValue::from_static("no-referrer"));
    if let Some(origin) = origin {
        allow(headers, origin);
    }
    if has_body && UNREAD.contains(&response.status()) { closing(response) } else { response }
}

/// Refusals that may come before the body of a request was read.
const UNREAD: [StatusCode; 6] = [
    StatusCode::UNAUTHORIZED,
    StatusCode::FORBIDDEN,
    StatusCode::NOT_FOUND,
    StatusCode::METHOD_NOT_ALLOWED,
    StatusCode::PAYLOAD_TOO_LARGE,
    StatusCode::TOO_MANY_REQUESTS,
];

/// Says that the connection ends: it does when a body is left unread, and a client that did not know would send its next
/// request into the void.
fn closing(mut response: Response) -> Response {
    response.headers_mut().insert(CONNECTION, HeaderValue::from_static("close"));
    response
}

/// Returns the foreign origin that may call, if it is one.
fn check(headers: &HeaderMap, uri: &Uri, settings: &Settings) -> Result<Option<HeaderValue>, Error> {
    let text = |name| headers.get(name).and_then(|value: &HeaderValue| value.to_str().ok());
    let host = text(HOST).or_else(|| uri.authority().map(http::uri::Authority::as_str)).unwrap_or_default();
    if !host_answers(host, settings) {
        return Err(Error::new(Code::HOST_REFUSED, "this server does not answer to that name")
            .hint("Use 127.0.0.1, or list the name: `fleet config set allowed_hosts=NAME`."));
    }
    match headers.get(ORIGIN) {
        None => Ok(None),
        Some(origin) if same_origin(origin, host) => Ok(None),
        Some(origin) if origin_listed(origin, settings) => Ok(Some(origin.clone())),
        Some(_) => Err(Error::new(Code::ORIGIN_REFUSED, "pages of that origin may not call this server")
            .hint("List the origin if you trust it: `fleet config set cors_origins=ORIGIN`.")),
    }
}

fn host_answers(host: &str, settings: &Settings) -> bool {
    let name = host_name(host);
    let loopback = name.eq_ignore_ascii_case("localhost")
        || name.trim_matches(['[', ']']).parse::<std::net::IpAddr>().is_ok_and(|ip| ip.is_loopback());
    // A server that was told to listen on an address answers to that address.
    let own = name.eq_ignore_ascii_case(settings.host.as_str());
    loopback
        || own
        || settings.allowed_hosts.iter().any(|allowed| allowed == host || allowed.eq_ignore_ascii_case(name))
}

/// Cuts the port off.
fn host_name(host: &str) -> &str {
    match host.rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|b| b.is_ascii_digit()) && !name.ends_with(':') => name,
        Some(_) | None => host,
    }
}

fn same_origin(origin: &HeaderValue, host: &str) -> bool {
    let origin = origin.to_str().unwrap_or_default();
    let authority = origin.strip_prefix("http://").or_else(|| origin.strip_prefix("https://"));
    authority.is_some_and(|authority| authority.eq_ignore_ascii_case(host))
}

fn origin_listed(origin: &HeaderValue, settings: &Settings) -> bool {
    let origin = origin.to_str().unwrap_or_default();
    settings.cors_origins.iter().any(|listed| listed == "*" || listed.eq_ignore_ascii_case(origin))
}

fn allow(headers: &mut HeaderMap, origin: HeaderValue) {
    headers.insert(ACCESS_CONTROL_ALLOW_ORIGIN, origin);
    headers.insert(VARY, HeaderValue::from_static("Origin"));
    headers.insert(ACCESS_CONTROL_ALLOW_METHODS, HeaderValue::from_static("GET, POST, PUT, PATCH, DELETE"));
    headers.insert(ACCESS_CONTROL_ALLOW_HEADERS, HeaderValue::from_static(ALLOWED_HEADERS));
    headers.insert(ACCESS_CONTROL_EXPOSE_HEADERS, HeaderValue::from_static(EXPOSED_HEADERS));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_port_is_no_part_of_a_name() {
        for (host, name) in [("localhost:3847", "localhost"), ("[::1]:80", "[::1]"), ("::1", "::1"), ("a.b", "a.b")] {
            assert_eq!(host_name(host), name);
        }
    }

    #[test]
    fn only_the_very_same_host_and_port_is_the_same_origin() {
        let same = |origin: &'static str, host| same_origin(&HeaderValue::from_static(origin), host);
        assert!(same("http://127.0.0.1:3847", "127.0.0.1:3847"));
        assert!(!same("http://127.0.0.1:9999", "127.0.0.1:3847"));
        assert!(!same("http://evil.example", "127.0.0.1:3847"));
        assert!(!same("null", "127.0.0.1:3847"));
    }
}
