//! Who sends a request, and whether it may send one more.

use std::net::SocketAddr;

use api::Error;
use axum::extract::ConnectInfo;
use http::header::{AUTHORIZATION, COOKIE};
use http::request::Parts;
use service::Caller;
use types::Role;

use crate::App;

/// The cookie a browser gets when it signs in.
pub(crate) const SESSION_COOKIE: &str = "fleet_session";

/// Reads the token of a request, believes it or not, and counts the request.
pub(crate) fn admit(app: &App, parts: &Parts) -> Result<Caller, Error> {
    let caller = app.service.authenticate(token(parts))?;
    count(app, parts, &caller)?;
    Ok(caller)
}

/// Like [`admit`], for what is open to everyone: a token that is not believed counts as none.
pub(crate) fn admit_anyone(app: &App, parts: &Parts) -> Result<Caller, Error> {
    let caller = app.service.authenticate(token(parts)).unwrap_or(Caller::Anonymous);
    count(app, parts, &caller)?;
    Ok(caller)
}

fn count(app: &App, parts: &Parts, caller: &Caller) -> Result<(), Error> {
    let client = match caller {
        Caller::Known(member) if member.role == Role::Owner => return Ok(()),
        Caller::Known(member) => member.uid().to_string(),
        Caller::Anonymous => address(parts),
    };
    app.limiter.admit(client, app.service.settings().rate_limit_per_minute)
}

pub(crate) fn address(parts: &Parts) -> String {
    let peer = parts.extensions.get::<ConnectInfo<SocketAddr>>();
    peer.map_or_else(|| "unknown".to_owned(), |ConnectInfo(peer)| peer.ip().to_string())
}

/// The bearer token, or the one a browser keeps. The header wins: whoever sets it means it.
pub(crate) fn token(parts: &Parts) -> Option<&str> {
    let bearer = parts.headers.get(AUTHORIZATION).and_then(|value| value.to_str().ok());
    let bearer =
        bearer.map(|value| value.strip_prefix("Bearer ").or_else(|| value.strip_prefix("bearer ")).unwrap_or(value));
    bearer.map(str::trim).or_else(|| cookie(parts))
}

fn cookie(parts: &Parts) -> Option<&str> {
    let cookies = parts.headers.get_all(COOKIE).iter().filter_map(|value| value.to_str().ok());
    let mut pairs = cookies.flat_map(|value| value.split(';')).filter_map(|pair| pair.trim().split_once('='));
    pairs.find(|(name, _)| *name == SESSION_COOKIE).map(|(_, token)| token)
}
