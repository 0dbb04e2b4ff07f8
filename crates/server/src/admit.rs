//! Who sends a request, and whether it may send one more.

use api::{Code, Error};
use axum::extract::ConnectInfo;
use http::header::{AUTHORIZATION, COOKIE};
use http::request::Parts;
use service::Caller;
use types::Role;

use crate::App;
use crate::identity::Ends;

/// The cookie a browser gets when it signs in.
pub(crate) const SESSION_COOKIE: &str = "fleet_session";

/// Tokens that are not believed, of one address.
const BAD_TOKENS_PER_MINUTE: u32 = 60;

/// Reads the token of a request, believes it or not, and counts the request.
pub(crate) fn admit(app: &App, parts: &Parts) -> Result<Caller, Error> {
    let caller = app.service.authenticate(token(parts)).map_err(|refusal| not_believed(app, parts, refusal))?;
    count(app, parts, &caller)?;
    Ok(caller)
}

/// Counts a token that is not believed against the address that it came from: a client that guesses is soon
/// refused. A valid token is always believed, so guesses do not lock out other clients of the same address.
fn not_believed(app: &App, parts: &Parts, refusal: Error) -> Error {
    if app.bad_tokens.counts(address(parts), BAD_TOKENS_PER_MINUTE, app.service.clock().monotonic()) {
        return refusal;
    }
    Error::new(Code::RATE_LIMITED, "Too many requests with tokens that are not valid. Try again later.")
        .hint("Get a token of this server's: `fleet token` on its machine.")
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
    app.limiter.admit(client, app.service.settings().rate_limit_per_minute, app.service.clock().monotonic())
}

pub(crate) fn address(parts: &Parts) -> String {
    let ends = parts.extensions.get::<ConnectInfo<Ends>>();
    ends.map_or_else(|| "unknown".to_owned(), |ConnectInfo(ends)| ends.peer.ip().to_string())
}

/// The bearer token, or the one a browser keeps. The header wins: it is set on purpose.
pub(crate) fn token(parts: &Parts) -> Option<&str> {
    let bearer = parts.headers.get(AUTHORIZATION).and_then(|value| value.to_str().ok());
    let bearer = bearer.map(|value| ["Bearer", "bearer"].iter().find_map(|it| value.strip_prefix(it)).unwrap_or(value));
    // A client whose variable for the token is empty has none, and is told so.
    bearer.map(str::trim).filter(|token| !token.is_empty()).or_else(|| cookie(parts))
}

fn cookie(parts: &Parts) -> Option<&str> {
    let cookies = parts.headers.get_all(COOKIE).iter().filter_map(|value| value.to_str().ok());
    let mut pairs = cookies.flat_map(|value| value.split(';')).filter_map(|pair| pair.trim().split_once('='));
    pairs.find(|(name, _)| *name == SESSION_COOKIE).map(|(_, token)| token)
}
