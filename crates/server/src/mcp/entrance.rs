//! What every MCP request over HTTP passes: whose token it carries, and which tools its client wants to see.

use api::{Code, Dialect, Error, FieldProblem};
use axum::extract::Query;
use axum::response::Response;
use http::HeaderValue;
use http::header::WWW_AUTHENTICATE;
use http::request::Parts;
use serde::Deserialize;
use tokens::Member;

use super::toolset::Toolset;
use crate::admit::admit;
use crate::{App, reply};

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

/// Answers a request that does not pass.
pub(super) fn refused(error: &Error) -> Response {
    let mut response = reply::error(Dialect::ClaudeFleet, error);
    let challenge = match error.code {
        Code::TOKEN_INVALID | Code::TOKEN_EXPIRED => Some("Bearer error=\"invalid_token\""),
        Code::AUTHENTICATION_REQUIRED => Some("Bearer"),
        #[expect(clippy::wildcard_enum_match_arm, reason = "no other refusal is mended by another token")]
        _ => None,
    };
    if let Some(challenge) = challenge {
        response.headers_mut().insert(WWW_AUTHENTICATE, HeaderValue::from_static(challenge));
    }
    response
}

fn wrong(message: String) -> Error {
    Error::fields(vec![FieldProblem { path: Vec::new(), message, given: None, missing: false }])
}
