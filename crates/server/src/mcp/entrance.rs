//! What every MCP request over HTTP passes: whose token it carries, and which tools its client wants to see.

use api::{Code, Dialect, Error, FieldProblem};
use axum::body::{Body, Bytes, to_bytes};
use axum::extract::Query;
use axum::response::Response;
use http::HeaderValue;
use http::header::{CONNECTION, WWW_AUTHENTICATE};
use http::request::Parts;
use serde::Deserialize;
use tokens::Member;

use super::toolset::Toolset;
use crate::admit::admit;
use crate::{App, reply};

/// How much of a refused request is read, so that its connection can continue.
const UNREAD_MAX: usize = 64 * 1024;

/// What the query of any MCP path may say.
#[derive(Debug, Default, Deserialize)]
pub(super) struct Asked {
    toolset: Option<String>,
    pub(super) session_id: Option<String>,
}

impl Asked {
    pub(super) fn of(parts: &Parts) -> Result<Self, Error> {
        let malformed = |error: axum::extract::rejection::QueryRejection| wrong(error.body_text());
        Query::try_from_uri(&parts.uri).map(|Query(asked)| asked).map_err(malformed)
    }

    /// Returns the set of tools asked for, if any is.
    pub(super) fn toolset(&self) -> Result<Option<Toolset>, Error> {
        self.toolset
            .as_deref()
            .map(str::parse)
            .transpose()
            .map_err(|error: super::UnknownToolset| wrong(error.to_string()))
    }
}

/// Lets a request pass that a member sends, and leaves in it what the tools ask for later.
pub(super) fn enter(app: &App, parts: &mut Parts, asked: &Asked) -> Result<Member, Error> {
    let caller = admit(app, parts)?;
    let member = caller.member().map_err(service::Error::told)?.clone();
    if let Some(toolset) = asked.toolset()? {
        parts.extensions.insert(toolset);
    }
    parts.extensions.insert(caller);
    Ok(member)
}

/// Reads a body whole, up to what the settings allow.
pub(super) async fn read(app: &App, body: Body) -> Result<Bytes, Error> {
    let limit = app.service.settings().body_bytes_max as usize;
    to_bytes(body, limit).await.map_err(|_| {
        Error::new(Code::BODY_TOO_LARGE, format!("the body is larger than {limit} bytes"))
            .hint("Send less, or raise `body_bytes_max` with `fleet config set`.")
    })
}

/// Answers a request that does not pass, and whose body was not read.
///
/// A connection on which something unread is left is closed, and a client that continues with it at once finds it so.
/// Therefore what is short is read, and of what is long the client is told.
pub(super) async fn refused_unread(error: &Error, body: Body) -> Response {
    let mut response = refused(error);
    if to_bytes(body, UNREAD_MAX).await.is_err() {
        response.headers_mut().insert(CONNECTION, HeaderValue::from_static("close"));
    }
    response
}

/// Answers a request that does not pass.
pub(super) fn refused(error: &Error) -> Response {
    let mut response = reply::error(Dialect::ClaudeFleet, error);
    if matches!(error.code, Code::TOKEN_INVALID | Code::TOKEN_EXPIRED) {
        let challenge = HeaderValue::from_static("Bearer error=\"invalid_token\"");
        response.headers_mut().insert(WWW_AUTHENTICATE, challenge);
    }
    response
}

fn wrong(message: String) -> Error {
    Error::fields(vec![FieldProblem { path: Vec::new(), message, given: None, missing: false }])
}
