//! A browser signs in by opening a one-time link.

use api::{Code, Error};
use axum::extract::State;
use axum::response::{IntoResponse, Redirect, Response};
use http::HeaderValue;
use http::header::SET_COOKIE;
use http::request::Parts;

use crate::admit::SESSION_COOKIE;
use crate::reply::Refusal;
use crate::{App, rest};

const PATH: &str = "/login";

/// Uses the link's code up and gives the browser a session.
///
/// The cookie is out of reach for scripts and is never sent on another page's behalf.
pub(crate) async fn open(State(app): State<App>, parts: Parts) -> Result<Response, Refusal> {
    let refused = |error| Refusal(PATH, error);
    let fields = rest::query(&parts).map_err(refused)?;
    let code = fields.iter().find(|(name, _)| name == "code").map_or("", |(_, code)| code);
    let token = app.service.redeem_login(code).map_err(refused)?;
    let lifetime = app.service.settings().jwt_expires_in.as_secs();
    let cookie = format!("{SESSION_COOKIE}={token}; HttpOnly; SameSite=Strict; Path=/; Max-Age={lifetime}");
    let cookie =
        HeaderValue::from_str(&cookie).map_err(|error| Refusal(PATH, Error::new(Code::INTERNAL, error.to_string())))?;
    let mut response = Redirect::to("/docs").into_response();
    response.headers_mut().insert(SET_COOKIE, cookie);
    Ok(response)
}
