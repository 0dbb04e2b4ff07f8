//! A browser signs in by opening a one-time link.

use api::{Code, Error};
use axum::extract::{Query, State};
use axum::response::{IntoResponse, Redirect, Response};
use http::HeaderValue;
use http::header::SET_COOKIE;
use serde::Deserialize;

use crate::App;
use crate::admit::SESSION_COOKIE;
use crate::reply::Refusal;

const PATH: &str = "/login";

/// What the link carries.
#[derive(Debug, Deserialize)]
pub(crate) struct Link {
    #[serde(default)]
    code: String,
}

/// Uses the link's code up and gives the browser a session.
///
/// The cookie is out of reach for scripts and is never sent on another page's behalf.
pub(crate) async fn open(State(app): State<App>, Query(link): Query<Link>) -> Result<Response, Refusal> {
    let token = app.service.redeem_login(&link.code).map_err(|error| Refusal(PATH, error))?;
    let lifetime = app.service.settings().jwt_expires_in.as_secs();
    let cookie = format!("{SESSION_COOKIE}={token}; HttpOnly; SameSite=Strict; Path=/; Max-Age={lifetime}");
    let cookie =
        HeaderValue::from_str(&cookie).map_err(|error| Refusal(PATH, Error::new(Code::INTERNAL, error.to_string())))?;
    let mut response = Redirect::to("/docs").into_response();
    response.headers_mut().insert(SET_COOKIE, cookie);
    Ok(response)
}
